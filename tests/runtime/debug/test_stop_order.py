"""A debug session and what its host tells, in orders that a real host brings about once in a thousand times."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from studio.runtime.debug.dap_wire import Message
from studio.runtime.debug.host_line import DebugError, HostLine
from studio.runtime.debug.proxy import DebugSession
from studio.runtime.debug.proxy_client import ProxyClient
from studio.runtime.debug.stops import Stop
from tests.runtime.debug.plain_client import PlainClient
from tests.waiting import await_true

pytestmark = pytest.mark.must_not_flake


class Host:
    """The line to a host that answers as debugpy does: `continue` only while it holds a thread."""

    def __init__(self) -> None:
        self.holds = False
        self.asked: list[str] = []
        self.capabilities: dict[str, Any] = {}
        self.pid = 1
        self.lost = False

    def ask(self, command: str, arguments: Any = None, timeout_s: float = 10.0) -> dict[str, Any]:
        self.asked.append(command)
        if command == "continue" and not self.holds:
            raise DebugError(f"the debugger did not answer {command} within {timeout_s:g} s")
        return {"stackFrames": [{"source": {"path": "adder.py"}, "line": 22, "name": "on_raw"}]}

    def send(self, command: str, arguments: Any, then: Callable[[Message], None]) -> None:
        self.asked.append(command)
        then({"success": True, "body": {}})

    def let_go(self) -> None:
        self.asked.append("let go")

    def let_go_for_good(self, unless: Callable[[], bool] = lambda: False) -> None:
        self.asked.append("let go for good")

    def evaluate(self, function: str) -> Any:
        if function == "is_suspended":
            return self.holds
        return {"component": "adder", "topic": "/platform/level", "sequence": 7}

    def await_true(self, function: str) -> None: ...


class Watcher:
    def __init__(self) -> None:
        self.shown_before_frozen: list[Stop | None] = []
        self.went = 0

    def stopped(self, session: DebugSession, stop: Stop) -> None:
        self.shown_before_frozen.append(session.stop)

    def going(self, session: DebugSession) -> None:
        self.went += 1

    def event_of(self, session: DebugSession) -> dict[str, Any]:
        return {}

    def is_paused(self) -> bool:
        return True


class Debugged:
    def __init__(self, folder: Path) -> None:
        self.watcher = Watcher()
        self.session = DebugSession("adder", self.watcher, folder)
        self.host = Host()
        self.session.line = self.line

    @property
    def line(self) -> HostLine:
        return cast(HostLine, self.host)

    def tells(self, event: str) -> None:
        self.session.heard(self.line, {"event": event, "body": {"threadId": 1, "reason": "breakpoint"}})

    def stops(self) -> None:
        self.host.holds = True
        self.tells("stopped")
        self.session.catch_up()

    def goes(self) -> None:
        self.host.holds = False
        self.tells("continued")
        self.session.catch_up()

    def client(self) -> PlainClient:
        """It has attached, and stands."""
        client = PlainClient(self.session.address)
        client.attach()
        self.stops()
        client.wait("stopped")
        return client


@pytest.fixture
def debugged(tmp_path: Path) -> Iterator[Debugged]:
    made = Debugged(tmp_path)
    yield made
    made.session.line = None
    made.session.close()


def test_a_stop_is_shown_only_after_the_system_is_frozen(debugged: Debugged) -> None:
    debugged.stops()
    assert debugged.watcher.shown_before_frozen == [None]
    stop = debugged.session.stop
    assert stop is not None and (stop.topic, stop.sequence) == ("/platform/level", 7)


def test_a_host_that_stops_when_nobody_is_left_goes_on_also_if_it_was_let_go_before(debugged: Debugged) -> None:
    """A client has died during a step. It was let go for good, and then tells where the step has ended."""
    client = debugged.client()
    client.ask("next", threadId=1)
    debugged.goes()
    client.close()
    await_true(lambda: "let go for good" in debugged.host.asked, "the end of the client")
    went = debugged.watcher.went
    debugged.tells("stopped")
    debugged.session.catch_up()
    assert debugged.watcher.went == went + 1 and debugged.session.stop is None


def test_continue_gives_up_a_step_that_is_under_way(debugged: Debugged) -> None:
    client = debugged.client()
    client.ask("next", threadId=1)
    debugged.goes()
    client.resume()
    assert debugged.host.asked[-1] == "let go" and debugged.watcher.went == 1
    debugged.tells("stopped")  # where the step has ended, before the host was let go from there
    debugged.session.catch_up()
    assert debugged.session.stop is None and len(debugged.watcher.shown_before_frozen) == 1
    debugged.stops()
    assert debugged.session.stop is not None, "the next one is a stop like any other"
    client.close()


def test_continue_waits_until_a_step_has_begun(debugged: Debugged) -> None:
    """Otherwise the step would stay in the queue of the debugger, and be done at the next stop."""
    client = debugged.client()
    client.ask("next", threadId=1)
    before = list(debugged.host.asked)
    continuing = threading.Thread(target=client.resume, daemon=True)
    continuing.start()
    continuing.join(0.3)
    assert continuing.is_alive() and debugged.host.asked == before
    debugged.goes()
    continuing.join(30)
    assert debugged.host.asked[len(before) :] == ["let go"]
    await_true(lambda: debugged.watcher.went == 1 and debugged.session.stop is None, "the host to go on")
    client.close()


def test_a_stop_of_a_process_that_has_ended_is_not_one_of_the_next(debugged: Debugged) -> None:
    before = debugged.line
    debugged.stops()
    debugged.host = Host()
    debugged.session.connected(debugged.line)  # the next one is there before it is known that the first one is lost
    debugged.session.catch_up()
    assert debugged.session.stop is None and debugged.watcher.went == 1
    debugged.session.heard(before, {"event": "stopped", "body": {"threadId": 1}})
    debugged.session.catch_up()
    assert debugged.session.stop is None and len(debugged.watcher.shown_before_frozen) == 1
    debugged.stops()
    debugged.session.lost(before)
    debugged.session.catch_up()
    assert debugged.session.stop is not None and debugged.session.line is debugged.line


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_whatever_a_client_sends_its_end_is_told() -> None:
    ours, theirs = socket.socketpair()
    gone = threading.Event()
    client = ProxyClient(ours, lambda *_: None, lambda _: gone.set())
    client.start()
    body = b"[" * 200_000
    theirs.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    assert gone.wait(30)
    client._thread.join(30)
    theirs.close()
