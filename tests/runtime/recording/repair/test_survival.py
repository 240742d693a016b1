"""What is left after a kill -9 and on a full disk."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.messages import Float64, Image, encode
from studio.runtime.recording import LogError, LogFull, LogReader, LogWriter
from studio.runtime.recording.repair.repair import repair
from tests.runtime.recording.logs import MS

WRITER = """
import sys, time
from studio.messages import Float64, encode
from studio.runtime.recording import LogWriter

log = LogWriter(sys.argv[1], compression=sys.argv[2])
topics = [log.add_topic("/fast", Float64), log.add_topic("/wide", Float64)]
number, told = 0, 0
while True:
    number += 1
    now = time.monotonic_ns()
    log.write(topics[0], encode(Float64(float(number))), log_time_ns=now, sequence=number, stamp_ns=now)
    if number % 10 == 0:
        log.write(topics[1], bytes(20_000), log_time_ns=now, sequence=number // 10, stamp_ns=now)
    log.tick(now)
    if log.event_count != told:
        told = log.event_count
        print(told, now, flush=True)
    time.sleep(0.0005)
"""


def killed_writer(path: Path, compression: str, delay_s: float) -> tuple[int, int]:
    """Lets a process write for a while and kills it; returns how many events it had flushed, and when."""
    command = [sys.executable, "-c", WRITER, str(path), compression]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(delay_s)
        process.send_signal(signal.SIGKILL)
        lines = [first, *process.stdout]
    flushed, when_ns = next(line for line in reversed(lines) if line.endswith("\n")).split()
    return int(flushed), int(when_ns)


@pytest.mark.must_not_flake
def test_a_killed_writer_loses_nothing_that_it_had_flushed(tmp_path: Path, scaled: Callable[[int], int]) -> None:
    chance = random.Random(3)
    for number in range(1000 if scaled(1000) == 1000 else 2):
        path = tmp_path / f"{number}.mcap"
        compression = ("none", "zstd")[number % 2]
        flushed, when_ns = killed_writer(path, compression, chance.uniform(0.05, 0.4))
        with LogReader(path) as log:
            events = list(log.events())
            assert log.check() == []
            assert not log.is_finished
        assert len(events) >= flushed
        fast = [event.sequence for event in events if event.topic == "/fast"]
        assert fast == list(range(1, len(fast) + 1))
        assert events[-1].log_time_ns >= when_ns - 60 * MS
        report = repair(path, tmp_path / f"{number} repaired.mcap")
        assert report.events == len(events)
        path.unlink()


def fill(log: LogWriter, payload: bytes) -> tuple[int, int]:
    """Writes until the disk is full; returns how many events were handed in, and how many of them were lost."""
    topic = log.add_topic("/a", Float64)
    for number in range(1, 1_000_000):
        try:
            log.write(topic, payload, log_time_ns=number * MS, sequence=number, stamp_ns=0)
        except LogFull as full:
            return number, full.lost_events
    raise AssertionError("the disk never got full")


@pytest.mark.parametrize("size", [500, 30_000, 3_000_000])
def test_a_full_disk_ends_the_log_properly(small_disk: Path, size: int) -> None:
    log = LogWriter(small_disk / "a.mcap")
    written, lost = fill(log, bytes(size))
    with pytest.raises(LogFull, match="the disk is full"):
        log.write(2, b"x", log_time_ns=0, sequence=1, stamp_ns=0)
    log.close()
    with LogReader(small_disk / "a.mcap") as reader:
        assert reader.is_finished
        assert reader.check() == []
        assert reader.event_count == log.event_count > 0
        assert reader.metadata() == [("stopped", {"reason": "the disk was full"})]
    assert log.event_count + lost == written
    disk = os.statvfs(small_disk)
    assert disk.f_bavail * disk.f_frsize >= 512 * 1024


def test_what_finds_no_room_is_counted(small_disk: Path) -> None:
    log = LogWriter(small_disk / "a.mcap")
    topic = log.add_topic("/a", Image)
    log.write(topic, encode(Image()), log_time_ns=1, sequence=1, stamp_ns=0)
    log.flush()
    with pytest.raises(LogFull) as caught:
        log.write(topic, bytes(9 << 20), log_time_ns=2, sequence=2, stamp_ns=0)
    assert caught.value.lost_events == 1
    with LogReader(small_disk / "a.mcap") as reader:
        assert reader.event_count == 1
        assert reader.is_finished


def test_somebody_else_fills_the_disk(small_disk: Path) -> None:
    """Then even the reserve may be gone: the log ends with its last whole chunk and is found by a scan."""
    log = LogWriter(small_disk / "a.mcap", reserve_bytes=0)
    topic = log.add_topic("/a", Float64)
    for number in range(1, 11):
        log.write(topic, encode(Float64(1.0)), log_time_ns=number, sequence=number, stamp_ns=0)
    log.flush()
    with pytest.raises(OSError, match="No space"), (small_disk / "other").open("wb") as other:
        while True:
            other.write(bytes(4096))
            other.flush()
    log.write(topic, bytes(5000), log_time_ns=20, sequence=11, stamp_ns=0)
    with pytest.raises(LogFull):
        log.flush()
    with LogReader(small_disk / "a.mcap") as reader:
        assert [event.sequence for event in reader.events()] == list(range(1, 11))


def test_a_disk_error_is_our_error() -> None:
    """/dev/full takes nothing."""
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    with pytest.raises(LogError, match="exists already"):
        LogWriter("/dev/full")
