"""A fingerprint of the code of a component, so that two logs can tell whether it was the same."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from studio.runtime.plan.plan import Plan

NOT_CODE = (".md", ".pyc", ".pyo", ".o")
MOST_BYTES = 64 << 20
"""A folder with more than this is full of data, and reading it would delay the start."""


def code_of(plan: Plan) -> dict[str, str]:
    """Component -> the fingerprint of the files in its folder; without those whose folder is not known."""
    known: dict[str, str] = {}
    for component in plan.components:
        if component.folder and component.folder not in known:
            known[component.folder] = fingerprint(Path(component.folder))
    found = {component.name: known.get(component.folder, "") for component in plan.components}
    return {name: code for name, code in found.items() if code}


def fingerprint(folder: Path) -> str:
    """Of names and contents of what may run there: not of tests, documents and what Python or a compiler made of them.

    Empty where the folder cannot be read: what a log says of the code must not keep a system from being recorded.
    """
    digest = hashlib.sha256()
    try:
        files = list(_code_files(folder))
        if not files or sum(file.stat().st_size for file in files) > MOST_BYTES:
            return ""
        for file in files:
            content = file.read_bytes()
            digest.update(f"{file.relative_to(folder).as_posix()}\0{len(content)}\0".encode())
            digest.update(content)
    except OSError:
        return ""
    return digest.hexdigest()[:12]


def _code_files(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        inside = file.relative_to(folder)
        if any(part.startswith((".", "__pycache__")) for part in inside.parts):
            continue
        if file.is_file() and file.suffix not in NOT_CODE and not file.name.startswith("test_"):
            yield file
