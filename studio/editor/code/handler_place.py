"""Where the code is that handles an event: which components get it, and the line of the method that takes it. No Qt."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from studio.runtime.wire.frames import COMMAND_PREFIX, TIMER_PREFIX


def handlers_of(topic: str, components: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Component and method, of all that get an event of a topic; commands are the runtime's own."""
    if topic.startswith(TIMER_PREFIX):
        return [(topic.removeprefix(TIMER_PREFIX), "on_timer")]
    if topic.startswith(COMMAND_PREFIX):
        return []
    return [
        (name, f"on_{port}")
        for name, told in components.items()
        for port, heard in (told.get("inputs") or {}).items()
        if topic in heard
    ]


def line_of(text: str, class_name: str, method: str) -> int:
    """The first line of what a method does; without one, the port that keeps the event until it is asked for, or the
    class. 0 where the file does not have the class."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return 0
    owner = next((node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == class_name), None)
    if owner is None:
        return 0
    for node in owner.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == method:
            has_doc = ast.get_docstring(node) is not None and len(node.body) > 1
            return node.body[int(has_doc)].lineno
    port = method.removeprefix("on_")
    for each in owner.body:
        if isinstance(each, ast.Assign) and port in [name.id for name in each.targets if isinstance(name, ast.Name)]:
            return each.lineno
    return owner.lineno
