"""What can happen to a model, as values: the undo log, and what listeners are told.

A model is a few ordered tables of frozen values plus a few fields. Every mutation is one `Change` that goes through
`Model.perform`; each has an exact inverse, so undo is "perform the inverses backwards" for every edit there will be.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from studio.errors import StudioError

K = TypeVar("K")
V = TypeVar("V")


class ModelError(StudioError):
    """An edit that would break a rule of the model; the model is as it was before."""


@dataclass(frozen=True)
class Inserted:
    table: str
    index: int
    value: Any


@dataclass(frozen=True)
class Removed:
    table: str
    index: int
    value: Any


@dataclass(frozen=True)
class Replaced:
    """A value gave way to another at the same place; its key may have changed too (a rename)."""

    table: str
    old: Any
    new: Any


@dataclass(frozen=True)
class Moved:
    table: str
    key: Any
    old_index: int
    new_index: int


@dataclass(frozen=True)
class Assigned:
    field: str
    old: Any
    new: Any


@dataclass(frozen=True)
class Within:
    """A change of one of the models that together are one: of a file of several that share a history."""

    part: Hashable
    change: Change


Change = Inserted | Removed | Replaced | Moved | Assigned | Within


def inverse(change: Change) -> Change:
    match change:
        case Inserted(table, index, value):
            return Removed(table, index, value)
        case Removed(table, index, value):
            return Inserted(table, index, value)
        case Replaced(table, old, new):
            return Replaced(table, new, old)
        case Moved(table, key, old_index, new_index):
            return Moved(table, key, new_index, old_index)
        case Assigned(field, old, new):
            return Assigned(field, new, old)
        case Within(part, inner):
            return Within(part, inverse(inner))


def inverses(changes: Iterable[Change]) -> tuple[Change, ...]:
    return tuple(inverse(change) for change in reversed(tuple(changes)))


def merged(first: tuple[Change, ...], second: tuple[Change, ...]) -> tuple[Change, ...]:
    """One list of changes for two that follow each other: the in-between states of a drag are forgotten."""
    joined = [_joined(*pair) for pair in zip(first, second, strict=False)]
    if len(first) != len(second) or None in joined:
        return first + second
    return tuple(change for change in joined if change is not None and not _is_nothing(change))


def _joined(first: Change, second: Change) -> Change | None:
    match first, second:
        case Replaced(table, old, between), Replaced(same, after, new) if table == same and between == after:
            return Replaced(table, old, new)
        case Inserted(table, index, between), Replaced(same, after, new) if table == same and between == after:
            return Inserted(table, index, new)
        case Assigned(field, old, _), Assigned(same, _, new) if field == same:
            return Assigned(field, old, new)
        case Within(part, one), Within(same, other) if part == same:
            both = _joined(one, other)
            return None if both is None else Within(part, both)
    return None


def _is_nothing(change: Change) -> bool:
    if isinstance(change, Within):
        return _is_nothing(change.change)
    return isinstance(change, (Replaced, Assigned)) and change.old == change.new


class Table(Generic[K, V]):
    """Values in an order that matters, found by key. Read it freely; only `Model.perform` writes."""

    def __init__(self, what: str, key: Callable[[V], K]) -> None:
        self.what = what
        self.key = key
        self._rows: dict[K, V] = {}

    def __getitem__(self, key: K) -> V:
        try:
            return self._rows[key]
        except KeyError:
            raise ModelError(f"there is no {self.what} {_shown(key)}") from None

    def get(self, key: K) -> V | None:
        return self._rows.get(key)

    def __contains__(self, key: object) -> bool:
        return key in self._rows

    def __iter__(self) -> Iterator[V]:
        return iter(self._rows.values())

    def __len__(self) -> int:
        return len(self._rows)

    def keys(self) -> Iterable[K]:
        return self._rows.keys()

    def index(self, key: K) -> int:
        for index, other in enumerate(self._rows):
            if other == key:
                return index
        raise ModelError(f"there is no {self.what} {_shown(key)}")

    def insert(self, index: int, value: V) -> None:
        key = self.key(value)
        if key in self._rows:
            raise ModelError(f"there is already a {self.what} {_shown(key)}")
        if index >= len(self._rows):
            self._rows[key] = value
            return
        rows = list(self._rows.items())
        rows.insert(index, (key, value))
        self._rows = dict(rows)

    def remove(self, key: K) -> None:
        del self._rows[key]

    def replace(self, old: K, value: V) -> None:
        new = self.key(value)
        if new == old:
            self._rows[old] = value
            return
        if new in self._rows:
            raise ModelError(f"there is already a {self.what} {_shown(new)}")
        self._rows = {(new if key == old else key): (value if key == old else row) for key, row in self._rows.items()}

    def move(self, key: K, index: int) -> None:
        rows = [row for row in self._rows.items() if row[0] != key]
        rows.insert(index, (key, self._rows[key]))
        self._rows = dict(rows)


class Model:
    """Base of whatever can be edited with undo. Subclasses register tables and keep their indexes in `_performed`."""

    def __init__(self) -> None:
        self._tables: dict[str, Table[Any, Any]] = {}
        self._journal: list[Change] | None = None

    def perform(self, change: Change) -> None:
        """The only way in which a model changes."""
        match change:
            case Inserted(table, index, value):
                self._tables[table].insert(index, value)
            case Removed(table, _, value):
                self._tables[table].remove(self._tables[table].key(value))
            case Replaced(table, old, new):
                self._tables[table].replace(self._tables[table].key(old), new)
            case Moved(table, key, _, new_index):
                self._tables[table].move(key, new_index)
            case Assigned(field, _, new):
                self._assign(field, new)
        self._performed(change)
        if self._journal is not None:
            self._journal.append(change)

    @contextmanager
    def transaction(self) -> Iterator[list[Change]]:
        """Collects the changes made inside; if anything raises, they are taken back. Nested ones join the outer one."""
        if self._journal is not None:
            yield self._journal
            return
        journal: list[Change] = []
        self._journal = journal
        try:
            yield journal
        except BaseException:
            self._journal = None
            for change in inverses(journal):
                self.perform(change)
            raise
        finally:
            self._journal = None

    def _performed(self, change: Change) -> None:
        """Called after each change; for indexes."""

    def _assign(self, field: str, value: object) -> None:
        setattr(self, field, value)

    def append(self, table: str, value: object) -> None:
        """Add without any rule but unique keys. For loading: a file may hold what no edit would be allowed to make."""
        self.perform(Inserted(table, len(self._tables[table]), value))

    def become(self, other: Model) -> None:
        """Hold what the tables of `other` hold, in its order, by as few changes as that takes.

        No rule but unique keys, as in loading. The tables are listed so that what refers to others comes last.
        """
        for table, rows in reversed(self._tables.items()):
            kept = other._tables[table]
            for key in [rows.key(value) for value in rows if rows.key(value) not in kept]:
                self._drop(table, key)
        for table, rows in self._tables.items():
            for index, value in enumerate(other._tables[table]):
                key = rows.key(value)
                if key in rows:
                    self._swap(table, key, value)
                    self._shift(table, key, index)
                else:
                    self._add(table, value, index)

    # What mutators are written with.

    def _add(self, table: str, value: object, index: int | None = None) -> None:
        end = len(self._tables[table])
        self.perform(Inserted(table, end if index is None else max(0, min(index, end)), value))

    def _drop(self, table: str, key: object) -> None:
        rows = self._tables[table]
        self.perform(Removed(table, rows.index(key), rows[key]))

    def _swap(self, table: str, key: object, value: object) -> None:
        old = self._tables[table][key]
        if old != value:
            self.perform(Replaced(table, old, value))

    def _shift(self, table: str, key: object, index: int) -> None:
        rows = self._tables[table]
        old, new = rows.index(key), max(0, min(index, len(rows) - 1))
        if old != new:
            self.perform(Moved(table, key, old, new))

    def _set(self, field: str, value: object) -> None:
        old = getattr(self, field)
        if old != value:
            self.perform(Assigned(field, old, value))


def _shown(key: object) -> str:
    return " to ".join(map(str, key)) if isinstance(key, tuple) and not hasattr(key, "_fields") else str(key)
