"""What the broker tells of the time while it closes the gate: the one who answers is not the one who closes it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import zmq

from studio.runtime.base.clock import Clock
from studio.runtime.broker.broker_requests import BrokerRequests
from studio.runtime.broker.broker_sockets import BrokerSockets
from studio.runtime.broker.forwarder import Forwarder
from studio.runtime.broker.metronome import Metronome
from studio.runtime.plan.plan import Plan
from tests.runtime.systems import plan


class Watched(Forwarder):
    """Somebody asks for the status at every moment of its life."""

    told_ns: list[int]
    requests: BrokerRequests | None = None

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if self.requests is not None and name != "told_ns":
            self.told_ns.append(int(self.requests.status()["now_ns"]))


def test_time_does_not_go_back_while_the_gate_closes(tmp_path: Path) -> None:
    system: Plan = plan()
    forwarder = Watched(BrokerSockets(zmq.Context.instance(), tmp_path), system, Clock.wall(), 1)
    try:
        forwarder.told_ns = []
        metronome = cast(Metronome, SimpleNamespace(skipped=0))
        requests = BrokerRequests(forwarder, metronome, system, tmp_path)
        forwarder.run()
        forwarder.requests = requests
        forwarder.pause()
        assert len(forwarder.told_ns) > 2 and forwarder.told_ns == sorted(forwarder.told_ns)
    finally:
        forwarder.requests = None
        forwarder._line.close()
