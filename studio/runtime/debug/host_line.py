"""The runtime's line to the debugger in one host: debugpy there speaks the debug adapter protocol by itself.

The host connects to us and proves by a token that it has read the invitation, which only this user's processes can. No
process listens but the runtime, and that only until the host has come; there is no adapter process that could die.
"""

from __future__ import annotations

import io
import json
import secrets
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLate
from contextlib import suppress
from pathlib import Path
from typing import Any

from studio.errors import StudioError
from studio.runtime import component
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.debug.dap_wire import DapError, Message, read_message, write_message
from studio.runtime.host.invitation import Invitation, invitation_file, invite

CONNECTS_WITHIN_S = 30.0
SHOWS_TOKEN_WITHIN_S = 5.0
"""One that has connected and says nothing is not the host, which answers at once."""
ANSWERS_WITHIN_S = 10.0
LOOK_EVERY_S = 0.2
TRY_EVERY_S = 0.01

CLEAR_WITHIN_S = 3.0
CLEAR_LOOKS = 5
"""How often a host is found going before that is believed."""
EVERY_THREAD = 1
"""debugpy holds all threads at once and lets them go at once, whichever is named."""
PLAIN = ("None", "True", "False")

_RUNTIME = Path(component.__file__).parent
MACHINERY = [
    *(str(file) for file in sorted(_RUNTIME.glob("*.py"))),
    *(str(_RUNTIME / room / "**") for room in ("base", "wire", "plan", "channel", "host", "processes", "debug")),
    str(_RUNTIME.parent / "messages" / "**"),
]
"""Files that nobody wants to step into: they are between a component and the world."""


def call_in_host(function: str, *arguments: str) -> str:
    """An expression that calls a function of host_side there."""
    words = ", ".join(map(repr, arguments))
    return f"__import__('studio.runtime.host.host_side', fromlist=['x']).{function}({words})"


class DebugError(StudioError):
    """A debugger that cannot be had, or has not answered."""


class HostGone(DebugError):
    """The host ended, or its debugger did."""


class QuickSocket(io.RawIOBase):
    """Reads from a socket and acknowledges at once: debugpy sends in two pieces, and the second would wait 40 ms."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            count = self._connection.recv_into(buffer)
        except OSError:
            return 0
        if hasattr(socket, "TCP_QUICKACK"):
            with suppress(OSError):
                self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        return count


class HostLine:
    """Requests may be sent by any thread; what comes back is told by the line's own thread."""

    def __init__(
        self,
        connection: socket.socket,
        on_event: Callable[[HostLine, Message], None],
        on_lost: Callable[[HostLine], None],
    ) -> None:
        self._connection = connection
        self._reader = io.BufferedReader(QuickSocket(connection))
        self._writer = connection.makefile("wb")
        self._on_event, self._on_lost = on_event, on_lost
        self._lock = threading.Lock()
        self._number = 0
        self._waiting: dict[int, Callable[[Message], None]] = {}
        self.lost = False
        self.capabilities: dict[str, Any] = {}
        self.pid = 0
        self._thread = threading.Thread(target=self._read, name="debugged host", daemon=True)
        self._thread.start()

    def send(self, command: str, arguments: Any, then: Callable[[Message], None]) -> None:
        """`then` is called, by the line's thread, with the response; also when the line is lost before."""
        with self._lock:
            self._number += 1
            number = self._number
            self._waiting[number] = then
            try:
                if self.lost:
                    raise OSError("the line is lost")
                message = {"seq": number, "type": "request", "command": command, "arguments": arguments or {}}
                write_message(self._writer, message)
                return
            except (OSError, ValueError):
                missed = self._waiting.pop(number, None)
        if missed is not None:
            missed(_unanswered(command))

    def ask(self, command: str, arguments: Any = None, timeout_s: float = ANSWERS_WITHIN_S) -> dict[str, Any]:
        """The body of the response. Not for the line's own thread, which has to read it."""
        answered: Future[Message] = Future()
        self.send(command, arguments, answered.set_result)
        try:
            response = answered.result(timeout_s)
        except TooLate:
            raise DebugError(f"the debugger did not answer {command} within {timeout_s:g} s") from None
        if not response.get("success"):
            kind = HostGone if response.get("lost") else DebugError
            raise kind(f"the debugger refused {command}: {response.get('message', 'no reason given')}")
        body: dict[str, Any] = response.get("body") or {}
        return body

    def evaluate(self, function: str, *arguments: str, timeout_s: float = ANSWERS_WITHIN_S) -> Any:
        """Call a function of host_side in the host; what it returns is JSON, or None."""
        body = self.ask(
            "evaluate", {"expression": call_in_host(function, *arguments), "context": "clipboard"}, timeout_s
        )
        text = str(body.get("result", ""))
        try:
            return {"None": None, "True": True, "False": False}[text] if text in PLAIN else json.loads(text)
        except ValueError:
            raise DebugError(f"the host could not send its {function}: {text[-300:]}") from None

    def configure(self) -> None:
        """Attach the debugger to the program; breakpoints may be set from here on."""
        self.ask("pydevdAuthorize", {"debugServerAccessToken": None})
        self.pid = int(self.ask("pydevdSystemInfo")["process"]["pid"])
        ours = {"adapterID": "studio", "clientID": "studio", "linesStartAt1": True, "columnsStartAt1": True}
        self.capabilities = self.ask("initialize", {**ours, "pathFormat": "path"})
        rules = [{"path": path, "include": False} for path in MACHINERY]
        self.ask("attach", {"justMyCode": True, "rules": rules, "showReturnValue": True})

    def let_go(self) -> None:
        """Whatever stands in the host goes on; from any thread, and without waiting for it."""
        self.send("continue", {"threadId": EVERY_THREAD}, lambda _: None)

    def let_go_for_good(self, unless: Callable[[], bool] = lambda: False) -> None:
        """When all breakpoints are gone: also who was on his way into one, and is held after all were let go."""
        if unless():
            return
        self.let_go()
        pause, end_ns = threading.Event(), monotonic_ns() + int(CLEAR_WITHIN_S * SECOND_NS)
        clear = 0
        while clear < CLEAR_LOOKS and monotonic_ns() < end_ns and not unless():
            pause.wait(TRY_EVERY_S)
            clear = 0 if self.evaluate("is_held") else clear + 1
            if not clear and not unless():
                self.let_go()

    def await_true(
        self, question: str, within_s: float = ANSWERS_WITHIN_S, or_if: Callable[[], bool] = lambda: False
    ) -> None:
        """Until a function of host_side says so, something else is the case, or the time is over."""
        end_ns = monotonic_ns() + int(within_s * SECOND_NS)
        pause = threading.Event()
        while not self.evaluate(question) and not or_if() and monotonic_ns() < end_ns:
            pause.wait(TRY_EVERY_S)

    def close(self) -> None:
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)

    def _read(self) -> None:
        while True:
            try:
                message = read_message(self._reader)
            except (DapError, OSError, ValueError):
                message = None
            if message is None:
                break
            if message["type"] == "response":
                number = message.get("request_seq", 0)
                with self._lock:
                    then = self._waiting.pop(number, None) if isinstance(number, int) else None
                if then is not None:
                    with suppress(KeyError, TypeError, ValueError, AttributeError):  # a response that is none
                        then(message)
            elif message["type"] == "event":
                self._on_event(self, message)
        with self._lock:
            self.lost = True
            missed, self._waiting = list(self._waiting.values()), {}
            with suppress(OSError):  # it may still hold what could not be sent
                self._writer.close()
            self._connection.close()
        for each in missed:
            each(_unanswered(""))
        self._on_lost(self)


def _unanswered(command: str) -> Message:
    text = "the host has ended"
    return {"type": "response", "command": command, "success": False, "message": text, "lost": True}


class Reception:
    """Waits for a host to connect. Listens on the loopback interface from the invitation until it has come."""

    def __init__(self, run: Path, host: str) -> None:
        self._file = invitation_file(run, host)
        self._token = secrets.token_hex(16)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=2)
        self._listener.settimeout(LOOK_EVERY_S)
        invite(run, host, Invitation(self._listener.getsockname()[1], self._token))

    def accept(
        self,
        on_event: Callable[[HostLine, Message], None],
        on_lost: Callable[[HostLine], None],
        given_up: Callable[[], bool],
        within_s: float = CONNECTS_WITHIN_S,
    ) -> HostLine:
        """The configured line. Whoever connects without knowing the token is shown out."""
        end_ns = monotonic_ns() + int(within_s * SECOND_NS)
        try:
            while not given_up():
                if monotonic_ns() > end_ns:
                    hint = "is it in a long call of a library? Try again, or restart it"
                    raise DebugError(f"the host has not connected within {within_s:g} s", hint=hint)
                try:
                    connection, _ = self._listener.accept()
                except TimeoutError:
                    continue
                line = HostLine(connection, on_event, on_lost)
                if not self._knows_the_token(line):
                    line.close()
                    continue
                line.configure()
                return line
        finally:
            self.close()
        raise HostGone("debugging was cancelled before the host had connected")

    def _knows_the_token(self, line: HostLine) -> bool:
        """Anybody on this machine may connect, and say anything or nothing."""
        try:
            body = line.ask("pydevdAuthorize", {"debugServerAccessToken": None}, SHOWS_TOKEN_WITHIN_S)
            token = body.get("clientAccessToken")
        except (DebugError, AttributeError):
            return False
        return isinstance(token, str) and secrets.compare_digest(token.encode(), self._token.encode())

    def close(self) -> None:
        self._listener.close()
        self._file.unlink(missing_ok=True)
