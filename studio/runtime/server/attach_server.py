"""The runtime: a session that others can look at and steer. It outlives its clients; nothing outlives it.

Clients connect a DEALER to the ROUTER `attach` in the run's folder (docs/protocol.md, section 12). They get a snapshot
with a version and then what has changed; whoever cannot keep up gets a new snapshot instead of a growing queue.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import zmq

from studio.errors import StudioError
from studio.model.geometry.content import GeometryContent
from studio.runtime.base.clock import SECOND_NS, monotonic_ns, wall_ns
from studio.runtime.base.deltas import Snapshot, difference
from studio.runtime.base.refusals import UNKNOWN, Refusals, Refused, merged, refusal_words
from studio.runtime.base.turns import Turn
from studio.runtime.base.typed_json import MOST_BYTES, Malformed
from studio.runtime.base.under_way import TooManyRequests, UnderWay
from studio.runtime.client.running_systems import RunningSystem
from studio.runtime.control_plane import of_runtime as asked
from studio.runtime.control_plane.event_breakpoints import Hit
from studio.runtime.control_plane.of_runtime import LogLine
from studio.runtime.control_plane.request import Request, read_request
from studio.runtime.debug.debugger import Debugger
from studio.runtime.debug.freeze import Freeze
from studio.runtime.debug.requests import DebugRequest, DebugRequests
from studio.runtime.geometry import Geometry
from studio.runtime.processes.events import Happening
from studio.runtime.server.event_breaks import EventBreaks
from studio.runtime.server.geometry_watch import GeometryWatch
from studio.runtime.server.lease import Lease
from studio.runtime.server.snapshot import Snapshots
from studio.runtime.server.steering import Steering
from studio.runtime.session.session import Session
from studio.runtime.wire import addresses

NEWS_EVERY_NS = 200_000_000
MEASURE_EVERY_NS = SECOND_NS
SILENT_AFTER_NS = 2 * SECOND_NS
"""A client that says nothing for so long is gone, or as good as gone: it loses control."""
SILENT_KEPT = 20
KEPT_LINES = 500
"""Log lines for those who come late."""
QUEUE = 50
"""Messages that wait for a client that does not read."""
TAKES_FOR_NS = 20_000_000
MOST_CLIENTS = 1000
LONGEST_NAME = 200

FREE = (
    asked.Attach, asked.Alive, asked.GetSnapshot, asked.GetOutput, asked.GetGeometry, asked.Take, asked.Release,
    asked.Stop,
)  # fmt: skip
"""What anybody may ask, and what is answered at once. Stopping is never refused."""
READS = (asked.GetSystem, asked.AskPort, asked.Cancel, asked.Held)
"""What takes its time and changes nothing, or only ends what somebody has begun: that is never refused either."""
WITHOUT_WAITING = (asked.Debug, asked.Freezing, asked.Continue, asked.Cancel, asked.GiveUp)
"""What is done apart from the others: those may wait for what only these end."""


@dataclass
class Client:
    name: str
    looks: bool
    heard_ns: int
    version: int = 0
    """Of the last snapshot it can build on."""
    told_lines: int = 0


@dataclass(frozen=True)
class About:
    """What a client wants to know first."""

    project: str
    folder: str
    mode: str
    seed: int
    by_itself: bool = False
    """It goes on in lockstep by itself, and its gate is not for others."""


@dataclass
class _Lines:
    """The newest log lines, counted from the first one."""

    kept: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=KEPT_LINES))
    count: int = 0

    def add(self, line: dict[str, Any]) -> None:
        self.kept.append(line)
        self.count += 1

    def since(self, count: int) -> list[dict[str, Any]]:
        new = self.count - count
        return list(self.kept)[-new:] if new > 0 else []


class AttachServer:
    """Opens a session for clients. `stopping` is set when one of them wants the system to stop."""

    def __init__(self, session: Session, about: About, steering: Steering) -> None:
        self.session = session
        self.about = about
        self.stopping = threading.Event()
        self.lease = Lease()
        self._steering = steering
        self.freeze = steering.gate.freeze = Freeze(session, steering.turns)
        self.freeze.in_lockstep = lambda: steering.gate.in_lockstep
        self.debugger = Debugger(session, self.freeze)
        self._debug = DebugRequests(session, self.debugger, steering.turns)
        self._debug.on_turn = steering.gate.on_turn = self._leave_event
        steering.gate.let_code_go = lambda: self.debugger.go_on(stays=True)
        self._breaks = EventBreaks(session, self._stop_at)
        self._event_stop: Hit | None = None
        """The event breakpoint at which the system stands."""
        self._at_event = threading.Lock()
        """Held while the system comes to stand at an event breakpoint, leaves it, or is looked at."""
        self._snapshots = Snapshots(session)
        self._snapshot: Snapshot = {}
        self._is_stalled = False
        self._version = 0
        self._lines = _Lines()
        self._vehicles: dict[str, dict[str, float]] = {}
        """By the digest of a geometry, because reading it takes a while."""
        self._clients: dict[bytes, Client] = {}
        self._silent: deque[bytes] = deque(maxlen=SILENT_KEPT)
        """Those that were forgotten because they said nothing: when it ends they should not take it for a crash."""
        self._done: SimpleQueue[tuple[bytes, dict[str, Any]]] = SimpleQueue()
        self._jobs = ThreadPoolExecutor(4, "steering")
        self._debug_jobs = ThreadPoolExecutor(2, "debugging")
        """Apart: all others may wait for a host that a debugger holds, or for a long way in a log, and only these let
        it go."""
        self._running = 0
        self._under_way = UnderWay()
        self.refusals = Refusals(self._tell_refusal)
        """Requests that were none."""
        self._ended = threading.Event()
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._router = self._context.socket(zmq.ROUTER)
        self._router.linger = 300
        self._router.sndhwm = QUEUE
        self._router.maxmsgsize = MOST_BYTES  # whoever sends more is disconnected
        # Without this, what is sent to a client that is gone would vanish in silence.
        self._router.setsockopt(zmq.ROUTER_MANDATORY, 1)
        self._router.bind(addresses.endpoint(session.folders.run, asked.ATTACH))
        session.listeners.append(self._happened)
        session.observer.listeners.append(self._heard)
        self._thread = threading.Thread(target=self._serve, name="runtime", daemon=True)
        self._geometry = GeometryWatch(session, Path(about.folder))

    def open(self, note: RunningSystem) -> None:
        """From here on it is found."""
        self._look()
        self._thread.start()
        self._geometry.start()
        note.write()

    def close(self) -> None:
        self._geometry.close()
        self._breaks.close()
        if self._thread.is_alive():
            self._ended.set()
            self._thread.join()
        self._snapshots.close()
        for pool in (self._jobs, self._debug_jobs):
            pool.shutdown(wait=False, cancel_futures=True)
        self.debugger.close()
        self._context.destroy(linger=300)

    def snapshot(self) -> Snapshot:
        """The last one; for the console of the same process."""
        return self._snapshot

    # News.

    def _happened(self, happening: Happening) -> None:
        self._lines.add(
            {"time_ns": wall_ns(), "component": happening.name, "level": happening.level, "text": str(happening)}
        )

    def _tell_refusal(self, sender: str, why: str, count: int) -> None:
        told = refusal_words(sender, {"count": count, "last": why})
        self._heard({"component": "", "level": "warning", "text": told})

    def _heard(self, line: LogLine) -> None:
        self._lines.add({"time_ns": wall_ns(), **line})

    def _stop_at(self, hit: Hit) -> None:
        """It stands first, and is shown then: whoever sees it may let it go on at once."""
        with self._steering.turns.take():
            self.session.pause()
            with self._at_event:
                self.freeze.freeze(
                    why="event breakpoint",
                    component=hit.component,
                    topic=hit.topic,
                    sequence=hit.sequence,
                    text=hit.text,
                )
                self.freeze.stay()  # nobody is held whose going on would open the gate
                self._event_stop = hit
        event = f"{hit.topic} #{hit.sequence}: " if hit.topic else ""
        self._heard({"component": "", "level": "info", "text": f"stopped at an event breakpoint, {event}{hit.text}"})

    def _leave_event(self) -> Hit | None:
        """The system goes on from the event breakpoint at which it stands, in whatever way."""
        with self._at_event:
            hit, self._event_stop = self._event_stop, None
            if hit is not None:
                self.freeze.stay()
                self.freeze.thaw()
        return hit

    def _continue(self, job: Callable[[], dict[str, Any]], turn: Turn, *, runs: bool) -> dict[str, Any]:
        """`runs`: the gate opens also where the system was being stepped."""
        try:
            hit = self._leave_event()
            with_code = runs and self._steering.gate.opens_with_code()
            reply = job()  # not in its turn: who is let go may be within an event that somebody else waits for
            if hit is not None and hit.ran:
                turn.wait()
                self.session.run_by_person(self.session.rate)
            elif runs and not with_code:
                turn.wait()
                self._steering.gate.run()
            return reply
        finally:
            turn.end()

    def _look(self) -> None:
        sources = self._steering.sources
        modes = set(sources.values()) or {self.about.mode}
        with self._at_event:
            event_stop, debug = self._event_stop, self.debugger.facts()
        about = {
            **vars(self.about),
            "mode": modes.pop() if len(modes) == 1 else "mixed",
            "lockstep": self._steering.gate.in_lockstep,
            "sources": sources,
            "player": self._steering.player,
            "stepping": self._steering.gate.stepping(),
            "geometry": self._geometry_facts(),
            "event_breakpoints": self._breaks.plain(),
            "event_stop": event_stop.plain() if event_stop is not None else None,
            "debug": debug,
            "run": self.session.folders.run.name,
            "control": self.lease.name,
            "clients": sorted(client.name for client in self._clients.values()),
            "malformed": self._malformed(),
        }
        snapshot = self._snapshots.make(about)
        self._tell_stall(snapshot["stalled"])
        delta = difference(self._snapshot, snapshot)
        before = self._version
        if delta:
            self._version += 1
            self._snapshot = snapshot
        for route, client in list(self._clients.items()):
            if client.looks:
                self._bring_up_to_date(route, client, before, delta)

    def _malformed(self) -> dict[str, Refused]:
        """Who has sent what nobody can read, as those who have refused it tell."""
        reports = [report.get("malformed", {}) for report in list(self.session.observer.reports.values())]
        seen = (self.session.observer.refusals.plain(), self.refusals.plain(), self._snapshots.refused_by_broker)
        return merged([*seen, *reports])

    def _tell_stall(self, stalled: dict[str, Any] | None) -> None:
        """Once for each time that a system claims to run while no event flows."""
        if stalled and not self._is_stalled:
            text = f"running, but no event for {stalled['seconds']} s: {stalled['why']}"
            self._heard({"component": "", "level": "warning", "text": text})
        self._is_stalled = bool(stalled)

    def _geometry_facts(self) -> dict[str, Any] | None:
        content = self.session.plan.geometry
        if content is None:
            return None
        if content.digest not in self._vehicles:
            self._vehicles = {content.digest: _vehicle_in(content)}
        return {"name": content.name, "digest": content.digest, **self._vehicles[content.digest]}

    def _bring_up_to_date(self, route: bytes, client: Client, before: int, delta: dict[str, Any]) -> None:
        if client.version != before and client.version != self._version:
            told = self._send(route, {"news": "snapshot", "version": self._version, "snapshot": self._snapshot})
        elif delta and client.version != self._version:
            told = self._send(route, {"news": "delta", "version": self._version, **delta})
        else:
            told = True
        if told:
            client.version = self._version
        new = self._lines.since(client.told_lines)
        if new and self._send(route, {"news": "log", "lines": new}):
            client.told_lines = self._lines.count

    def _send(self, route: bytes, message: dict[str, Any]) -> bool:
        """False if it cannot be sent now; a client that is gone is forgotten."""
        try:
            self._router.send_multipart([route, json.dumps(message).encode()], zmq.DONTWAIT)
        except zmq.Again:
            return False
        except zmq.ZMQError:
            self._forget(route)
            return False
        return True

    def _forget(self, route: bytes) -> None:
        self._clients.pop(route, None)
        self.lease.release(route)

    # The thread.

    def _serve(self) -> None:
        next_look = next_measure = 0
        while not self._ended.is_set():
            if self._router.poll(10 if self._running else 50):
                self._take()
            self._answer_done()
            now_ns = monotonic_ns()
            if now_ns >= next_measure:
                self._snapshots.measure()
                next_measure = now_ns + MEASURE_EVERY_NS
            if now_ns >= next_look:
                self._drop_silent(now_ns)
                self._look()
                next_look = now_ns + NEWS_EVERY_NS
        for route in {*self._clients, *self._silent}:
            self._send(route, {"news": "ended"})

    def _drop_silent(self, now_ns: int) -> None:
        for route, client in list(self._clients.items()):
            if now_ns - client.heard_ns > SILENT_AFTER_NS:
                self._forget(route)
                self._silent.append(route)

    def _take(self) -> None:
        """For a moment at most: one that floods is read in turns with others, and with all else there is to do."""
        end_ns = monotonic_ns() + TAKES_FOR_NS
        try:
            while monotonic_ns() < end_ns:
                route, *rest = self._router.recv_multipart(zmq.DONTWAIT)
                self._obey(route, rest[-1] if rest else b"")
        except zmq.Again:
            return

    def _obey(self, route: bytes, raw: bytes) -> None:
        number: Any = None
        client = self._clients.get(route)
        if client is not None:
            client.heard_ns = monotonic_ns()
        try:
            request = read_request(raw, asked.VERBS)
            number = request.id
            reply = self._request(route, client, request)
            if reply is not None:
                self._send(route, {"id": number, "ok": True, **reply})
        except Malformed as malformed:
            self._refuse(route, client, malformed.number, malformed)
        except Exception as error:  # no request may end the runtime
            if isinstance(error, StudioError):
                self._send(route, _refusal(number, error))
            else:
                self._refuse(route, client, number, error)

    def _refuse(self, route: bytes, client: Client | None, number: Any, why: Exception) -> None:
        """And count it."""
        self.refusals.add(f"client {client.name}" if client is not None else UNKNOWN, why)
        self._send(route, _refusal(number, why))

    def _request(self, route: bytes, client: Client | None, request: Request) -> dict[str, Any] | None:
        if isinstance(request, asked.Attach):
            return self._attach(route, request)
        if client is None:
            raise asked.NotAttached("attach first")
        if not isinstance(request, FREE):
            if not isinstance(request, READS):
                self.lease.check(route)
            self._under_way.begin(route)
            try:
                self._start_job(route, request)
            except BaseException:
                self._under_way.end(route)
                raise
            return None
        match request:
            case asked.GetSnapshot():
                return {"version": self._version, "snapshot": self._snapshot}
            case asked.Take(force=force):
                self.lease.take(route, client.name, force=force)
            case asked.Release():
                self.lease.release(route)
            case asked.GetGeometry():
                content = self.session.plan.geometry
                return {"geometry": content.json() if content is not None else None}
            case asked.GetOutput(name=name):
                return {"lines": [line._asdict() for line in self.session.outputs.lines(name)]}
            case asked.Stop():
                self.stopping.set()
        return {}

    def _attach(self, route: bytes, request: asked.Attach) -> dict[str, Any]:
        if route not in self._clients and len(self._clients) >= MOST_CLIENTS:
            raise TooManyRequests(f"{MOST_CLIENTS} clients are attached already", hint="close one of them")
        client = Client(request.name[:LONGEST_NAME], request.look, monotonic_ns())
        self._clients[route] = client
        client.version, client.told_lines = self._version, self._lines.count
        lines = list(self._lines.kept)
        return {"protocol": asked.PROTOCOL, "version": self._version, "snapshot": self._snapshot, "lines": lines}

    # What takes its time is done beside.

    def _start_job(self, route: bytes, request: Request) -> None:
        job: Callable[[], dict[str, Any]]
        if isinstance(request, DebugRequest):
            job = self._debug.job(request)
            if isinstance(request, asked.Continue):
                job = partial(self._continue, job, self._steering.turns.take(), runs=request.gate == "run")
        elif isinstance(request, asked.SetEventBreakpoints):
            job = partial(self._breaks.set, list(request.list))
        else:
            job = self._steering.job(request)
            if isinstance(request, asked.PlayerAction | asked.Switch | asked.Reset):
                self._leave_event()
        pool = self._debug_jobs if isinstance(request, WITHOUT_WAITING) else self._jobs
        self._running += 1
        pool.submit(self._do, route, request.id, job)

    def _do(self, route: bytes, number: Any, job: Callable[[], dict[str, Any]]) -> None:
        try:
            reply = {"id": number, "ok": True, **job()}
        except Exception as error:  # whatever a request does, the runtime goes on
            reply = _refusal(number, error)
        self._done.put((route, reply))

    def _answer_done(self) -> None:
        done = []
        try:
            while True:
                done.append(self._done.get_nowait())
        except Empty:
            if done:
                self._look()  # who asks next sees the effect
        for route, reply in done:
            self._running -= 1
            self._under_way.end(route)
            self._send(route, reply)


def _vehicle_in(content: GeometryContent) -> dict[str, Any]:
    """What views draw a vehicle by, and where its sensors sit; nothing where none drives, or several do."""
    geometry = Geometry(content)
    try:
        drive, outline = geometry.drive(), geometry.outline()
    except StudioError:
        return {}
    mounts: dict[str, list[list[float]]] = {}
    for sensor in geometry.sensors().values():
        with suppress(StudioError):  # it is mounted on nothing that belongs to the vehicle
            mounts[sensor.frame] = geometry.transform(sensor.frame, drive.body).round(6).tolist()
    size_m = outline.front_m + outline.rear_m
    return {"body": drive.body, "wheelbase_m": drive.wheelbase_m, "length_m": size_m, "mounts": mounts}


def _refusal(number: Any, error: Exception) -> dict[str, Any]:
    if isinstance(error, StudioError):
        return {"id": number, "ok": False, "error": error.message, "hint": error.hint, "kind": type(error).__name__}
    return {"id": number, "ok": False, "error": f"bad request: {error!r}", "hint": "", "kind": "BadRequest"}
