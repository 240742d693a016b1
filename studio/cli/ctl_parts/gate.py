"""`studio ctl gate`, `step`, `back`, `goto`, `held` and `again`: how far a running system goes, and back."""

from __future__ import annotations

import argparse
from typing import Any

from studio.cli.ctl_parts.way import ask_long
from studio.cli.shared.outcome import FINE, INTERRUPTED, UsageError, print_json
from studio.errors import StudioError
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.client.attach import Attachment


def gate(attachment: Attachment, options: argparse.Namespace) -> int:
    if options.mode is None and options.kind is None:
        state = attachment.state
        within = stands_within(state)
        told = {"gate": state["gate"], "stepping": state["stepping"], "within": within}
        return _tell(told, options, f"{state['gate']}{_where(state['stepping'], within)}")
    return set_gate(attachment, options, options.mode)


def set_gate(attachment: Attachment, options: argparse.Namespace, mode: str | None) -> int:
    fields = {"mode": mode, "kind": getattr(options, "kind", None), "rate": getattr(options, "rate", None)}
    given = {name: value for name, value in fields.items() if value is not None}
    reply = attachment.ask("gate", timeout_s=None, **given)
    words = {"run": "runs", "pause": "is paused"}[reply["gate"]]
    kind = f" ({reply['kind']})" if fields["kind"] else ""
    told = {"gate": reply["gate"], **({"kind": reply["kind"]} if fields["kind"] else {})}
    return _tell(told, options, f"{attachment.state['project']} {words}{kind}")


def step(attachment: Attachment, options: argparse.Namespace) -> int:
    reply = attachment.ask("step", count=options.count, topic=options.topic, timeout_s=None)
    delivered = reply["delivered"]
    lines = [f"{topic} {sequence}" for topic, sequence in delivered] or ["nothing is waiting"]
    return _tell({"delivered": delivered, "position": reply["position"]}, options, "\n".join(lines))


def back(attachment: Attachment, options: argparse.Namespace) -> int:
    reply = ask_long(attachment, "back", count=options.count, topic=options.topic)
    told = {"position": reply["position"], "delivered": reply["delivered"]}
    return _tell(told, options, f"after event {reply['position']}{_last(attachment)}")


def go_to(attachment: Attachment, options: argparse.Namespace) -> int:
    if (options.position is None) == (options.time is None):
        raise UsageError("go where?", hint="an event's number, or --time SECONDS of the log")
    if options.time is None:
        where: dict[str, Any] = {"position": options.position}
    else:
        player = attachment.state["player"]
        start_ns = player["start_ns"] if player else 0
        if player and options.time > (length_s := (player["end_ns"] - start_ns) / SECOND_NS):
            raise UsageError(f"{options.time:g} s is after the end of the log", hint=f"it is {length_s:.3f} s long")
        where = {"time_ns": start_ns + round(options.time * SECOND_NS)}
    reply = ask_long(attachment, "go_to", **where)
    if not reply["cancelled"] and options.position is not None and reply["position"] < options.position:
        what = f"there is no event {options.position}: the last one is {reply['position']}"
        raise StudioError(what, hint="the system is there now")
    cancelled = "cancelled: " if reply["cancelled"] else ""
    text = f"{cancelled}after event {reply['position']}{_last(attachment)}"
    told = {"position": reply["position"]}
    return _stay(options, told, text) if cancelled else _tell(told, options, text)


def held(attachment: Attachment, options: argparse.Namespace) -> int:
    reply = attachment.ask("held", timeout_s=None)
    lines = [f"{event['topic']} {event['sequence']}" for event in reply["events"]] or ["nothing is waiting"]
    if reply["busy"]:
        lines.append("(one event is being handled; its results come before these)")
    if reply["held"] < len(reply["events"]):
        lines.append(f"({reply['held']} held at the gate; the others are ticks and inputs of a log, not sent yet)")
    return _tell({name: reply[name] for name in ("events", "busy", "held")}, options, "\n".join(lines))


def again(attachment: Attachment, options: argparse.Namespace) -> int:
    reply = ask_long(attachment, "again", component=options.component)
    told = {name: reply[name] for name in ("component", "host", "position", "same", "why", "restarted")}
    text = f"{reply['component']}: {_again_words(reply)}"
    return _stay(options, told, text) if reply.get("cancelled") else _tell(told, options, text)


def _again_words(reply: dict[str, Any]) -> str:
    if reply["same"] is None:
        return f"restarted without its state: {reply['why']}"
    if reply.get("cancelled"):
        return f"reloaded, cancelled after event {reply['position']}"
    near = "" if reply["same"] else "near it: "
    return f"reloaded, {near}after event {reply['position']}"


def _stay(options: argparse.Namespace, told: dict[str, Any], text: str) -> int:
    """It was cancelled on the way."""
    _tell({**told, "cancelled": True}, options, text)
    return INTERRUPTED


def stands_within(state: dict[str, Any]) -> dict[str, Any] | None:
    """The event that code handles while a debugger holds it: the gate has delivered it, and it is not done yet."""
    debug = state.get("debug") or {}
    stops = [debug.get("frozen"), *(told.get("stopped") for told in debug.get("hosts", {}).values())]
    held = next((stop for stop in stops if stop and stop.get("topic") and stop.get("line")), None)
    return held and {name: held.get(name) for name in ("component", "topic", "sequence", "file", "line")}


def _where(stepping: dict[str, Any], within: dict[str, Any] | None) -> str:
    stands = ""
    if within is not None:
        line = f"{str(within['file']).rpartition('/')[2]}:{within['line']}"
        stands = f", {within['component']} is handling {within['topic']} {within['sequence']} at {line}"
    if stepping["gate"] == "free":
        return stands
    why_not = "" if stepping["can_go_back"] else f" (not back: {stepping['why_not']})"
    return f", lockstep, after event {stepping['position']}{stands}{why_not}"


def _last(attachment: Attachment) -> str:
    attachment.wait_for(lambda: False, 0.3)  # the news of where it is come by themselves
    last = attachment.state["stepping"]["last"]
    return f": {last[0]} {last[1]}" if last else ""


def _tell(told: dict[str, Any], options: argparse.Namespace, text: str) -> int:
    print_json(told) if options.json else print(text)
    return FINE
