"""Payloads in shared memory: one producer and one receiver."""

from __future__ import annotations

import gc
import random
import threading
from pathlib import Path

import numpy as np
import pytest

from studio.runtime.channel.payloads import Leases, Pool
from studio.runtime.channel.slots import Handle
from tests.runtime.channel.payload_tools import KILO, MEGA, outstanding, put, send


@pytest.mark.parametrize("size", [0, 1, 7, 64 * KILO - 1, 64 * KILO, 64 * KILO + 4, 64 * KILO + 5, MEGA, 3 * MEGA + 1])
def test_a_payload_arrives_as_it_was(folder: Path, size: int) -> None:
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    data = random.Random(size).randbytes(size)
    assert leases.open(put(pool, data, 0)) == data


def test_numbers_in_a_cdr_payload_are_aligned(folder: Path) -> None:
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    for size in (100, 70_000, 70_000, MEGA):
        body = np.frombuffer(leases.open(put(pool, bytes(size), 0)), np.uint8)[4:]
        assert body.ctypes.data % 64 == 0


def test_what_is_delivered_cannot_be_written(folder: Path) -> None:
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    view = leases.open(put(pool, bytes(100), 0))
    assert view.readonly
    array = np.frombuffer(view, np.uint8)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        array.setflags(write=True)


def test_a_slot_is_used_again_and_the_warmest_first(folder: Path) -> None:
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    pages = {Handle.parse(handle).page for handle in (send(pool, leases) for _ in range(100))}
    assert len(pages) == 1
    assert pool.statistics().segments == 2, "one with slots, and the fence"


def test_every_kind_of_view_keeps_the_payload(folder: Path) -> None:
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    views = {
        "frombuffer": lambda view: np.frombuffer(view, np.uint8),
        "offset": lambda view: np.frombuffer(view, np.uint32, 10, 4),
        "slice of a slice": lambda view: np.frombuffer(view, np.uint8)[100:][::7][3:],
        "reshaped and retyped": lambda view: np.frombuffer(view, np.uint8).reshape(-1, 16).T.view(np.ndarray),
        "asarray": lambda view: np.asarray(view)[5:9],
        "ndarray": lambda view: np.ndarray((4,), np.float32, view, 64),
        "memoryview": lambda view: view[3:].cast("B")[1:2],
        "record": lambda view: np.frombuffer(view, [("x", "<f4"), ("y", "<f4")])["y"],
        "object of the view": lambda view: view.obj[2:][1:],
    }
    for name, derive in views.items():
        view = leases.open(put(pool, bytes(64 * KILO), 0))
        kept = derive(view)
        del view
        gc.collect()
        assert outstanding(pool) == 1, name
        del kept
        assert outstanding(pool) == 0, name


def test_views_that_user_code_keeps_stay_while_the_producer_goes_on(folder: Path) -> None:
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    kept = []
    for number in range(200):
        handle = put(pool, bytes([number]) * 70_000, 0)
        array = np.frombuffer(leases.open(handle), np.uint8)
        if number % 10 == 0:
            kept.append((number, array[number:]))
        del array
    assert outstanding(pool) == len(kept)
    assert all((array == number).all() for number, array in kept)
    assert pool.statistics().slots < 100


def test_a_view_in_a_reference_cycle_is_released_by_the_collector(folder: Path) -> None:
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    cycle: list[object] = [leases.open(put(pool, bytes(100), 0))]
    cycle.append(cycle)
    del cycle
    gc.collect()
    assert outstanding(pool) == 0


def test_one_host_holds_one_lease_for_all_its_components(folder: Path) -> None:
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    handle = put(pool, b"x" * 100, 0)
    first, second = leases.open(handle), leases.open(handle)
    assert leases.statistics().held == 1
    del first
    assert outstanding(pool) == 1
    assert second == b"x" * 100
    del second
    assert outstanding(pool) == 0


def test_a_payload_can_be_released_without_being_opened(folder: Path) -> None:
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    handle = put(pool, bytes(100), 0)
    leases.skip(handle)
    assert outstanding(pool) == 0


def test_skipping_does_not_take_a_payload_from_one_who_holds_it(folder: Path) -> None:
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    handle = put(pool, bytes(100), 0)
    view = leases.open(handle)
    leases.skip(handle)
    assert outstanding(pool) == 1
    del view
    assert outstanding(pool) == 0


def test_views_dropped_in_another_thread_are_released(folder: Path) -> None:
    pool, leases = Pool(folder, "camera", budget_bytes=4 * MEGA), Leases(folder, 0)
    box: list[tuple[int, np.ndarray]] = []
    wrong: list[int] = []
    done = threading.Event()

    def execute() -> None:
        while not done.is_set() or box:
            if box:
                number, array = box.pop(0)
                if not (array == number).all():
                    wrong.append(number)
                del array

    executor = threading.Thread(target=execute)
    executor.start()
    sent = 0
    while sent < 500:
        handle = pool.put(bytes([sent % 251]) * 64 * KILO, [0])
        if handle is not None:
            box.append((sent % 251, np.frombuffer(leases.open(handle), np.uint8)))
            sent += 1
    done.set()
    executor.join()
    assert wrong == []
    assert outstanding(pool) == 0
    assert leases.statistics().held == 0
