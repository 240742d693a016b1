"""Options of `studio run` and `studio debug`: components whose processes start under the debugger."""

from __future__ import annotations

import argparse
import os
import sys

from studio.cli.shared.outcome import UsageError
from studio.model.close_matches import did_you_mean
from studio.model.loaded_project import LoadedProject
from studio.runtime.debug.debugger import Debugger
from studio.runtime.debug.vscode import write_launch_file
from studio.runtime.plan.plan import Plan


def add_debug_start_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "debugging", "for components in Python; for a running system use studio ctl debug"
    )
    group.add_argument(
        "--debug", action="append", default=[], metavar="COMPONENT",
        help="start its process under the debugger, after a debug client has set its breakpoints",
    )  # fmt: skip
    add_place_options(group)


def add_place_options(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--break",
        dest="breaks",
        action="append",
        default=[],
        metavar="FILE:LINE",
        help="set a breakpoint; may be repeated",
    )
    parser.add_argument("--vscode", action="store_true", help="write .vscode/launch.json of the project")
    parser.add_argument("--no-wait", action="store_true", help="do not wait for a debug client")


def wants_debugger(options: argparse.Namespace) -> bool:
    """`studio record` runs systems too, and has no such options."""
    return bool(getattr(options, "debug", ()))


def start_debugged(debugger: Debugger, plan: Plan, opened: LoadedProject, options: argparse.Namespace) -> None:
    """Before anything is started: tells where a client may attach."""
    if not wants_debugger(options) and not getattr(options, "breaks", ()):
        return
    places = [place(text, opened) for text in options.breaks]
    hosts = []
    for name in options.debug:
        component = plan.by_name.get(name)
        if component is None:
            raise UsageError(f"there is no component {name}", hint=did_you_mean(name, plan.by_name))
        if component.command:
            hint = f"while it runs, use studio ctl debug {name} --gdb"
            raise UsageError(f"{name} is a program in another language", hint=hint)
        hosts.append(component.host)
    if options.breaks and not hosts:
        raise UsageError("--break needs a component", hint="--debug COMPONENT")
    for host in dict.fromkeys(hosts):
        debugged = debugger.start_under(host, wait=not options.no_wait)
        debugged.set_ours(places)
        if options.vscode:
            write_launch_file(opened.folder, host, str(debugged.adapter))
        waits = "" if options.no_wait else "; it starts when one has set its breakpoints"
        print(f"{host}: debug clients attach with {debugged.adapter}{waits}", file=sys.stderr, flush=True)


def place(text: str, opened: LoadedProject) -> tuple[str, int]:
    """FILE:LINE; a file that is not here is looked for among the components."""
    name, _, line = text.rpartition(":")
    if not name or not line.isdigit():
        raise UsageError(f"{text!r} has no line number", hint="FILE:LINE, e.g. low_pass.py:44")
    if os.path.exists(name):
        return os.path.abspath(name), int(line)
    profiles = [opened.registry.profile(each) for each in sorted(opened.used_types())]
    found = [file for profile in profiles if profile and (file := profile.parent / name).is_file()]
    if not found:
        raise UsageError(f"there is no file {name}", hint="give its path, or its name in a component's folder")
    return str(found[0].resolve()), int(line)
