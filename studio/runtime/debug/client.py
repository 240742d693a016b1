"""A client of the Debug Adapter Protocol: requests with futures, events by call. No Qt; any thread may ask.

client = DapClient.connect(socket_path, on_event=print, on_end=print)
client.attach(breakpoints={"/x/terrain_map.py": [{"line": 87}]}, exceptions=["uncaught"])
client.ask("stackTrace", threadId=1).result(5)["stackFrames"]
client.close()
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from studio.errors import StudioError
from studio.runtime.debug.dap_wire import Message, read_message, write_message

CONNECT_S = 5.0
WHO = {"clientID": "studio", "clientName": "Robot Systems Studio", "adapterID": "debugpy"}


class DebugRefused(StudioError):
    """The debugger did not do what it was asked, or is not there any more."""


class DapClient:
    """Connected when made; `on_event` and `on_end` are called by the reading thread and must not wait."""

    def __init__(
        self,
        connection: socket.socket,
        on_event: Callable[[str, dict[str, Any]], object],
        on_end: Callable[[], object],
    ) -> None:
        self._socket = connection
        self._stream = cast(BinaryIO, connection.makefile("rwb"))
        self._on_event, self._on_end = on_event, on_end
        self._lock = threading.Lock()
        self._number = 0
        self._waiting: dict[int, Future[dict[str, Any]]] = {}
        self._ended = False
        self._initialized = threading.Event()
        self._reader = threading.Thread(target=self._read, name="debug client", daemon=True)
        self._reader.start()

    @classmethod
    def connect(
        cls,
        address: Path,
        on_event: Callable[[str, dict[str, Any]], object],
        on_end: Callable[[], object],
    ) -> DapClient:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(CONNECT_S)
        try:
            connection.connect(str(address))
        except OSError as error:
            connection.close()
            raise DebugRefused(
                f"the debugger cannot be reached: {error.strerror or error}",
                hint="the component may have ended; debug it again",
            ) from None
        connection.settimeout(None)
        return cls(connection, on_event, on_end)

    def ask(self, command: str, **arguments: Any) -> Future[dict[str, Any]]:
        """The body of the answer, or DebugRefused, sooner or later."""
        answer: Future[dict[str, Any]] = Future()
        with self._lock:
            self._number += 1
            number = self._number
            if self._ended:
                answer.set_exception(_gone(command))
                return answer
            self._waiting[number] = answer
            request: Message = {"seq": number, "type": "request", "command": command, "arguments": arguments}
            try:
                write_message(self._stream, request)
            except (OSError, ValueError):
                self._waiting.pop(number, None)
                answer.set_exception(_gone(command))
        return answer

    def attach(
        self,
        breakpoints: Mapping[str, Sequence[Mapping[str, Any]]],
        exceptions: Sequence[str],
        timeout_s: float = 20.0,
    ) -> dict[str, list[dict[str, Any]]]:
        """Say who we are and where to stop; returns, by file, where the breakpoints came to be. Waits."""
        self.result(self.ask("initialize", linesStartAt1=True, columnsStartAt1=True, pathFormat="path",
                             supportsVariableType=True, **WHO), timeout_s)  # fmt: skip
        attached = self.ask("attach", justMyCode=False, subProcess=False, redirectOutput=True)
        attached.add_done_callback(lambda _: self._initialized.set())
        if not self._initialized.wait(timeout_s):
            raise DebugRefused("the debugger does not answer", hint="is the component busy? Try again")
        placed = {
            file: self.result(self.set_breakpoints(file, points), timeout_s).get("breakpoints", [])
            for file, points in breakpoints.items()
        }
        self.result(self.ask("setExceptionBreakpoints", filters=list(exceptions)), timeout_s)
        self.result(self.ask("configurationDone"), timeout_s)
        self.result(attached, timeout_s)
        return placed

    def set_breakpoints(self, file: str, points: Sequence[Mapping[str, Any]]) -> Future[dict[str, Any]]:
        """All of a file; they replace those that it had."""
        return self.ask("setBreakpoints", source={"path": file}, breakpoints=list(points))

    def result(self, answer: Future[dict[str, Any]], timeout_s: float = 20.0) -> dict[str, Any]:
        try:
            return answer.result(timeout_s)
        except TimeoutError:
            raise DebugRefused("the debugger does not answer", hint="is the component busy? Try again") from None

    def close(self) -> None:
        """Say goodbye; what was stopped goes on."""
        with suppress(DebugRefused):
            self.result(self.ask("disconnect", terminateDebuggee=False), 2.0)
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        if threading.current_thread() is not self._reader:
            self._reader.join(2.0)

    # ---- the thread

    def _read(self) -> None:
        try:
            while (message := read_message(self._stream)) is not None:
                self._take(message)
        except (OSError, ValueError, StudioError):
            pass  # the connection broke, or the other side speaks something else: the end in any case
        self._end()

    def _take(self, message: Message) -> None:
        if message["type"] == "event":
            if message.get("event") == "initialized":
                self._initialized.set()
            self._on_event(str(message.get("event")), message.get("body") or {})
            return
        with self._lock:
            answer = self._waiting.pop(int(message.get("request_seq", -1)), None)
        if answer is None:
            return
        if message.get("success"):
            answer.set_result(message.get("body") or {})
        else:
            answer.set_exception(DebugRefused(str(message.get("message") or "the debugger refused")))

    def _end(self) -> None:
        with self._lock:
            self._ended = True
            left, self._waiting = list(self._waiting.values()), {}
        self._initialized.set()
        for answer in left:
            answer.set_exception(_gone("the request"))
        for each in (self._stream, self._socket):
            with suppress(OSError, ValueError):
                each.close()
        self._on_end()


def _gone(what: str) -> DebugRefused:
    return DebugRefused(f"{what} got no answer: the debugger has ended", hint="debug the component again")
