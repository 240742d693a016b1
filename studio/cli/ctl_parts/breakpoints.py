"""Event breakpoints from the command line: `studio ctl break` sets, removes and waits, `studio ctl breaks` lists."""

from __future__ import annotations

import argparse
from typing import Any

from studio.cli.shared.outcome import FAILED, FINE, UsageError, print_json
from studio.runtime.client.attach import Attachment


def add_break_options(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group()
    what.add_argument("topic", metavar="TOPIC", nargs="?", help="before an event of this topic is delivered")
    what.add_argument("--state", metavar="COMPONENT[=STATE]", help="when a component's state changes (to this one)")
    what.add_argument("--error", metavar="COMPONENT", nargs="?", const="", help="when a handler fails (of this one)")
    parser.add_argument("--if", dest="condition", metavar="COND", default="", help="on a field: 'position.x > 3'")
    parser.add_argument("--after", action="store_true", help="stop after the event was handled (default: before)")
    parser.add_argument("--latency", type=float, metavar="MS", help="only if it was handled later than this")
    parser.add_argument("--count", type=int, default=1, metavar="N", help="every n-th time")
    parser.add_argument("--remove", metavar="ID", help="remove one, by its number in `breaks`, or all")
    parser.add_argument("--wait", type=float, metavar="SECONDS", help="wait until it has stopped the system")


def set_break(attachment: Attachment, options: argparse.Namespace) -> int:
    points = list(attachment.state["event_breakpoints"])
    if options.remove is not None:
        return _remove(attachment, options, points)
    point = _point(options, {each["id"] for each in points})
    attachment.ask("event_breakpoints", list=[*points, point])
    if options.wait is not None:
        return _wait(attachment, options, point["id"])
    print_json(point) if options.json else print(f"{point['id']}: {_words(attachment, point['id'])}")
    return FINE


def _point(options: argparse.Namespace, taken: set[str]) -> dict[str, Any]:
    number = next(number for number in range(1, len(taken) + 2) if str(number) not in taken)
    point: dict[str, Any] = {"id": str(number), "count": options.count}
    if options.state is not None:
        component, _, state = options.state.partition("=")
        return {**point, "on": "state", "component": component, "condition": state}
    if options.error is not None:
        return {**point, "on": "error", "component": options.error}
    if options.topic is None:
        raise UsageError("ctl break: no TOPIC, --state or --error given", hint="give one of them, or --remove ID")
    topic = options.topic if options.topic.startswith("/") else "/" + options.topic.replace(".", "/", 1)
    if options.latency is not None:
        return {**point, "on": "latency", "topic": topic, "limit_ms": options.latency}
    when = "after" if options.after else "before"
    return {**point, "on": "event", "topic": topic, "when": when, "condition": options.condition}


def _remove(attachment: Attachment, options: argparse.Namespace, points: list[dict[str, Any]]) -> int:
    left = [] if options.remove == "all" else [point for point in points if point["id"] != options.remove]
    if len(left) == len(points) and options.remove != "all":
        raise UsageError(f"there is no event breakpoint {options.remove}", hint="studio ctl breaks lists them")
    attachment.ask("event_breakpoints", list=left)
    print_json({"left": len(left)}) if options.json else print(f"{len(points) - len(left)} removed, {len(left)} left")
    return FINE


def _wait(attachment: Attachment, options: argparse.Namespace, wanted: str) -> int:
    def stop() -> dict[str, Any] | None:
        found: dict[str, Any] | None = attachment.state.get("event_stop")
        return found if found is not None and found["id"] == wanted else None

    attachment.wait_for(lambda: stop() is not None, options.wait)
    hit = stop()
    if hit is None:
        print_json({"hit": None}) if options.json else print(
            f"the breakpoint did not stop the system within {options.wait:g} s"
        )
        return FAILED
    print_json({"hit": hit}) if options.json else print(stop_words(hit))
    return FINE


def stop_words(hit: dict[str, Any]) -> str:
    if hit["topic"]:
        where = "as soon as it was seen:" if hit["when"] == "seen" else hit["when"]
        return f"stopped {where} {hit['topic']} #{hit['sequence']} ({hit['text']})"
    return f"stopped: {hit['text']}"


def show_breaks(attachment: Attachment, options: argparse.Namespace) -> int:
    points, hit = attachment.state["event_breakpoints"], attachment.state.get("event_stop")
    if options.json:
        print_json({"event_breakpoints": points, "event_stop": hit})
        return FINE
    for point in points:
        trouble = f"; {point['trouble']}" if point["trouble"] else ""
        off = "" if point["enabled"] else "off; "
        hits = f"{point['hits']} hit{'' if point['hits'] == 1 else 's'}"
        print(f"{point['id']}: {off}{point['words']} ({hits}){trouble}")
    if not points:
        print("no event breakpoints")
    if hit is not None:
        print(stop_words(hit))
    return FINE


def _words(attachment: Attachment, wanted: str) -> str:
    attachment.wait_for(lambda: any(each["id"] == wanted for each in attachment.state["event_breakpoints"]), 2.0)
    return next((each["words"] for each in attachment.state["event_breakpoints"] if each["id"] == wanted), wanted)
