"""The debugger's part inside a host: connects debugpy to the runtime when it is asked to, and answers its questions.

The functions at the end are evaluated by the debugger, in a thread of its own, while the executor may stand still.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, Protocol

from studio.runtime.base.clock import Clock
from studio.runtime.base.short_values import short_fields
from studio.runtime.component import Component
from studio.runtime.host.component_runner import ComponentRunner
from studio.runtime.host.invitation import Invitation, invitation_file, take_invitation
from studio.runtime.wire.frames import Event, Header, split

SUSPENDED = 2
"""STATE_SUSPEND of pydevd, the core of debugpy."""
SWITCH = "STUDIO_DEBUG"
"""Set to `off` in the environment of a run, nobody can debug its hosts."""


class Runs(Protocol):
    """What a host lets the debugger see: its executor."""

    clock: Clock
    frame: bytes
    runners: dict[str, ComponentRunner]
    handling_since_ns: int


def spare_this_thread() -> None:
    """Whatever the debugger holds, this thread goes on: the one that speaks for a host, or keeps a robot safe."""
    threading.current_thread().pydev_do_not_trace = True  # type: ignore[attr-defined]


class HostDebugger:
    """Looks for an invitation, and follows it. debugpy is imported then, and not before."""

    def __init__(self, run: Path, host: str, executor: Runs) -> None:
        self._run, self._host = run, host
        self._executor = executor
        self._file = str(invitation_file(run, host))
        self._is_off = os.environ.get(SWITCH) == "off"

    def at_start(self) -> None:
        """Before components are imported, so that a breakpoint stops there too."""
        invitation = None if self._is_off else take_invitation(self._run, self._host)
        if invitation is not None:
            self._connect(invitation)

    def look(self) -> None:
        """I/O thread, fifty times a second: only asks whether the file is there."""
        if self._is_off or not os.path.exists(self._file):
            return
        if (invitation := take_invitation(self._run, self._host)) is not None:
            threading.Thread(target=self._connect_beside, args=(invitation,), name="debugger", daemon=True).start()

    def _connect_beside(self, invitation: Invitation) -> None:
        spare_this_thread()
        self._connect(invitation)

    def _connect(self, invitation: Invitation) -> None:
        os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # components are no frozen modules
        global _executor, _tracing
        _executor, _tracing = self._executor, False
        import debugpy  # noqa: T100 - a third of a second that only who is debugged pays for

        try:
            debugpy.configure(subProcess=False)
            _forget_lost_debugger()
            # Returns when the runtime has set its breakpoints; the kernel ends this process with the runtime, so that
            # it does not wait in vain.
            debugpy.connect(("127.0.0.1", invitation.port), access_token=invitation.token)
        except (OSError, RuntimeError) as failure:  # the runtime has given up waiting
            print(f"the debugger could not be reached: {failure}", file=sys.stderr)
            return
        _tracing = True


def _forget_lost_debugger() -> None:
    """Invited again while an old line still stands here: the runtime has lost it, and debugpy not noticed yet."""
    pydevd = sys.modules.get("pydevd")
    if pydevd is not None and pydevd.get_global_debugger() is not None:
        pydevd.stoptrace()


# Evaluated by the debugger.

_executor: Runs | None = None
_tracing = False
_going: Clock | None = None
"""The clock of this host before it was stopped with the system."""
_entered: dict[str, Event] = {}
"""Component -> the event with which it was last stepped into."""


def is_tracing() -> bool:
    """Whether breakpoints stop anybody already: debugpy answers before it has begun to watch the other threads."""
    return _tracing


def is_idle() -> bool:
    """Whether the executor has handled all that has arrived."""
    return _executor is None or not _executor.handling_since_ns


def is_held() -> bool:
    """Whether the debugger holds a thread of this process."""
    for frame in sys._current_frames().values():
        each: FrameType | None = frame
        while each is not None:
            if each.f_code.co_name == "do_wait_suspend":
                return True
            each = each.f_back
    return False


def is_suspended() -> bool:
    """Whether a thread is held, or about to be; of one that was let go this is known before it has woken up."""
    infos = (getattr(thread, "additional_info", None) for thread in threading.enumerate())
    return any(info is not None and info.pydev_state == SUSPENDED for info in infos)


def stop_clock() -> None:
    """The system freezes: what this host still publishes while somebody steps through it is of this moment."""
    global _going
    assert _executor is not None
    if not _executor.clock.stands:
        _going = _executor.clock
        _executor.clock = _going.with_rate(0.0)


def go_on() -> None:
    """The system goes on, and its clock from where it stood. The broker's next marker tells it exactly."""
    global _going
    assert _executor is not None
    if _going is not None and _executor.clock.stands:
        _executor.clock = _executor.clock.with_rate(_going.rate)
    _going = None


def situation() -> str:
    """JSON: the event that the executor is handling, and what has come of it so far; `null` if it handles none."""
    assert _executor is not None
    for frame in _frames_of_executor():
        runner = _runner_of(frame)
        if runner is not None and runner.event is not None:
            return json.dumps(_situation(_executor, runner, runner.event))
    return "null"


def handlers(topic: str, component: str) -> str:
    """JSON: [file, line] of the first statement of what `component` does with an event of `topic`."""
    assert _executor is not None
    runner = _executor.runners.get(component)
    return json.dumps([list(place) for place in (_places(runner, topic) if runner is not None else [])])


def enters() -> bool:
    """The condition of the runtime's own breakpoints: a first statement that is a loop comes by again and again."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and (runner := _runner_of(frame)) is None:
        frame = frame.f_back
    if frame is None or runner is None or runner.event is None:
        return True
    is_first = _entered.get(runner.name) is not runner.event
    _entered[runner.name] = runner.event
    return is_first


def _frames_of_executor() -> list[FrameType]:
    """Of the thread that runs handlers, innermost first."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    found: list[FrameType] = []
    for ident, frame in sys._current_frames().items():
        each: FrameType | None = frame if names.get(ident) in ("executor", "MainThread") else None
        frames = []
        while each is not None:
            frames.append(each)
            each = each.f_back
        found = frames if any(map(_runner_of, frames)) else found
    return found


_ENTRANCES = (ComponentRunner.handle.__code__, ComponentRunner.serve.__code__)


def _runner_of(frame: FrameType) -> ComponentRunner | None:
    return frame.f_locals["self"] if frame.f_code in _ENTRANCES else None


def _situation(executor: Runs, runner: ComponentRunner, event: Event) -> dict[str, Any]:
    direct = _cause(executor.frame, event)
    return {
        "component": runner.name,
        "topic": event.topic,
        "sequence": event.sequence,
        "stamp_ns": event.stamp_ns,
        "cause": direct,
        "message": short_fields(event.message),
        "published": [list(each) for each in runner._sent],
        "handler": _handler(runner),
    }


def _cause(frame: bytes, event: Event) -> list[int] | None:
    """Hash of the topic and sequence, as the frame of the event has them."""
    if not frame:
        return None
    topic, header, _ = split(frame)
    known: Header = header
    if (topic, known.sequence) != (event.topic, event.sequence) or not known.cause_topic:
        return None
    return [known.cause_topic, known.cause_sequence]


def _handler(runner: ComponentRunner) -> str:
    """The component's own method in which the event arrived."""
    inner = ""
    for frame in _frames_of_executor():
        if _runner_of(frame) is runner:
            return inner
        if frame.f_locals.get("self") is runner.component and frame.f_code.co_name.startswith(("on_", "serve_")):
            inner = frame.f_code.co_name
    return inner


def _places(runner: ComponentRunner, topic: str) -> list[tuple[str, int]]:
    names = [f"on_{inlet.port}" for inlet in runner.planned.inlets if inlet.topic == topic]
    if topic.startswith("/_studio/timer/"):
        names = ["on_timer"]
    methods = [getattr(type(runner.component), name, None) for name in names]
    own = [each for name, each in zip(names, methods, strict=True) if each is not getattr(Component, name, None)]
    return [_first_statement(each.__code__) for each in own if isinstance(each, FunctionType)]


def _first_statement(code: CodeType) -> tuple[str, int]:
    lines = [line for _, _, line in code.co_lines() if line is not None and line > code.co_firstlineno]
    return code.co_filename, lines[0] if lines else code.co_firstlineno
