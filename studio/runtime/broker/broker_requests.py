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
from studio.runtime.base.clock import ClockKind
from studio.runtime.broker.commanding import (
    activate_all,
    begin_again,
    command,
    command_all,
    command_at_once,
    deliver_waiting,
)
from studio.runtime.broker.forwarder import Forwarder
from studio.runtime.broker.gate import CannotGoBack
from studio.runtime.broker.lockstep_slices import go, is_a_look, muted, place, upcoming, upcoming_at_once
from studio.runtime.broker.metronome import Metronome
from studio.runtime.broker.playing import await_players, drain, jump, open_gate, recall
from studio.runtime.broker.returning import Returning
from studio.runtime.broker.system_checkpoints import SystemCheckpoints
from studio.runtime.control_plane import of_broker as asked
from studio.runtime.plan.plan import EVERYBODY, Plan, geometry_command
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import Mark

if TYPE_CHECKING:
    from studio.runtime.broker.event_stops import EventStops
    from studio.runtime.broker.several_stops import SeveralStops

Reply = Callable[[dict[str, Any]], None]
Way = Callable[[Callable[[], Any], Reply], None]


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
        self._table = self._verbs()
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

    def obey(self, request: asked.BrokerRequest, reply: Reply) -> None:
        """Answers now or later; raises StudioError where it can be refused at once."""
        if isinstance(request, asked.HostNews):
            self._hear_of(request, self._host(request.host), reply)
            return
        way, job = self._table[type(request)]
        if isinstance(request, asked.Command) and request.at_once:
            way = self._job
        way(lambda: job(request), reply)

    def _verbs(self) -> dict[type[asked.BrokerRequest], tuple[Way, Callable[[Any], Any]]]:
        """Every request, with the way in which it is done: at once by the control thread, or by the forwarding one, as
        a job after those before it (which may end a lockstep that goes on), or as a small one in between."""
        forwarder, now, job, small = self.forwarder, self._now, self._job, self._small_job
        return {
            asked.Status: (now, lambda _: self.status()),
            asked.Start: (job, self._start),
            asked.Pause: (self._interrupting_job, lambda _: forwarder.pause()),
            asked.Run: (self._interrupting_job, self._run),
            asked.Step: (job, self._step),
            asked.Advance: (job, self._advance),
            asked.Lockstep: (job, self._lockstep),
            asked.Go: (job, lambda request: {**go(forwarder, request), **self._hit()}),
            asked.Upcoming: (job, lambda _: {"events": upcoming(forwarder)}),
            asked.Coming: (small, lambda _: upcoming_at_once(forwarder)),
            asked.Place: (small, lambda _: place(forwarder)),
            asked.Checkpoint: (job, _refusable(self._checkpoint)),
            asked.Restore: (job, _refusable(lambda request: self.checkpoints.restore(request.checkpoint))),
            asked.Forget: (job, _refusable(lambda request: self.checkpoints.forget(request.checkpoint))),
            asked.Digest: (job, _refusable(lambda _: {"digest": self.checkpoints.digest()})),
            asked.CatchUp: (job, _refusable(self._catch_up)),
            asked.Exchange: (job, _refusable(lambda request: self.checkpoints.exchange(self._host(request.host)))),
            asked.Command: (small, self._command),  # a job where it is to be handled at once
            asked.Feed: (small, self._feed),
            asked.Unfeed: (small, self._unfeed),
            asked.SetStops: (small, self._set_stops),
            asked.Drain: (job, lambda _: drain(forwarder)),
            asked.DeliverCommands: (job, lambda _: deliver_waiting(forwarder)),
            asked.Recall: (job, lambda request: recall(forwarder, request.name)),
            asked.Jump: (job, self._jump),
            asked.Replan: (job, lambda _: self._replan()),
            asked.SetClock: (small, self._set_clock),
            asked.Stop: (small, lambda _: forwarder.stop()),
            asked.End: (now, lambda _: self._end()),
        }

    def _now(self, job: Callable[[], Any], reply: Reply) -> None:
        reply(job() or {})

    def _interrupting_job(self, job: Callable[[], Any], reply: Reply) -> None:
        self._job(job, reply, interrupt=True)

    def _end(self) -> None:
        self.ended = True
        self.forwarder.end()

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
            except StudioError as refused:
                reply({"ok": False, "error": str(refused)})
                return
            except Exception as failure:  # a request that fails must not take the channel down
                traceback.print_exc()
                reply({"ok": False, "error": str(failure)})
                return
            reply(result if isinstance(result, dict) else {})

        return run

    def _start(self, request: asked.Start) -> dict[str, Any]:
        """Activate everybody in order of place, behind the barrier; then open the gate or leave it closed."""
        if self.plan.geometry is not None:
            told = encode(String(json.dumps(geometry_command(self.plan.geometry))))
            activate_all(self.forwarder, [EVERYBODY], told)
        for host in self.plan.hosts:
            self.checkpoints.leave_behind(host)
        payload = encode(String(json.dumps({"do": "activate"})))
        activate_all(self.forwarder, [component.name for component in self.plan.components], payload)
        if request.mode == "run":
            self.forwarder.run()
        return {"now_ns": self.forwarder.gate.now_ns}

    def _run(self, request: asked.Run) -> dict[str, Any]:
        open_gate(self.forwarder, self.players, request.rate)
        clock = self.forwarder.clock
        return {"base_ns": clock.base_ns, "at_ns": clock.at_ns}

    def _step(self, request: asked.Step) -> dict[str, Any]:
        self.forwarder.pause()
        delivered = self.forwarder.gate.step(request.count, request.topic)
        return {"delivered": delivered, **place(self.forwarder), **self._hit()}

    def _advance(self, request: asked.Advance) -> dict[str, Any]:
        """Tells more of each event than `step`."""
        self.forwarder.pause()
        limits = (request.topic, request.until_ns, request.most)
        with muted(self.forwarder, request.muted):
            delivered = self.forwarder.gate.advance(request.count, *limits, effects_only=request.effects_only)
        return {"delivered": delivered, **place(self.forwarder), **self._hit()}

    def _set_stops(self, request: asked.SetStops) -> None:
        """Event breakpoints of somebody; his of before are forgotten. `muted` ones wait until they are heard of
        again."""
        if request.list is not None:
            from studio.runtime.broker.event_stops import EventStops  # nobody else needs what it brings
            from studio.runtime.broker.several_stops import SeveralStops

            self._stops_of.pop(request.who, None)
            if request.list:
                self._stops_of[request.who] = EventStops(
                    list(request.list), self.plan.types, self.plan.project, self._shared
                )
            self._stops = SeveralStops(self._stops_of) if self._stops_of else None
        self.forwarder.gate.stops = None if request.muted else self._stops

    def _hit(self) -> dict[str, Any]:
        return self._stops.take() if self._stops is not None else {}

    def _checkpoint(self, _request: asked.Checkpoint) -> dict[str, Any]:
        number, size = self.checkpoints.checkpoint()
        return {"checkpoint": number, "bytes": size}

    def _catch_up(self, request: asked.CatchUp) -> dict[str, Any]:
        return self.checkpoints.catch_up(self._host(request.host), request.for_ms)

    def _lockstep(self, request: asked.Lockstep) -> dict[str, Any]:
        self.forwarder.pause()
        delivered = self.forwarder.lockstep(request.until_ns, request.count, request.rate, request.lag)
        return {"delivered": delivered, "now_ns": self.forwarder.gate.now_ns, **self._hit()}

    def _command(self, request: asked.Command) -> None:
        payload = encode(String(json.dumps(request.command)))
        component = self._component(request.component)
        if request.at_once:
            command_at_once(self.forwarder, component, payload, looks=is_a_look(request.command))
        else:
            command(self.forwarder, component, payload)

    def _feed(self, request: asked.Feed) -> None:
        """A feeder that is known already has more to send after all."""
        if request.plays:
            self.players.add(request.name)
        for feeder in self.forwarder.agenda.feeders:
            if feeder.name == request.name:
                feeder.ended = False
                return
        self.forwarder.gate.note_unrepeatable(f"{request.name} feeds the system only since then")
        self.forwarder.feeders.add(request.name, frozenset(request.topics), request.rewindable)

    def _unfeed(self, request: asked.Unfeed) -> None:
        self.players.discard(request.name)
        self.forwarder.feeders.remove(request.name)

    def _jump(self, request: asked.Jump) -> dict[str, Any]:
        """What leaves the system paused and somewhere else."""
        kind = ClockKind[request.clock.upper()] if request.clock else None
        where = (self.forwarder, self.players, request.to_ns)
        thrown = jump(*where, epoch=request.epoch, kind=kind, anew=frozenset(request.anew))
        return {"thrown": thrown, "epoch": self.forwarder.epoch}

    def _replan(self) -> dict[str, Any]:
        self.plan = Plan.load(addresses.plan_file(self._run_folder))
        self.ready &= self.plan.greeted  # who leaves may come back, and is not there before it says so
        return {"complaints": self.forwarder.replan(self.plan)}

    def _set_clock(self, request: asked.SetClock) -> None:
        """`now_ns` sets the clock forward too: one that follows a player that goes as fast as it can."""
        if self.forwarder.mode != "run":
            raise StudioError("the clock is paused with the system", hint="set the rate with run")
        clock = self.forwarder.clock
        if request.now_ns is not None:
            clock = clock.stopped_at(max(request.now_ns, clock.now_ns()))
        self.forwarder.clock = clock.with_rate(request.rate)
        self.forwarder.mark(Mark.STATE)

    def _hear_of(self, news: asked.HostNews, host: str, reply: Reply) -> None:
        """The supervisor's word on a host. The forwarder may be waiting for it right now, so this is no job."""
        forwarder = self.forwarder
        match news:
            case asked.Gone():
                forwarder.gone = forwarder.gone | {host}
                self.ready.discard(host)
                forwarder.jobs.insert(lambda: self.checkpoints.undo_start(host))
            case asked.Held():
                forwarder.excused = forwarder.excused | {host}
            case asked.Released():
                forwarder.excused = forwarder.excused - {host}
        forwarder.wake()
        if not isinstance(news, asked.Back | asked.Begins):
            reply({})
            return
        names = [component.name for component in self.plan.on_host(host)]
        payload = encode(String(json.dumps({"do": "activate"})))
        forwarder.jobs.insert(lambda: self.checkpoints.leave_behind(host))
        if isinstance(news, asked.Begins):
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
            "damaged": forwarder.refusals.count,
            "malformed": forwarder.refusals.plain(),
            "skipped_ticks": self._metronome.skipped,
        }


def _refusable(job: Callable[[Any], dict[str, Any] | None]) -> Callable[[Any], dict[str, Any]]:
    """Of checkpoints a refusal is an answer, with its hint apart."""

    def run(request: Any) -> dict[str, Any]:
        try:
            return job(request) or {}
        except CannotGoBack as refused:
            return {"refused": refused.message, "hint": refused.hint}

    return run
