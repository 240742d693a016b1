"""At which event each function of a component was called for the first time.

The interpreter tells of each code object once and is then asked to be silent about it, so this costs nothing later
(sys.monitoring, from Python 3.12 on). Compiled code is never told of: see code_changes.py.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CodeType

TOOLS = (3, 4)
"""Numbers that no kind of tool owns: debuggers, profilers and coverage have their own."""


class FirstCalls:
    def __init__(self, folders: Iterable[Path], now: Callable[[], int]) -> None:
        """`folders`: of the components whose calls count; `now`: the number of the event that is being handled."""
        self._prefixes = tuple(f"{folder.absolute()}/" for folder in folders)
        self._now = now
        self._called: dict[CodeType, int] = {}
        self._tool = self._begin()

    @property
    def is_known(self) -> bool:
        """False before Python 3.12, and where other tools have taken every number."""
        return self._tool is not None

    def of(self, code: CodeType) -> int | None:
        """The event in which it was called first; None: it never was."""
        return self._called.get(code)

    def forget_from(self, event: int) -> None:
        """These events have not happened any more: what was called first in one of them is looked at again."""
        self._called = {code: at for code, at in self._called.items() if at < event}
        if self._tool is not None:
            sys.monitoring.restart_events()

    def rename(self, before: CodeType, after: CodeType) -> None:
        """The same function has other line numbers now."""
        if before in self._called:
            self._called[after] = self._called[before]

    def close(self) -> None:
        if self._tool is not None:
            sys.monitoring.set_events(self._tool, 0)
            sys.monitoring.free_tool_id(self._tool)
            self._tool = None

    def _begin(self) -> int | None:
        if sys.version_info < (3, 12):
            return None
        monitoring = sys.monitoring
        tool = next((number for number in TOOLS if monitoring.get_tool(number) is None), None)
        if tool is not None:
            monitoring.use_tool_id(tool, "robot systems studio")
            monitoring.register_callback(tool, monitoring.events.PY_START, self._note)
            monitoring.set_events(tool, monitoring.events.PY_START)
        return tool

    def _note(self, code: CodeType, _offset: int) -> object:
        if code.co_filename.startswith(self._prefixes):
            self._called.setdefault(code, self._now())
        return sys.monitoring.DISABLE
