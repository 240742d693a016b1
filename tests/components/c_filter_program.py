"""The program of components/c_filter, built and started."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "components/c_filter"


def build() -> None:
    compiler = shutil.which(os.environ.get("CC", "cc"))
    probe = [compiler or "", "-E", "-include", "zmq.h", "-x", "c", os.devnull]
    if compiler is None or subprocess.run(probe, capture_output=True).returncode:
        pytest.skip("no C compiler or no libzmq: apt-get install gcc make libzmq3-dev")
    with (FOLDER / "Makefile").open() as lock:  # tests may run in several processes
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["make", "-s", "-C", str(FOLDER)], check=True)


@contextmanager
def process() -> Iterator[subprocess.Popen[bytes]]:
    started = subprocess.Popen([*os.environ.get("C_FILTER_UNDER", "").split(), str(FOLDER / "c_filter")])
    try:
        yield started
    finally:
        started.kill()
        started.wait()
