"""In which lines of a Python file a breakpoint can stop. No Qt."""

from __future__ import annotations

import ast
from types import CodeType


def stopping_line(text: str, line: int) -> int:
    """The line in which a breakpoint stops that is wanted in `line`: this one, or the next one with code.

    The head of a function is code of its class, which runs once, when it is imported; whoever clicks there means a
    call: the first line of its body. Text that cannot be read as Python is taken as it is.
    """
    try:
        tree = ast.parse(text)
        lines = _lines(compile(tree, "code", "exec"))
    except (SyntaxError, ValueError):
        return line
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            body = [each for each in node.body if not _is_text(each)] or node.body
            if first <= line < body[0].lineno:
                return body[0].lineno
    return line if line in lines else next((each for each in sorted(lines) if each > line), line)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _lines(code: CodeType) -> set[int]:
    found = {line for _, _, line in code.co_lines() if line}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= _lines(constant)
    return found
