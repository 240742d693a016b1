"""`studio ctl debug`, `continue` and `into`: a running component under a debugger."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path
from typing import Any

from studio.cli.shared.outcome import FINE, UsageError, print_json
from studio.errors import StudioError
from studio.runtime.client.attach import Attachment
from studio.runtime.debug.vscode import open_in_vscode, write_launch_file

ATTACHES_WITHIN_S = 60.0


def add_debug_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "component", metavar="COMPONENT", nargs="?", help="(default: list components that are being debugged)"
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--off", action="store_true", help="continue it without a debugger")
    what.add_argument("--vscode", action="store_true", help="write .vscode/launch.json of the project, and open it")
    what.add_argument("--gdb", action="store_true", help="of a program in another language: start gdb here")
    parser.add_argument("--freezing", choices=("on", "off"), help="freeze the whole system while code is stopped")


def debug(attachment: Attachment, options: argparse.Namespace) -> int:
    if options.freezing is not None:
        note = attachment.ask("freezing", on=options.freezing == "on").get("note")
        if note:
            print(f"studio: {note}", file=sys.stderr)
    if options.component is None:
        return _tell_all(attachment, options)
    if options.off:
        host = attachment.ask("debug", component=options.component, on=False, timeout_s=None)["host"]
        return _tell({"host": host, "socket": None, "adapter": None}, options, f"{host} is no longer being debugged")
    reply = attachment.ask("debug", component=options.component, on=True, timeout_s=ATTACHES_WITHIN_S)
    told = {key: value for key, value in reply.items() if key not in ("id", "ok")}
    if reply.get("command"):
        return _native(told, options)
    if options.gdb:
        hint = f"studio ctl debug {options.component}"
        raise UsageError(f"{options.component} is Python: gdb shows nothing of use there", hint=hint)
    if "cost" in told:
        print(f"studio: {told['cost']}", file=sys.stderr)
    text = f"{told['host']} ({', '.join(told['components'])}): debug clients attach with {told['adapter']}"
    if options.vscode:
        folder = Path(attachment.state["folder"])
        file = write_launch_file(folder, str(told["host"]), str(told["adapter"]))
        told["launch"] = str(file)
        opened = open_in_vscode(folder)
        text += f"\n{file}: in VS Code, Run and Debug, choose Studio: {told['host']}"
        text += "" if opened else "\nVS Code is not on the PATH: open the project's folder there"
    return _tell(told, options, text)


def _native(told: dict[str, Any], options: argparse.Namespace) -> int:
    """gdb takes the place of this process: its terminal is the one that it needs."""
    if told["missing"] and options.gdb:
        raise StudioError("gdb cannot be used", hint=told["missing"])
    if options.gdb:
        sys.stdout.flush()
        os.execvp(told["command"][0], told["command"])  # noqa: S606 - the very command that is shown
    missing = f"\n{told['missing']}" if told["missing"] else ""
    command = shlex.join(told["command"])
    text = (
        f"{told['host']} is a program, process {told['pid']}; a debugger that stops it freezes the system:\n{command}"
    )
    return _tell(told, options, text + missing)


def _tell_all(attachment: Attachment, options: argparse.Namespace) -> int:
    facts = attachment.ask("snapshot")["snapshot"]["debug"]
    lines = []
    for host, about in facts["hosts"].items():
        place = str(about["adapter"]) if about["adapter"] else f"process {about['pid']}"
        stop = about["stopped"]
        at = f", stopped {_place(stop)}" if stop else ""
        clients = about["clients"]
        lines.append(f"{host}: {place}, {clients} client{'' if clients == 1 else 's'}{at}")
    lines = lines or ["no component is being debugged: studio ctl debug COMPONENT"]
    lines += [] if facts["freezing"] else ["the system keeps running while code is stopped"]
    return _tell(facts, options, "\n".join(lines))


def _place(stop: dict[str, Any]) -> str:
    """gdb knows a line only where the source is; another debugger of a program tells nothing."""
    inside = f"in {stop['function']}" if stop["function"] else ""
    at = f"at {stop['file']}:{stop['line']}" if stop["file"] else ""
    return " ".join(filter(None, (inside, at))) or "in its debugger"


def go_on(attachment: Attachment, options: argparse.Namespace) -> int:
    gate = {"gate": "pause"} if options.pause else {}
    hosts = attachment.ask("continue", timeout_s=None, **gate)["continued"]
    return _tell({"continued": hosts}, options, f"{', '.join(hosts)}: goes on" if hosts else "nothing was stopped")


def into(attachment: Attachment, options: argparse.Namespace) -> int:
    reply = attachment.ask("into_handler", timeout_s=None)
    told = {key: reply[key] for key in ("delivered", "stops")}
    events = [f"{topic} {sequence}" for topic, sequence in told["delivered"]] or ["nothing is waiting"]
    return _tell(told, options, "\n".join(events))


def _tell(told: dict[str, Any], options: argparse.Namespace, text: str) -> int:
    print_json(told) if options.json else print(text)
    return FINE
