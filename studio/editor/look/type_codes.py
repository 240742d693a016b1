"""Two characters for a message type, where a colour is not enough."""

from __future__ import annotations

import re
from functools import cache

_ODD = {"Imu": "IU"}
"""What would be the code of another type: Image is IM."""


@cache
def type_code(message_type: str) -> str:
    """From its capitals and digits, or its first letter and the next consonant: R3, PT, MP; nothing for no type."""
    name = re.split(r"[/.]", message_type)[-1]
    if name in _ODD:
        return _ODD[name]
    marks = re.findall(r"[A-Z0-9]", name)
    if len(marks) < 2:
        marks = [*name[:1], *re.findall(r"[^aeiouAEIOU_\W]", name[1:]), *name[1:]]
    return "".join(marks[:2]).upper()
