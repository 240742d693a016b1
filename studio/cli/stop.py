"""`studio stop`: ends a running system and waits until nothing of it is left."""

from __future__ import annotations

import argparse
import os
import signal
import threading

from studio.cli.shared.outcome import FAILED, FINE, UsageError, add_json_option, print_json
from studio.errors import StudioError
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.client.attach import Attachment
from studio.runtime.client.running_systems import NotRunning, RunningSystem, find_running, running_systems

EXAMPLE = """\
  studio stop                      the only running system
  studio stop first_steps          the one of this project (or run, as `studio ctl list` names it)
  studio stop --all                all running systems
  studio stop --kill               end processes at once, for a runtime that does not respond
"""

GONE_WITHIN_S = 45.0
"""Ten for the components; the rest for a recorder on a slow disk."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("system", metavar="SYSTEM", nargs="?", help="a project or run (default: the only one running)")
    parser.add_argument("--all", action="store_true", help="every running system")
    parser.add_argument("--kill", action="store_true", help="end its processes at once")
    add_json_option(parser)


def run(options: argparse.Namespace) -> int:
    if options.all and options.system:
        raise UsageError("--all or a name, not both")
    try:
        systems = running_systems() if options.all else [find_running(options.system)]
    except NotRunning as error:
        raise StudioError(error.message, hint=error.hint) from None
    stopped = {system: _stop(system, kill=options.kill) for system in systems}
    if options.json:
        told = [{"run": each.run, "project": each.project, "stopped": gone} for each, gone in stopped.items()]
        print_json({"systems": told})
    else:
        for system, gone in stopped.items():
            print(f"{system.project} ({system.run}) {'has stopped' if gone else 'did not stop: try --kill'}")
        if not stopped:
            print("nothing is running")
    return FINE if all(stopped.values()) else FAILED


def _stop(system: RunningSystem, *, kill: bool) -> bool:
    if kill:
        os.kill(system.pid, signal.SIGKILL)
        return _is_gone(system, 10.0)
    try:
        with Attachment(system.run_folder, "studio stop") as attachment:
            attachment.ask("stop")
            return _is_gone(system, GONE_WITHIN_S)
    except StudioError:
        return _is_gone(system, 1.0)


def _is_gone(system: RunningSystem, patience_s: float) -> bool:
    """Whether process and folder have gone within a while."""
    end_ns = monotonic_ns() + int(patience_s * SECOND_NS)
    pause = threading.Event()
    while system.is_alive() or system.run_folder.exists():
        if monotonic_ns() > end_ns:
            return False
        pause.wait(0.02)
    return True
