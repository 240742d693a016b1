"""What a viewer says while nothing of its topic has come."""

from __future__ import annotations

from studio.runtime.base.deltas import Snapshot


def waiting_words(thing: str, topic: str, state: Snapshot) -> str:
    """`thing`: map, scan. Of what came before a viewer looked it gets nothing, and must not say that there was none."""
    count = int(state.get("topics", {}).get(topic, {}).get("count") or 0)
    return f"Waiting for the next {thing} on {topic}" if count else f"No {thing} on {topic} yet"
