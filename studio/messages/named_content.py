"""Messages of types that only their log describes, as what they hold: dictionaries that know what they are called."""

from __future__ import annotations

from typing import Any


class NamedContent(dict[str, Any]):
    def __init__(self, kind: str, fields: dict[str, Any]) -> None:
        super().__init__(fields)
        self.kind = kind
        """The name of its type, for people."""


class NamedNumber(int):
    """A value of an enumeration: shown by its name, plotted as its number."""

    name: str

    @classmethod
    def of(cls, number: int, name: str) -> NamedNumber:
        made = cls(number)
        made.name = name
        return made

    def __str__(self) -> str:
        return f"{self.name} ({int(self)})"
