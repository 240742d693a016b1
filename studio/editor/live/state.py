"""How what a running system says of itself is shown: words, icons and tones for cards and wires. No Qt, no sockets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from studio.editor.live.standing import stand_of, stopped_components
from studio.model.parts import Endpoint, Wire
from studio.model.sources import LiveProvider, Source, SourceMode
from studio.model.system import Node, System
from studio.model.wiring import topic_of
from studio.runtime.base.deltas import Snapshot

Tone = Literal["created", "inactive", "fine", "warning", "error", "frozen"]
Flow = Literal["flows", "stale", "never"]


@dataclass(frozen=True)
class Look:
    """A state by colour, icon and word: never by colour alone."""

    word: str
    icon: str
    tone: Tone
    rank: int
    """How much it matters: of a source with several parts, the part that matters most is shown."""


LOOKS: Mapping[str, Look] = {
    "active": Look("Active", "fa6s.circle-play", "fine", 1),
    "final": Look("Finished", "mdi6.circle-outline", "created", 2),
    "created": Look("Created", "mdi6.circle-outline", "created", 3),
    "starting": Look("Starting…", "mdi6.circle-outline", "created", 4),
    "inactive": Look("Inactive", "fa6s.moon", "inactive", 5),
    "held": Look("Held", "fa6s.circle-pause", "warning", 6),
    "paused": Look("Paused", "fa6s.circle-pause", "warning", 7),
    "busy": Look("Busy", "fa6s.hourglass", "warning", 8),
    "behind": Look("Behind", "fa6s.hourglass", "warning", 8),
    "restarting": Look("Restarting…", "fa6s.circle-exclamation", "error", 9),
    "hung": Look("Hung", "fa6s.circle-exclamation", "error", 10),
    "no device": Look("No device", "fa6s.circle-exclamation", "error", 10),
    "trouble": Look("Trouble", "fa6s.circle-exclamation", "error", 10),
    "error": Look("Error", "fa6s.circle-exclamation", "error", 11),
    "dead": Look("Dead", "fa6s.circle-exclamation", "error", 12),
    "gave up": Look("Gave up", "fa6s.circle-exclamation", "error", 13),
}
STOPPED = Look("Stopped here", "fa6s.snowflake", "frozen", 20)
STOPPED_ALONE = Look("Stopped here", "fa6s.snowflake", "warning", 20)
NOT_THERE = Look("Not running", "mdi6.circle-outline", "created", 0)
"""On the canvas, but not in the system that runs."""
NOTHING_YET = Look("No data yet", "fa6s.hourglass", "warning", 8)
NO_DATA = Look("No data", "fa6s.hourglass", "warning", 8)
"""A real source that runs, and from which nothing comes."""
PLAYED = Look("Played", "fa6s.circle-play", "fine", 1)
"""A source whose log is played: nobody's process."""


@dataclass(frozen=True)
class LiveNode:
    """What a card shows while the system runs."""

    look: Look
    right: str = ""
    brief: tuple[str, ...] = ()
    """What is said in its place where there is no room for it: the first that fits."""
    rates: tuple[tuple[str, str], ...] = ()
    """Port -> rate, for sources: their rows have a free side."""


@dataclass(frozen=True)
class LiveWire:
    flow: Flow = "flows"
    rate: str = ""
    """On the wire, if there is room; of one wire of each net only."""
    drops: int = 0


def look_of(state: str) -> Look:
    return LOOKS.get(state, Look(state.capitalize(), "mdi6.circle-outline", "created", 3))


def rate_words(rate_hz: float) -> str:
    """Four digits are enough, and do not jump about."""
    if rate_hz >= 10_000:
        return f"{rate_hz / 1000:.1f} kHz"
    if 0 < rate_hz < 1:
        return f"{rate_hz:.2g} Hz"
    return f"{rate_hz:.1f} Hz" if rate_hz < 1000 else f"{rate_hz:.0f} Hz"


def count_words(count: int) -> str:
    """With thin spaces, and short where it gets long."""
    return f"{count:,}".replace(",", "\u2009") if count < 1_000_000 else f"{count / 1e6:.1f} M"


def time_words(microseconds: float | None) -> str:
    if microseconds is None:
        return "—"
    if microseconds >= 1_000_000:
        return f"{microseconds / 1e6:.1f} s"
    return f"{microseconds:.0f} µs" if microseconds < 1000 else f"{microseconds / 1000:.1f} ms"


def stalled_words(state: Snapshot) -> str:
    """Of a system that claims to run while no event flows: for how long, and why; empty otherwise."""
    stalled = state.get("stalled")
    return f"No event for {stalled['seconds']} s: {stalled['why']}" if stalled else ""


def mode_of(source: Source, state: Snapshot) -> SourceMode:
    """As it runs, which may differ from what the canvas has by now; without a run as the canvas has it."""
    mode: SourceMode = state.get("sources", {}).get(source.name, source.mode)
    return mode


def parts_of(node: Node, state: Snapshot) -> tuple[str, ...]:
    """The running components behind a card: itself, or those that provide a source."""
    if isinstance(node, Source):
        provider = node.provider(mode_of(node, state))
        return tuple(each.name for each in provider.components) if isinstance(provider, LiveProvider) else ()
    return (node.name,)


def live_node(node: Node, state: Snapshot) -> LiveNode:
    """Of a system that is attached."""
    if isinstance(node, Source):
        return _live_source(node, state)
    told = state["components"].get(node.name)
    if told is None or told["type"] != node.type:
        return LiveNode(NOT_THERE, "not in this run")
    look = shown_look(told, state, node.name)
    beside = {STOPPED: "", STOPPED_ALONE: "system runs on"}
    words = (beside[look],) if look in beside else _beside(told)
    return LiveNode(look, words[0], words[1:])


def _live_source(node: Source, state: Snapshot) -> LiveNode:
    parts = {name: state["components"][name] for name in parts_of(node, state) if name in state["components"]}
    rates = tuple(
        (port.name, rate_words(told["rate_hz"]))
        for port in node.ports
        if port.direction == "out" and (told := state["topics"].get(topic_of(Endpoint(node.name, port.name))))
    )
    if not parts:
        is_played = state.get("sources", {}).get(node.name) == "logged"
        played = LOOKS["held"] if state.get("gate", "run") != "run" else PLAYED
        return LiveNode(played if is_played else NOT_THERE, rates=rates)
    worst = max(parts, key=lambda name: shown_look(parts[name], state, name).rank)
    look = shown_look(parts[worst], state, worst)
    words = _beside(parts[worst]) if len(parts) == 1 or look.tone == "error" else (f"{len(parts)} parts",)
    if mode_of(node, state) == "real" and look is LOOKS["active"]:
        look = _from_device(node, state)
    return LiveNode(look, words[0], words[1:], rates)


def _from_device(node: Source, state: Snapshot) -> Look:
    """Nothing is fine before something has come, or where nothing comes any more."""
    topics = [topic_of(Endpoint(node.name, port.name)) for port in node.ports if port.direction == "out"]
    counts = [state["topics"][topic]["count"] for topic in topics if topic in state["topics"]]
    if counts and not any(counts):
        return NOTHING_YET
    return NO_DATA if counts and all(quiet_s(state, topic) for topic in topics) else LOOKS["active"]


def shown_look(told: Mapping[str, Any], state: Snapshot, name: str = "") -> Look:
    """Of a component; by its `name` it is told whether a debugger holds it."""
    stand = stand_of(state)
    is_frozen = stand is not None and not stand.runs_on
    if name and stand is not None and name in stopped_components(state):
        return STOPPED if is_frozen else STOPPED_ALONE
    stands = state["gate"] != "run" and not state.get("by_itself")
    if told["state"] in ("active", "busy") and (stands or is_frozen):
        return LOOKS["held"]
    if told["state"] in ("active", "busy") and told.get("trouble"):
        return LOOKS["no device" if _device_in(str(told["trouble"])) else "trouble"]
    if told["state"] == "active" and told.get("behind_s"):
        return LOOKS["behind"]
    return look_of(told["state"])


def _beside(told: Mapping[str, Any]) -> tuple[str, ...]:
    """Right of the chip: what it does, or why it does nothing; then the same in fewer words."""
    match told["state"]:
        case "error":
            return (error_place(told["error"]) or "see the inspector",)
        case "restarting" | "gave up" | "dead" | "hung":
            return (f"{told['restarts']} restarts" if told["restarts"] else "its process ended",)
        case "active" | "busy" if told.get("trouble"):
            return _trouble_words(str(told["trouble"]).partition(" (")[0])
        case "active" if told.get("behind_s"):
            return (f"{told['behind_s']:.0f} s behind", f"{told['behind_s']:.0f} s")
        case "active" | "busy":
            return _pace(told["rate_hz"], told.get("handler_p50_us"))
    return (str(told["activation"]),)


def _trouble_words(trouble: str) -> tuple[str, ...]:
    """The whole sentence. Of a device also its path, or the end of that, since the chip beside it says what is wrong;
    of anything else the words before the colon."""
    path = _device_in(trouble)
    shorter = (path, path.rpartition("/")[2]) if path else (trouble.partition(":")[0],)
    return tuple(dict.fromkeys(word for word in (trouble, *shorter) if word))


def _device_in(trouble: str) -> str:
    """The path of the device that a trouble is about; empty where it is about something else."""
    return next((word for word in reversed(trouble.partition(" (")[0].split()) if word.startswith("/")), "")


def _pace(rate_hz: float, handler_us: float | None) -> tuple[str, ...]:
    """How often it acts and how long that takes; rates of a hundred and more may go without their fraction."""
    rate = rate_words(rate_hz)
    if handler_us is None:
        return (rate,)
    took = time_words(handler_us)
    rounded = f"{rate_hz:.0f} Hz" if 100 <= rate_hz < 10_000 else rate
    return tuple(dict.fromkeys((f"{rate} · {took}", f"{rounded} · {took}", rate)))


def error_line(trace: str) -> tuple[str, int] | None:
    """File and line where the traceback ends."""
    for line in reversed(trace.splitlines()):
        words = line.strip()
        if words.startswith('File "') and '", line ' in words:
            file, _, rest = words[6:].partition('", line ')
            number = rest.partition(",")[0]
            return (file, int(number)) if number.isdigit() else None
    return None


def error_place(trace: str) -> str:
    """`low_pass.py:41`."""
    found = error_line(trace)
    return f"{found[0].rpartition('/')[2]}:{found[1]}" if found else ""


def error_sentence(trace: str) -> str:
    """The last line of a traceback."""
    lines = [line for line in trace.splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


def live_wire(wire: Wire, system: System, state: Snapshot) -> LiveWire:
    told = state["topics"].get(topic_of(wire.start))
    if told is None:
        return LiveWire("never")
    flow: Flow = "never" if not told["count"] else "stale" if quiet_s(state, topic_of(wire.start)) else "flows"
    return LiveWire(flow, rate_words(told["rate_hz"]) if told["count"] else "", _dropped(wire, system, state))


def quiet_s(state: Snapshot, topic: str) -> int:
    """For how long a topic has missed its events, by its own rhythm; 0 while all is as it should be, or stands."""
    told = state.get("topics", {}).get(topic, {})
    return int(told.get("quiet_s") or 0) if state.get("gate") == "run" else 0


def _dropped(wire: Wire, system: System, state: Snapshot) -> int:
    node = system.nodes.get(wire.end.node)
    if node is None:
        return 0
    found = (state["components"].get(name, {}) for name in parts_of(node, state))
    return sum(told.get("dropped", {}).get(topic_of(wire.start), 0) for told in found)


@dataclass(frozen=True)
class Totals:
    """The system in a line, for the status bar."""

    rate_hz: float
    p99_us: float | None
    drops: int
    cpu_percent: float
    rss_mb: float
    troubled: tuple[str, ...]
    """Components that are in error, hung or dead."""


def totals(state: Snapshot) -> Totals:
    topics: Iterable[Mapping[str, Any]] = state["topics"].values()
    processes: Iterable[Mapping[str, Any]] = state["processes"].values()
    late = [told["latency_us"]["p99"] for told in topics if told["latency_us"]["p99"] is not None]
    return Totals(
        sum(told["rate_hz"] for told in topics),
        max(late, default=None),
        sum(told["drops"] or 0 for told in topics),
        sum(told["cpu_percent"] or 0.0 for told in processes),
        sum(told["rss_mb"] or 0.0 for told in processes),
        tuple(name for name, told in state["components"].items() if shown_look(told, state).tone == "error"),
    )
