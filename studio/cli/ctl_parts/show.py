"""What `studio ctl` shows of running systems: lists, properties, captured output."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from studio.cli.shared.columns import columns
from studio.cli.shared.live_table import live_table
from studio.cli.shared.outcome import FINE, print_json
from studio.cli.shared.property_names import Property, properties_of
from studio.errors import StudioError
from studio.model.close_matches import did_you_mean
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.client.attach import Attachment
from studio.runtime.client.running_systems import RunningSystem, find_running, running_systems


def show_list(options: argparse.Namespace, snapshot: dict[str, Any] | None = None) -> int:
    if snapshot is not None:
        return _show_properties(options, snapshot)
    systems = running_systems() if options.run is None else [find_running(options.run)]
    found = [(system, state) for system in systems if (state := _state_of(system)) is not None]
    if options.json:
        print_json({"systems": [{"pid": system.pid, **state} for system, state in found]})
        return FINE
    for system, state in found:
        held = f", {state['control']} holds control" if state["control"] else ""
        gate = "paused" if state["gate"] == "pause" else "running" + stalled_words(state)
        print(f"{system.project}: run {system.run}, {gate}, mode {state['mode']}, process {system.pid}{held}")
        print("\n".join([*live_table(state, hosts=True), ""]))
    if not found:
        print("nothing is running; start something: studio run PROJECT --detach")
    return FINE


def stalled_words(state: dict[str, Any]) -> str:
    """Of a system that claims to run while no event flows; empty otherwise."""
    stalled = state.get("stalled")
    return f" but no event for {stalled['seconds']} s ({stalled['why']})" if stalled else ""


def _state_of(system: RunningSystem) -> dict[str, Any] | None:
    try:
        with Attachment(system.run_folder, "studio ctl") as attachment:
            return attachment.state
    except StudioError:
        return None  # it has just ended


def _show_properties(options: argparse.Namespace, snapshot: dict[str, Any]) -> int:
    found = properties_of(snapshot, options.component)
    if options.json:
        services = snapshot["components"][options.component]["services"]
        print_json({"properties": {each.address: _told(each, snapshot) for each in found}, "services": services})
        return FINE
    rows = [(each.address, each.kind, _text(each, snapshot)) for each in found]
    print("\n".join(columns([("property", "kind", "value or topic"), *rows])))
    services = snapshot["components"][options.component]["services"]
    if services:
        print()
        called = [
            (f"{options.component}.{name}", f"{request} -> {reply}") for name, (request, reply) in services.items()
        ]
        print("\n".join(columns([("service", "request -> reply"), *called])))
    return FINE


def _told(found: Property, snapshot: dict[str, Any]) -> dict[str, Any]:
    told = {"kind": found.kind, "component": found.component, "name": found.name}
    if found.topic:
        return {**told, "topic": found.topic, "type": snapshot["topics"].get(found.topic, {}).get("type")}
    return {**told, "value": known_value(found, snapshot)}


def _text(found: Property, snapshot: dict[str, Any]) -> str:
    return found.topic or value_text(known_value(found, snapshot))


def known_value(found: Property, snapshot: dict[str, Any]) -> Any:
    """Of a parameter or a state: the snapshot has it."""
    told = snapshot["components"][found.component]
    kept = {"parameter": "parameters", "shown": "shown"}.get(found.kind)
    return told[kept][found.name] if kept else told[found.name.removeprefix("_")]


def value_text(value: Any) -> str:
    """As it is written in system.xml; what is no parameter value, short."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {value_text(each)}" for name, each in value.items())
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return " ".join(value_text(each) for each in value)
    return str(value)


def show_output(attachment: Attachment, options: argparse.Namespace) -> int:
    state = attachment.state
    component = state["components"].get(options.component)
    process = component["host"] if component else options.component
    if process not in state["processes"]:
        known = [*state["components"], *state["processes"]]
        raise StudioError(f"there is no process {process}", hint=did_you_mean(process, known))
    lines = attachment.ask("output", name=process)["lines"]
    dropped = state["processes"][process]["dropped_output_bytes"]
    if options.json:
        print_json({"process": process, "dropped_bytes": dropped, "lines": lines})
        return FINE
    if dropped:
        print(f"({dropped} bytes before this are no longer kept)")
    for line in lines:
        mark = "error: " if line["level"] == "error" else ""
        print(f"{_moment(line)} {process}: {mark}{line['text']}")
    return FINE


def show_log(attachment: Attachment, options: argparse.Namespace) -> int:
    """The last lines, as objects one per line with --json; those who follow get the rest as it comes."""
    while True:
        while attachment.lines:
            line = attachment.lines.popleft()
            mark = "" if line["level"] in ("info", "notice") else f"{line['level']}: "
            text = f"{_moment(line)} {line['component']}: {mark}{line['text']}"
            print(json.dumps(line) if options.json else text, flush=True)
        if not options.follow or attachment.ended.is_set():
            return FINE
        attachment.wait_for(lambda: attachment.lines, 0.5)


def _moment(line: Mapping[str, Any]) -> str:
    moment = datetime.fromtimestamp(line["time_ns"] / SECOND_NS).astimezone()
    return f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03d}"
