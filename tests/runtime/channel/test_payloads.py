"""Payloads in shared memory: owned, released, swept, and nothing left behind by the dead."""

from __future__ import annotations

import gc
import hashlib
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import StudioError
from studio.runtime.channel.payloads import (
    Claim,
    Leases,
    PayloadError,
    Pool,
    copy_shared,
    dismiss_host,
    remove_producer,
    remove_run,
    remove_stale,
)
from studio.runtime.channel.slots import Handle

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SHARED = Path("/dev/shm")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
KILO = 1 << 10
MEGA = 1 << 20


@pytest.fixture
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="studio-test-", dir=SHARED))
    yield path
    shutil.rmtree(path, ignore_errors=True)


STARTED: list[subprocess.Popen[str]] = []


@pytest.fixture(autouse=True)
def _no_process_outlives_its_test() -> Iterator[None]:
    yield
    while STARTED:
        kill(STARTED.pop())


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


# One producer, one receiver


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
    assert pool.statistics().segments == 1


def send(pool: Pool, leases: Leases) -> bytes:
    handle = put(pool, bytes(64 * KILO), 0)
    leases.open(handle)
    return handle


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


# Several receivers, and none


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
    assert copy_shared(folder, handle) == b"seen" * 20_000
    assert outstanding(pool) == 0


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


# Lost frames


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
    assert pool.statistics().segments == 1


# No room


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


# Bad handles


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


def test_the_handle_of_a_closed_pool_is_an_error_but_views_stay(folder: Path) -> None:
    pool, leases = Pool(folder, "camera"), Leases(folder, 0)
    view = leases.open(put(pool, b"x" * 100, 0))
    other = put(pool, bytes(2 * MEGA), 0)
    pool.close()
    assert segments(folder) == []
    with pytest.raises(PayloadError, match="gone"):
        leases.open(other)
    assert view == b"x" * 100


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
    with pytest.raises(PayloadError, match="cut off"):
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


# The dead


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
    assert len(segments(folder)) == 2


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
