"""The broker process: `python -m studio.runtime.channel.broker`. All events of a run pass it in one order.

The forwarding thread moves frames; this module's control thread answers the control socket, welcomes hosts and, while
the gate is open, sends the timer ticks.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Set
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

import zmq

from studio.errors import StudioError
from studio.messages import encode
from studio.messages.plain import String
from studio.runtime.channel import addresses
from studio.runtime.channel.broker_sockets import INTO, OUT_OF
from studio.runtime.channel.forwarder import Forwarder
from studio.runtime.channel.frames import (
    ALL_TOPIC,
    HELLO_TOPIC,
    KEEPS_CHECKPOINTS,
    READY_TOPIC,
    WORKS_AHEAD,
    FrameError,
    Kind,
    Mark,
    Marker,
    pack,
    split,
    subscription,
)
from studio.runtime.channel.gate import CannotGoBack
from studio.runtime.channel.going import go, is_a_look, muted, place, upcoming, upcoming_at_once
from studio.runtime.channel.kept_memory import keep_freed_memory
from studio.runtime.channel.playing import await_players, drain, jump, open_gate, recall
from studio.runtime.channel.returning import Returning
from studio.runtime.channel.system_checkpoints import SystemCheckpoints
from studio.runtime.clock import Clock, ClockKind, monotonic_ns
from studio.runtime.plan import EVERYBODY, Plan, geometry_command
from studio.runtime.process import die_with_parent

if TYPE_CHECKING:
    from studio.runtime.channel.event_stops import EventStops
    from studio.runtime.channel.several_stops import SeveralStops

ALIVE_EVERY_NS = 500_000_000
DONE = "inproc://done"

Reply = Callable[[dict[str, Any]], None]


class Broker:
    def __init__(self, run: Path, plan: Plan, clock: Clock, incarnation: int) -> None:
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.plan = plan
        self.forwarder = Forwarder(self.context, run, plan, clock, incarnation)
        shared = os.environ.get("STUDIO_SHM")
        self._shared = Path(shared) if shared else None
        self.checkpoints = SystemCheckpoints(self.forwarder, self._shared)
        self.ready: set[str] = set()
        self.players: set[str] = set()
        """Feeders that push by themselves while the gate is open."""
        self.forwarder.on_paused = lambda: await_players(self.forwarder, self.players)
        self._thread = threading.Thread(target=self.forwarder.main, name="forwarder", daemon=True)
        self._done: SimpleQueue[tuple[list[bytes], dict[str, Any]]] = SimpleQueue()
        self._run_folder = run
        self._open_sockets(run)
        self._ended = False
        self._returning: Returning | None = None
        """Set where another broker was before."""
        self._stops: SeveralStops | None = None
        self._stops_of: dict[str, EventStops] = {}
        """By who has set them."""
        self.skipped_ticks = 0

    def _open_sockets(self, run: Path) -> None:
        self._router = self.context.socket(zmq.ROUTER)
        self._router.linger = 500
        self._router.bind(addresses.control(run))
        self._push = self.context.socket(zmq.PUSH)
        self._push.linger = 0
        self._push.connect(INTO)
        self._sub = self.context.socket(zmq.SUB)
        self._sub.linger = 0
        for topic in (HELLO_TOPIC, READY_TOPIC):
            self._sub.subscribe(subscription(topic))
        self._sub.connect(OUT_OF)
        self._done_in = self.context.socket(zmq.PULL)
        self._done_in.bind(DONE)
        self._done_out = self.context.socket(zmq.PUSH)
        self._done_out.connect(DONE)
        self._poller = zmq.Poller()
        for socket in (self._router, self._sub, self._done_in):
            self._poller.register(socket, zmq.POLLIN)

    def resume(self, mode: str) -> None:
        """Go on for a broker that died."""
        forwarder = self.forwarder
        self._returning = Returning(
            lambda: self.plan.greeted - self.ready - forwarder.gone - forwarder.excused, self._do_without
        )
        forwarder.jobs.submit(lambda: forwarder.resume(mode))

    def _do_without(self, hosts: Set[str]) -> None:
        self.forwarder.gone = self.forwarder.gone | hosts

    def main(self) -> None:
        self._thread.start()
        next_alive = 0
        while not self._ended and self._thread.is_alive():
            ready = dict(self._poller.poll(math.ceil(self._metronome())))
            if self._router in ready:
                self._serve()
            if self._sub in ready:
                self._greet()
            if self._done_in in ready:
                self._answer_done()
            if self._returning is not None:
                self._returning.look()
            if monotonic_ns() >= next_alive:
                self._say_alive()
                next_alive = monotonic_ns() + ALIVE_EVERY_NS
        self._thread.join()
        self._answer_done()
        self.context.destroy(linger=500)

    # Ticks, while the gate is open.

    def _metronome(self) -> float:
        """Send the ticks that are due; returns how many milliseconds may pass until the next."""
        forwarder = self.forwarder
        if forwarder.mode != "run":
            return 50.0
        if not forwarder.lock.acquire(blocking=False):
            return 1.0  # the gate is just being opened or closed
        try:
            if forwarder.mode != "run":
                return 50.0
            clock, timers = forwarder.clock, forwarder.agenda.timers
            now_ns = clock.now_ns()
            self.skipped_ticks += timers.skip_to(now_ns)
            while (due_ns := timers.due_ns()) is not None and due_ns <= now_ns:
                self._push.send(forwarder.make_tick(*timers.take()).frame)
            moment_ns = clock.moment_of(due_ns) if due_ns is not None else None
        finally:
            forwarder.lock.release()
        return 50.0 if moment_ns is None else min(50.0, max(0.0, (moment_ns - monotonic_ns()) / 1e6))

    def _say_alive(self) -> None:
        forwarder = self.forwarder
        marker = Marker(Mark.ALIVE, 0, False, forwarder.clock, forwarder.epoch, forwarder.incarnation)
        self._push.send(pack(ALL_TOPIC, Kind.MARKER, 0, marker.payload()))

    # Hosts.

    def _greet(self) -> None:
        try:
            while True:
                topic, header, payload = split(self._sub.recv(zmq.DONTWAIT))
                self._hear(topic, bytes(payload).decode(errors="replace"), header.sequence)
        except (zmq.Again, FrameError):
            return

    def _hear(self, topic: str, host: str, abilities: int) -> None:
        if host not in self.plan.greeted:
            return
        if topic == READY_TOPIC:
            if abilities & KEEPS_CHECKPOINTS:
                self.checkpoints.keepers.add(host)
            self.forwarder.jobs.insert(lambda: self.forwarder.learn(host, bool(abilities & WORKS_AHEAD)))
            again = f"{host} was started again since then"
            self.forwarder.jobs.insert(lambda: self.forwarder.gate.note_unrepeatable(again))
            self.ready.add(host)
        else:
            self.forwarder.jobs.insert(lambda: self.forwarder.welcome(host))

    # Control.

    def _serve(self) -> None:
        *route, raw = self._router.recv_multipart()
        try:
            request = json.loads(raw)
            self._command(request, lambda reply: self._reply(route, request, reply))
        except (StudioError, ValueError, KeyError, TypeError) as error:
            text = f"{error}" if isinstance(error, StudioError) else f"bad request: {error!r}"
            self._router.send_multipart([*route, json.dumps({"ok": False, "error": text}).encode()])

    def _reply(self, route: list[bytes], request: dict[str, Any], reply: dict[str, Any]) -> None:
        """From either thread: answer through the control thread, which owns the socket."""
        self._done.put((route, {"id": request.get("id"), "ok": True, **reply}))
        if threading.current_thread() is self._thread:
            self._done_out.send(b"")
        else:
            self._answer_done()

    def _answer_done(self) -> None:
        try:
            while True:
                self._done_in.recv(zmq.DONTWAIT)
        except zmq.Again:
            pass
        try:
            while True:
                route, reply = self._done.get_nowait()
                self._router.send_multipart([*route, json.dumps(reply).encode()])
        except Empty:
            return

    def _command(self, request: dict[str, Any], reply: Reply) -> None:
        forwarder = self.forwarder
        match request["do"]:
            case "status":
                reply(self.status())
            case "start":
                mode = request.get("mode", "run")
                self._job(lambda: self._start(mode), reply)
            case "pause":
                self._job(forwarder.pause, reply, interrupt=True)
            case "run":
                rate = float(request.get("rate", 1.0))
                self._job(lambda: self._run(rate), reply, interrupt=True)
            case "step" | "advance" | "lockstep" | "go" | "upcoming":
                self._job(lambda: self._look_or_go(request), reply)
            case "checkpoint" | "restore" | "forget" | "digest" as what:
                self._job(lambda: self._checkpointing(what, int(request.get("checkpoint", 0))), reply)
            case "command":
                payload = encode(String(json.dumps(request["command"])))
                component = self._component(request["component"])
                if request.get("at_once"):
                    looks = is_a_look(request["command"])
                    self._job(lambda: forwarder.command_at_once(component, payload, looks=looks), reply)
                else:
                    self._small_job(lambda: forwarder.command(component, payload), reply)
            case "feed" | "unfeed" | "stops" | "place" | "coming" as what:
                small: dict[str, Callable[[dict[str, Any]], Any]] = {
                    "feed": self._feed, "unfeed": self._unfeed, "stops": self._set_stops,
                    "place": lambda _: place(forwarder), "coming": lambda _: upcoming_at_once(forwarder),
                }  # fmt: skip
                self._small_job(lambda: small[what](request), reply)
            case "drain" | "jump" | "recall" | "replan":
                self._job(lambda: self._rearrange(request), reply)
            case "gone" | "back" | "begins" | "held" | "released" as news:
                self._hear_of(news, self._host(request["host"]), reply)
            case "clock":
                rate, now_ns = float(request["rate"]), request.get("now_ns")
                self._small_job(lambda: self._set_rate(rate, now_ns), reply)
            case "stop":
                self._small_job(forwarder.stop, reply)
            case "end":
                self._ended = True
                forwarder.end()
                reply({})
            case unknown:
                raise StudioError(f"unknown request {unknown!r}")

    def _job(self, job: Callable[[], Any], reply: Reply, *, interrupt: bool = False) -> None:
        """Have the forwarding thread do it; the reply goes out when it is done."""
        answered = self._answered(job, reply)
        if self._returning is None:
            self.forwarder.jobs.submit(answered, interrupt=interrupt)
        else:
            self._returning.submit(lambda: self.forwarder.jobs.submit(answered, interrupt=interrupt))

    def _small_job(self, job: Callable[[], Any], reply: Reply) -> None:
        """The same, without waiting for a lockstep that goes on."""
        self.forwarder.jobs.insert(self._answered(job, reply))

    @staticmethod
    def _answered(job: Callable[[], Any], reply: Reply) -> Callable[[], None]:
        def run() -> None:
            try:
                result = job()
            except Exception as failure:  # a request that fails must not take the channel down
                traceback.print_exc()
                reply({"ok": False, "error": str(failure)})
                return
            reply(result if isinstance(result, dict) else {})

        return run

    def _start(self, mode: str) -> dict[str, Any]:
        """Activate everybody in order of place, behind the barrier; then open the gate or leave it closed."""
        if self.plan.geometry is not None:
            told = encode(String(json.dumps(geometry_command(self.plan.geometry))))
            self.forwarder.activate_all([EVERYBODY], told)
        payload = encode(String(json.dumps({"do": "activate"})))
        self.forwarder.activate_all([component.name for component in self.plan.components], payload)
        if mode == "run":
            self.forwarder.run()
        return {"now_ns": self.forwarder.gate.now_ns}

    def _run(self, rate: float) -> dict[str, Any]:
        open_gate(self.forwarder, self.players, rate)
        clock = self.forwarder.clock
        return {"base_ns": clock.base_ns, "at_ns": clock.at_ns}

    def _look_or_go(self, request: dict[str, Any]) -> dict[str, Any]:
        match request["do"]:
            case "go":
                return {**go(self.forwarder, request), **self._hit()}
            case "upcoming":
                return {"events": upcoming(self.forwarder)}
            case "lockstep":
                return self._lockstep(request)
        return self._step(request)

    def _step(self, request: dict[str, Any]) -> dict[str, Any]:
        """`advance` tells more of each event than `step`."""
        self.forwarder.pause()
        limits = (request.get("topic"), request.get("until_ns"), request.get("most"))
        only = bool(request.get("effects_only"))
        with muted(self.forwarder, bool(request.get("muted"))):
            delivered = self.forwarder.gate.advance(int(request.get("count", 1)), *limits, effects_only=only)
        told = delivered if request["do"] == "advance" else [(event.topic, event.sequence) for event in delivered]
        return {"delivered": told, **place(self.forwarder), **self._hit()}

    def _set_stops(self, request: dict[str, Any]) -> None:
        """Event breakpoints of somebody; his of before are forgotten. `muted` ones wait until they are heard of
        again."""
        if "list" in request:
            from studio.runtime.channel.event_stops import EventStops  # nobody else needs what it brings
            from studio.runtime.channel.several_stops import SeveralStops
            from studio.runtime.event_breakpoints import EventBreakpoint

            who = str(request.get("who", ""))
            self._stops_of.pop(who, None)
            if request["list"]:
                points = [EventBreakpoint(**each) for each in request["list"]]
                self._stops_of[who] = EventStops(points, self.plan.types, self.plan.project, self._shared)
            self._stops = SeveralStops(self._stops_of) if self._stops_of else None
        self.forwarder.gate.stops = None if request.get("muted") else self._stops

    def _hit(self) -> dict[str, Any]:
        return self._stops.take() if self._stops is not None else {}

    def _checkpointing(self, what: str, number: int) -> dict[str, Any]:
        """A refusal is an answer, with its hint apart."""
        try:
            match what:
                case "checkpoint":
                    number, size = self.checkpoints.checkpoint()
                    return {"checkpoint": number, "bytes": size}
                case "restore":
                    self.checkpoints.restore(number)
                case "forget":
                    self.checkpoints.forget(number)
                case _:
                    return {"digest": self.checkpoints.digest()}
        except CannotGoBack as refused:
            return {"refused": refused.message, "hint": refused.hint}
        return {}

    def _lockstep(self, request: dict[str, Any]) -> dict[str, Any]:
        self.forwarder.pause()
        rate = float(request.get("rate", 0.0))
        lag = int(request.get("lag", 0))
        delivered = self.forwarder.lockstep(request.get("until_ns"), request.get("count"), rate, lag)
        return {"delivered": delivered, "now_ns": self.forwarder.gate.now_ns, **self._hit()}

    def _feed(self, request: dict[str, Any]) -> None:
        """A feeder that is known already has more to send after all."""
        name = str(request["name"])
        if request.get("plays"):
            self.players.add(name)
        for feeder in self.forwarder.agenda.feeders:
            if feeder.name == name:
                feeder.ended = False
                return
        self.forwarder.gate.note_unrepeatable(f"{name} feeds the system only since then")
        self.forwarder.feeders.add(name, frozenset(request["topics"]), bool(request.get("rewindable")))

    def _unfeed(self, request: dict[str, Any]) -> None:
        self.players.discard(str(request["name"]))
        self.forwarder.feeders.remove(str(request["name"]))

    def _rearrange(self, request: dict[str, Any]) -> dict[str, Any]:
        """What leaves the system paused and somewhere else."""
        match request["do"]:
            case "drain":
                return drain(self.forwarder)
            case "recall":
                return recall(self.forwarder, str(request["name"]))
            case "jump":
                kind = ClockKind[str(request["clock"]).upper()] if request.get("clock") else None
                to_ns, epoch = int(request["to_ns"]), int(request.get("epoch", 0))
                anew = frozenset(map(str, request.get("anew") or ()))
                thrown = jump(self.forwarder, self.players, to_ns, epoch=epoch, kind=kind, anew=anew)
                return {"thrown": thrown, "epoch": self.forwarder.epoch}
            case _:
                self.plan = Plan.load(addresses.plan_file(self._run_folder))
                self.ready &= self.plan.greeted  # who leaves may come back, and is not there before it says so
                return {"complaints": self.forwarder.replan(self.plan)}

    def _set_rate(self, rate: float, now_ns: int | None) -> None:
        """`now_ns` sets the clock forward too: one that follows a player that goes as fast as it can."""
        if self.forwarder.mode != "run":
            raise StudioError("the clock stands while the system is paused", hint="give the rate to run")
        clock = self.forwarder.clock
        if now_ns is not None:
            clock = clock.stopped_at(max(int(now_ns), clock.now_ns()))
        self.forwarder.clock = clock.with_rate(rate)
        self.forwarder.mark(Mark.STATE)

    def _hear_of(self, news: str, host: str, reply: Reply) -> None:
        """The supervisor's word on a host. The forwarder may be waiting for it right now, so this is no job."""
        forwarder = self.forwarder
        match news:
            case "gone":
                forwarder.gone = forwarder.gone | {host}
                self.ready.discard(host)
            case "held":
                forwarder.excused = forwarder.excused | {host}
            case "released":
                forwarder.excused = forwarder.excused - {host}
        forwarder.wake()
        if news not in ("back", "begins"):
            reply({})
            return
        names = [component.name for component in self.plan.on_host(host)]
        payload = encode(String(json.dumps({"do": "activate"})))
        if news == "begins":
            self._job(lambda: forwarder.begin_again(names, payload), reply)
            return
        self._small_job(lambda: forwarder.command_all(names, payload), reply)

    def _component(self, name: str) -> str:
        if name not in self.plan.by_name and name != EVERYBODY:
            raise StudioError(f"there is no component {name}", hint="known: " + ", ".join(self.plan.by_name))
        return name

    def _host(self, name: str) -> str:
        if name not in self.plan.greeted:
            raise StudioError(f"there is no host {name}", hint="known: " + ", ".join(self.plan.hosts))
        return name

    def status(self) -> dict[str, Any]:
        forwarder = self.forwarder
        running = forwarder.mode == "run"
        return {
            "mode": forwarder.mode,
            "held": len(forwarder.agenda),
            "waiting": sorted(forwarder.waiting - forwarder.gone),
            "now_ns": forwarder.clock.now_ns() if running else forwarder.gate.now_ns,
            "ready": sorted(self.ready),
            "incarnation": forwarder.incarnation,
            "delivered": forwarder.gate.delivered,
            "damaged": forwarder.damaged,
            "skipped_ticks": self.skipped_ticks,
        }


def main() -> int:
    parser = argparse.ArgumentParser(description="The broker of one run; started by the launcher.")
    parser.add_argument("--clock", choices=[kind.name.lower() for kind in ClockKind], default="wall")
    parser.add_argument("--base-ns", type=int, help="system time at --at-ns (default: now)")
    parser.add_argument("--at-ns", type=int, help="a moment of CLOCK_MONOTONIC (default: now)")
    parser.add_argument("--rate", type=float, default=1.0, help="of the clock from --at-ns on")
    parser.add_argument("--incarnation", type=int, default=1)
    parser.add_argument("--epoch", type=int, default=0, help="that it begins with (default: 0)")
    parser.add_argument("--resume", choices=["pause", "run"], help="go on for a broker that died")
    arguments = parser.parse_args()
    die_with_parent()
    keep_freed_memory()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    run = Path(os.environ["STUDIO_RUN"])
    broker = Broker(run, Plan.load(addresses.plan_file(run)), _clock(arguments), arguments.incarnation)
    broker.forwarder.epoch = arguments.epoch
    if arguments.resume:
        broker.resume(arguments.resume)
    broker.main()
    return 0


def _clock(arguments: argparse.Namespace) -> Clock:
    kind = ClockKind[arguments.clock.upper()]
    start = Clock.wall()
    if arguments.base_ns is not None:
        at_ns = arguments.at_ns if arguments.at_ns is not None else start.at_ns
        return Clock(kind, arguments.base_ns, at_ns, arguments.rate if arguments.at_ns is not None else 0.0)
    return Clock(kind, start.base_ns, start.at_ns, 0.0)


if __name__ == "__main__":
    sys.exit(main())
