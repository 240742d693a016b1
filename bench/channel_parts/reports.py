"""How the measured processes tell their results: JSON over a socket of its own, beside everything that is measured."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import zmq

VARIABLE = "STUDIO_BENCH_REPORTS"


class BenchError(Exception):
    """A measurement that is worth nothing: events were lost, or a process did not answer."""


class Reporter:
    """In a measured process."""

    def __init__(self, who: str) -> None:
        self._who = who
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._socket = self._context.socket(zmq.PUSH)
        self._socket.connect(os.environ[VARIABLE])

    def tell(self, result: Any) -> None:
        self._socket.send(json.dumps([self._who, result]).encode())


class Reports:
    """In the bench itself. The processes find it by the environment they inherit."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="studio-bench-")
        self.folder = Path(self._folder.name)
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._socket = self._context.socket(zmq.PULL)
        endpoint = f"ipc://{self.folder}/reports"
        self._socket.bind(endpoint)
        os.environ[VARIABLE] = endpoint

    def collect(self, who: set[str], patience_s: float = 30.0) -> dict[str, Any]:
        """One result from each of `who`."""
        found: dict[str, Any] = {}
        while who - found.keys():
            if not self._socket.poll(int(patience_s * 1000)):
                missing = ", ".join(sorted(who - found.keys()))
                raise BenchError(f"no result from {missing} after {patience_s:g} s: were events lost?")
            name, result = json.loads(self._socket.recv())
            found[name] = result
        return found

    def close(self) -> None:
        self._context.destroy(linger=0)
        os.environ.pop(VARIABLE, None)
        self._folder.cleanup()

    def __enter__(self) -> Reports:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
