"""Messages in short: a word for each field, for those who only want to see what an event is about."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

MOST_CHARACTERS = 160
MOST_ELEMENTS = 8


def short_fields(message: Any) -> dict[str, str]:
    """Field -> short text; arrays by their type and size. Of a command or a plain value, what there is."""
    if isinstance(message, dict):
        return {str(name): short(value) for name, value in message.items()}
    if not is_dataclass(message):
        return {} if message is None else {"value": short(message)}
    return {each.name: short(getattr(message, each.name)) for each in fields(message)}


def short(value: Any) -> str:
    if isinstance(value, np.ndarray) and value.size > MOST_ELEMENTS:
        return f"{value.dtype} {'x'.join(map(str, value.shape))}"
    text = repr(value)
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"
