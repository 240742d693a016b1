"""The cases of a project, as they are written in the `.toml` files of its folder `tests`.

    [reaches_the_goal]
    doc = "The Raptor reaches its goal and touches nothing."
    for_s = 60
    expect = ["goal within 60 s", "no collision"]

    [the_filter_smooths]
    log = "../logs/drive.mcap"
    set = { "filter.cutoff_hz" = 2.0 }
    golden = ["/filter/*"]

With `log` the system is fed with this log, in lockstep; without it all sources are simulated.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studio.errors import StudioError
from studio.model.close_matches import did_you_mean
from studio.model.files import read_bytes
from studio.runtime.cases.expression import Expression

FOLDER = "tests"
GOLDEN_FOLDER = "golden"
_NAME = re.compile(r"[A-Za-z]\w*")


class CaseError(StudioError):
    """A file of cases that cannot be read."""


@dataclass(frozen=True)
class Case:
    name: str
    file: Path
    doc: str = ""
    for_s: float | None = None
    """System time; of a log, None: all of it."""
    seed: int = 0
    log: Path | None = None
    given: tuple[str, ...] = ()
    """`component.parameter=value`."""
    expect: tuple[Expression, ...] = ()
    golden: tuple[str, ...] = ()
    """Patterns of the topics that must be as in the golden log."""
    tolerance: float = 0.0
    over_processes: bool = False
    """Each component in a process of its own, as programs in other languages need it."""

    @property
    def golden_log(self) -> Path:
        return self.file.parent / GOLDEN_FOLDER / f"{self.name}.mcap"


def cases_of(project: Path) -> list[Case]:
    """By file, in the order in which they are written."""
    found: dict[str, Case] = {}
    for file in sorted((project / FOLDER).glob("*.toml")):
        for case in read_cases(file):
            if case.name in found:
                raise CaseError(
                    f"two cases are called {case.name}", file=file, hint=f"the other: {found[case.name].file.name}"
                )
            found[case.name] = case
    return list(found.values())


def read_cases(file: Path) -> list[Case]:
    try:
        tables = tomllib.loads(read_bytes(file).decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CaseError(f"not a valid TOML file: {error}", file=file) from None
    return [_case(name, table, file) for name, table in tables.items()]


def _case(name: str, table: Any, file: Path) -> Case:
    reading = _Reading(name, table, file)
    log = reading.text("log")
    case = Case(
        name, file,
        doc=reading.text("doc"),
        for_s=reading.number("for_s", None),
        seed=int(reading.number("seed", 0) or 0),
        log=(file.parent / log).resolve() if log else None,
        given=tuple(reading.settings()),
        expect=tuple(reading.expressions()),
        golden=reading.texts("golden"),
        tolerance=reading.number("tolerance", 0.0) or 0.0,
        over_processes=reading.yes_or_no("over_processes"),
    )  # fmt: skip
    reading.refuse_others()
    if case.log is None and case.for_s is None:
        raise reading.error("for how long?", hint='for_s = 60, or log = "drive.mcap"')
    if case.log is not None and case.for_s is not None:
        raise reading.error("a log is replayed to its end", hint="leave for_s out")
    if not case.expect and not case.golden:
        raise reading.error("nothing is expected", hint='expect = ["no collision"], or golden = ["/motor/*"]')
    return case


class _Reading:
    """The values of one table, checked."""

    def __init__(self, name: str, table: Any, file: Path) -> None:
        self._name, self._file = name, file
        self._known: list[str] = []
        if not isinstance(table, dict):
            raise CaseError(f"{name} is outside of a case", file=file, hint="begin with [name_of_the_case]")
        if not _NAME.fullmatch(name):
            raise CaseError(f"a case cannot be called {name!r}", file=file, hint="letters, digits and _")
        self._table: Mapping[str, Any] = table

    def error(self, message: str, hint: str = "") -> CaseError:
        return CaseError(f"{self._name}: {message}", file=self._file, hint=hint)

    def _value(self, key: str, kinds: type | tuple[type, ...], what: str, default: Any) -> Any:
        self._known.append(key)
        value = self._table.get(key, default)
        is_wrong = not isinstance(value, kinds) or (isinstance(value, bool) and kinds is not bool)
        if key in self._table and is_wrong:
            raise self.error(f"{key} takes {what}, not {value!r}")
        return value

    def text(self, key: str) -> str:
        return str(self._value(key, str, "a text", ""))

    def number(self, key: str, default: float | None) -> float | None:
        value = self._value(key, (int, float), "a number", default)
        if value is not None and not 0 <= value < 1e9:
            raise self.error(f"{key} = {value} is not in its range")
        return None if value is None else value

    def yes_or_no(self, key: str) -> bool:
        return bool(self._value(key, bool, "true or false", False))

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._value(key, list, "a list of texts", [])
        if not all(isinstance(each, str) for each in value):
            raise self.error(f"{key} takes a list of texts")
        return tuple(value)

    def settings(self) -> Iterable[str]:
        for place, value in self._value("set", dict, 'a table such as { "filter.cutoff_hz" = 2.0 }', {}).items():
            if isinstance(value, dict):
                raise self.error("set: a name with a dot needs quotes", hint='"filter.cutoff_hz" = 2.0')
            yield f"{place}={_as_text(value)}"

    def expressions(self) -> Iterable[Expression]:
        for text in self.texts("expect"):
            try:
                yield Expression(text)
            except StudioError as error:
                raise self.error(error.message, hint=error.hint) from None

    def refuse_others(self) -> None:
        for key in self._table:
            if key not in self._known:
                raise self.error(f"there is no {key}", hint=did_you_mean(key, self._known))


def _as_text(value: Any) -> str:
    """As in an attribute of system.xml."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return " ".join(map(_as_text, value))
    return str(value)
