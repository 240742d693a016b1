"""Those who only listen: in a lockstep with a lag nobody waits for them event by event (docs/protocol.md, section 11).

What a listener does with an event has no effects, so what comes next does not depend on it; it still handles
everything in the same order, as its socket has one. Those who know how are told with each event that they need not
acknowledge it, and asked now and then by a SYNC how far they are. The others acknowledge, and that is read later.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Set

from studio.runtime.broker.held import Held
from studio.runtime.channel.payloads import SHARED_FROM_BYTES
from studio.runtime.plan.plan import RECORDER, Plan
from studio.runtime.wire.frames import SYNC_TOPIC, Ack, topic_hash

UNWRITTEN = 8192
"""How far behind the recorder may be. That is half a gigabyte at most, half of what it lets wait."""
QUIET_HOSTS = 64
"""The header has a bit for each: hosts of a higher index acknowledge everything, one by one."""
_SYNC = topic_hash(SYNC_TOPIC)


def weight_of(event: Held) -> int:
    """A large event counts as several: who is behind holds memory, and has only so much."""
    return max(1, (event.shared_bytes or len(event.frame)) // SHARED_FROM_BYTES)


class Listeners:
    """How far each of them is behind, in events of usual size."""

    def __init__(self, plan: Plan, able: Set[str]) -> None:
        self.able = able
        """Hosts that know how to keep silent."""
        self._indices = {**plan.hosts, RECORDER: plan.recorder_index}
        self._owed: dict[str, deque[tuple[int, int]]] = {host: deque() for host in plan.greeted}
        """Host -> events (topic and sequence) whose acknowledgement nobody has waited for yet."""
        self._untold: dict[str, int] = dict.fromkeys(plan.greeted, 0)
        """Host -> events since it was last asked."""
        self._asked: dict[str, deque[tuple[int, int]]] = {host: deque() for host in plan.greeted}
        """Host -> numbers of the questions that it has not answered, each with the events before it."""

    def quiet(self, hosts: Iterable[str]) -> int:
        """The bits of those of `hosts` that need not acknowledge."""
        bits = 0
        for host in hosts:
            if host in self.able:
                bits |= 1 << self._indices[host]
        return bits

    def expect(self, hosts: Iterable[str], event: Held) -> None:
        """An event goes to these listeners."""
        weight = weight_of(event)
        for host in hosts:
            if host in self.able:
                self._untold[host] += weight
            elif host != RECORDER:  # one that cannot tell is not waited for
                self._owed[host].append((topic_hash(event.topic), event.sequence))

    def behind(self, host: str) -> int:
        """At most so many events; some of them it may have handled."""
        return self._untold[host] + len(self._owed[host]) + sum(count for _, count in self._asked[host])

    def late(self, most: int) -> set[str]:
        """Those more than `most` events behind; what the recorder has not written yet may be more."""
        return {host for host in self._owed if self.behind(host) > (max(most, UNWRITTEN) if host == RECORDER else most)}

    def to_ask(self, most: int) -> list[str]:
        """Those who have had more than `most` events since they were last asked."""
        return [host for host, count in self._untold.items() if count > most]

    def ask(self, host: str, number: int) -> None:
        """A SYNC of this number is sent to it."""
        self._asked[host].append((number, self._untold[host]))
        self._untold[host] = 0

    def takes(self, host: str, ack: Ack) -> bool:
        """Whether an acknowledgement is one of those that nobody waits for by itself."""
        asked, owed = self._asked.get(host), self._owed.get(host)
        if ack.topic == _SYNC:
            while asked and asked[0][0] <= ack.sequence:
                asked.popleft()
            return True
        if owed and owed[0] == (ack.topic, ack.sequence):
            owed.popleft()
            return True
        return False

    def forget(self, hosts: Iterable[str]) -> None:
        """They are gone."""
        for host in hosts:
            if host in self._owed:
                self._owed[host].clear()
                self._asked[host].clear()
                self._untold[host] = 0
