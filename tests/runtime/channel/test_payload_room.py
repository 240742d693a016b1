"""Payloads in shared memory: when there is no room."""

from __future__ import annotations

import errno
import resource
import shutil
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

import pytest

from studio.runtime.channel.inline_room import InlineRoom
from studio.runtime.channel.payloads import Leases, Overwritten, PayloadError, Pool, dismiss_host
from studio.runtime.channel.pool_prefetch import PoolPrefetch
from studio.runtime.channel.slots import PAGE, Segment
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


def test_who_stands_still_gets_half_of_the_room_and_the_others_go_on(folder: Path) -> None:
    pool, _stopped, leases = Pool(folder, "camera", budget_bytes=8 * MEGA), Leases(folder, 0), Leases(folder, 1)
    handles = []
    for number in range(200):
        reserved = pool.reserve(100_000, [0, 1], for_all=False)
        assert reserved is not None, f"no room for payload {number}"
        reserved[0].fill(bytes([number]) * 100_000)
        handles.append(reserved[1])
        assert leases.open(reserved[1]) == bytes([number]) * 100_000
    assert pool.statistics().used_bytes <= 8 * MEGA
    kept = sum(can_open(_stopped, handle) for handle in handles)
    assert 20 <= kept <= 45, "half of the room, and some that are not overwritten yet"


@pytest.mark.parametrize("size", [700_000, 1_300_000])
def test_what_is_kept_for_copying_does_not_stop_a_small_pool(folder: Path, size: int) -> None:
    pool, _stopped, leases = Pool(folder, "camera", budget_bytes=6 * MEGA), Leases(folder, 0), Leases(folder, 1)
    for number in range(60):
        reserved = pool.reserve(size, [0, 1], for_all=False)
        assert reserved is not None, f"no room for payload {number}"
        reserved[0].fill(bytes([number]) * size)
        assert leases.open(reserved[1])[0] == number


def test_what_is_kept_for_viewers_makes_room_for_another_size(folder: Path) -> None:
    pool, leases = Pool(folder, "camera", budget_bytes=4 * MEGA), Leases(folder, 0)
    while len(segments(folder)) < 2 or pool.statistics().used_bytes < 3 * MEGA:
        put(pool, bytes(MEGA))
    refused = 0
    while (handle := pool.put(bytes(2 * MEGA), [0])) is None:
        refused += 1
        assert refused <= 8, "what was sent before is kept for ever"
    assert leases.open(handle) == bytes(2 * MEGA)


@pytest.fixture
def scarce(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with room for 8 MB, far less than a pool may take."""
    create = Segment.create

    def create_within_limits(where: Path, name: str, slot_pages: int, slots: int) -> Segment:
        used = sum((where / each).stat().st_size for each in segments(where))
        if used + slot_pages * slots * PAGE > 8 * MEGA:
            raise OSError(errno.ENOSPC, "No space left on device")
        return create(where, name, slot_pages, slots)

    monkeypatch.setattr(Segment, "create", create_within_limits)
    return folder


@pytest.mark.parametrize("size", [100_000, 1_000_000])
def test_who_stands_still_where_memory_is_scarce_does_not_stop_the_others(scarce: Path, size: int) -> None:
    pool, stopped, leases = Pool(scarce, "camera"), Leases(scarce, 0), Leases(scarce, 1)
    handles, view = [], memoryview(b"")
    for number in range(200):
        reserved = pool.reserve(size, [0, 1], for_all=False)
        assert reserved is not None, f"no room for payload {number}"
        reserved[0].fill(bytes([number]) * size)
        handles.append(reserved[1])
        assert not view or view[-1] == number - 1, "what is looked at does not change"
        view = leases.open(reserved[1])
        assert view[-1] == number
    assert leases.statistics().copied == 0, "all was kept for the one that keeps up"
    found = sum(can_open(stopped, handle) for handle in handles)
    kept = found - stopped.statistics().copied
    assert 2 * MEGA <= kept * size <= 5 * MEGA, "about half of what there is"


def test_what_somebody_looks_at_is_not_taken_back(scarce: Path) -> None:
    pool, keeper, leases = Pool(scarce, "camera"), Leases(scarce, 0), Leases(scarce, 1)
    kept = []
    for number in range(100):
        reserved = pool.reserve(MEGA, [0, 1], for_all=False)
        if reserved is None:
            continue
        reserved[0].fill(bytes([number]) * MEGA)
        assert leases.open(reserved[1])[0] == number
        if len(kept) < 3:
            kept.append((number, keeper.open(reserved[1])))
    assert [(view[0], view[-1]) for _, view in kept] == [(number, number) for number, _ in kept]
    kept.clear()
    assert keeper.statistics().held == 0


def test_a_lease_that_the_producer_takes_back_meanwhile_is_copied(folder: Path) -> None:
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    reserved = pool.reserve(100_000, [0])
    assert reserved is not None
    slot, handle = reserved
    slot.fill(bytes(100_000))
    (host,) = slot.waiting
    assert slot.strike(host)
    assert leases.open(handle) == bytes(100_000)
    assert (leases.statistics().held, leases.statistics().copied) == (0, 1)
    view = leases.open(put(pool, bytes(100_000), 0))
    (leased,) = [each for each in pool._out if each.waiting]
    assert not leased.strike(host)
    del view
    assert leased.is_free(pool._hosts, leased.kept_until)


def can_open(leases: Leases, handle: bytes) -> bool:
    try:
        return bool(leases.open(handle))
    except Overwritten:
        return False


def test_who_has_let_go_is_waited_for_again(folder: Path) -> None:
    pool, slow = Pool(folder, "camera", budget_bytes=4 * MEGA), Leases(folder, 0)

    def send() -> bytes:
        reserved = pool.reserve(100_000, [0], for_all=False)
        assert reserved is not None
        reserved[0].fill(bytes(100_000))
        return reserved[1]

    behind = [send() for _ in range(100)]
    for handle in behind:
        can_open(slow, handle)
    for _ in range(4):  # it is looked at 64 slots at a time
        pool.statistics()
    copied = slow.statistics().copied
    for _ in range(50):
        assert slow.open(send()) == bytes(100_000)
    assert slow.statistics().copied == copied, "all of them were kept for it"


def test_who_is_behind_but_reads_has_time_to_copy(folder: Path) -> None:
    pool, keeper = Pool(folder, "camera", budget_bytes=8 * MEGA), Leases(folder, 0)
    kept, late = [], deque[bytes]()
    for number in range(300):
        reserved = pool.reserve(100_000, [0], for_all=False)
        assert reserved is not None
        reserved[0].fill(bytes([number % 251]) * 100_000)
        late.append(reserved[1])
        if len(late) > 4:
            view = keeper.open(late.popleft())
            assert view[0] == (number - 4) % 251
            kept.append(view)
    assert keeper.statistics().copied > 200


def test_inline_payloads_wait_until_all_have_read_those_before(folder: Path) -> None:
    pool, reader, stopped = Pool(folder, "camera"), Leases(folder, 0), Leases(folder, 1)
    put(pool, bytes(100_000), 0)
    swept: list[int] = []
    room = InlineRoom(pool, MEGA, swept.append)

    def send(length: int) -> bool:
        is_admitted = room.admits(length)
        if is_admitted:
            room.sent([0, 1])
        return is_admitted

    assert [send(300_000) for _ in range(4)] == [True, True, True, False]
    reader.sweep("camera", swept[-1])
    assert not send(300_000), "the other has not read it"
    stopped.sweep("camera", swept[-1])
    assert [send(300_000) for _ in range(4)] == [True, True, False, False], "what was sent behind the fence counts"
    dismiss_host(folder, 1)
    reader.sweep("camera", swept[-1])
    assert send(300_000), "nobody waits for the dead"


def test_one_inline_payload_may_always_be_under_way(folder: Path) -> None:
    pool, reader = Pool(folder, "camera"), Leases(folder, 0)
    put(pool, bytes(100_000), 0)
    swept: list[int] = []
    room = InlineRoom(pool, MEGA, swept.append)
    for _ in range(3):
        assert room.admits(5 * MEGA)
        room.sent([0])
        assert not room.admits(1)
        reader.sweep("camera", swept[-1])


def test_a_large_inline_payload_is_admitted_when_the_small_ones_before_it_were_read(folder: Path) -> None:
    pool, reader = Pool(folder, "camera"), Leases(folder, 0)
    put(pool, bytes(100_000), 0)
    room = InlineRoom(pool, MEGA, lambda ticket: reader.sweep("camera", ticket))
    assert room.admits(300_000)
    room.sent([0])
    assert [room.admits(800_000) for _ in range(2)] == [False, True]


def test_inline_payloads_wait_for_every_receiver_of_those_before(folder: Path) -> None:
    pool, reader, _stopped = Pool(folder, "camera"), Leases(folder, 0), Leases(folder, 1)
    put(pool, bytes(100_000), 0)
    room = InlineRoom(pool, MEGA, lambda ticket: reader.sweep("camera", ticket))
    sent_to_the_stopped = 0
    for _ in range(50):
        if room.admits(150_000):
            room.sent([1])
            sent_to_the_stopped += 150_000
        if room.admits(400_000):  # it is always this one that fills the half
            room.sent([0])
    assert sent_to_the_stopped <= MEGA


def test_growing_can_be_closed_while_its_thread_wakes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prefetch = PoolPrefetch(Pool(folder, "camera"))
    clear = prefetch._asked.clear

    def close_before_clearing() -> None:
        prefetch._closed = True  # what `close` does before it waits, in the worst moment
        prefetch._asked.set()
        clear()

    monkeypatch.setattr(prefetch._asked, "clear", close_before_clearing)
    prefetch.ask()
    assert prefetch._thread is not None
    prefetch._thread.join(5)
    assert not prefetch._thread.is_alive(), "nobody wakes it any more"


def test_a_file_that_was_given_up_counts_as_overwritten_and_one_of_the_dead_does_not(folder: Path) -> None:
    pool, behind = Pool(folder, "camera", budget_bytes=6 * MEGA), Leases(folder, 0)
    handle = put(pool, bytes(3 * MEGA))
    while pool.put(bytes(5 * MEGA), []) is None:
        pass
    with pytest.raises(Overwritten):
        behind.open(handle)
    pool.close()
    with pytest.raises(PayloadError) as gone:
        behind.open(handle)
    assert not isinstance(gone.value, Overwritten), "who keeps up must not fail because a producer died"


def test_memory_is_there_before_the_last_slot_is_taken(folder: Path) -> None:
    pool, _stopped = Pool(folder, "camera", budget_bytes=10 * MEGA), Leases(folder, 0)
    put(pool, bytes(100_000), 0)
    assert pool.short_of is None
    made = pool.statistics().slots
    while pool.short_of is None:
        put(pool, bytes(100_000), 0)
    assert 0 < made - pool.statistics().outstanding < made // 2, "there is time"
    assert pool.statistics().slots == made
    pool.grow_ahead()
    assert pool.statistics().slots == 2 * made and pool.short_of is None
    while (pool.put(bytes(100_000), [0])) is not None:
        pool.grow_ahead()
    assert pool.short_of is None, "what may not be had is not asked for"
    assert pool.statistics().used_bytes <= 10 * MEGA
