"""`studio run`, whose switches of sources stop at each of their stages until an attacker lets them go on.

    python -m tests.runtime.strikes.staged_runtime ADDRESS [--careless] run PROJECT ...

ADDRESS is a Unix socket. It gets the name of each stage as a line, and answers with a byte when the switch may go on.
`--careless` leaves out what makes a switch survive the death of the broker: for the control that must go red.
"""

from __future__ import annotations

import faulthandler
import signal
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any
from unittest import mock

from studio.cli.command import main
from studio.runtime.playing import logged_sources
from studio.runtime.playing.logged_sources import LoggedSources
from studio.runtime.processes.control import Control
from studio.runtime.session import live_change

BEGIN, RESUME, END = "begin", "resume", "end"
ASKED = ("pause", "jump", "replan", "deliver_commands")
"""Stages that are a request to the broker: the drain and the new epoch are in the jump, new providers in the replan."""
STAGES = (BEGIN, *ASKED, RESUME)


class Stages:
    def __init__(self, address: str) -> None:
        self._line = socket.socket(socket.AF_UNIX)
        self._line.connect(address)
        self._switching = 0

    def reach(self, stage: str) -> None:
        if threading.get_ident() == self._switching:
            self._line.sendall(stage.encode() + b"\n")
            self._line.recv(1)

    def staged(self, name: Callable[..., str], original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **fields: Any) -> Any:
            if stage := name(*arguments):
                self.reach(stage)
            return original(*arguments, **fields)

        return call

    def switch(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **fields: Any) -> Any:
            self._switching = threading.get_ident()
            try:
                self.reach(BEGIN)
                return original(*arguments, **fields)
            finally:
                self.reach(END)
                self._switching = 0

        return call


def careless(_session: object, ask: Callable[[], Any], _absent: object = ()) -> Any:
    return ask()


def run(address: str, words: list[str]) -> int:
    stages = Stages(address)
    if words[0] == "--careless":
        words = words[1:]
        live_change.insist = logged_sources.insist = careless  # type: ignore[assignment, attr-defined]
    with (
        mock.patch.object(Control, "ask", stages.staged(lambda _, do: do if do in ASKED else "", Control.ask)),
        mock.patch.object(LoggedSources, "_go_on", stages.staged(lambda _: RESUME, LoggedSources._go_on)),
        mock.patch.object(LoggedSources, "switch", stages.switch(LoggedSources.switch)),
    ):
        return main(words)


if __name__ == "__main__":
    faulthandler.register(signal.SIGUSR1)
    sys.exit(run(sys.argv[1], sys.argv[2:]))
