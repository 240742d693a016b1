"""What the tests of shared payloads have in common: processes that receive, and short words."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from studio.runtime.channel.payloads import Leases, Pool

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SHARED = Path("/dev/shm")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
KILO = 1 << 10
MEGA = 1 << 20

STARTED: list[subprocess.Popen[str]] = []


def start(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, *map(str, arguments)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
    STARTED.append(process)
    return process


def start_receiver(folder: Path, index: int, most_kept: int = 3) -> subprocess.Popen[str]:
    receiver = start(HERE / "payload_receiver.py", folder, index, most_kept)
    assert receiver.stdout is not None
    assert receiver.stdout.readline() == "ready\n"
    return receiver


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(BrokenPipeError):
                pipe.close()


def tell(receiver: subprocess.Popen[str], line: str) -> None:
    assert receiver.stdin is not None
    receiver.stdin.write(line + "\n")
    receiver.stdin.flush()


def put(pool: Pool, data: bytes, *receivers: int) -> bytes:
    handle = pool.put(data, receivers)
    assert handle is not None
    return handle


def outstanding(pool: Pool) -> int:
    return pool.statistics().outstanding


def wait_until_all_is_released(pool: Pool, seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while outstanding(pool) and time.monotonic() < end:
        time.sleep(0.005)
    assert outstanding(pool) == 0


def segments(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if "~" in name]


def send(pool: Pool, leases: Leases) -> bytes:
    handle = put(pool, bytes(64 * KILO), 0)
    leases.open(handle)
    return handle
