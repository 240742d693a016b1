"""Signals that Studio's children find at their default, whatever the shell ignores that Studio was started from.

A shell ignores SIGINT and SIGQUIT for what a script starts in the background, and `nohup` ignores SIGHUP. An ignored
signal stays ignored in every child: Ctrl-C in a terminal of the window and the stop of gdb would do nothing. A handler,
however, is forgotten when a child runs its program. So what was ignored gets a handler here that does nothing: Studio
goes on ignoring it, its children do not. Nothing has to be done between fork and exec, where a process with threads
may do next to nothing.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType

FOR_CHILDREN = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)


def pass_on_default_signals() -> None:
    """Before a child is started. Only the main thread may; any other finds it done by then."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in FOR_CHILDREN:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, _ignore)


def _ignore(_number: int, _frame: FrameType | None) -> None:
    pass
