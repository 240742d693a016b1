"""What is asked of the broker on its control socket, and what it does about it.

Nearly everything is a job for the forwarding thread, and answered when that has done it (docs/protocol.md, section 9).
"""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Callable, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.errors import StudioError
from studio.messages import encode
from studio.messages.plain import String
from studio.runtime.channel import addresses
from studio.runtime.channel.commanding import (
    activate_all,
    begin_again,
    command,
    command_all,
    command_at_once,
    deliver_waiting,
)
from studio.runtime.channel.forwarder import Forwarder
from studio.runtime.channel.frames import Mark
from studio.runtime.channel.gate import CannotGoBack
from studio.runtime.channel.going import go, is_a_look, muted, place, upcoming, upcoming_at_once
from studio.runtime.channel.metronome import Metronome
from studio.runtime.channel.playing import await_players, drain, jump, open_gate, recall
from studio.runtime.channel.returning import Returning
from studio.runtime.channel.system_checkpoints import SystemCheckpoints
from studio.runtime.clock import ClockKind
from studio.runtime.plan import EVERYBODY, Plan, geometry_command

if TYPE_CHECKING:
    from studio.runtime.channel.event_stops import EventStops
    from studio.runtime.channel.several_stops import SeveralStops

Reply = Callable[[dict[str, Any]], None]


class BrokerRequests:
    def __init__(self, forwarder: Forwarder, metronome: Metronome, plan: Plan, run: Path) -> None:
        self.forwarder = forwarder
        self.plan = plan
        self.ready: set[str] = set()
        """Hosts that are behind the barrier."""
        self.players: set[str] = set()
        """Feeders that push by themselves while the gate is open."""
        self.ended = False
        self.returning: Returning | None = None
        """Set where another broker was before."""
        shared = os.environ.get("STUDIO_SHM")
        self._shared = Path(shared) if shared else None
        self.checkpoints = SystemCheckpoints(forwarder, self._shared)
        self._metronome = metronome
        self._run_folder = run
        self._stops: SeveralStops | None = None
        self._stops_of: dict[str, EventStops] = {}
        """By who has set them."""
        forwarder.on_paused = lambda: await_players(forwarder, self.players)

    def resume(self, mode: str) -> None:
        """Go on for a broker that died."""
        forwarder = self.forwarder
        self.returning = Returning(
            lambda: self.plan.greeted - self.ready - forwarder.gone - forwarder.excused, self._do_without
        )
        forwarder.jobs.submit(lambda: forwarder.resume(mode))

    def _do_without(self, hosts: Set[str]) -> None:
        self.forwarder.gone = self.forwarder.gone | hosts

    def obey(self, request: dict[str, Any], reply: Reply) -> None:
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
            case "checkpoint" | "restore" | "forget" | "digest" | "catch_up" | "exchange":
                self._job(lambda: self._checkpointing(request), reply)
            case "command":
                payload = encode(String(json.dumps(request["command"])))
                component = self._component(request["component"])
                if request.get("at_once"):
                    looks = is_a_look(request["command"])
                    self._job(lambda: command_at_once(forwarder, component, payload, looks=looks), reply)
                else:
                    self._small_job(lambda: command(forwarder, component, payload), reply)
            case "feed" | "unfeed" | "stops" | "place" | "coming" as what:
                small: dict[str, Callable[[dict[str, Any]], Any]] = {
                    "feed": self._feed, "unfeed": self._unfeed, "stops": self._set_stops,
                    "place": lambda _: place(forwarder), "coming": lambda _: upcoming_at_once(forwarder),
                }  # fmt: skip
                self._small_job(lambda: small[what](request), reply)
            case "drain" | "jump" | "recall" | "replan" | "deliver_commands":
                self._job(lambda: self._rearrange(request), reply)
            case "gone" | "back" | "begins" | "held" | "released" as news:
                self._hear_of(news, self._host(request["host"]), reply)
            case "clock":
                rate, now_ns = float(request["rate"]), request.get("now_ns")
                self._small_job(lambda: self._set_rate(rate, now_ns), reply)
            case "stop":
                self._small_job(forwarder.stop, reply)
            case "end":
                self.ended = True
                forwarder.end()
                reply({})
            case unknown:
                raise StudioError(f"unknown request {unknown!r}")

    def _job(self, job: Callable[[], Any], reply: Reply, *, interrupt: bool = False) -> None:
        """Have the forwarding thread do it; the reply goes out when it is done."""
        answered = self._answered(job, reply)
        if self.returning is None:
            self.forwarder.jobs.submit(answered, interrupt=interrupt)
        else:
            self.returning.submit(lambda: self.forwarder.jobs.submit(answered, interrupt=interrupt))

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
            activate_all(self.forwarder, [EVERYBODY], told)
        for host in self.plan.hosts:
            self.checkpoints.leave_behind(host)
        payload = encode(String(json.dumps({"do": "activate"})))
        activate_all(self.forwarder, [component.name for component in self.plan.components], payload)
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

    def _checkpointing(self, request: dict[str, Any]) -> dict[str, Any]:
        """A refusal is an answer, with its hint apart."""
        number = int(request.get("checkpoint", 0))
        try:
            match request["do"]:
                case "checkpoint":
                    number, size = self.checkpoints.checkpoint()
                    return {"checkpoint": number, "bytes": size}
                case "restore":
                    self.checkpoints.restore(number)
                case "forget":
                    self.checkpoints.forget(number)
                case "exchange":
                    self.checkpoints.exchange(self._host(request["host"]))
                case "catch_up":
                    return self.checkpoints.catch_up(self._host(request["host"]), int(request["for_ms"]))
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
            case "deliver_commands":
                deliver_waiting(self.forwarder)
                return {}
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
        forwarder.jobs.insert(lambda: self.checkpoints.leave_behind(host))
        if news == "begins":
            self._job(lambda: begin_again(forwarder, names, payload), reply)
            return
        self._small_job(lambda: command_all(forwarder, names, payload), reply)

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
            "skipped_ticks": self._metronome.skipped,
        }
