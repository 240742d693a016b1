"""The debugger of the window: which processes are debugged, which one is looked at, and how it goes on.

window.debug.attach("terrain_map")        # and detach; `changed` tells when it has come about
window.debug.stopped.connect(show)        # Stop: the host that stands, and its frames
window.debug.continued.connect(clear)     # nothing stands any more
window.debug.line()                       # into(), out(), continue_()
window.debug.book                         # the breakpoints of the project
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from PyQt6.QtCore import QObject, pyqtSignal

from studio.editor.code.attachments import Attachments
from studio.editor.code.breakpoint_book import Breakpoint, BreakpointBook
from studio.editor.code.debug_session import Body, DebugSession, Frame, Stop
from studio.errors import StudioError

if TYPE_CHECKING:
    from studio.editor.base.settings import Settings
    from studio.editor.live.feed import Changes, Feed


class Native(Protocol):
    """gdb on a program in another language."""

    @property
    def stands(self) -> bool: ...

    def go_on(self, how: str) -> None: ...

    def end(self) -> None: ...

    def has(self, point: Breakpoint) -> bool:
        """Whether gdb was told of this breakpoint."""


class DebugControl(QObject):
    stopped = pyqtSignal(object)
    """A Stop that is looked at now: a process stands, or another one of those that stand was chosen."""
    continued = pyqtSignal()
    """What was looked at goes on; nothing stands, or another `stopped` follows at once."""
    frame_chosen = pyqtSignal(object)
    """Frame of the stop that is looked at, or None."""
    changed = pyqtSignal()
    """Which processes are debugged."""
    told = pyqtSignal(str)
    refused = pyqtSignal(str)
    native = pyqtSignal(str, dict)
    """A component that is no Python: its name, and the `command` that debugs it in a terminal."""
    said = pyqtSignal(str, str, str)
    """Host, category and text: log points, and what is printed."""

    def __init__(self, feed: Feed, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.feed, self.settings = feed, settings
        self.book = BreakpointBook()
        self.book.listen(self._book_changed)
        self.sessions: dict[str, DebugSession] = {}
        """By host."""
        self.natives: dict[str, Native] = {}
        """By host: programs in other languages, each with its gdb."""
        self.frame: Frame | None = None
        self._looked_at: DebugSession | None = None
        self._project = ""
        self.attachments = Attachments(self, self)
        feed.changed.connect(self._followed)
        feed.ended.connect(lambda _: self._end_all())

    # ---- what there is

    @property
    def session(self) -> DebugSession | None:
        """The one that stands and is looked at."""
        return self._looked_at

    @property
    def stop(self) -> Stop | None:
        return self._looked_at.stop if self._looked_at is not None else None

    @property
    def is_stopped(self) -> bool:
        return self.stop is not None

    @property
    def standing_natives(self) -> list[Native]:
        return [native for native in self.natives.values() if native.stands]

    def is_debugged(self, component: str) -> bool:
        host = self.host_of(component)
        return host in self.sessions or host in self.natives

    def components_of(self, host: str) -> list[str]:
        components: Mapping[str, Mapping[str, Any]] = self.feed.state.get("components", {})
        return [name for name, told in components.items() if told["host"] == host]

    def host_of(self, component: str) -> str:
        told = self.feed.state.get("components", {}).get(component)
        return str(told["host"]) if told is not None else ""

    # ---- a project has its own breakpoints

    def show_project(self, folder: Path | None) -> None:
        """Those of another project; without one, none."""
        self._end_all()
        self.attachments.forget()
        self._project = ""
        key = "" if folder is None else project_key(folder)
        self.book.restore(self.settings.text(f"{key}/breakpoints") if key else "")
        self._project = key

    # ---- attaching

    def attach(self, component: str, then: Callable[[], object] | None = None, *, goes_on: bool = False) -> None:
        """Debug the process of a running component, in this run and the next ones.

        `then` is called when a session, or gdb, has been begun; `goes_on`: a program that gdb stops to attach to it is
        continued at once.
        """
        self.attachments.keep(component)
        if self.is_debugged(component):
            if then is not None:
                then()
            return
        host = self.host_of(component)

        def done(reply: Body) -> None:
            self.attachments.answered(host)
            if reply.get("socket") is None:
                self.native.emit(component, {**reply, "goes_on": goes_on})
            else:
                self.connect_to(str(reply["host"]), Path(reply["socket"])).adapter = str(reply["adapter"])
                self.told.emit(f"Debugging {component}: a breakpoint in its code stops the system")
            if then is not None:
                then()

        def failed(error: StudioError) -> None:
            self.attachments.answered(host, str(error))
            self._refused(error)

        self.attachments.asked(host)
        self.feed.ask("debug", done, failed, component=component, on=True, timeout_s=30.0)

    def detach(self, component: str) -> None:
        """Debug its process no more; it goes on."""
        host = self.host_of(component)
        self.attachments.leave(host)
        session = self.sessions.get(host) or self.natives.get(host)
        if session is not None:
            session.end()
        self.feed.ask("debug", None, self._refused, component=component, on=False)

    def detach_all(self) -> None:
        for host in [*self.sessions, *self.natives]:
            for component in self.components_of(host)[:1]:
                self.detach(component)
        self._end_all()

    def connect_to(self, host: str, address: Path) -> DebugSession:
        """A debugger is there: look at it from now on."""
        known = self.sessions.get(host)
        if known is not None:
            if known.address == address:
                return known
            known.end()
        session = DebugSession(host, address, self)
        self.sessions[host] = session
        session.stopped.connect(lambda _: self._stands(session))
        session.continued.connect(lambda: self._goes(session))
        session.said.connect(lambda category, text: self.said.emit(host, category, text))
        session.placed.connect(self.attachments.look)
        session.attached.connect(self.changed)
        session.ended.connect(lambda why: self._ended(session, why))
        asked = {file: self.book.asked_of(file) for file in self.book.files()}
        session.attached.connect(lambda: self._catch_up(session, asked))
        session.start(asked, self.book.asked_exceptions())
        self.changed.emit()
        return session

    def _catch_up(self, session: DebugSession, asked: Mapping[str, list[Body]]) -> None:
        """Breakpoints that were set while it was being attached."""
        for file in {*asked, *self.book.files()}:
            now = self.book.asked_of(file)
            if now != asked.get(file, []):
                session.set_breakpoints(file, now)

    def _followed(self, changes: Changes) -> None:
        """Others may debug the system too, and the runtime lets hosts be debugged to stop in their handlers."""
        if not changes.system:
            return
        for host, told in (self.feed.state.get("debug") or {}).get("hosts", {}).items():
            if told.get("socket") and host not in self.sessions:
                self.connect_to(host, Path(told["socket"])).adapter = str(told["adapter"])

    # ---- going on

    def continue_(self) -> None:
        """Everything that stands goes on, and the system with it."""
        if "debug" in self.feed.state:
            self.feed.ask("continue", None, self._refused)
        else:
            for session in self.sessions.values():
                session.go_on()

    def line(self) -> None:
        self._step("next")

    def into(self) -> None:
        self._step("stepIn")

    def out(self) -> None:
        self._step("stepOut")

    def _step(self, how: str) -> None:
        if self._looked_at is not None:
            self._looked_at.go_on(how)
        elif self.standing_natives:
            self.standing_natives[0].go_on(how)
        else:
            self.refused.emit("No code is stopped at a line")

    def choose_frame(self, frame: Frame) -> None:
        """Look at another frame of the stack."""
        self.frame = frame
        self.frame_chosen.emit(frame)

    def look_at(self, host: str) -> None:
        """Of several that stand, at this one."""
        session = self.sessions.get(host)
        if session is not None and session.stop is not None:
            self._show(session)

    # ---- asking in the frame that is chosen

    def evaluate(
        self,
        expression: str,
        done: Callable[[Body], object],
        failed: Callable[[StudioError], object] | None = None,
        *,
        context: str = "repl",
    ) -> None:
        if self._looked_at is not None:
            self._looked_at.evaluate(expression, self.frame, done, failed, context=context)
        elif failed is not None:
            failed(StudioError("no code is stopped at a line", hint="set a breakpoint, or step"))

    def assign(self, expression: str, value: str, failed: Callable[[StudioError], object] | None = None) -> None:
        """Give a variable, a field or an item of the frame that is chosen another value; then all is looked at anew."""
        session, frame = self._looked_at, self.frame
        if session is None or frame is None:
            self.refused.emit("No code is stopped at a line")
            return

        def refuse(why: str) -> None:
            error = StudioError(f"{expression} keeps its value: {why}")
            self.refused.emit(str(error))
            if failed is not None:
                failed(error)

        def look_why(refusal: StudioError) -> None:
            """debugpy says only that it failed; evaluated by itself, the value says why, or that is not to blame."""
            session.evaluate(
                value,
                frame,
                lambda _: refuse("nothing can be assigned to it"),
                lambda error: refuse(_last_line(error.message)),
                context="watch",
            )

        def done(_: Body) -> None:
            self.told.emit(f"{expression} has another value")
            self.choose_frame(frame)

        session.ask("setExpression", done, look_why, expression=expression, value=value, frameId=frame.id)

    # ---- within

    def _stands(self, session: DebugSession) -> None:
        top = session.stop.top if session.stop is not None else None
        if top is not None and session.stop is not None and session.stop.reason == "breakpoint":
            self.book.note_hit(top.file, top.line)
        if self._looked_at is None or self._looked_at is session or self._looked_at.stop is None:
            self._show(session)
        else:
            self.changed.emit()

    def _show(self, session: DebugSession) -> None:
        assert session.stop is not None
        self._looked_at, self.frame = session, session.stop.top
        self.stopped.emit(session.stop)
        self.frame_chosen.emit(self.frame)

    def _goes(self, session: DebugSession) -> None:
        if session is self._looked_at:
            self._looked_at = self.frame = None
            self.frame_chosen.emit(None)
            self.continued.emit()
        others = [other for other in self.sessions.values() if other.stop is not None]
        if self._looked_at is None and others:
            self._show(others[0])

    def _ended(self, session: DebugSession, why: str) -> None:
        if self.sessions.get(session.host) is session:
            del self.sessions[session.host]
        self._goes(session)
        session.deleteLater()
        self.changed.emit()
        if why and self.feed.is_attached:
            self.told.emit(f"{session.host} is no longer being debugged: {why}")

    def _end_all(self) -> None:
        for session in list(self.sessions.values()):
            session.end()
        for native in list(self.natives.values()):
            native.end()

    def _book_changed(self, file: str, asks: bool) -> None:
        if asks:
            self.tell_breakpoints(file)
        if self._project:
            self.settings.set_text(f"{self._project}/breakpoints", self.book.save())

    def tell_breakpoints(self, file: str) -> None:
        """To every debugged process: those of a file, or which exceptions stop."""
        for session in self.sessions.values():
            if file:
                session.set_breakpoints(file, self.book.asked_of(file))
            else:
                session.set_exceptions(self.book.asked_exceptions())

    def _refused(self, error: StudioError) -> None:
        self.refused.emit(str(error))


def _last_line(text: str) -> str:
    """Of a traceback, what went wrong."""
    return text.strip().splitlines()[-1] if text.strip() else "it has none"


def project_key(folder: Path) -> str:
    """Where the settings keep what belongs to a project."""
    return f"debug/{hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]}"
