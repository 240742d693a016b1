"""Payloads in shared memory: several receivers, none, and viewers."""

from __future__ import annotations

import hashlib
import os
import random
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from studio.runtime.channel.payloads import Leases, PayloadError, Pool, copy_shared, dismiss_host
from studio.runtime.channel.pool import KEPT_FOR_VIEWERS
from tests.runtime.channel.payload_tools import MEGA, outstanding, put, start_receiver, tell


def test_a_slot_is_free_when_the_last_of_64_hosts_lets_go(folder: Path) -> None:
    pool, hosts = Pool(folder, "camera"), [Leases(folder, index) for index in range(64)]
    handle = put(pool, b"all" * 30_000, *range(64))
    views = [leases.open(handle) for leases in hosts]
    random.Random(1).shuffle(views)
    while views:
        assert outstanding(pool) == 1
        assert views.pop() == b"all" * 30_000
    assert outstanding(pool) == 0


def test_a_65th_host_gets_its_payloads_inline(folder: Path) -> None:
    with pytest.raises(PayloadError, match="host index 64"):
        Leases(folder, 64)
    assert Pool(folder, "camera").put(bytes(100), [3, 64]) is None


def test_without_receivers_a_viewer_can_still_copy(folder: Path) -> None:
    pool = Pool(folder, "camera")
    handle = put(pool, b"seen" * 20_000)
    for _ in range(KEPT_FOR_VIEWERS):
        put(pool, bytes(80_000))
        assert copy_shared(folder, handle) == b"seen" * 20_000
    for _ in range(100):
        put(pool, bytes(80_000))
    assert copy_shared(folder, handle) is None
    assert outstanding(pool) <= KEPT_FOR_VIEWERS


def test_a_host_that_cannot_use_shared_memory_gets_its_payloads_inline(folder: Path) -> None:
    pool, _leases = Pool(folder, "camera"), Leases(folder, 4)
    assert pool.put(bytes(100), [4, 5]) is None
    dismiss_host(folder, 5)
    assert pool.put(bytes(100), [4, 5]) is None


def test_a_dead_host_is_not_waited_for(folder: Path) -> None:
    pool, _dead = Pool(folder, "camera"), Leases(folder, 5)
    dismiss_host(folder, 5)
    put(pool, bytes(100), 5)
    assert outstanding(pool) == 0
    alive = Leases(folder, 5)
    handle = put(pool, bytes(100), 5)
    assert outstanding(pool) == 1
    alive.skip(handle)
    assert outstanding(pool) == 0


def test_a_viewer_gets_nothing_rather_than_a_mixture(folder: Path) -> None:
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    old = put(pool, b"a" * 100_000, 0)
    assert copy_shared(folder, old) == b"a" * 100_000
    leases.skip(old)
    put(pool, b"b" * 100_000, 0)
    assert copy_shared(folder, old) is None


def test_a_viewer_notices_what_is_overwritten_while_it_copies(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool(folder, "camera")
    handle = put(pool, b"a" * 100_000)
    read = os.pread

    def read_and_be_overtaken(file: int, length: int, offset: int) -> bytes:
        data = read(file, length, offset)
        if length == 100_000:
            for _ in range(KEPT_FOR_VIEWERS * 20):  # the slots of a file are used in turn
                put(pool, b"b" * 100_000)
        return data

    monkeypatch.setattr(os, "pread", read_and_be_overtaken)
    assert copy_shared(folder, handle) is None


def test_a_viewer_copying_all_the_time_never_sees_a_mixture(folder: Path) -> None:
    pool = Pool(folder, "camera")
    newest = [put(pool, bytes(MEGA))]
    stop = threading.Event()

    def produce() -> None:
        for number in range(300):
            newest[0] = put(pool, bytes([number % 251]) * MEGA)
        stop.set()

    producer = threading.Thread(target=produce)
    producer.start()
    copies = []
    while not stop.is_set():
        if (copied := copy_shared(folder, newest[0])) is not None:
            copies.append(len(set(np.frombuffer(copied, np.uint8)[::4096].tolist())))
    producer.join()
    assert set(copies) <= {1}


def test_eight_receivers_get_every_payload_right(folder: Path) -> None:
    pool = Pool(folder, "camera", budget_bytes=6 * MEGA)
    receivers = [start_receiver(folder, index) for index in range(8)]
    chance, count = random.Random(8), 0
    while count < 120:
        data = chance.randbytes(16) * chance.randint(4096, 16_384)
        handle = pool.put(data, range(8))
        if handle is None:
            time.sleep(0.001)
            continue
        count += 1
        for receiver in receivers:
            tell(receiver, f"{handle.hex()} {hashlib.blake2b(data).hexdigest()}")
    results = [receiver.communicate()[0] for receiver in receivers]
    assert results == ["120\n"] * 8
    assert [receiver.returncode for receiver in receivers] == [0] * 8
    assert pool.statistics().used_bytes <= 6 * MEGA
