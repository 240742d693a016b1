"""Why a system stands, and what can be done then: read from its snapshot, in words. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape, unescape
from typing import Any

from studio.runtime.base.deltas import Snapshot


@dataclass(frozen=True)
class StopReason:
    """Where the system stands, or one component of it."""

    why: str
    """breakpoint, exception, step, pause or event breakpoint."""
    host: str = ""
    component: str = ""
    file: str = ""
    line: int = 0
    topic: str = ""
    sequence: int = 0
    text: str = ""
    when: str = ""
    """Of an event breakpoint: before or after the event, or `seen`."""
    runs_on: bool = False
    """Freezing is switched off: only this component stands, and the others go on."""
    between: bool = False
    """It was frozen, and is being stepped on: it stands after one event, and before the next."""


_PREFIXES = {"/_studio/timer/": "tick of ", "/_studio/command/": "command to "}
WHEN = {
    "before": "the next event is",
    "after": "all components have handled",
    "seen": "stopped as soon as it was seen:",
}


@dataclass(frozen=True)
class Way:
    """Whether something can be done now, and if not, why not."""

    can: bool
    why_not: str = ""


def stand_of(state: Snapshot) -> StopReason | None:
    """Why the system stands, or one component of it does; None where all goes its way, or is only paused."""
    debug = state.get("debug") or {}
    frozen = debug.get("frozen")
    hit = state.get("event_stop")
    if frozen and not (hit and frozen.get("why") == "event breakpoint"):
        return _stand(frozen)
    if hit:
        return _stand({**hit, "why": "event breakpoint"})
    for host, told in debug.get("hosts", {}).items():
        stopped = told.get("stopped")
        if stopped:
            reason = {"why": stopped.get("reason", "breakpoint"), "host": host, **stopped}
            return _stand(reason, runs_on=not debug.get("freezing", True))
    return None


def _stand(told: Mapping[str, Any], *, runs_on: bool = False) -> StopReason:
    def word(name: str) -> str:
        return str(told.get(name) or "")

    return StopReason(
        word("why"), word("host"), word("component"), word("file"), int(told.get("line") or 0),
        word("topic"), int(told.get("sequence") or 0), word("text"), word("when"), runs_on,
    )  # fmt: skip


def between(state: Snapshot) -> StopReason:
    """Where a system stands that was stepped on from where it was frozen."""
    last = (state.get("stepping") or {}).get("last")
    if not last:
        return StopReason("stepping", between=True)
    return StopReason("stepping", topic=str(last[0]), sequence=int(last[1]), between=True)


def stopped_components(state: Snapshot) -> frozenset[str]:
    """Those that a debugger holds at a line."""
    hosts = (state.get("debug") or {}).get("hosts", {})
    found = {str((told.get("stopped") or {}).get("component", "")) for told in hosts.values()}
    stand = stand_of(state)
    return frozenset(found | ({stand.component} if stand is not None and stand.host else set())) - {""}


def headline(stand: StopReason) -> str:
    if stand.runs_on:
        return f"{stand.component or stand.host} is stopped, the system runs on"
    if stand.between:
        return "Paused between two events"
    return "The whole system is frozen on one event" if stand.topic else "The whole system is frozen"


def shown_event(topic: str, sequence: int) -> str:
    """`/pose #12`, `tick of signal #5`."""
    return f"{shown_topic(topic) if topic.startswith(tuple(_PREFIXES)) else topic} #{sequence}"


def receiver_of(topic: str) -> str:
    """The component to which ticks and commands of its own go; nothing for other topics."""
    return next((topic.removeprefix(prefix) for prefix in _PREFIXES if topic.startswith(prefix)), "")


def shown_topic(topic: str) -> str:
    """`laser_left/ranges`, `tick of signal`."""
    for prefix, words in _PREFIXES.items():
        if topic.startswith(prefix):
            return words + topic.removeprefix(prefix)
    return topic.removeprefix("/")


def sentence(stand: StopReason, state: Snapshot) -> str:
    """What stands where, handling what, and who waits for it; with the event in bold."""
    if (way := way_of(state)) is not None:
        return escape(way_words(way))
    event = f"<b>{escape(shown_event(stand.topic, stand.sequence))}</b>" if stand.topic else ""
    if stand.line:
        where = f"{escape(stand.component or stand.host)} is stopped at line {stand.line}"
        where += f", handling {event}" if event else f" of {escape(stand.file.rpartition('/')[2])}"
        if stand.why == "exception" and stand.text:
            where += f": {escape(stand.text)}"
    elif stand.between:
        where = f"the last one was {event}" if event else "paused between two events"
    elif event:
        where = f"{WHEN.get(stand.when, 'stopped at')} {event}"
        condition = stand.text.partition(" if ")[2]
        where += f": {escape(condition)}" if condition else ""
        where += f" ({escape(stand.text)})" if stand.component else ""
    else:
        where = escape(stand.text) or f"{escape(stand.component or 'the system')}: {escape(stand.why)}"
    return where if stand.runs_on else f"{where} · {who_waits(stand, state)}"


def brief(stand: StopReason) -> str:
    """The same where there is little room: the place in the code, and the event."""
    event = f"<b>{escape(shown_event(stand.topic, stand.sequence))}</b>" if stand.topic else ""
    where = shortest(stand) if stand.line else ""
    return " · ".join(filter(None, (where, event))) or escape(stand.text)


def shortest(stand: StopReason) -> str:
    """The shortest: of an event, that of its number; what it is of has no room."""
    if stand.line:
        return f"{escape(stand.component or stand.host)}:{stand.line}"
    return f"event #{stand.sequence}" if stand.topic else escape(stand.text)


def plain_sentence(stand: StopReason, state: Snapshot) -> str:
    """The same for who hears it."""
    return unescape(sentence(stand, state).replace("<b>", "").replace("</b>", ""))


def who_waits(stand: StopReason, state: Snapshot) -> str:
    """`clock, player and 9 components wait`."""
    waiting = ["clock"]
    if state.get("player"):
        waiting.append("player")
    if "simulated" in (state.get("sources") or {}).values():
        waiting.append("simulator")
    count = len(state.get("components", {})) - len(stopped_components(state))
    words = f"{count} component{'' if count == 1 else 's'}"
    return f"{', '.join(waiting)} and {words} wait"


def step_back(state: Snapshot) -> Way:
    stepping = state.get("stepping")
    if not state:
        return Way(False, "The system does not run")
    if stepping is None:
        return Way(False, "This system keeps no way back")
    if stepping.get("can_go_back"):
        return Way(True)
    return Way(False, str(stepping.get("why_not") or "There is nothing to go back to"))


def way_of(state: Snapshot) -> Mapping[str, Any] | None:
    """The long way on which the system is: `words`, and which `part` of it is done; None if it is on none."""
    way: Mapping[str, Any] | None = (state.get("stepping") or {}).get("way")
    return way


def way_words(way: Mapping[str, Any]) -> str:
    """`Reloading filter, 42 % done`."""
    return str(way["words"]) + ("" if way["part"] is None else f", {100 * way['part']:.0f} % done")
