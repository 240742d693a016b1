"""Payloads in shared memory: when there is no room."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from studio.runtime.channel.payloads import Leases, Pool
from tests.runtime.channel.payload_tools import ENVIRONMENT, MEGA, put, segments


def test_a_full_pool_refuses_and_recovers(folder: Path) -> None:
    pool, leases = Pool(folder, "camera", budget_bytes=MEGA), Leases(folder, 0)
    views = []
    while (handle := pool.put(bytes(100_000), [0])) is not None:
        views.append(leases.open(handle))
    assert 5 <= len(views) <= 10
    assert pool.put(bytes(100_000), [0]) is None
    views.pop(0)
    assert pool.put(bytes(100_000), [0]) is not None
    assert pool.statistics().used_bytes <= MEGA
    assert pool.statistics().refused == 2


def test_a_payload_beyond_the_budget_is_refused(folder: Path) -> None:
    assert Pool(folder, "camera", budget_bytes=MEGA).put(bytes(2 * MEGA), []) is None
    assert segments(folder) == []


def test_sizes_that_are_no_longer_used_make_room(folder: Path) -> None:
    pool, leases = Pool(folder, "camera", budget_bytes=6 * MEGA), Leases(folder, 0)
    for size in (70_000, 150_000, MEGA, 2 * MEGA, 3 * MEGA, 70_000, 5 * MEGA):
        assert leases.open(put(pool, bytes(size), 0)) == bytes(size)
        assert pool.statistics().used_bytes <= 6 * MEGA
    leases.tidy()
    assert leases.statistics().mapped_bytes <= 6 * MEGA
    assert len(segments(folder)) == pool.statistics().segments


def test_a_stopped_receiver_does_not_make_publishing_slow(folder: Path) -> None:
    pool, _stopped = Pool(folder, "camera", budget_bytes=64 * MEGA), Leases(folder, 0)
    for _ in range(1000):
        pool.put(b"", [0])
    start_ns = time.thread_time_ns()  # what others do on this machine does not count
    for _ in range(100):
        assert pool.put(b"", [0]) is None
    assert (time.thread_time_ns() - start_ns) / 100 < 1_000_000


def test_when_the_system_gives_no_memory_the_payload_goes_inline(folder: Path) -> None:
    """The limit of file size stands for a full disk here: the same call fails in the same way."""
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (MEGA, before[1]))
    try:
        assert pool.put(bytes(2 * MEGA), [0]) is None
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert segments(folder) == []
    tries = 0
    while (handle := pool.put(bytes(2 * MEGA), [0])) is None:
        tries += 1
        assert tries <= 64
    assert leases.open(handle) == bytes(2 * MEGA)


ON_A_FULL_DISK = """
import sys
from pathlib import Path
from studio.runtime.channel.payloads import Leases, Pool
folder = Path(sys.argv[1])
pool, leases = Pool(folder, "camera"), Leases(folder, 0)
views = []
while (handle := pool.put(bytes([len(views)]) * 1_000_000, [0])) is not None:
    views.append(leases.open(handle))
good = all(view == bytes([number]) * 1_000_000 for number, view in enumerate(views))
del views[0]
print(good, 4 <= len(views) + 1 <= 8, pool.put(bytes(1_000_000), [0]) is not None)
"""


def test_on_a_full_disk_nobody_is_killed(tmp_path: Path) -> None:
    mount = f"mount -t tmpfs -o size=8m none {tmp_path} && exec {sys.executable} -c '{ON_A_FULL_DISK}' {tmp_path}"
    probe = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", str(tmp_path)]
    if shutil.which("unshare") is None or subprocess.run(probe, capture_output=True, check=False).returncode:
        pytest.skip("this machine does not let a test mount a small disk of its own")
    command = ["unshare", "-rm", "sh", "-c", mount]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert (done.returncode, done.stdout) == (0, "True True True\n"), done.stderr
