"""Payloads in shared memory: nothing is left behind by the dead."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from studio.runtime.channel.payloads import (
    Claim,
    Leases,
    PayloadError,
    Pool,
    dismiss_host,
    remove_producer,
    remove_run,
    remove_stale,
)
from tests.runtime.channel.payload_tools import (
    HERE,
    MEGA,
    kill,
    outstanding,
    put,
    segments,
    start,
    start_receiver,
    tell,
    wait_until_all_is_released,
)


def test_a_killed_receiver_is_not_waited_for_once_dismissed(folder: Path) -> None:
    pool = Pool(folder, "camera")
    receiver = start_receiver(folder, 0)
    receiver.send_signal(signal.SIGSTOP)
    put(pool, bytes(100), 0)
    kill(receiver)
    assert outstanding(pool) == 1
    dismiss_host(folder, 0)
    assert outstanding(pool) == 0


def test_a_host_started_again_does_not_rely_on_what_was_meant_for_its_predecessor(folder: Path) -> None:
    pool = Pool(folder, "camera")
    before = Leases(folder, 0)
    handle = put(pool, b"old" * 30_000, 0)
    after = Leases(folder, 0)
    view = after.open(handle)
    assert outstanding(pool) == 0
    put(pool, b"new" * 30_000, 0)
    assert view == b"old" * 30_000
    before.skip(handle)
    assert outstanding(pool) == 1


def test_receivers_killed_at_random_leave_nothing_behind(folder: Path) -> None:
    pool, chance = Pool(folder, "camera", budget_bytes=32 * MEGA), random.Random(11)
    data = bytes(200_000)
    digest = hashlib.blake2b(data).hexdigest()
    steady = start_receiver(folder, 0)
    sizes = []
    for _ in range(6):
        victim = start_receiver(folder, 1)
        for _ in range(chance.randint(1, 40)):
            if (handle := pool.put(data, [0, 1])) is not None:
                tell(steady, f"{handle.hex()} {digest}")
                tell(victim, f"{handle.hex()} {digest}")
        time.sleep(chance.random() * 0.005)
        kill(victim)
        dismiss_host(folder, 1)
        sizes.append(pool.statistics().slots)
    out, _ = steady.communicate()
    assert int(out) == pool.statistics().puts
    dismiss_host(folder, 0)
    wait_until_all_is_released(pool)
    assert sizes[-1] <= 60
    assert len(segments(folder)) == pool.statistics().segments


def test_producers_killed_at_random_leave_nothing_behind(folder: Path) -> None:
    leases, chance = Leases(folder, 0), random.Random(12)
    kept: list[tuple[np.ndarray, str]] = []
    for seed in range(6):
        producer = start(HERE / "payload_producer.py", folder, seed)
        kept.extend(receive(producer, leases, chance.randint(1, 60))[-1:])
        kill(producer)
        remove_producer(folder, "camera")
        assert segments(folder) == []
    leases.tidy()
    assert leases.statistics().mapped == 0
    assert all(hashlib.blake2b(array).hexdigest() == digest for array, digest in kept)
    kept.clear()
    assert leases.statistics().held == 0


def receive(producer: subprocess.Popen[str], leases: Leases, count: int) -> list[tuple[np.ndarray, str]]:
    """The last few of `count` payloads, all of them checked."""
    assert producer.stdout is not None
    held: list[tuple[np.ndarray, str]] = []
    for _ in range(count):
        handle, digest = producer.stdout.readline().split()
        array = np.frombuffer(leases.open(bytes.fromhex(handle)), np.uint8)
        assert hashlib.blake2b(array).hexdigest() == digest
        held = [*held[-2:], (array, digest)]
    return held


def test_removing_a_producer_spares_its_living_successor(folder: Path) -> None:
    _receiver = Leases(folder, 0)
    dead = start(HERE / "payload_producer.py", folder, 1)
    assert dead.stdout is not None
    dead.stdout.readline()
    kill(dead)
    remains = set(segments(folder))
    pool, neighbour = Pool(folder, "camera"), Pool(folder, "camera2")
    put(pool, bytes(100))
    put(neighbour, bytes(100))
    remove_producer(folder, "camera")
    assert remains
    assert not remains & set(segments(folder))
    assert len(segments(folder)) == pool.statistics().segments + neighbour.statistics().segments


AN_OWNER = """
import signal, sys
from pathlib import Path
from studio.runtime.channel.payloads import Claim, Pool
claim = Claim(Path(sys.argv[1]))
pool = Pool(claim.folder, "camera")
pool.put(bytes(100), [])
print("ready", flush=True)
signal.pause()
"""


def test_a_folder_of_a_run_is_removed_when_its_owner_is_gone(folder: Path) -> None:
    owner = start("-c", AN_OWNER, folder / "a")
    assert owner.stdout is not None
    assert owner.stdout.readline() == "ready\n"
    (folder / "not ours").mkdir()
    with Claim(folder / "b"):
        assert remove_stale(folder) == []
        kill(owner)
        assert remove_stale(folder) == [folder / "a"]
        assert sorted(os.listdir(folder)) == ["b", "not ours"]
    assert os.listdir(folder) == ["not ours"]


def test_a_folder_has_one_owner(folder: Path) -> None:
    with Claim(folder / "run"), pytest.raises(PayloadError, match="another run"):
        Claim(folder / "run")
    assert (folder / "run").exists() is False
    assert remove_stale(folder / "missing") == []


def test_the_folder_of_a_run_is_for_its_owner_only(folder: Path) -> None:
    with Claim(folder / "run") as claim:
        pool = Pool(claim.folder, "camera")
        put(pool, bytes(100))
        assert claim.folder.stat().st_mode & 0o777 == 0o700
        assert {path.stat().st_mode & 0o777 for path in claim.folder.iterdir()} == {0o600}


def test_views_outlive_the_folder_of_their_run(folder: Path) -> None:
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    view = leases.open(put(pool, b"x" * MEGA, 0))
    remove_run(folder)
    assert view == b"x" * MEGA
    del view
    assert outstanding(pool) == 0
    pool.close()
