"""Which ports and parameters the code of a component declares: read, never run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from studio.model.spec import ComponentSpec, PythonEntry

DECLARATIONS = frozenset({"InPort", "OutPort", "Parameter"})
PLAIN_BASE = "Component"
"""A class of another base has ports and parameters from there, too."""


def outdated_names(code: str, spec: ComponentSpec) -> list[str]:
    """Names that the class declares and the profile does not have, or the other way round; none where the code cannot
    be read or the class cannot be found."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):
        return []
    name = spec.entry.cls if isinstance(spec.entry, PythonEntry) else ""
    found = next((node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name), None)
    if found is None:
        return []
    declared = set(_declared(found))
    written = {port.name for port in spec.ports} | {parameter.name for parameter in spec.parameters}
    is_whole = [base.id for base in found.bases if isinstance(base, ast.Name)] == [PLAIN_BASE]
    return sorted(declared ^ written if is_whole else declared - written)


def _declared(node: ast.ClassDef) -> Iterator[str]:
    for line in node.body:
        match line:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id=kind))) if (
                kind in DECLARATIONS
            ):
                yield name
