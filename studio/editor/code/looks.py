"""Expressions to evaluate in a frame that stands, and what comes back of them. No Qt in here."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable
from typing import Any

_SURVEY = '__import__("studio.runtime.host.survey", fromlist=["survey"])'


def names_of(expressions: Iterable[str]) -> str:
    """What several expressions are worth; all of them have to have a value."""
    pairs = ", ".join(f"{expression!r}: {expression}" for expression in expressions)
    return f"{_SURVEY}.names({{{pairs}}})"


def known_of(names: Iterable[str]) -> str:
    """As `names_of`, of plain and dotted names; those that have no value yet are left out."""
    return f"{_SURVEY}.known(locals(), {list(names)!r})"


def children_of(expression: str) -> str:
    return f"{_SURVEY}.children({expression})"


def array_of(expression: str, plane: int = 0) -> str:
    return f"{_SURVEY}.array({expression}, {plane})"


def told(result: str) -> dict[str, Any]:
    """The JSON in the string that was evaluated; empty if it is none."""
    try:
        found = json.loads(ast.literal_eval(result))
    except (ValueError, SyntaxError):
        return {}
    return found if isinstance(found, dict) else {}
