"""A driver and an emulated device on a real pseudo-terminal, for tests of drivers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from studio.runtime.emulators.pty_port import Device, Faults, PtyPort
from studio.runtime.trial import Trial
from tests.waiting import await_true


class Bench:
    """One driver at one port."""

    def __init__(self, trial: Trial[Any], port: PtyPort, out: str) -> None:
        self.trial = trial
        self.port = port
        self._out = out

    def sent(self) -> list[Any]:
        return self.trial.sent(self._out)

    def await_more(self, count: int) -> list[Any]:
        """The next messages."""
        before = len(self.sent())
        await_true(lambda: len(self.sent()) >= before + count, f"{count} messages on {self._out}")
        return self.sent()[before : before + count]


@contextmanager
def bench(
    cls: type[Any], device: Device, folder: Path, out: str, faults: Faults | None = None, **parameters: Any
) -> Iterator[Bench]:
    link = folder / "port"
    trial: Trial[Any] = Trial(cls, port=str(link), **parameters)
    trial.component._now_ns = time.time_ns
    with PtyPort(device, link, faults) as port, trial:
        yield Bench(trial, port, out)
