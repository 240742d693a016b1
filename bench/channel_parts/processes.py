"""Contenders of `bench.channel`: systems of ours and pairs of peer processes, both taking the same orders."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.channel_parts.reports import Reports
from studio.runtime.plan.plan import Inlet, Plan, PlannedComponent
from studio.runtime.session.session import Session
from studio.runtime.wire import addresses

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Order:
    """What a source is to send and its sinks are to expect."""

    count: int
    size: int = 100
    pace_us: int = 0
    """0: a burst."""
    read: bool = False


class Ours:
    """Sources and sinks in a real session, each in a host of its own."""

    def __init__(self, reports: Reports, kind: str, sinks: int = 1, size: int = 100, sink_kind: str = "") -> None:
        self._reports = reports
        source = planned("source", f"{kind}Source", 0, outlets={"out": "/source/out"}, parameters={"size": size})
        inlets = (Inlet("inp", "/source/out"),)
        self._sinks = {f"sink{number}" for number in range(sinks)}
        sink_type = f"{sink_kind or kind}Sink"
        receivers = [planned(name, sink_type, 1 + i, inlets=inlets) for i, name in enumerate(sorted(self._sinks))]
        self.session = Session(Plan((source, *receivers)))
        self.session.launch()
        self.session.start("run")

    def measure(self, order: Order) -> dict[str, Any]:
        command = self.session.command
        for name in sorted(self._sinks):
            _set(self.session, name, {"pace_us": order.pace_us, "read": order.read, "count": order.count})
        _set(self.session, "source", {"pace_us": order.pace_us, "size": order.size, "count": order.count})
        command("source", {"do": "trigger"})
        return self._reports.collect(self._sinks)

    def close(self) -> None:
        self.session.close()


class OurBroker:
    """The broker of a real session between a bare source and a bare sink: what the channel costs without a host."""

    def __init__(self, reports: Reports) -> None:
        self.session = Session(Plan(()))
        self.session.launch()
        self.session.start("run")
        into, out = (address(self.session.folders.run) for address in (addresses.into, addresses.out_of))
        self._peers = Peers(reports, "broker", ["broker-source", into], ["broker-sink", out])

    def measure(self, order: Order) -> dict[str, Any]:
        return self._peers.measure(order)

    def close(self) -> None:
        self._peers.close()
        self.session.close()


def planned(name: str, kind: str, place: int, **more: Any) -> PlannedComponent:
    """A component of bench.channel_parts.components, alone in its host."""
    return PlannedComponent(name, kind, place, name, entry=f"components:{kind}", folder=str(HERE), **more)


def _set(session: Session, component: str, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        session.command(component, {"do": "set", "name": name, "value": value})


class Peers:
    """One source process, some sink processes, and what lies between them."""

    def __init__(
        self,
        reports: Reports,
        name: str,
        source: Sequence[str],
        sink: Sequence[str],
        between: Sequence[str] = (),
        sinks: int = 1,
    ) -> None:
        self._reports = reports
        self._processes: list[subprocess.Popen[str]] = []
        self._names = {f"{name}.sink{number}" for number in range(sinks)}
        if between:
            self._start(f"{name}.between", between)
        self._source = self._start(f"{name}.source", source)
        self._sinks = [self._start(sink_name, sink) for sink_name in sorted(self._names)]
        reports.collect({f"{name}.source", *self._names, *({f"{name}.between"} if between else ())})
        time.sleep(0.2)  # until subscriptions have arrived; nothing tells

    def _start(self, name: str, words: Sequence[str]) -> subprocess.Popen[str]:
        process = peer(name, words)
        self._processes.append(process)
        return process

    def measure(self, order: Order) -> dict[str, Any]:
        for process in (*self._sinks, self._source):
            assert process.stdin is not None
            process.stdin.write(json.dumps(asdict(order)) + "\n")
            process.stdin.flush()
        return self._reports.collect(self._names)

    def close(self) -> None:
        for process in self._processes:
            process.kill()
            process.communicate()


def peer(name: str, words: Sequence[str]) -> subprocess.Popen[str]:
    """In a session of its own, as our processes are: Linux shares out the processors by sessions."""
    role, *arguments = words
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "STUDIO_PARENT": str(os.getpid()),
    }
    command = [sys.executable, "-m", "bench.channel_parts.peers", role, name, *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, env=environment, text=True, start_new_session=True)
