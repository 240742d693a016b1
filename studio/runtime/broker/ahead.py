"""Working ahead in a lockstep with a lag: many inputs and ticks in one go, in the order of one by one.

What follows from an input is finished before the next one is delivered. So the order of all events follows from who
led to whom, and a host may be given all of its events of the next inputs in one message, as soon as everybody before it
in the graph of the system has had theirs: nothing can come between them any more. When all have answered, the events go
out in their order: for the recorder, for viewers, and for those who only listen (docs/protocol.md, section 11).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, NamedTuple

from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.broker.agenda import NotKnownYet
from studio.runtime.broker.held import Held
from studio.runtime.plan.plan import RECORDER, Plan
from studio.runtime.wire.frames import HEADER_BYTES, HOST_PREFIX, FrameError, Kind, pack, topic_field

if TYPE_CHECKING:
    from studio.runtime.broker.forwarder import Forwarder

MOST_BYTES = 4 << 20
"""Of all events of one go; with more of them the next go is shorter."""
MOST_SHARED_BYTES = 32 << 20
"""The same for payloads in shared memory: their producer needs as many slots. Nobody but viewers copies those, and they
have time for the last ones of a go."""
MOST_NS = SECOND_NS // 2
"""For one go: only between two of them anybody can pause."""
LONGEST_GO = 1 << 16

_LENGTH = struct.Struct("<I")
_QUIET = struct.Struct("<Q")
_QUIET_AT = HEADER_BYTES - _QUIET.size


class Node(NamedTuple):
    """An event at its place in the order: first by the input it follows from, then by how many events lie between.

    A tuple that sorts as it is; no two of one go have the same path.
    """

    root: int
    depth: int
    path: tuple[tuple[int, int], ...]
    """For each event on the way: the place of its producer, and its number among what that made of the one before."""
    event: Held


class Ahead:
    def __init__(self, forwarder: Forwarder) -> None:
        self._forwarder = forwarder
        self._most = 1
        """Inputs and ticks of the next go."""
        self._answers: dict[str, list[list[Held]]] = {}
        """Host that was asked -> what it made of each event, as far as it has answered."""
        self._groups: list[list[str]] | None = None
        self._asked: dict[str, frozenset[str]] = {}
        """Topic -> the hosts that are asked ahead."""
        self._listening: dict[str, frozenset[str]] = {}
        self._quiet: dict[str, int] = {}
        """Topic -> who need not acknowledge when it goes out, as bits."""

    def follow_plan(self, plan: Plan) -> None:
        speakers = speaking_hosts(plan)
        hosts = {topic: {c.host for c in components} for topic, components in plan.receivers.items()}
        self._groups = working_order(plan)
        self._asked = {topic: frozenset(found & speakers) for topic, found in hosts.items()}
        self._listening = {
            topic: frozenset(hosts.get(topic, set()) - speakers) | ({RECORDER} if topic in plan.recorded else set())
            for topic in {*hosts, *plan.recorded}
        }
        self._quiet.clear()

    @property
    def is_under_way(self) -> bool:
        return bool(self._answers)

    def go(self, until_ns: int | None) -> int:
        """Deliver the next inputs and ticks, with all that follows from them; how many events, 0 if it cannot."""
        forwarder = self._forwarder
        if not forwarder.lag or self._groups is None:
            return 0
        if not all(host in forwarder.listeners.able for group in self._groups for host in group):
            return 0
        began_ns = monotonic_ns()
        roots = list(self._take(until_ns))
        if not roots:
            return 0
        forwarder.gate.now_ns = max(forwarder.gate.now_ns, roots[-1].stamp_ns)
        nodes = self._work([Node(number, 0, (), event) for number, event in enumerate(roots)])
        forwarder.gate.now_ns = max(forwarder.gate.now_ns, *(node.event.stamp_ns for node in nodes))
        if forwarder.gate.book is not None:
            told = [node.event for node in nodes]
            forwarder.gate.book += [(event.topic, event.sequence, event.stamp_ns) for event in told]
        self._send(nodes)
        self._most = next_most(self._most, [node.event for node in nodes], monotonic_ns() - began_ns)
        return len(nodes)

    def _take(self, until_ns: int | None) -> Iterator[Held]:
        forwarder = self._forwarder
        for _ in range(min(self._most, forwarder.lag)):
            try:
                event = forwarder.agenda.next(until_ns)
            except NotKnownYet:  # those before it are handled, and the gate stops
                return
            if event is None:
                return
            forwarder.follow(event)
            yield event

    def _work(self, nodes: list[Node]) -> list[Node]:
        """Have everybody handle what is theirs; returns all events, those that came of it too, in their order."""
        assert self._groups is not None
        waiting: dict[str, list[Node]] = {}
        for node in nodes:
            self._give(node, waiting)
        for group in self._groups:
            batches = {host: sorted(waiting.pop(host)) for host in group if host in waiting}
            for host, effects in self._ask(batches).items():
                for node, of_it in zip(batches[host], effects, strict=False):  # one that died has answered only some
                    for following in self._followed_by(node, of_it):
                        nodes.append(following)
                        self._give(following, waiting)
        nodes.sort()
        return nodes

    def _give(self, node: Node, waiting: dict[str, list[Node]]) -> None:
        for host in self._asked.get(node.event.topic, ()):
            waiting.setdefault(host, []).append(node)

    def _followed_by(self, node: Node, effects: Iterable[Held]) -> Iterator[Node]:
        places = self._forwarder.places
        for number, effect in enumerate(effects):
            yield Node(node.root, node.depth + 1, (*node.path, (places.get(effect.topic, -1), number)), effect)

    def _ask(self, batches: dict[str, list[Node]]) -> dict[str, list[list[Held]]]:
        """Give hosts their events; returns, when all have answered or died, what they made of each."""
        forwarder = self._forwarder
        for host, batch in batches.items():
            if host not in forwarder.gone:
                self._answers[host] = []
                payload = pack_frames(node.event.frame for node in batch)
                forwarder.forward(pack(HOST_PREFIX + host, Kind.AHEAD, len(batch), payload))
        while not forwarder.ended:
            missing = {host for host, found in self._answers.items() if len(found) < len(batches[host])}
            forwarder.waiting = missing - forwarder.gone
            if not forwarder.waiting:
                break
            forwarder.absorb()
        forwarder.waiting = set()
        answers, self._answers = self._answers, {}
        return answers

    def takes(self, host: str, effects: list[Held]) -> bool:
        """Whether an acknowledgement of this host is for an event that it was given ahead, with these effects."""
        answers = self._answers.get(host)
        if answers is None:
            return False
        answers.append(effects)
        return True

    def _send(self, nodes: list[Node]) -> None:
        """For all others, in order."""
        forwarder = self._forwarder
        for node in nodes:
            event = node.event
            topic = event.topic
            quiet = self._quiet.get(topic)
            if quiet is None:
                hosts = self._asked.get(topic, frozenset()) | self._listening.get(topic, frozenset())
                quiet = self._quiet[topic] = forwarder.listeners.quiet(hosts)
            forwarder.forward(quieted(event, quiet))
            listening = self._listening.get(topic)
            if listening:
                forwarder.listeners.expect(listening - forwarder.gone, event)
        forwarder.let_lag()


def next_most(most: int, events: Sequence[Held], took_ns: int) -> int:
    """How many inputs and ticks the next go may have, when one of `most` led to these: few of what is large or slow.

    Twice as many take twice as long at most, and hardly longer where it is the way to the hosts and back that takes the
    time, as on a busy machine.
    """
    size = sum(len(event.frame) for event in events)
    shared = sum(event.shared_bytes for event in events)
    if size > MOST_BYTES or shared > MOST_SHARED_BYTES or took_ns > MOST_NS:
        return max(1, most // 2)
    may_grow = size < MOST_BYTES // 4 and shared < MOST_SHARED_BYTES // 4 and took_ns < MOST_NS // 2
    return min(2 * most, LONGEST_GO) if may_grow else most


def speaking_hosts(plan: Plan) -> frozenset[str]:
    """Those in which anything can have effects; what the others do, nobody hears."""
    return frozenset(host for topic in plan.receivers for host in plan.can_answer(topic))


def working_order(plan: Plan) -> list[list[str]] | None:
    """The hosts that can answer, in groups: nobody causes events of somebody before it, or in its own group.

    None where there is no such order: events come back to where they came from, or services are called.
    """
    if any(component.requires for component in plan.components):
        return None
    speakers = speaking_hosts(plan)
    before: dict[str, set[str]] = {host: set() for host in speakers}
    for topic, producer in plan.producers.items():
        for receiver in plan.receivers.get(topic, ()):
            if receiver.host in speakers:
                before[receiver.host].add(producer.host)
    sorter = TopologicalSorter(before)
    try:
        sorter.prepare()
    except CycleError:
        return None
    groups = []
    while sorter.is_active():
        groups.append(sorted(sorter.get_ready()))
        sorter.done(*groups[-1])
    return groups


def pack_frames(frames: Iterable[bytes]) -> bytes:
    """The payload of an AHEAD."""
    parts: list[bytes] = []
    for frame in frames:
        parts += (_LENGTH.pack(len(frame)), frame)
    return b"".join(parts)


def parse_frames(payload: memoryview) -> Iterator[bytes]:
    """Copies, so that the numbers in them are aligned as in a frame that came by itself."""
    at, size = 0, len(payload)
    while at < size:
        try:
            (length,) = _LENGTH.unpack_from(payload, at)
        except struct.error as error:
            raise FrameError(f"damaged events ahead: {error}") from None
        at += _LENGTH.size + length
        yield bytes(payload[at - length : at])


def quieted(event: Held, hosts: int) -> bytes:
    """The frame of an event that these hosts (bits by index) do not acknowledge."""
    at = len(topic_field(event.topic)) + _QUIET_AT
    return b"".join((event.frame[:at], _QUIET.pack(hosts), event.frame[at + _QUIET.size :]))
