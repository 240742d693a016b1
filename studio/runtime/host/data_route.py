"""Where the events of one topic go inside a host, and what was seen of them."""

from __future__ import annotations

from typing import Any

from studio.model.spec import Delivery
from studio.runtime.channel.mailbox import Route
from studio.runtime.host.component_runner import ComponentRunner
from studio.runtime.host.statistics import TopicStatistics
from studio.runtime.plan.plan import PlannedComponent
from studio.runtime.wire.frames import COMMAND_PREFIX, HEADER_BYTES, TIMER_PREFIX, Kind, topic_field


class DataRoute(Route):
    """A topic with the runners that handle it, the class of its messages, and what was seen of it."""

    gated = True

    def __init__(
        self, topic: str, runners: list[tuple[ComponentRunner, Delivery]], message_class: type[Any] | None
    ) -> None:
        super().__init__(topic, [delivery for _, delivery in runners])
        self.runners = [runner for runner, _ in runners]
        self.message_class = message_class
        self.kind = _kind_of(topic)
        self.header_at = len(topic_field(topic))
        """Follows from the topic, which the receiver has looked at already."""
        self.payload_at = self.header_at + HEADER_BYTES
        self.statistics = TopicStatistics()
        self.objects: dict[int, Any] = {}
        """Messages published by this very host, by sequence: they need no decoding when they come back in order."""
        self.local = False
        self.stale = 0
        """Events of an epoch that is over: nobody gets them."""
        self.turns: tuple[int, Any] = (0, None)
        self.ahead: set[int] = set()
        """Sequences of events that were handled before they went out for the others, and will come once more."""

    def report(self) -> dict[str, object]:
        dropped = {self.runners[limited.index].name: limited.dropped for limited in self.limited}
        return {**self.statistics.summary(), "dropped": dropped, "stale": self.stale}


def _kind_of(topic: str) -> int:
    """Of the events of a topic."""
    if topic.startswith(COMMAND_PREFIX):
        return int(Kind.COMMAND)
    return int(Kind.TIMER if topic.startswith(TIMER_PREFIX) else Kind.DATA)


def delivery_of(component: PlannedComponent, topic: str) -> Delivery:
    """A component that takes one topic at several ports gets it as the most demanding of them wants it."""
    deliveries = [inlet.parsed() for inlet in component.inlets if inlet.topic == topic and topic != component.joints]
    rank = {"lossless": 0, "queue": 1, "latest": 2}
    return min(deliveries, key=lambda each: (rank[each.kind], -each.depth)) if deliveries else Delivery()
