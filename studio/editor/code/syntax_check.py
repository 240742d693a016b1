"""Whether a text is Python: where not, and why. Nothing of it is run, and no Qt in here."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass


@dataclass(frozen=True)
class SyntaxFault:
    message: str
    line: int
    """From 1 on, as the column."""
    column: int = 1
    end_column: int = 0
    """Behind the last letter; 0 if the rest of the line is meant."""


def syntax_fault(text: str) -> SyntaxFault | None:
    """The first one: those behind it are often only its consequences."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of an escape in a string that is being typed
            ast.parse(text)
    except SyntaxError as error:
        end = error.end_offset if error.end_lineno == error.lineno and error.end_offset else 0
        return SyntaxFault(f"Syntax error: {error.msg}", error.lineno or 1, max(1, error.offset or 1), max(0, end))
    except (ValueError, RecursionError, MemoryError) as error:
        return SyntaxFault(f"Syntax error: {error}", 1)
    return None
