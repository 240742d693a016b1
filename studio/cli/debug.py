"""`studio debug`: a component under a debugger, from its start or at an event of a log."""

from __future__ import annotations

import argparse
import sys
import threading
from contextlib import suppress
from typing import Any

from studio.cli import run as run_verb
from studio.cli.shared.debug_options import add_place_options, place
from studio.cli.shared.log_file import find_log, unfinished
from studio.cli.shared.outcome import FAILED, FINE, UsageError, add_json_option, print_json, warn
from studio.cli.shared.places import find_project
from studio.cli.shared.refusal import refuse
from studio.cli.shared.trust import add_trust_option, require_trust
from studio.errors import StudioError
from studio.model.loaded_project import LoadedProject, open_project
from studio.runtime.debug.log_debugging import LogDebugging, debug_log
from studio.runtime.debug.proxy import DebugSession
from studio.runtime.debug.vscode import write_launch_file

EXAMPLE = """\
  studio debug first_steps --component filter --log drive.mcap --at /signal/value:100   stop in its handler there
  studio debug first_steps --component filter --log drive.mcap --break low_pass.py:44   wherever the line comes by
  studio debug my_robot --component mapper                the system starts when a debug client has its breakpoints
  studio debug my_robot --component mapper --vscode       and VS Code has the configuration to attach
"""

LOOK_EVERY_S = 0.1


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", metavar="PROJECT", help="a project's folder or name")
    parser.add_argument("--component", required=True, metavar="NAME", help="name of the component to debug")
    parser.add_argument(
        "--log", metavar="LOG", help="feed this log, in lockstep (default: start the system without a log)"
    )
    parser.add_argument("--at", metavar="TOPIC:SEQUENCE", help="with --log: go to this event, and into its handler")
    add_place_options(parser)
    parser.add_argument(
        "--seed", type=int, metavar="N", help="seed of all random numbers (default: that of the log, or 0)"
    )
    add_trust_option(parser)
    add_json_option(parser)


def run(options: argparse.Namespace) -> int:
    if options.log is None:
        return _start(options)
    at = _event(options.at) if options.at is not None else None
    log = find_log(options.log)
    is_cut = unfinished(log)
    opened = open_project(find_project(options.project))
    if any(problem.severity == "error" for problem in opened.problems):
        return refuse(opened, json=options.json)
    require_trust(opened, options)
    places = [place(text, opened) for text in options.breaks]
    specs, types = opened.registry, opened.types
    with debug_log(opened.project, log, options.component, specs=specs, types=types, seed=options.seed) as debugging:
        for warning in debugging.warnings:
            warn(f"{warning}")
        if at is not None:
            debugging.go_to(*at)
        _tell(debugging.debugged, opened, options, at, debugging.delivered)
        with suppress(KeyboardInterrupt):
            _go(debugging, options, at, places)
        return FAILED if is_cut else FINE


def _start(options: argparse.Namespace) -> int:
    """Nothing but `studio run` with the component's process under the debugger."""
    if options.at is not None:
        raise UsageError("--at needs a --log", hint="--at needs a log")
    parser = argparse.ArgumentParser()
    run_verb.configure(parser)
    words = [options.project, "--debug", options.component, *(["--no-wait"] if options.no_wait else [])]
    words += [word for place in options.breaks for word in ("--break", place)]
    words += ["--seed", str(options.seed)] if options.seed is not None else []
    words += [f"--{name}" for name in ("json", "trust") if getattr(options, name, False)]
    words += ["--vscode"] if options.vscode else []
    return run_verb.run(parser.parse_args(words))


def _event(text: str) -> tuple[str, int]:
    topic, _, sequence = text.rpartition(":")
    if not topic or not sequence.isdigit():
        raise UsageError(f"{text!r} names no event", hint="TOPIC:SEQUENCE, e.g. /laser/ranges:25")
    return topic if topic.startswith("/") else "/" + topic.replace(".", "/", 1), int(sequence)


def _tell(
    debugged: DebugSession,
    opened: LoadedProject,
    options: argparse.Namespace,
    at: tuple[str, int] | None,
    delivered: int,
) -> None:
    told: dict[str, Any] = {
        "host": debugged.host,
        "socket": str(debugged.address),
        "adapter": str(debugged.adapter),
        "at": list(at) if at else None,
    }
    if options.vscode:
        told["launch"] = str(write_launch_file(opened.folder, debugged.host, str(debugged.adapter)))
    if options.json:
        print_json({**told, "delivered": delivered})
    else:
        where = f" before {at[0]} {at[1]}" if at else " at the start"
        print(f"{opened.project.name} is stopped{where}, after {delivered} events")
        print(f"{debugged.host}: debug clients attach with {debugged.adapter}")
    sys.stdout.flush()


def _go(
    debugging: LogDebugging, options: argparse.Namespace, at: tuple[str, int] | None, places: list[tuple[str, int]]
) -> None:
    debugged, session = debugging.debugged, debugging.session
    while not options.no_wait and not debugged.configured.wait(LOOK_EVERY_S):
        continue
    inside = []
    if at is not None and not places and debugged.line is not None:
        found = debugged.line.evaluate("handlers", at[0], options.component)
        inside = [(str(file), int(line)) for file, line in found]
    debugged.set_ours([*places, *inside])
    failures: list[StudioError] = []

    def deliver() -> None:
        try:
            if at is not None:
                session.step(1)
            debugged.set_ours(places)
            debugging.go_on()
        except StudioError as failure:
            failures.append(failure)

    going = threading.Thread(target=deliver, name="log", daemon=True)
    going.start()
    told = None
    while going.is_alive():
        going.join(LOOK_EVERY_S)
        frozen = debugging.debugger.freeze.frozen
        if frozen != told and not options.json and frozen is not None:
            print(
                f"{frozen['component']} is stopped at {frozen['file']}:{frozen['line']}, {frozen['topic']}", flush=True
            )
        told = frozen
    if failures:
        raise failures[0]
    if not options.json:
        print("the log has ended")
