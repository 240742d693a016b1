"""Undo and redo over a model, and the place where everybody hears what changed."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from studio.model.changes import Change, Model, inverses, merged

M = TypeVar("M", bound=Model)
M_contra = TypeVar("M_contra", bound=Model, contravariant=True)
Listener = Callable[[tuple[Change, ...]], None]


class Edit(Protocol[M_contra]):
    """Something a person does to a model. A value: it can be made, shown, stored and thrown away."""

    @property
    def label(self) -> str: ...

    @property
    def merge_key(self) -> Hashable | None:
        """Two edits in a row with the same key are one for undo; None never merges."""

    def apply(self, model: M_contra, /) -> None: ...


@dataclass(frozen=True)
class Step:
    """An edit that was done, as the changes it made."""

    label: str
    changes: tuple[Change, ...]
    merge_key: Hashable | None = None

    def apply(self, model: Model) -> None:
        for change in self.changes:
            model.perform(change)

    def revert(self, model: Model) -> None:
        for change in inverses(self.changes):
            model.perform(change)


class History(Generic[M]):
    def __init__(self, model: M) -> None:
        self.model = model
        self._done: list[Step] = []
        self._undone: list[Step] = []
        self._clean: int | None = 0
        """How many steps were done when the file was saved; None if undo and redo cannot lead there any more."""
        self._listeners: list[Listener] = []

    # ---- doing

    def do(self, edit: Edit[M]) -> tuple[Change, ...]:
        """Apply `edit` and tell the listeners. If the model refuses, it stays as it was and the error goes on."""
        with self.model.transaction() as journal:
            edit.apply(self.model)
        changes = tuple(journal)
        if changes:
            self._record(Step(edit.label, changes, edit.merge_key))
            self._tell(changes)
        return changes

    def undo(self) -> bool:
        """False if there was nothing to undo."""
        if not self._done:
            return False
        step = self._done.pop()
        self._undone.append(step)
        step.revert(self.model)
        self._tell(inverses(step.changes))
        return True

    def redo(self) -> bool:
        if not self._undone:
            return False
        step = self._undone.pop()
        self._done.append(step)
        step.apply(self.model)
        self._tell(step.changes)
        return True

    # ---- looking

    @property
    def undo_label(self) -> str | None:
        return self._done[-1].label if self._done else None

    @property
    def redo_label(self) -> str | None:
        return self._undone[-1].label if self._undone else None

    @property
    def labels(self) -> list[str]:
        """What was done, oldest first, for a list that people can read."""
        return [step.label for step in self._done]

    @property
    def is_clean(self) -> bool:
        """The model is as it was when it was saved or loaded."""
        return self._clean == len(self._done)

    @property
    def changes_since_clean(self) -> tuple[Change, ...] | None:
        """What was done since it was saved or loaded; None if undo led behind that."""
        if self._clean is None or self._clean > len(self._done):
            return None
        return tuple(change for step in self._done[self._clean :] for change in step.changes)

    def mark_clean(self) -> None:
        self._clean = len(self._done)

    def listen(self, listener: Listener) -> Callable[[], None]:
        """`listener` gets the changes of every edit, undo and redo, after they happened. The result ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    # ---- inside

    def _record(self, step: Step) -> None:
        if self._clean is not None and self._clean > len(self._done):
            self._clean = None
        last = self._done[-1] if self._done and not self._undone else None
        self._undone.clear()
        if last is None or step.merge_key is None or last.merge_key != step.merge_key or self.is_clean:
            self._done.append(step)
            return
        changes = merged(last.changes, step.changes)
        self._done[-1:] = [Step(step.label, changes, step.merge_key)] if changes else []

    def _tell(self, changes: tuple[Change, ...]) -> None:
        for listener in list(self._listeners):
            listener(changes)
