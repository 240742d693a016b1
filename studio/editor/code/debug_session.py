"""One debugged process, as the window sees it: where it stands, what its frames hold, what it says.

The socket has a thread of its own; everything here is for the GUI's thread, and nothing of it waits.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from PyQt6.QtCore import QObject, Qt, pyqtSignal

from studio.errors import StudioError
from studio.runtime.debug.client import DapClient, DebugRefused

Body = dict[str, Any]
Done = Callable[[Body], object]
Failed = Callable[[StudioError], object]
Condition = Literal["attaching", "running", "stopped", "ended"]
MOST_FRAMES = 60


@dataclass(frozen=True)
class Frame:
    id: int
    function: str
    file: str
    line: int

    @property
    def place(self) -> str:
        return f"{self.file.rpartition('/')[2]}:{self.line}"


@dataclass(frozen=True)
class Stop:
    """A process stands in the middle of its code."""

    host: str
    reason: str
    """breakpoint, step, exception, pause ..."""
    text: str
    """Of an exception: what it says."""
    thread: int
    frames: tuple[Frame, ...]

    @property
    def top(self) -> Frame | None:
        return self.frames[0] if self.frames else None


class DebugSession(QObject):
    stopped = pyqtSignal(object)
    """Stop, with its frames."""
    continued = pyqtSignal()
    said = pyqtSignal(str, str)
    """Category and text: what log points and the debugged process print."""
    placed = pyqtSignal()
    """`answers` has news."""
    attached = pyqtSignal()
    ended = pyqtSignal(str)
    """Why, or nothing if it was asked for."""
    _crossed = pyqtSignal(object)

    def __init__(self, host: str, address: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.host, self.address = host, address
        self.adapter = ""
        """The script by which VS Code and others come to the same debugger."""
        self.condition: Condition = "attaching"
        self.stop: Stop | None = None
        self.answers: dict[str, dict[int, str]] = {}
        """By file and line: "" for a breakpoint that stops, otherwise why it does not; only what is known by now."""
        self._places: dict[int, tuple[str, int]] = {}
        """File and line of a breakpoint, by the number that the debugger has given it."""
        self._client: DapClient | None = None
        self._crossed.connect(lambda do: do(), type=Qt.ConnectionType.QueuedConnection)  # type: ignore[call-arg]
        self._turn = 0
        """Counts stops and goes, so that late answers about an older one are not shown."""

    # ---- beginning and end

    def start(self, breakpoints: Mapping[str, Sequence[Mapping[str, Any]]], exceptions: Sequence[str]) -> None:
        """Connect, say where to stop. `attached` or `ended` follows."""
        threading.Thread(target=self._connect, args=(dict(breakpoints), list(exceptions)), daemon=True).start()

    def _connect(self, breakpoints: dict[str, Sequence[Mapping[str, Any]]], exceptions: list[str]) -> None:
        """In a thread of its own: a process that is busy may take seconds."""
        client = None
        try:
            client = DapClient.connect(self.address, self._heard, self._lost)
            self._client = client
            found = client.attach(breakpoints, exceptions)
        except StudioError as error:
            if client is not None:
                client.close()
            why = str(error)
            self._cross(lambda: self._finish(why))
            return
        self._cross(lambda: self._attached(breakpoints, found))

    def _attached(self, asked: Mapping[str, Sequence[Mapping[str, Any]]], found: Mapping[str, list[Body]]) -> None:
        if self.condition == "ended":
            return
        if self.condition == "attaching":
            self.condition = "running"
        for file, answers in found.items():
            self._note(file, asked[file], answers)
        self.attached.emit()

    def end(self) -> None:
        """Go away; the process goes on without us."""
        client, self._client = self._client, None
        if client is not None:
            threading.Thread(target=client.close, daemon=True).start()
        self._finish("")

    def _lost(self) -> None:
        self._cross(lambda: self._finish("the debugged process has ended or was disconnected"))

    def _finish(self, why: str) -> None:
        if self.condition != "ended":
            self.condition, self.stop, self._client = "ended", None, None
            self._turn += 1
            self.ended.emit(why)

    # ---- asking

    def ask(self, command: str, done: Done | None = None, failed: Failed | None = None, **arguments: Any) -> None:
        """`done` gets the body of the answer, `failed` the reason, in this thread; neither after another turn."""
        client = self._client
        if client is None:
            if failed is not None:
                failed(DebugRefused("no component is being debugged", hint="debug a component first"))
            return
        turn = -1 if command == "setBreakpoints" else self._turn

        def answered(answer: Future[Body]) -> None:
            self._cross(lambda: self._answer(answer, turn, done, failed))

        client.ask(command, **arguments).add_done_callback(answered)

    def _answer(self, answer: Future[Body], turn: int, done: Done | None, failed: Failed | None) -> None:
        if turn not in (-1, self._turn):
            return
        error = answer.exception()
        if error is None:
            if done is not None:
                done(answer.result())
        elif failed is not None:
            failed(error if isinstance(error, StudioError) else DebugRefused(str(error)))

    def evaluate(
        self, expression: str, frame: Frame | None, done: Done, failed: Failed | None = None, *, context: str = "repl"
    ) -> None:
        """With context `clipboard` the whole text comes, not its beginning."""
        place = {} if frame is None else {"frameId": frame.id}
        self.ask("evaluate", done, failed, expression=expression, context=context, **place)

    def set_breakpoints(self, file: str, points: Sequence[Mapping[str, Any]]) -> None:
        self.ask(
            "setBreakpoints",
            lambda body: self._note(file, points, body.get("breakpoints", [])),
            source={"path": file},
            breakpoints=list(points),
        )

    def _note(self, file: str, asked: Sequence[Mapping[str, Any]], found: Sequence[Body]) -> None:
        """The debugger's answer to a list of breakpoints, in its order; what is pending is told later."""
        self.answers[file] = {}
        for point, answer in zip(asked, found, strict=False):
            self._places[int(answer.get("id", -1))] = file, int(point["line"])
            if answer.get("reason") != "pending":
                self.answers[file][int(point["line"])] = _answer(answer, int(point["line"]))
        self.placed.emit()

    def set_exceptions(self, filters: Sequence[str]) -> None:
        self.ask("setExceptionBreakpoints", filters=list(filters))

    def go_on(self, how: str = "continue") -> None:
        """continue, next, stepIn or stepOut."""
        if self.stop is not None:
            self.ask(how, threadId=self.stop.thread)

    # ---- what is heard

    def _heard(self, event: str, body: Body) -> None:
        """By the client's thread."""
        self._cross(lambda: self._take(event, body))

    def _take(self, event: str, body: Body) -> None:
        match event:
            case "stopped":
                self._stands(body)
            case "continued":
                self._goes()
            case "breakpoint":
                told = body.get("breakpoint") or {}
                place = self._places.get(int(told.get("id", -1)))
                if place is not None and told.get("reason") != "pending":
                    self.answers.setdefault(place[0], {})[place[1]] = _answer(told, place[1])
                    self.placed.emit()
            case "output":
                if body.get("category") != "telemetry":
                    self.said.emit(str(body.get("category", "console")), str(body.get("output", "")))

    def _stands(self, body: Body) -> None:
        self._turn += 1
        thread = int(body.get("threadId", 0))
        self.condition = "stopped"
        # Where there is an exception, the adapter's short text names only its class.
        text = str(body.get("description") or body.get("text") or "")

        def show(answer: Body) -> None:
            frames = tuple(_frame(told) for told in answer.get("stackFrames", ()))
            self.stop = Stop(self.host, str(body.get("reason", "")), text, thread, frames)
            self.stopped.emit(self.stop)

        def look(about: Body) -> None:
            nonlocal text
            kind, says = str(about.get("exceptionId", "")), str(about.get("description", ""))
            text = f"{kind.rpartition('.')[2]}: {says}" if says else kind
            self.ask("stackTrace", show, threadId=thread, startFrame=0, levels=MOST_FRAMES)

        if body.get("reason") == "exception":
            self.ask("exceptionInfo", look, lambda _: look({}), threadId=thread)
        else:
            self.ask("stackTrace", show, threadId=thread, startFrame=0, levels=MOST_FRAMES)

    def _goes(self) -> None:
        if self.condition == "stopped":
            self._turn += 1
            self.condition, self.stop = "running", None
            self.continued.emit()

    def _cross(self, do: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # the window is gone
            self._crossed.emit(do)


def _answer(told: Mapping[str, Any], line: int) -> str:
    """What a debugger says about a breakpoint: "" if it stops there."""
    if not told.get("verified"):
        return str(told.get("message") or "No code in this line")
    stops_at = int(told.get("line") or line)
    return "" if stops_at == line else f"No code in this line: it stops in line {stops_at}"


def _frame(told: Body) -> Frame:
    source = told.get("source") or {}
    name = str(told.get("name", "")).removesuffix(" (Current frame)")  # so debugpy marks where an error was raised
    return Frame(int(told["id"]), name, str(source.get("path", "")), int(told.get("line", 0)))
