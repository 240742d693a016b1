"""Payloads in shared memory: what is released when frames got lost."""

from __future__ import annotations

import random
from pathlib import Path

from studio.runtime.channel.payloads import Leases, Pool
from tests.runtime.channel.payload_tools import KILO, MEGA, outstanding, put, send


def test_a_sweep_releases_what_got_lost_and_nothing_that_is_held(folder: Path) -> None:
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    held = leases.open(put(pool, b"h" * 70_000, 0))
    for _ in range(5):
        put(pool, bytes(70_000), 0)
    newest = pool.newest_ticket
    put(pool, b"later" * 20_000, 0)
    assert outstanding(pool) == 7
    leases.sweep("camera", newest)
    assert outstanding(pool) == 2
    put(pool, bytes(70_000), 0)
    assert held == b"h" * 70_000
    del held
    assert outstanding(pool) == 2


def test_a_sweep_heals_also_files_that_were_never_opened(folder: Path) -> None:
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    for size in (70_000, 300_000, 2 * MEGA):
        put(pool, bytes(size), 0)
    leases.sweep("camera", pool.newest_ticket)
    assert outstanding(pool) == 0


def test_a_sweep_of_one_producer_leaves_the_others(folder: Path) -> None:
    camera, laser, leases = Pool(folder, "camera"), Pool(folder, "camera.1"), Leases(folder, 0)
    put(camera, bytes(100), 0)
    put(laser, bytes(100), 0)
    leases.sweep("camera", 1 << 63)
    assert (outstanding(camera), outstanding(laser)) == (0, 1)


def test_a_sweep_speaks_for_its_own_host_only(folder: Path) -> None:
    pool, first, second = Pool(folder, "camera"), Leases(folder, 1), Leases(folder, 2)
    handle = put(pool, b"x" * 70_000, 1, 2)
    first.sweep("camera", pool.newest_ticket)
    assert outstanding(pool) == 1
    assert second.open(handle) == b"x" * 70_000
    assert outstanding(pool) == 0


def test_a_sweep_is_due_only_when_something_has_been_out_for_long(folder: Path) -> None:
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    for _ in range(100):
        send(pool, leases)
        assert pool.sweep_due() is None
    put(pool, bytes(100), 0)
    due = []
    for _ in range(64):
        if (ticket := pool.sweep_due()) is not None:
            due.append(ticket)
        send(pool, leases)
    assert len(due) == 3
    leases.sweep("camera", due[-1])
    assert outstanding(pool) == 0


def test_a_long_run_with_losses_stays_small(folder: Path) -> None:
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    chance = random.Random(3)
    for _ in range(3000):
        if (ticket := pool.sweep_due()) is not None:
            leases.sweep("camera", ticket)
        handle = put(pool, bytes(64 * KILO), 0)
        if chance.random() < 0.7:
            leases.open(handle)
    assert pool.statistics().segments == 2, "one with slots, and the fence"
