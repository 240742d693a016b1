"""What is typed as JSON, read with words that tell where it is wrong."""

from __future__ import annotations

import json
from typing import Any

from studio.errors import StudioError
from studio.messages import MessageError


def error_words(error: Exception) -> str:
    if isinstance(error, StudioError):
        return f"{error.message} ({error.hint})" if error.hint else error.message
    return str(error)


def read_json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise MessageError(f"This is not JSON: {error.msg.lower()} in {place}") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, or lists within lists within lists
        raise MessageError(f"This cannot be read: {error}") from None
