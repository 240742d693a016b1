"""A project that runs in a runtime of its own, as `studio run --detach` leaves it, and a client of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from studio.runtime.client.attach import Attachment
from studio.runtime.client.running_systems import find_running
from studio.runtime.session.switching import GateKind, target_of
from tests.conftest import ROOT
from tests.waiting import await_true

FLOWS = 5
"""So many more events, and nobody says that they do not flow."""


class RunningProject:
    def __init__(self, attachment: Attachment) -> None:
        self.attachment = attachment

    def ask(self, do: str, **fields: object) -> dict[str, Any]:
        told: dict[str, Any] = self.attachment.ask(do, timeout_s=60, **fields)
        return told

    @property
    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = self.ask("snapshot")["snapshot"]
        return state

    def handled(self) -> int:
        return sum(told["handled"] for told in self.state["components"].values())

    def flows(self) -> None:
        """Events go on, or it says what it is instead."""
        lowest = self.handled()

        def flow() -> bool:
            nonlocal lowest  # a forged report told more than there was
            handled = self.handled()
            lowest = min(lowest, handled)
            return handled > lowest + FLOWS

        await_true(flow, f"events to flow; {self.brief()}")

    def ends(self) -> None:
        """The log has come to its end, and the system with it."""
        await_true(lambda: (self.state["player"] or {}).get("stopped") == "end", f"the log to end; {self.brief()}")
        await_true(lambda: self.state["gate"] == "pause", "the system to stand there")

    def brief(self) -> dict[str, Any]:
        state = self.state
        told = {name: state[name] for name in ("gate", "sources", "clock", "player", "stalled")}
        return told | {name: each["state"] for name, each in state["components"].items()}

    def holds(self, asked: GateKind, *, runs: bool) -> None:
        """What the table of docs/design/switching.md says of these sources and this gate."""
        state = self.state
        target = target_of(list(state["sources"].values()), asked)
        assert state["stepping"]["gate"] == target.gate, self.brief()
        await_true(lambda: self.state["clock"]["kind"] == target.clock.name.lower(), f"its clock; {self.brief()}")
        assert state["gate"] == ("run" if runs else "pause"), self.brief()
        await_true(self._all_active, f"everybody to be active; {self.brief()}")
        if runs:
            self.flows()
        assert self.state["stalled"] is None, self.brief()
        # A busy machine is late at times, and who wants only the newest then leaves some out, as does who was stopped
        # for a while; a switch makes no losses, so that soon more has come than was left out.
        await_true(lambda: not self._drops(), f"no losses; {self._drops()}; {self.brief()}")

    def _drops(self) -> dict[str, Any]:
        """Of those who have got less than they left out."""
        components = self.state["components"].items()
        return {name: told["dropped"] for name, told in components if told["drops"] > told["handled"]}

    def states(self) -> set[str]:
        return {told["state"] for told in self.state["components"].values()}

    def _all_active(self) -> bool:
        return self.states() <= {"active", "busy"}


@contextmanager
def running(folder: Path, *options: str) -> Iterator[RunningProject]:
    words = [sys.executable, "-m", "studio", "run", str(folder), "--stay", "--detach", "--json", *options]
    done = subprocess.run(words, capture_output=True, text=True, timeout=180, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    system = find_running(json.loads(done.stdout)["run"])
    try:
        with Attachment(system.run_folder, "test") as attachment:
            attachment.ask("take", force=True)
            yield RunningProject(attachment)
    finally:
        if system.is_alive():
            os.kill(system.pid, signal.SIGTERM)
        await_true(lambda: not system.is_alive(), "the runtime to end", 30)
