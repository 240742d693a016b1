"""The executor of a host: runs every handler of its components, one letter after the other, in channel order."""

from __future__ import annotations

import json
import struct
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import zmq

from studio.errors import StudioError
from studio.messages import decode, encode
from studio.messages.codec import encode_in_pieces
from studio.messages.pieces import Pieces
from studio.messages.plain import String
from studio.runtime.base.clock import Clock, ClockKind, monotonic_ns
from studio.runtime.base.refusals import Refusals
from studio.runtime.base.state_digest import chained
from studio.runtime.base.typed_json import read_object
from studio.runtime.broker.ahead import parse_frames
from studio.runtime.channel.mailbox import Mailbox
from studio.runtime.channel.naming import sender_of
from studio.runtime.channel.payloads import SHARED_FROM_BYTES, Leases, Overwritten, PayloadError, shared_length
from studio.runtime.channel.receiver import Opened, Receiver
from studio.runtime.channel.run_folder import journal_file
from studio.runtime.channel.sender import Sender
from studio.runtime.channel.senders import Senders
from studio.runtime.component import Component
from studio.runtime.host.calls import Calls
from studio.runtime.host.catching_up import CatchingUp, birth_of
from studio.runtime.host.code_changes import CannotExchange
from studio.runtime.host.code_exchange import CodeExchange
from studio.runtime.host.component_runner import ComponentRunner
from studio.runtime.host.data_route import DataRoute, delivery_of
from studio.runtime.host.hand_commands import obey
from studio.runtime.host.host_checkpoints import HostCheckpoints
from studio.runtime.host.input_journal import InputJournal
from studio.runtime.host.trace_book import TraceBook
from studio.runtime.lifecycle import State
from studio.runtime.plan.plan import Plan, PlannedComponent, is_same_code
from studio.runtime.wire.frames import (
    ACK_TOPIC,
    AGAIN,
    ALL_TOPIC,
    ERROR,
    HEADER,
    SHARED,
    SYNC_TOPIC,
    TO_ALL,
    VERSION,
    Ack,
    Event,
    FrameError,
    Kind,
    Mark,
    Marker,
    make_event,
    pack,
    split,
    topic_hash,
)

_DATA = int(Kind.DATA)
_COMMAND = int(Kind.COMMAND)


class Executor:
    def __init__(
        self,
        plan: Plan,
        host: str,
        run: Path,
        shared: Path | None,
        context: zmq.Context[zmq.Socket[bytes]],
        journals: Path | None = None,
    ) -> None:
        """`journals`: a folder for the inputs of hosts; without it a reload has to recompute the whole system."""
        self.plan = plan
        self.host = host
        self.index = plan.hosts[host]
        self.mailbox = Mailbox()
        self.receiver = Receiver(context, run, self.mailbox, self._take_call)
        self.routes = self.receiver.routes
        self.clock = Clock.wall()
        self.gated = True
        self.epoch = 0
        self.stopped = False
        self.ends_now = False
        """Set by anybody: it ends after the event in hand, and not when STOP comes behind all that waits before it."""
        self.handling_since_ns = 0
        self.age_ns = 0
        """How old the last event was when its turn came, in a free run."""
        """When the executor last took a letter; 0 while it has nothing to do."""
        self.frame = b""
        """Of the event that is being handled, or was last: a debugger reads what caused it."""
        self.refusals = Refusals(self._tell_refusal)
        """Frames that could not be read, by who has sent them."""
        self.on_marker: Callable[[Marker], None] = lambda _: None
        self.on_replan: Callable[[int], None] = lambda _: None
        self._senders = Senders(lambda number: Sender(context, run, shared, f"{host}.{number}"))
        self.sender = self._senders.own
        """The calling thread's own."""
        self._leases = Leases.offered(shared, self.index)
        self._began_ns = monotonic_ns()
        """What was sent before was not kept for us; what was sent later was not because we are behind."""
        self.calls = Calls(self)
        self.checkpoints = HostCheckpoints(self)
        self.journal: InputJournal | None = None
        """All that was handled so far, as long as that is known."""
        self.exchange: CodeExchange | None = None
        """Where there is a journal, or was one."""
        if journals is not None:
            self.journal = InputJournal(journal_file(journals, host), birth_of(plan, host))
            self.exchange = CodeExchange(self, {Path(each.folder) for each in plan.on_host(host) if each.folder})
        self.catching_up: CatchingUp | None = None
        """The way of the process before this one, while it is gone again: nobody hears what is published."""
        self.renew: Callable[[PlannedComponent], object] = lambda _: None
        """Makes a component once more, with these parameters."""
        self.runners: dict[str, ComponentRunner] = {}
        self.trace = TraceBook()
        self._local_routes: dict[str, DataRoute] = {}
        """Topics that this host both publishes and handles."""
        self._wants_newest = False
        self._large: set[str] = set()
        """Topics whose messages go through shared memory: they are copied there, and nowhere before."""
        self._receiving = _receiving(plan)

    def now_ns(self) -> int:
        return self.clock.now_ns()

    # Setting up.

    def add(self, planned: PlannedComponent, component: Component) -> ComponentRunner:
        runner = ComponentRunner(
            component,
            planned,
            effect=self._send_effect,
            stray=self._send_input,
            call=self.calls.call,
            now_ns=self.now_ns,
            seed=self.plan.seed,
            geometry=self.plan.geometry,
            project=self.plan.project,
        )
        runner.by_hand = lambda command: obey(runner, command, self.calls.answer_hand)
        component._is_live = lambda: self.clock.kind is ClockKind.WALL
        runner.trace = self.trace.note
        self.runners[planned.name] = runner
        return runner

    def make_routes(self) -> None:
        """Once all runners are there: which topic goes to which of them. What was counted of a topic stays."""
        before = {route.topic: route for route in self.data_routes()}
        for topic, components in self.plan.receivers.items():
            runners = [(self.runners[c.name], delivery_of(c, topic)) for c in components if c.name in self.runners]
            if runners:
                made = DataRoute(topic, runners, runners[0][0].kinds.get(topic))
                if (known := before.pop(topic, None)) is not None:
                    made.statistics, made.objects, made.stale = known.statistics, known.objects, known.stale
                    made.ahead = known.ahead
                self.routes[topic.encode()] = made
        for topic in before:
            del self.routes[topic.encode()]
        self._local_routes.clear()
        for runner in self.runners.values():
            for topic in runner.planned.outlets.values():
                route = self.routes.get(topic.encode())
                if isinstance(route, DataRoute):
                    route.local = True
                    self._local_routes[topic] = route
        self._wants_newest = any(route.limited for route in self.routes.values())
        self.receiver.greedy = self._wants_newest

    def replan(self, plan: Plan, make: Callable[[PlannedComponent], object]) -> list[str]:
        """Follow another plan: `make` adds what is new here. Returns what went wrong; the routes are not made yet."""
        complaints = []
        self.plan, self._receiving = plan, _receiving(plan)
        here = {planned.name: planned for planned in plan.on_host(self.host)}
        if any(name not in self.runners or self.runners[name].planned != planned for name, planned in here.items()):
            self.lose_the_way()
        for name in self.runners.keys() - here.keys():
            self._end(self.runners.pop(name))
        for name, planned in here.items():
            if name in self.runners:
                runner = self.runners[name]
                if is_same_code(runner.planned, planned):
                    runner.replan(planned)
                else:  # it has other ports, and comes with the next process of this host, which is about to be started
                    self._end(self.runners.pop(name))
                continue
            try:
                make(planned)
            except Exception as failure:  # foreign code: the others here go on
                complaints.append(f"{name} cannot be created: {failure}")
        self.runners = {name: self.runners[name] for name in here if name in self.runners}
        self.checkpoints.drop()
        return complaints

    def answer(self, number: int, text: str = "") -> None:
        """Executor: acknowledge a marker."""
        self._acknowledge(Ack(topic_hash(ALL_TOPIC), number, text=text))

    @property
    def dropped_sends(self) -> int:
        return self._senders.dropped

    # Handling.

    def work(self) -> None:
        """Handle letters until STOP. The calling thread becomes the executor."""
        for runner in self.runners.values():
            runner.own_thread()
        self._own = self.sender()
        calls, receive = self.calls, self.receiver.next
        while not self.stopped:
            self.handling_since_ns = 0
            letter = receive()
            self.handling_since_ns = monotonic_ns()
            if self.ends_now:
                self._finish()
                break
            if calls.inbox or calls.deferred:
                calls.serve_waiting()
            if letter is not None:
                self.handle(letter)

    def _take_call(self, frame: bytes) -> None:
        """Whoever reads the socket: requests and replies go past the mailbox."""
        try:
            self.calls.arrived(*split(frame))
        except StudioError as malformed:
            self._refuse(frame, f"unreadable frame: {malformed}")

    def handle(self, opened: Opened) -> None:
        frame, route, dropped = opened
        try:
            if isinstance(route, DataRoute):
                self._handle_event(route, frame, dropped)
            else:
                self._obey(frame)
        except StudioError as malformed:
            self._refuse(frame, f"cannot read an event on {route.topic}: {malformed}")
        except Exception as failure:  # no frame may end the host
            traceback.print_exc()
            self._refuse(frame, f"cannot read an event on {route.topic}: {failure!r}")

    def _refuse(self, frame: bytes, why: str) -> None:
        self.refusals.add(sender_of(frame, self.plan), why)

    def _tell_refusal(self, _sender: str, why: str, count: int) -> None:
        self.log("error", why if count == 1 else f"{why} (so far {count} malformed frames of this sender)")

    def _obey(self, frame: bytes) -> None:
        """What the machinery says."""
        _, header, payload = split(frame)
        if header.kind == Kind.MARKER:
            self._handle_marker(Marker.parse(payload))
        elif header.kind == Kind.AHEAD:
            self._work_ahead(payload)
        elif header.kind == Kind.SWEEP and self._leases is not None:
            self._leases.sweep(bytes(payload).decode(errors="replace"), header.sequence)

    def _work_ahead(self, payload: memoryview) -> None:
        """Events of this host alone, whose effects and acknowledgements go back in one message."""
        self._own.gather()
        try:
            for frame in parse_frames(payload):
                route = self.routes.get(frame[: frame.find(b"\0")])
                if not isinstance(route, DataRoute):
                    raise FrameError("events ahead that this host does not handle")
                self._handle_event(route, frame, ())
                route.ahead.add(route.statistics.last)
        finally:
            self._own.send_gathered()

    def _handle_event(self, route: DataRoute, frame: bytes, dropped: Sequence[int]) -> None:
        # Every event of every topic comes through here: locals instead of a header object, and few calls.
        try:
            header = HEADER.unpack_from(frame, route.header_at)
        except struct.error as error:
            raise FrameError(f"a frame of {len(frame)} bytes is too short: {error}") from None
        version, kind, flags, origin, epoch, sequence, stamp_ns, sent_ns, _, _, target, _, quiet = header
        if version != VERSION:
            raise FrameError(f"protocol version {version} is not {VERSION}", hint="run all parts with one version")
        payload = memoryview(frame)[route.payload_at :]
        self.frame = frame
        if quiet and sequence in route.ahead:
            route.ahead.discard(sequence)
            return
        answers = self.gated and not quiet >> self.index & 1
        if self.receiver.overflow:
            self._give_up()
        if not flags & AGAIN:
            now_ns = sent_ns if self.gated else self.clock.at_moment(self.handling_since_ns)
            size = shared_length(payload) if flags & SHARED else len(payload)
            self.age_ns = now_ns - sent_ns
            route.statistics.saw(sequence, size, self.age_ns, epoch)
        if dropped and len(dropped) == len(route.runners):
            self._let_go(flags, payload)
            return
        if epoch < self.epoch and kind == _DATA:
            self._pass_over(route, flags, payload)
            if answers:
                self._acknowledge(Ack(topic_hash(route.topic), sequence, target))
            return
        try:
            if target == TO_ALL:
                message = self._read(route, kind, flags, sequence, payload)
            else:
                message = self._message_for_turns(route, kind, flags, sequence, payload)
        except (StudioError, ValueError) as damaged:
            self._miss(route, sequence, sent_ns, damaged)
            self.lose_the_way()
            if answers:  # an event that nobody can handle is still acknowledged: the gate waits for it
                self._acknowledge(Ack(topic_hash(route.topic), sequence, target))
            return
        event = make_event((route.topic, sequence, stamp_ns, message, None, kind, None, sent_ns, flags, origin, epoch))
        if self.journal is not None:
            self.journal.begin(frame, route.header_at, message)
        if answers:
            self._handle_and_acknowledge(route, event, target)
        else:
            self._give(route, event, dropped)
        if self.journal is not None and not self.journal.end():
            self.lose_the_way()  # from here on nothing is gained by digests of all that is published

    @staticmethod
    def _give(route: DataRoute, event: Event, dropped: Sequence[int]) -> None:
        for index, runner in enumerate(route.runners):
            if index not in dropped:
                runner.handle(event)

    def handle_again(self, frame: bytes) -> None:
        """An event that the process before this one has handled. Nobody waits for an answer."""
        topic, header, payload = split(frame)
        route = self.routes.get(topic.encode())
        if not isinstance(route, DataRoute):
            raise StudioError(f"no component of this host handles {topic} any more")
        self.frame, self.epoch = frame, header.epoch
        if not header.flags & AGAIN:
            route.statistics.saw(header.sequence, len(payload), 0, header.epoch)
        read = self._read if header.target == TO_ALL else self._message_for_turns
        message = read(route, header.kind, header.flags, header.sequence, payload)
        event = make_event((
            topic, header.sequence, header.stamp_ns, message, None, header.kind, None, header.sent_ns, header.flags,
            header.origin, header.epoch,
        ))  # fmt: skip
        self.calls.begin()
        for runner in route.runners:
            if header.target in (TO_ALL, runner.place):
                runner.handle(event)

    def lose_the_way(self) -> None:
        """Something has changed the components here that is no event: how they came to their state is not known."""
        if self.journal is not None:
            self.journal.give_up()
            self.journal = None

    def _miss(self, route: DataRoute, sequence: int, sent_ns: int, why: Exception) -> None:
        if isinstance(why, Overwritten) and sent_ns > self.clock.at_moment(self._began_ns):
            route.statistics.missed()
            self._give_up()
        elif isinstance(why, PayloadError):  # not malformed: its producer has gone, and its memory with it
            self.log("error", f"cannot read {route.topic}#{sequence}: {why}")
        else:
            self._refuse(self.frame, f"cannot read {route.topic}#{sequence}: {why}")

    def _pass_over(self, route: DataRoute, flags: int, payload: memoryview) -> None:
        """A straggler: sources were switched, or time has jumped, since it was published."""
        route.stale += 1
        if not flags & AGAIN:
            self._let_go(flags, payload)

    def _acknowledge(self, ack: Ack) -> None:
        flags = ERROR if ack.refused else 0
        self._own.release(pack(ACK_TOPIC, Kind.ACK, self.index, ack.payload(), flags=flags))

    def _handle_and_acknowledge(self, route: DataRoute, event: Event, target: int) -> None:
        self._own.hold()
        self.calls.begin()
        published = [
            (runner.place, runner.handle(event)) for runner in route.runners if target in (TO_ALL, runner.place)
        ]
        self._acknowledge(Ack(topic_hash(route.topic), event.sequence, target, self.calls.counts(published)))

    def _give_up(self) -> None:
        """More waits than this host may keep: its lossless receivers have failed to keep up."""
        self.receiver.overflow = False
        budget_mb = self.mailbox.budget_bytes // 2**20
        hint = 'make it faster or use keep="latest"'
        failure = StudioError(f"more than {budget_mb} MB of events were waiting", hint=hint)
        for runner in self.runners.values():
            if runner.state is State.ACTIVE and any(inlet.delivery == "lossless" for inlet in runner.planned.inlets):
                runner.fail(failure)

    def _let_go(self, flags: int, payload: memoryview) -> None:
        """A shared payload that is not looked at is free at once."""
        if flags & SHARED and self._leases is not None:
            self._leases.skip(payload)

    def _message_for_turns(self, route: DataRoute, kind: int, flags: int, sequence: int, payload: memoryview) -> Any:
        """An event that comes once per receiver is read once: its shared memory is let go after the first time."""
        if not flags & AGAIN:
            route.turns = (sequence, self._read(route, kind, flags, sequence, payload))
        known, message = route.turns
        return message if known == sequence else self._read(route, kind, flags, sequence, payload)

    def _read(self, route: DataRoute, kind: int, flags: int, sequence: int, payload: memoryview) -> Any:
        if route.local and (known := route.objects.pop(sequence, None)) is not None:
            self._let_go(flags, payload)
            return known
        if flags & SHARED:
            if self._leases is None:
                raise StudioError("a shared payload, but this host has no shared memory")
            payload = self._leases.open(payload)
        if kind != route.kind:
            raise FrameError(f"an event of kind {kind} where {route.kind} is expected")
        if route.message_class is not None:
            return decode(route.message_class, payload)
        return read_object(decode(String, payload).data) if kind == _COMMAND else None

    def _handle_marker(self, marker: Marker) -> None:
        if marker.mark is Mark.SYNC:
            self._acknowledge(Ack(topic_hash(SYNC_TOPIC), marker.number))
            return
        self.on_marker(marker)
        if marker.mark is Mark.ALIVE:
            return
        if marker.mark is Mark.WELCOME:  # of a new broker, perhaps: what the old one had begun does not come any more
            for route in self.data_routes():
                route.ahead.clear()
        self.clock, self.gated, self.epoch = marker.clock, marker.gated, marker.epoch
        self.mailbox.gated = marker.gated
        if not marker.gated:
            self.lose_the_way()  # what runs freely is not written down
        self.receiver.greedy = self._wants_newest and not marker.gated
        if marker.mark is Mark.PAUSE:
            self._acknowledge(Ack(topic_hash(ALL_TOPIC), marker.number))
        elif marker.mark is Mark.CATCH_UP:
            self._catch_up(marker)
        elif marker.mark is Mark.EXCHANGE:
            self._exchange(marker)
        elif marker.mark in HostCheckpoints.MARKS:
            self._obey_checkpoint(marker)
        elif marker.mark is Mark.REPLAN:
            self.on_replan(marker.number)
        elif marker.mark is Mark.STOP:
            self._finish()

    def _catch_up(self, marker: Marker) -> None:
        ack = Ack(topic_hash(ALL_TOPIC), marker.number)
        self.checkpoints.hear_of(marker.incarnation)
        try:
            if self.catching_up is None:
                self.catching_up = CatchingUp(self)
            told = self.catching_up.go_on(marker.about)
            ack = ack._replace(text=json.dumps(told))
        except Exception as trouble:  # the gate waits for an answer, whatever it is
            ack = ack._replace(text=str(trouble), refused=True)
            told = {"ended": True}
            self.journal = None  # its file stays: the code is corrected, and the next process goes that way
        if told["ended"]:
            self.catching_up = None
        self.epoch = marker.epoch
        self._acknowledge(ack)

    def _exchange(self, marker: Marker) -> None:
        """Go back to before all that may differ, with the code of now. CATCH_UP follows, and goes on from there."""
        ack = Ack(topic_hash(ALL_TOPIC), marker.number)
        self.checkpoints.hear_of(marker.incarnation)
        try:
            if self.journal is None or self.exchange is None:
                raise CannotExchange("its inputs are not known")
            self.catching_up = CatchingUp(self, self.exchange.exchange())
        except Exception as refused:  # the gate waits for an answer, whatever it is
            ack = ack._replace(text=str(refused), refused=True)
        self._acknowledge(ack)

    def _obey_checkpoint(self, marker: Marker) -> None:
        ack = Ack(topic_hash(ALL_TOPIC), marker.number)
        try:
            ack = ack._replace(text=self.checkpoints.obey(marker))
        except Exception as refused:  # the gate waits for an answer, whatever it is
            ack = ack._replace(text=str(refused), refused=True)
        if marker.mark is not Mark.FORGET:
            self._acknowledge(ack)

    def data_routes(self) -> Iterator[DataRoute]:
        return (route for route in self.routes.values() if isinstance(route, DataRoute))

    def _finish(self) -> None:
        for runner in self.runners.values():
            self._end(runner)
        self.stopped = True

    @staticmethod
    def _end(runner: ComponentRunner) -> None:
        if runner.state in (State.ACTIVE, State.PAUSED):
            runner.obey("deactivate")
        runner.obey("finalize")

    # What runners ask for.

    def _send_effect(self, event: Event) -> None:
        self._send(event, event.stamp_ns if self.gated else self.clock.now_ns())

    def _send_input(self, runner: ComponentRunner, event: Event) -> None:
        if self.journal is not None:
            self.journal.is_known = False  # of another thread, which may not close its file
        if self.gated and self.clock.stands:
            runner.paused_inputs += 1
        else:
            self._send(event, event.sent_ns)

    def _send(self, event: Event, sent_ns: int) -> None:
        topic = event.topic
        route = self._local_routes.get(topic)
        if route is not None:
            route.objects[event.sequence] = event.message
        receivers = self._receiving.get(topic, ())
        payload: bytes | Pieces
        if self.checkpoints.outputs is not None:
            payload = encode(event.message)
            digest = self.checkpoints.outputs.add(topic, event.sequence, event.stamp_ns, payload)
            if self.journal is not None:
                self.journal.made += digest
        elif self.journal is not None:
            payload = encode(event.message)
            self.journal.made += chained(b"", event.sequence, event.stamp_ns, payload)
        elif topic in self._large:
            payload = encode_in_pieces(event.message)
        else:
            payload = encode(event.message)
            if len(payload) >= SHARED_FROM_BYTES:
                self._large.add(topic)
        if self.catching_up is not None:
            return
        if not self.sender().event(event, payload, receivers, self.epoch, sent_ns, self.gated):
            if route is not None:
                route.objects.pop(event.sequence, None)
            self._tell_of_drops(topic)

    def _tell_of_drops(self, topic: str) -> None:
        """Once for each power of ten: who cannot be reached is not to be flooded with words about it."""
        count = self.dropped_sends
        if str(count).strip("0") == "1":
            self.log(
                "warning", f"{count} events could not be sent, the last one on {topic}: the receiver cannot keep up"
            )

    def log(self, level: str, text: str, component: str = "", **more: Any) -> None:
        if self.catching_up is not None and level not in ("error", "critical"):
            return  # it was said the first time
        line = json.dumps({"component": component or self.host, "level": level, "text": text, **more})
        self.sender().send(pack("/_studio/log", Kind.LOG, 0, encode(String(line))))

    def tidy(self) -> None:
        """Now and then: give back the memory of producers that are gone."""
        if self._leases is not None:
            self._leases.tidy()

    def close(self) -> None:
        if self.exchange is not None:
            self.exchange.first_calls.close()
        self.receiver.close()
        self._senders.close()


def _receiving(plan: Plan) -> dict[str, tuple[int, ...]]:
    return {topic: plan.receiving(topic) for topic in (*plan.receivers, *plan.producers)}
