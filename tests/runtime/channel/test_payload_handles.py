"""Payloads in shared memory: handles that are stale, damaged or hostile."""

from __future__ import annotations

import os
import random
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import StudioError
from studio.runtime.channel.payloads import Leases, PayloadError, Pool, copy_shared, remove_producer, remove_run
from studio.runtime.channel.slots import Handle
from tests.runtime.channel.payload_tools import KILO, MEGA, put, segments


def test_a_stale_handle_is_an_error(folder: Path) -> None:
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    old = put(pool, bytes(100), 0)
    leases.open(old)
    put(pool, bytes(100), 0)
    with pytest.raises(PayloadError, match="overwritten"):
        leases.open(old)


def test_a_handle_opened_after_its_release_gives_a_copy_of_its_own(folder: Path) -> None:
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    handle = put(pool, b"once" * 100, 0)
    leases.open(handle)
    view = leases.open(handle)
    put(pool, b"next" * 100, 0)
    assert view == b"once" * 100
    assert leases.statistics().copied == 1


def test_what_a_receiver_has_not_opened_yet_outlives_its_producer(folder: Path) -> None:
    """A recorder that is behind comes to the last maps of a run when everybody else has ended."""
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    handle = put(pool, b"x" * 2 * MEGA, 0)
    pool.close()
    del pool  # and with it its locks on the files, as when its process ends
    assert leases.open(handle) == b"x" * 2 * MEGA
    remove_producer(folder, "camera")
    assert segments(folder) == []


def test_the_handle_of_a_removed_producer_is_an_error_but_views_stay(folder: Path) -> None:
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    view = leases.open(put(pool, b"x" * 100, 0))
    other = put(pool, bytes(2 * MEGA), 0)
    pool.close()
    remove_run(folder)
    with pytest.raises(PayloadError, match="gone"):
        leases.open(other)
    assert view == b"x" * 100


def test_a_pool_that_nobody_waits_for_leaves_nothing(folder: Path) -> None:
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    view = leases.open(put(pool, b"x" * 100, 0))
    put(pool, b"for viewers" * 100)
    del view
    pool.close()
    assert segments(folder) == []


@pytest.mark.parametrize(
    "name",
    ["", "../x~0~1", "/etc/passwd", "a/b~0~1", "..", "hosts", "a~0~1/", "a~0", "~0~1", "a~0~1\n", "a\0~0~1", "é~0~1"],
)
def test_a_hostile_file_name_is_refused(folder: Path, name: str) -> None:
    with pytest.raises(PayloadError, match="damaged handle"):
        Leases(folder, 0).open(Handle(name, 1, 1, 10).pack())


def test_files_that_are_not_what_they_seem_are_refused(folder: Path) -> None:
    leases = Leases(folder, 0)
    (folder / "empty~0~1").write_bytes(b"")
    (folder / "zero~0~1").write_bytes(bytes(100_000))
    (folder / "link~0~1").symlink_to("/etc/passwd")
    (folder / "folder~0~1").mkdir()
    os.mkfifo(folder / "pipe~0~1")
    for name in ("empty", "zero", "link", "folder", "pipe", "missing"):
        handle = Handle(f"{name}~0~1", 1, 1, 10).pack()
        with pytest.raises(PayloadError):
            leases.open(handle)
        assert copy_shared(folder, handle) is None
        leases.sweep(name, 10)


def test_a_handle_beyond_its_file_is_refused(folder: Path) -> None:
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    good = Handle.parse(put(pool, bytes(100), 0))
    last = (1 << 32) - 1
    for bad in (
        good._replace(page=0),
        good._replace(page=2),
        good._replace(page=last),
        good._replace(length=1 << 63),
        good._replace(length=64 * KILO + 5),
        good._replace(length=99),
        good._replace(ticket=2),
    ):
        with pytest.raises(PayloadError):
            leases.open(bad.pack())
        assert copy_shared(folder, bad.pack()) is None
    assert leases.open(good.pack()) == bytes(100)


def test_a_file_that_was_cut_off_does_not_kill_the_reader(folder: Path) -> None:
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    leases.open(put(pool, bytes(2 * MEGA), 0))
    handle = put(pool, bytes(2 * MEGA), 0)
    os.truncate(folder / Handle.parse(handle).name, 4096)
    with pytest.raises(PayloadError, match="truncated"):
        leases.open(handle)
    leases.sweep("camera", 10)


@given(st.binary(max_size=80))
def test_no_bytes_crash_the_reader(data: bytes) -> None:
    with pytest.raises(StudioError):
        Handle.parse(data)


def test_no_damage_to_a_handle_crashes_the_reader(folder: Path) -> None:
    pool, leases, chance = Pool(folder, "camera"), Leases(folder, 0), random.Random(5)
    good = put(pool, b"good" * 100, 0)
    view = leases.open(good)
    for _ in range(2000):
        bad = bytearray(good)
        bad[chance.randrange(len(bad))] ^= 1 << chance.randrange(8)
        with suppress(PayloadError):
            assert leases.open(bytes(bad)) == view


def test_a_producer_with_a_hostile_name_is_refused(folder: Path) -> None:
    for name in ("", "a/b", "a~b", ".hidden", "../up"):
        with pytest.raises(PayloadError, match="cannot name a producer"):
            Pool(folder, name)
