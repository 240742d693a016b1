"""`studio run --detach`: the same command in a session of its own, left alone once the system runs."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from typing import IO

from studio.cli.shared.given_parameters import given_words
from studio.cli.shared.outcome import FAILED, FINE, print_json
from studio.cli.shared.recording_options import recording_words
from studio.model.loaded_project import LoadedProject
from studio.runtime.base.interpreter import module_command, own_environment
from studio.runtime.channel.run_folder import runs_folder
from studio.runtime.client.running_systems import RunningSystem, running_systems

LOOK_EVERY_S = 0.05


def run_detached(opened: LoadedProject, options: argparse.Namespace) -> int:
    with tempfile.TemporaryFile() as said:
        process = _start(opened, options, said)
        system = _await_start(process)
        said.seek(0)
        sys.stderr.write(said.read().decode(errors="replace"))
    if system is None:
        return process.returncode or FAILED
    if options.json:
        told = {"run": system.run, "folder": str(runs_folder() / system.run), "project": system.project}
        print_json({**told, "pid": system.pid, "mode": system.mode, "gate": system.gate})
    else:
        print(f"{system.project} runs as {system.run}; studio ctl steers it, studio stop ends it")
    process.returncode = 0  # it is not ours any more: nobody waits for it
    return FINE


def _start(opened: LoadedProject, options: argparse.Namespace, said: IO[bytes]) -> subprocess.Popen[bytes]:
    words = module_command("studio", "run", str(opened.folder.absolute()), "--detached")
    words += ["--seed", str(options.seed)]
    for name in ("stay", "paused"):
        words += [f"--{name}"] if getattr(options, name) else []
    for name in ("gate", "rate"):
        given = getattr(options, name)
        words += [] if given is None else [f"--{name}", str(given)]
    given_values = {
        "--for": options.seconds, "--mode": options.mode, "--record": options.record, "--system": options.system,
    }  # fmt: skip
    for name, mode in options.chosen:
        words += ["--source", f"{name}={mode}"]
    for option, value in given_values.items():
        if value is not None:
            words += [option, str(value)]
    words += [*given_words(options), *recording_words(options)]
    return subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True, env=own_environment()
    )


def _await_start(process: subprocess.Popen[bytes]) -> RunningSystem | None:
    """Until it is found, or has ended."""
    while True:
        for system in running_systems():
            if system.pid == process.pid:
                return system
        try:
            process.wait(LOOK_EVERY_S)
            return None
        except subprocess.TimeoutExpired:
            continue
