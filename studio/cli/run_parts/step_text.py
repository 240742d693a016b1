"""How `studio step` tells of events and places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from studio.cli.shared.columns import columns
from studio.runtime.broker.gate import Delivered
from studio.runtime.replay.stepping import Stepping


def event_line(stepping: Stepping, number: int, event: Delivered) -> str:
    """`12  +0.040 s  /signal/value:7 → filter, scope: published /filter/smooth:7`"""
    receivers = ", ".join(receivers_of(stepping, event.topic)) or "nobody"
    made = ", ".join(f"{topic}:{sequence}" for topic, sequence in event.published)
    return (
        f"{number}  {_passed_s(stepping, event):+.6f} s  {event.topic}:{event.sequence} → {receivers}"
        f"{f': published {made}' if made else ''}"
    )


def where(stepping: Stepping) -> str:
    """The place at which the replay stands."""
    stepper = stepping.stepper
    if stepper.last is None:
        return f"at event {stepper.position}" if stepper.position else "at the start"
    return f"at event {stepper.position}: {event_line(stepping, stepper.position, stepper.last).partition('  ')[2]}"


def receivers_of(stepping: Stepping, topic: str) -> list[str]:
    return [component.name for component in stepping.inputs.plan.receivers.get(topic, ())]


def topics_of(stepping: Stepping) -> list[str]:
    """All that can be delivered; data first, which is what people look for."""
    plan = stepping.inputs.plan
    found = {*plan.receivers, *plan.producers, *stepping.inputs.topics.values()}
    return sorted(found, key=lambda topic: (topic.startswith("/_studio/"), topic))


def event_json(stepping: Stepping, event: Delivered) -> dict[str, Any]:
    return {
        "topic": event.topic,
        "sequence": event.sequence,
        "stamp_ns": event.stamp_ns,
        "to": receivers_of(stepping, event.topic),
        "published": [f"{topic}:{sequence}" for topic, sequence in event.published],
    }


def digest_lines(digest: dict[str, Any]) -> Iterator[str]:
    rows = [(name, one["state"], one["outputs"]) for name, one in digest["components"].items()]
    yield from columns([("component", "state", "outputs"), *rows], indent="")
    yield f"next events: {digest['channel']}"


def _passed_s(stepping: Stepping, event: Delivered) -> float:
    return (event.stamp_ns - stepping.inputs.start_ns) / 1e9
