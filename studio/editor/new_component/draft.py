"""What has been typed about a new component, and what is wrong with it. No Qt in here."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from studio.messages import MessageTypes
from studio.model.spec import Category
from studio.runtime.scaffold.description import (
    SNAKE_CASE,
    Description,
    DescriptionError,
    Port,
    check_component_name,
    check_member_name,
    described,
    setting_of,
)

RECORDS = frozenset({"Bookmark", "EventHeaders", "HandledTrace", "ServiceCall"})
"""Types that only the recorder writes."""
NAMELESS = "Give it a name, or remove it"
LETTERS = "Use letters a to z, digits and underscores, and begin with a letter"


@dataclass(frozen=True)
class Row:
    """A port or a parameter: `choice` is its message type or its default, `more` what to keep or its unit."""

    name: str
    choice: str
    more: str = ""
    is_wanted: bool = False
    """Without a name it is an error then, and is not left out."""


@dataclass(frozen=True)
class Draft:
    name: str = ""
    inputs: tuple[Row, ...] = ()
    outputs: tuple[Row, ...] = ()
    parameters: tuple[Row, ...] = ()
    category: Category = "processor"
    period_s: float | None = None
    doc: str = ""

    @property
    def rows(self) -> tuple[Row, ...]:
        return (*self.inputs, *self.outputs, *self.parameters)

    def described(self) -> Description:
        """Rows without a name are left out. Raises DescriptionError."""
        return described(
            self.name.rstrip("_"),
            [Port(row.name.rstrip("_"), row.choice, row.more or "all") for row in self.inputs if row.name],
            [Port(row.name.rstrip("_"), row.choice) for row in self.outputs if row.name],
            [setting_of(row.name.rstrip("_"), row.choice, row.more) for row in self.parameters if row.name],
            category=self.category,
            period_s=self.period_s,
            doc=self.doc,
        )


@dataclass(frozen=True)
class Faults:
    """What is wrong: with the name, with each row (in the order of `Draft.rows`), or with the whole."""

    name: str
    rows: tuple[str, ...]
    whole: str = ""

    @property
    def first(self) -> str:
        return next((words for words in (self.name, *self.rows, self.whole) if words), "")


def faults(draft: Draft, is_taken: Callable[[str], str]) -> Faults:
    """`is_taken` tells why a component of that name cannot be made where it is wanted, "" if it can."""
    name = draft.name.rstrip("_")
    of_name = _said(lambda: check_component_name(name), name) or is_taken(name) if name else "Give it a name"
    names = [row.name.rstrip("_") for row in draft.rows]
    of_rows = tuple(_row_fault(row, names[:place]) for place, row in enumerate(draft.rows))
    if of_name or any(of_rows):
        return Faults(of_name, of_rows)
    try:
        draft.described()
    except DescriptionError as error:
        return Faults("", of_rows, _words(error))
    return Faults("", of_rows)


def _row_fault(row: Row, before: list[str]) -> str:
    name = row.name.rstrip("_")
    if not name:
        return NAMELESS if row.is_wanted else ""
    if name in before:
        return f"There is another port or parameter named {name}"
    return _said(lambda: check_member_name(name), name)


def _said(check: Callable[[], None], name: str) -> str:
    if not SNAKE_CASE.match(name):
        return LETTERS
    try:
        check()
    except DescriptionError as error:
        return _words(error)
    return ""


def _words(error: DescriptionError) -> str:
    return f"{error.message}: {error.hint}" if error.hint else error.message


def typed_name(text: str) -> str:
    """A name as it is typed becomes snake_case at once: `Low Pass` and `LowPass` are low_pass."""
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text)
    return re.sub(r"[\s\-./_]+", "_", text).lower().lstrip("_")


def port_types(types: MessageTypes) -> list[str]:
    """What a port can carry."""
    return [name for name in types.names() if name not in RECORDS]
