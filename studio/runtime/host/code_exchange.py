"""Other bodies of functions for the components of a host, in the process that runs.

No changed function was called before a certain event, so every checkpoint before that event is also a checkpoint of the
new code. The host restores the last of these, takes the new bodies, and handles its recorded inputs from there on
(catching_up.py). Where this is not certain, it refuses, and a new process handles all inputs from its start.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from studio.errors import StudioError
from studio.runtime.base.known_files import KnownFiles
from studio.runtime.base.state_digest import digest_of
from studio.runtime.host.code_changes import CannotExchange, FunctionPair, function_pairs, uses_compiler
from studio.runtime.host.component_import import PACKAGE, SourceLoader, loaded_modules
from studio.runtime.host.first_calls import FirstCalls

if TYPE_CHECKING:
    from types import CodeType

    from studio.runtime.host.executor import Executor

_VALUES = (
    bool, int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset, deque, np.ndarray, np.generic,
    np.random.Generator,
)  # fmt: skip
_CACHED = type(cache(int))
_NOT_READ = ("README.md", "component.xml")
"""Files of a component that its code has no use for."""


class _Change(NamedTuple):
    loader: SourceLoader
    source: bytes
    code: CodeType
    pairs: list[FunctionPair]


class CodeExchange:
    """Used by the executor, between two events."""

    def __init__(self, executor: Executor, folders: Iterable[Path]) -> None:
        self._executor = executor
        self._folders = [folder.absolute() for folder in folders]
        self._files = KnownFiles()
        self._globals: str | None = None
        """Of what modules and classes hold besides code, at the first checkpoint: no checkpoint has it."""
        self.first_calls = FirstCalls(self._folders, self._now)

    def _now(self) -> int:
        journal = self._executor.journal
        return journal.now if journal is not None else -1

    def note_beginning(self) -> None:
        """At the first checkpoint: what no checkpoint has, and must not have changed later."""
        if self._globals is None and self._executor.journal is not None:
            self._files.note(_other_files(self._folders))
            with suppress(Exception):  # of anybody's objects; without it a reload takes a new process
                self._globals = _digest_of_globals()

    def went_back(self) -> None:
        """The host is where it was: what was called since then was not called yet."""
        if self._executor.journal is not None:
            self.first_calls.forget_from(self._executor.journal.events)

    def exchange(self) -> int:
        """Take the code that is on the disk now. The checkpoint where the host is then: before all that may differ.

        Raises CannotExchange, and has changed nothing then.
        """
        self._refuse_uncertain()
        changes = self._changes()
        number = self._last_before([pair for change in changes for pair in change.pairs if pair.differs])
        functions = _functions_of(changes)
        try:
            self._executor.checkpoints.restore(number)
        except StudioError as refused:
            raise CannotExchange(refused.message) from refused
        assert self._executor.journal is not None
        self.first_calls.forget_from(self._executor.journal.events_at[number])
        for change in changes:
            change.loader.source, change.loader.code = change.source, change.code
            for pair in change.pairs:
                self.first_calls.rename(pair.before, pair.after)
                for function in functions.get(pair.before, ()):
                    function.__code__ = pair.after
        return number

    def _refuse_uncertain(self) -> None:
        executor = self._executor
        if not self.first_calls.is_known:
            raise CannotExchange("Studio knows only from Python 3.12 on when functions were first called")
        if _is_debugged():
            raise CannotExchange("a debugger has breakpoints at lines of the old code")
        if executor.journal is None or not executor.journal.is_known or self._globals is None:
            raise CannotExchange("its inputs are not known")
        if any(runner.errors for runner in executor.runners.values()):
            raise CannotExchange("errors name lines of the old code")
        if _digest_of_globals() != self._globals:
            raise CannotExchange("variables of modules or classes have changed, and no checkpoint has them")
        for file in _other_files(self._folders):
            if self._files.have_changed(file):
                raise CannotExchange(f"{file} has changed, too")

    def _changes(self) -> list[_Change]:
        loaded = [loader for _, loader in loaded_modules()]
        for loader in loaded:
            if not any(Path(loader.path).is_relative_to(folder) for folder in self._folders):
                raise CannotExchange(f"{loader.path} belongs to another component, whose calls are not recorded")
        try:
            sources = [(loader, Path(loader.path).read_bytes()) for loader in loaded]
            compiles = any(uses_compiler(each) for loader, after in sources for each in (loader.source, after))
            return [
                _Change(loader, after, *function_pairs(loader.source, loader.code, after, compiles=compiles))
                for loader, after in sources
            ]
        except (OSError, SyntaxError, ValueError) as error:
            raise CannotExchange(str(error)) from error

    def _last_before(self, changed: list[FunctionPair]) -> int:
        """The last checkpoint before the first call of one of these."""
        journal, checkpoints = self._executor.journal, self._executor.checkpoints
        assert journal is not None
        calls = [at for pair in changed if (at := self.first_calls.of(pair.before)) is not None]
        most = min(calls, default=journal.events)
        known = {number: events for number, events in journal.events_at.items() if checkpoints.has(number)}
        before = [number for number, events in known.items() if events <= most]
        if not before:
            raise CannotExchange("changed code was called before the first checkpoint")
        return max(before, key=lambda number: (known[number], number))


def _is_debugged() -> bool:
    traces = sys.gettrace() is not None or threading.gettrace() is not None
    return traces or sys.monitoring.get_tool(sys.monitoring.DEBUGGER_ID) is not None


def _functions_of(changes: list[_Change]) -> dict[CodeType, list[FunctionType]]:
    """Every function object that runs one of these codes, wherever it is kept."""
    codes = [pair.before for change in changes for pair in change.pairs]
    found: dict[CodeType, list[FunctionType]] = {}
    for referrer in gc.get_referrers(*codes) if codes else ():
        if isinstance(referrer, FunctionType):
            found.setdefault(referrer.__code__, []).append(referrer)
    for change in changes:
        for pair in change.pairs:
            if pair.differs and pair.before not in found:
                raise CannotExchange(f"{pair.name} has changed, and is not found in the process")
    return found


def _other_files(folders: list[Path]) -> Iterator[str]:
    """All that may decide what a component does, besides its own code: libraries, and files beside its code."""
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and not any(Path(file).is_relative_to(folder) for folder in folders):
            yield file
    for folder in folders:
        for file in folder.rglob("*"):
            is_cache = "__pycache__" in file.parts
            if file.is_file() and file.suffix != ".py" and file.name not in _NOT_READ and not is_cache:
                yield str(file)


def _digest_of_globals() -> str:
    """Of variables that are no code: of the components' modules and of the classes in these."""
    found: dict[str, Any] = {}
    for module, _ in loaded_modules():
        found |= _values(module.__name__, vars(module))
        for name, value in list(vars(module).items()):
            if isinstance(value, type) and value.__module__ == module.__name__:
                found |= _values(f"{module.__name__}.{name}", vars(value))
    return digest_of(found)


def _values(owner: str, variables: Any) -> dict[str, Any]:
    found = {}
    for name, value in list(variables.items()):
        if isinstance(value, ModuleType) or (name.startswith("__") and name.endswith("__")):
            continue
        if isinstance(value, _VALUES) or type(value).__module__.startswith(PACKAGE):
            found[f"{owner}.{name}"] = value
        elif isinstance(value, _CACHED):
            found[f"{owner}.{name}"] = value.cache_info().misses  # each has put something into it
    return found
