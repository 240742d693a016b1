"""Which names get their values where, in the function in which the code stands. No Qt in here."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

MOST_NAMES = 3
"""At the end of a line."""
MOST_CHARACTERS = 44
"""Of each value there."""


def names_by_line(source: str, line: int) -> dict[int, list[str]]:
    """Of the function around `line`: the names that get a value in lines that have been passed before it."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return {}
    around = _function_around(tree, line)
    found: dict[int, list[str]] = {}
    body: list[ast.stmt] = around.body if around is not None else tree.body
    if around is not None:
        given = [*around.args.posonlyargs, *around.args.args, *around.args.kwonlyargs]
        for argument in given:
            if argument.arg not in ("self", "cls"):
                found.setdefault(argument.lineno, []).append(argument.arg)
    for statement in _statements(body):
        end = _header_end(statement)
        if end < line:
            for name in _bound(statement):
                names = found.setdefault(end, [])
                if name not in names:
                    names.append(name)
    return found


def texts(places: Mapping[int, list[str]], words: Mapping[str, str]) -> dict[int, str]:
    """What stands at the ends of the lines; names without a value are left out. The last line of a name has it."""
    last = {name: line for line in sorted(places) for name in places[line]}
    shown = {}
    for line, names in places.items():
        known = [f"{name} {_short(words[name])}" for name in names if words.get(name) and last[name] == line]
        if known:
            shown[line] = "   ".join(known[:MOST_NAMES])
    return shown


def _short(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 1]}…"


_Function = ast.FunctionDef | ast.AsyncFunctionDef


def _function_around(tree: ast.AST, line: int) -> _Function | None:
    """The innermost one."""
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, _Function) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return max(found, key=lambda node: node.lineno, default=None)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        if isinstance(statement, _Function | ast.ClassDef):
            continue
        for part in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(statement, part, []))
        for handler in getattr(statement, "handlers", []):
            yield from _statements(handler.body)


def _header_end(statement: ast.stmt) -> int:
    """The last line of what is done before the block within begins."""
    block = getattr(statement, "body", None)
    if isinstance(block, list) and block:
        return max(statement.lineno, block[0].lineno - 1) if block[0].lineno > statement.lineno else statement.lineno
    return statement.end_lineno or statement.lineno


def _bound(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.Assign(targets=targets):
            for target in targets:
                yield from _names(target)
        case ast.AnnAssign(target=target, value=value) if value is not None:
            yield from _names(target)
        case ast.AugAssign(target=target) | ast.For(target=target) | ast.AsyncFor(target=target):
            yield from _names(target)
        case ast.With(items=items) | ast.AsyncWith(items=items):
            for item in items:
                if item.optional_vars is not None:
                    yield from _names(item.optional_vars)


def _names(target: ast.expr) -> Iterator[str]:
    match target:
        case ast.Name(id=name):
            yield name
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _names(part)
        case ast.Starred(value=value):
            yield from _names(value)
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            yield f"self.{name}"
