"""A small system that runs freely, with the debugger of a runtime: what the tests of the debugger are about."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from studio.runtime.base.clock import SECOND_NS, ClockKind
from studio.runtime.base.turns import Turns
from studio.runtime.debug.debugger import Debugger
from studio.runtime.debug.freeze import Freeze
from studio.runtime.debug.requests import DebugRequests
from studio.runtime.plan.plan import RecordingPlan
from studio.runtime.processes.supervision import RestartPolicy
from studio.runtime.session.session import Session
from tests.runtime.debug.plain_client import PlainClient
from tests.runtime.systems import PARTS, Part, Watcher, plan
from tests.waiting import await_true

CODE = str(PARTS / "parts.py")
LINES = (PARTS / "parts.py").read_text().splitlines()


def line_in(cls: str, text: str) -> int:
    start = next(number for number, line in enumerate(LINES) if line.startswith(f"class {cls}("))
    return next(number for number, line in enumerate(LINES[start:], start + 1) if text in line)


ADDS = line_in("Adder", "self.out.publish")
PERIOD_NS = 20_000_000
TICK = "/_studio/timer/ticker"
SINKS = line_in("Memory", "self.port.publish")


class World:
    """A ticker, an adder and a sink that run freely, with the debugger of a runtime; recorded where a log is named."""

    def __init__(
        self,
        policy: RestartPolicy | None = None,
        log: Path | None = None,
        before_launch: Callable[[Debugger], None] = lambda _: None,
        **more: Part,
    ) -> None:
        parts = {
            "ticker": Part("Ticker", period_s=PERIOD_NS / SECOND_NS),
            "adder": Part("Adder", {"raw": "ticker.out"}),
            "sink": Part("Memory", {"raw": "adder.out"}),
            **more,
        }
        system = plan(1, **parts)
        if log is not None:
            types = {topic: "Float64" for each in system.components for topic in each.outlets.values()}
            system = replace(system, types=types, recording=RecordingPlan(str(log), tuple(types)))
        self.session = Session(system, clock=ClockKind.SIMULATION, start_ns=0, policy=policy or RestartPolicy())
        self.watcher = Watcher(self.session.folders.run, self.session.folders.shared)
        self._clients: list[PlainClient] = []
        self.turns = Turns()
        self.freeze = Freeze(self.session, self.turns)
        self.debugger = Debugger(self.session, self.freeze)
        self.requests = DebugRequests(self.session, self.debugger, self.turns)
        before_launch(self.debugger)
        self.session.launch()
        self.session.start("run")

    def pause_before(self, topic: str) -> None:
        """An event of this topic is the next one. Whoever pauses may find any, and some have no receiver."""
        self.session.pause()
        while self.session.upcoming()[0]["topic"] != topic:
            self.session.step()

    def client(self, host: str = "adder", **lines: Any) -> PlainClient:
        client = PlainClient(self.debugger.attach(host).address)
        self._clients.append(client)  # one that a failing test leaves open must not fail the next one, too
        client.attach({CODE: [{"line": lines.pop("line", ADDS), **lines}]})
        return client

    def count(self) -> int:
        return len(self.watcher.now())

    def goes_on(self) -> None:
        """Nothing is held any more, and what the sink makes of what the ticker sends arrives."""
        await_true(lambda: self.freeze.frozen is None and self.session.mode == "run", "the system to go on")
        before = self.totals()
        await_true(lambda: self.totals() > before + 3, "events to pass all components again", 20)

    def totals(self) -> int:
        return sum(event.topic == "/sink/out" for event in self.watcher.now())

    def stays_paused(self, client: PlainClient) -> None:
        """The gate was closed by hand: the last who stands lets go, and it stays so; then it is opened."""
        client.set_breakpoints(CODE, [])
        client.resume()
        await_true(lambda: self.freeze.frozen is None, "the thaw")
        time.sleep(0.2)  # in which the gate would have been opened
        assert self.session.mode == "pause"
        client.close()
        self.session.run()
        self.goes_on()

    def stands(self) -> dict[str, Any]:
        await_true(lambda: self.freeze.frozen is not None and self.session.mode == "pause", "the system to stand", 20)
        # The session says so as soon as that is asked for; the clock stands when the broker says so.
        await_true(lambda: self.session.status()["mode"] == "pause", "the gate to close", 20)
        frozen = self.freeze.frozen
        assert frozen is not None
        return frozen

    def close(self) -> None:
        for client in self._clients:
            client.close()
        self.watcher.close()
        self.session.close()
        self.debugger.close()
