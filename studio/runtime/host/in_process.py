"""The channel without sockets: a whole system in one process, in exactly the order of the real one.

For tests, and for replays that should be fast: messages are handed over as they are, nothing is encoded.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from studio.messages import String, encode
from studio.runtime.base.clock import Clock, ClockKind
from studio.runtime.base.state_digest import OutputDigests
from studio.runtime.base.typed_json import Malformed
from studio.runtime.broker.agenda import Agenda, feeder_of
from studio.runtime.broker.gate import RAN_FREELY, Delivered, Gate
from studio.runtime.broker.ticking import Ticking, TickingState
from studio.runtime.channel.call_frames import HAND, ends_of, reply_topic, request_topic
from studio.runtime.channel.call_record import recorded_answer, recorded_call
from studio.runtime.component import Component, ServiceError
from studio.runtime.host import runner_checkpoints as cell_checkpoints
from studio.runtime.host.calls import answer
from studio.runtime.host.component_runner import ComponentRunner, command_topic, tick_topic
from studio.runtime.host.hand_commands import obey
from studio.runtime.host.runner_checkpoints import RunnerState
from studio.runtime.lifecycle import State
from studio.runtime.plan.plan import EVERYBODY, Plan, PlannedComponent, geometry_command
from studio.runtime.wire.frames import ERROR, INPUT, Event, Kind

_COMMAND = int(Kind.COMMAND)
Tap = Callable[[Event], None]


@dataclass(frozen=True)
class _TwinState:
    """What a checkpoint holds besides the gate's part."""

    runners: dict[str, RunnerState]
    ticking: TickingState
    sequences: dict[str, int]
    outputs: dict[str, bytes]


class InProcess:
    """Runs a plan in this process. `tap` sees every event in channel order, as a recorder would."""

    def __init__(
        self,
        plan: Plan,
        make: Callable[[PlannedComponent], Component],
        *,
        start_ns: int = 0,
        tap: Tap | None = None,
    ) -> None:
        self.plan = plan
        self.tap = tap
        self.answers: dict[int, tuple[bytes, str]] = {}
        """What was done by hand, by the number of the command: the encoded reply, and an error in its place."""
        agenda: Agenda[Event] = Agenda(self._tick)
        self.gate = Gate(agenda, self)
        self.gate.now_ns = start_ns
        self.gate.on_repeat = self._count_again
        self._ticking = Ticking(plan, agenda.timers)
        self._sequences: dict[str, int] = {}
        self._effects: list[Event] = []
        """What the handlers of the event being delivered have published so far."""
        self._unsorted = False
        self._chain: list[str] = []
        self._calls = 0
        self._stop = threading.Event()
        self.interrupted = self._stop.is_set
        self._runner: threading.Thread | None = None
        self._pace: Clock | None = None
        self._kept: dict[int, _TwinState] = {}
        self._last_checkpoint = 0
        self._outputs: OutputDigests | None = None
        self.runners = {planned.name: self._made(planned, make(planned)) for planned in plan.components}
        self._receivers = {
            topic: [self.runners[component.name].handle for component in components]
            for topic, components in plan.receivers.items()
        }
        self._places = {topic: component.place for topic, component in plan.producers.items()}

    def _made(self, planned: PlannedComponent, component: Component) -> ComponentRunner:
        runner = ComponentRunner(
            component,
            planned,
            effect=self._effects.append,
            stray=lambda _, event: self._take_stray(event),
            call=self._call,
            now_ns=lambda: self.gate.now_ns,
            seed=self.plan.seed,
            geometry=self.plan.geometry,
            project=self.plan.project,
        )
        runner.by_hand = lambda command: obey(runner, command, self._answer_hand)
        return runner

    def _answer_hand(self, provider: ComponentRunner, number: int, body: bytes, error: str) -> None:
        """For the record; and for whoever gave the command, if somebody waits in this process."""
        command = provider.event
        assert command is not None, "commands are events"
        self.answers[number] = (body, error)
        topic = reply_topic(HAND, provider.name)
        named, flags = (command.topic, command.sequence), ERROR if error else 0
        event = Event(topic, self._next(topic), command.stamp_ns, kind=Kind.REPLY, cause=named, flags=flags)
        if self.tap is not None:
            service = str(command.message.get("service", "")) if isinstance(command.message, dict) else ""
            self.tap(event._replace(payload=recorded_answer(topic, service, error, body)))

    # The session: what a test or a tool does with the system.

    def start(self, mode: str = "pause") -> None:
        """Initialize and activate every component, in order of place; then pause or run."""
        for runner in self.runners.values():
            runner.obey("initialize")
        if self.plan.geometry is not None:
            self.gate.deliver_first([self._command(EVERYBODY, geometry_command(self.plan.geometry))])
        self.gate.deliver_first(self._command(name, {"do": "activate"}) for name in self.runners)
        if mode == "run":
            self.run()

    def command(self, component: str, command: Mapping[str, Any]) -> None:
        """Put a command for `component` into the channel."""
        for name, each in self.plan.linked(component, command):
            self.gate.admit(self._command(name, each))

    def _command(self, component: str, command: Mapping[str, Any]) -> Event:
        topic = command_topic(component)
        return Event(topic, self._next(topic), self.gate.now_ns, dict(command), kind=Kind.COMMAND, flags=INPUT)

    def end_hearers(self) -> list[str]:
        """Components that have something to do when a log has ended, in order of place."""
        return [name for name, runner in self.runners.items() if runner.hears_end]

    def feed(self, name: str, events: Iterable[Event], topics: Iterable[str] = ()) -> None:
        """Inputs from a log or a script, taken when their time has come. (`topics` matters over sockets only.)"""
        self.gate.agenda.add_feeder(feeder_of(name, events))
        self.gate.note_unrepeatable(f"{name} feeds the system only since then")

    def interrupt(self) -> None:
        """For a signal handler: `lockstep` returns after the event that is being handled, now and for good."""
        self._stop.set()

    def step(self, count: int = 1, topic: str | None = None) -> list[tuple[str, int]]:
        self.pause()
        return self.gate.step(count, topic)

    def advance(
        self, count: int = 1, topic: str | None = None, until_ns: int | None = None, most: int | None = None
    ) -> list[Delivered]:
        """As step, with limits, and it tells what was published."""
        self.pause()
        return self.gate.advance(count, topic, until_ns, most)

    def lockstep(self, until_ns: int | None = None, count: int | None = None, rate: float = 0.0, lag: int = 0) -> int:
        """(`lag` matters over sockets only.)"""
        self.pause()
        self._begin_pace(rate)
        return self.gate.lockstep(until_ns, count, rate)

    def run(self, rate: float = 1.0) -> None:
        """Go on by itself, paced by the wall clock, until pause() or stop()."""
        self.pause()
        self.gate.note_unrepeatable(RAN_FREELY)
        self._begin_pace(rate)
        self._runner = threading.Thread(target=self._free_run, args=(rate,), name="in-process run")
        self._runner.start()

    def _free_run(self, rate: float) -> None:
        for runner in self.runners.values():
            runner.own_thread()
        while not self._stop.is_set():
            self.gate.lockstep(rate=rate)
            self._stop.wait(0.001)

    def pause(self) -> None:
        """Returns when the handler that was running has finished and nothing more is delivered."""
        if self._runner is not None:
            self._stop.set()
            self._runner.join()
            self._runner = None
            self._stop.clear()
            for runner in self.runners.values():
                runner.own_thread()

    def stop(self) -> None:
        self.pause()
        for runner in self.runners.values():
            if runner.state in (State.ACTIVE, State.PAUSED):
                runner.obey("deactivate")
            runner.obey("finalize")

    # Checkpoints.

    def checkpoint(self) -> int:
        """Remember everything that decides what happens next; returns the number to restore it by."""
        self.pause()
        if self._outputs is None:
            self._outputs = OutputDigests()
        runners = {name: cell_checkpoints.checkpoint(runner) for name, runner in self.runners.items()}
        self._last_checkpoint = number = self._last_checkpoint + 1
        self.gate.checkpoint(number, lambda event: event)
        self._kept[number] = _TwinState(
            runners, self._ticking.checkpoint(), dict(self._sequences), self._outputs.checkpoint()
        )
        return number

    def checkpoint_bytes(self, number: int) -> int:
        """About how much memory a checkpoint takes."""
        return sum(runner.size() for runner in self._kept[number].runners.values())

    def restore(self, number: int) -> None:
        """Be where the system was at that checkpoint; raises CannotGoBack if the way from there to here is lost."""
        self.pause()
        self.gate.refuse_impossible(number)
        kept = self._kept[number]
        self.gate.restore(number)
        self._ticking.restore(kept.ticking)
        self._sequences = dict(kept.sequences)
        for name, runner in self.runners.items():
            cell_checkpoints.restore(runner, kept.runners[name])
        assert self._outputs is not None, "they are kept from the first checkpoint on"
        self._outputs.restore(kept.outputs)

    def forget(self, number: int) -> None:
        """Give back the memory of a checkpoint."""
        self.gate.forget(number)
        self._kept = {each: kept for each, kept in self._kept.items() if each in self.gate.checkpoints}

    def digest(self) -> dict[str, Any]:
        """Digests of each component's state and outputs, and of what is to come. Outputs count from the first
        checkpoint on."""
        self.pause()
        outputs = self._outputs or OutputDigests()
        components = {
            name: {"state": cell_checkpoints.digest(runner), "outputs": outputs.of(runner.planned.outlets.values())}
            for name, runner in self.runners.items()
        }
        return {"components": components, "channel": self.gate.digest(_content)}

    # The gate's deliverer.

    def deliver(self, event: Event) -> list[Event]:
        if self.tap is not None:
            self.tap(event)
        if event.kind == _COMMAND:
            with suppress(Malformed):  # its receiver says so
                self._ticking.observe(event.topic.rpartition("/")[2], event.message, event.stamp_ns)
        effects = self._effects
        effects.clear()
        for handle in self._receivers.get(event.topic, ()):
            handle(event)
        if self._unsorted:
            self._unsorted = False
            effects.sort(key=lambda effect: self._places[effect.topic])
        if self._outputs is not None:
            for effect in effects:
                self._outputs.add(effect.topic, effect.sequence, effect.stamp_ns, _content(effect))
        return effects

    def go_ahead(self, _until_ns: int | None) -> int:
        """It is as fast as it can be."""
        return 0

    def wait_until(self, stamp_ns: int, rate: float) -> bool:
        pace = self._pace or Clock.starting_at(ClockKind.SIMULATION, self.gate.now_ns, rate)
        return not self._stop.wait(max(0, stamp_ns - pace.now_ns()) / 1e9 / rate)

    def _begin_pace(self, rate: float) -> None:
        self._pace = Clock.starting_at(ClockKind.SIMULATION, self.gate.now_ns, rate) if rate else None

    # What runners ask for.

    def _take_stray(self, event: Event) -> None:
        self.gate.note_unrepeatable(f"{event.topic} came from outside the log")
        self.gate.agenda.inputs.append(event)

    def _call(self, caller: ComponentRunner, name: str, request: Any, deadline_s: float) -> Any:
        provider_name, service = caller.planned.requires[name]
        if provider_name in {caller.name, *self._chain}:
            waiting = " → ".join([*self._chain, caller.name, provider_name])
            raise ServiceError(f"service calls go in a circle: {waiting}")
        provider = self.runners[provider_name]
        cause = caller.event
        self._unsorted = True
        self._chain.append(caller.name)
        topic = request_topic(provider_name, caller.name)
        assert cause is not None, "services can be called in handlers only"
        named = (cause.topic, cause.sequence)
        event = Event(topic, self._next(topic), cause.stamp_ns, request, kind=Kind.REQUEST, cause=named)
        self._record(event, service, deadline_s)
        try:
            reply = answer(provider, service, request, event)
        except ServiceError as error:
            self._record_reply(event, service, str(error), ERROR)
            raise
        finally:
            self._chain.pop()
        self._record_reply(event, service, reply)
        return reply

    def _record_reply(self, request: Event, service: str, reply: Any, flags: int = 0) -> None:
        topic = reply_topic(*ends_of(request.topic))
        named = (request.topic, request.sequence)
        event = Event(topic, self._next(topic), request.stamp_ns, reply, kind=Kind.REPLY, cause=named, flags=flags)
        self._record(event, service)

    def _record(self, event: Event, service: str, deadline_s: float = 0.0) -> None:
        if self.tap is not None:
            self.tap(event._replace(payload=recorded_call(event, service, deadline_s)))

    def _tick(self, component: str, due_ns: int) -> Event:
        topic = tick_topic(component)
        return Event(topic, self._next(topic), due_ns, None, None, Kind.TIMER, None, due_ns)

    def _count_again(self, command: Event) -> None:
        self._sequences[command.topic] = max(self._sequences.get(command.topic, 0), command.sequence)

    def _next(self, topic: str) -> int:
        self._sequences[topic] = sequence = self._sequences.get(topic, 0) + 1
        return sequence


def _content(event: Event) -> bytes:
    """What it would be over a socket."""
    if event.payload is not None:
        return bytes(event.payload)
    if event.kind == _COMMAND:
        return bytes(encode(String(json.dumps(event.message))))
    return bytes(encode(event.message)) if event.message is not None else b""
