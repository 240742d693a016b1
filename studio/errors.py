"""The one family of errors that users see: what is wrong, where, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Severity = Literal["error", "warning"]


class StudioError(Exception):
    """Something the user can act on. `str()` reads `file:line: message (hint)`, leaving out what is not known."""

    def __init__(
        self, message: str, *, file: Path | str | None = None, line: int | None = None, hint: str = ""
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = str(file) if file is not None else None
        self.line = line
        self.hint = hint
        self.others: list[StudioError] = []
        """What else is wrong, if more was found: whoever shows all of it need not be told one by one."""

    def __str__(self) -> str:
        return format_place(self.message, self.file, self.line, self.hint)


@dataclass(frozen=True)
class Problem:
    """A finding of a check: like a StudioError, but one of many and not fatal."""

    message: str
    severity: Severity = "error"
    file: str | None = None
    line: int | None = None
    hint: str = ""
    subject: str = ""
    """The element that is meant: `laser`, `laser.ranges`."""
    snippet: str = ""
    """The same hint as a line of the file. The window does not show it: people draw a wire there."""

    @property
    def hint_for_file(self) -> str:
        """For people who edit the file as text."""
        return ": ".join(part for part in (self.hint, self.snippet) if part)

    def __str__(self) -> str:
        return format_place(f"{self.severity}: {self.message}", self.file, self.line, self.hint_for_file)

    @classmethod
    def from_error(cls, error: StudioError) -> Problem:
        return cls(error.message, "error", error.file, error.line, error.hint)

    @classmethod
    def all_from(cls, error: StudioError) -> list[Problem]:
        """With what else was found to be wrong."""
        return [cls.from_error(each) for each in (error, *error.others)]


def counted(problems: list[Problem]) -> tuple[int, int]:
    """Errors and warnings."""
    errors = sum(problem.severity == "error" for problem in problems)
    return errors, len(problems) - errors


def format_place(message: str, file: str | None, line: int | None, hint: str) -> str:
    place = ":".join(str(part) for part in (file, line) if part is not None)
    text = f"{place}: {message}" if place else message
    return f"{text} ({hint})" if hint else text
