"""Serial lines: what keeps them from opening, how they come back, and how promptly they end."""

from __future__ import annotations

import errno
import logging
import os
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import serial
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.runtime.emulators.pty_port import Faults, PtyPort, Said
from studio.runtime.serial_line import DeviceClock, Ended, Health, LineError, Link, SerialLine, open_port
from tests.waiting import await_true

LOG = logging.getLogger("line")


class Echo:
    """A device that answers everything with the same."""

    def __init__(self, baud: int = 9600) -> None:
        self.baud = baud

    def hear(self, data: bytes, now_ns: int) -> Iterable[Said]:
        return (data,)

    def due_ns(self) -> int | None:
        return None

    def tick(self, now_ns: int, idle: bool) -> Iterable[Said]:
        return ()


@pytest.fixture
def port(tmp_path: Path) -> Iterator[PtyPort]:
    with PtyPort(Echo(), tmp_path / "echo") as made:
        yield made


def ask(link: Link, question: bytes) -> bytes:
    link.write(question)
    answer = b""
    while len(answer) < len(question):
        piece = link.read(5.0)
        assert piece, "no answer"
        answer += piece
    return answer


# Opening.


def test_a_line_is_open_for_one_program_alone(port: PtyPort) -> None:
    with open_port(str(port.link), 9600), pytest.raises(LineError, match="another program uses") as refused:
        open_port(str(port.link), 9600)
    assert "fuser" in refused.value.hint


def test_a_device_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(LineError, match="there is no device") as refused:
        open_port(str(tmp_path / "ttyUSB7"), 9600)
    assert "/dev/serial/by-id" in refused.value.hint


def test_a_file_is_no_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LineError, match="cannot be opened"):
        open_port(str(tmp_path / "file"), 9600)


def test_a_missing_permission_is_told_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    # The tests may run as root, whom nothing is forbidden.
    def forbidden(*_: Any, **__: Any) -> None:
        raise serial.SerialException(errno.EACCES, "could not open port")

    monkeypatch.setattr(serial, "Serial", forbidden)
    with pytest.raises(LineError, match="no permission to open /dev/ttyUSB0") as refused:
        open_port("/dev/ttyUSB0", 9600)
    assert "dialout" in refused.value.hint


# Talking.


@pytest.mark.parametrize("rate", [9600, 115200, 250000, 500000])
def test_bytes_arrive_at_the_right_rate_and_are_garbled_at_another(tmp_path: Path, rate: int) -> None:
    question = bytes(range(200))
    with PtyPort(Echo(rate), tmp_path / "echo") as port, open_port(str(port.link), rate) as opened:
        link = Link(opened, str(port.link), threading.Event())
        assert ask(link, question) == question
        link.baud = 19200
        assert ask(link, question) != question
        link.baud = rate
        assert ask(link, question) == question


def test_a_silent_device_and_a_wrong_rate_are_told_apart(port: PtyPort) -> None:
    with open_port(str(port.link), 19200) as opened:
        link = Link(opened, "ttyX", threading.Event())
        with pytest.raises(LineError, match="ttyX is silent"):
            Health(link, "ttyX", patience_s=0.0).check()
        health = Health(link, "ttyX", patience_s=0.0)
        ask(link, b"hello")
        with pytest.raises(LineError, match="could not be read at 19200 baud") as told:
            health.check()
        assert "wrong baud rate" in told.value.hint
        patient = Health(link, "ttyX", patience_s=1000.0)
        patient.good()
        patient.check()


def test_slow_bytes_come_in_pieces(tmp_path: Path) -> None:
    with PtyPort(Echo(115200), tmp_path / "e", Faults(slow=50)) as port, open_port(str(port.link), 115200) as opened:
        link = Link(opened, "e", threading.Event())
        link.write(b"0123456789" * 5)
        pieces = []
        while sum(map(len, pieces)) < 50:
            pieces.append(link.read(5.0))
        assert len(pieces) > 1
        assert b"".join(pieces) == b"0123456789" * 5


# Coming back and ending.


class Talker:
    """Asks again and again, and counts the answers."""

    def __init__(self, path: Path) -> None:
        self.answers = 0
        self.line = SerialLine(str(path), 9600, self.talk, LOG)

    def talk(self, link: Link) -> None:
        while True:
            ask(link, b"?")
            self.answers += 1
            link.works()
            link.pause(0.01)


def test_a_line_comes_back_after_every_cut_and_tells_it_once(port: PtyPort, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        talker = Talker(port.link)
        for cuts in range(1, 4):
            before = talker.answers
            await_true(lambda before=before: talker.answers > before + 2, "answers")
            port.unplug()
            await_true(lambda cuts=cuts: caplog.text.count("there is no device") == cuts, "word of the cut")
            port.plug_in()
        await_true(lambda: caplog.text.count("works again") == 3, "the line to work again")
        talker.line.close()
    assert caplog.text.count("there is no device") == 3
    assert talker.line.openings == 4


def test_a_driver_that_fails_is_told_with_its_traceback_and_starts_again(
    port: PtyPort, caplog: pytest.LogCaptureFixture
) -> None:
    def talk(link: Link) -> None:
        raise KeyError("a mistake in the driver")

    line = SerialLine(str(port.link), 9600, talk, LOG)
    await_true(lambda: line.openings >= 2, "a second attempt")
    line.close()
    assert "KeyError" in caplog.text


def test_ending_interrupts_a_read_that_waits(port: PtyPort) -> None:
    reading = threading.Event()
    ends: list[BaseException] = []

    def talk(link: Link) -> None:
        reading.set()
        try:
            link.read(3600.0)
        except Ended as end:
            ends.append(end)
            raise

    line = SerialLine(str(port.link), 9600, talk, LOG)
    assert reading.wait(10)
    line.close()  # would wait an hour
    assert len(ends) == 1


def test_many_lines_leave_no_thread_and_no_descriptor(port: PtyPort) -> None:
    def once() -> None:
        talker = Talker(port.link)
        await_true(lambda: talker.answers, "an answer")
        talker.line.close()

    once()
    before = threading.active_count(), len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        once()
    assert (threading.active_count(), len(os.listdir("/proc/self/fd"))) == before


# Clocks of devices.


@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.integers(1, 500), st.integers(0, 80_000_000)), min_size=20, max_size=40),
    st.integers(0, 2**24 - 1),
)
def test_a_devices_clock_takes_the_shaking_out_of_the_stamps(steps: list[tuple[int, int]], start: int) -> None:
    clock, true_ms, errors = DeviceClock(1 << 24), 0, []
    for passed_ms, delay_ns in [(100, 0), *steps]:
        true_ms += passed_ms
        true_ns = 10**18 + true_ms * 1_000_000
        stamp_ns = clock.stamp_ns((start + true_ms) % 2**24, true_ns + delay_ns)
        errors.append(stamp_ns - true_ns)
    assert min(errors) >= 0
    # One came without delay: from then on only the allowance for drift is added.
    assert max(errors) <= true_ms * 1_000_000 * DeviceClock.DRIFT + 1


def test_a_device_that_was_reset_begins_anew() -> None:
    clock = DeviceClock(1 << 32)
    assert clock.stamp_ns(5_000, 10**18) == 10**18
    assert clock.stamp_ns(5_100, 10**18 + 100_000_000) == 10**18 + 100_000_000
    later = 10**18 + 60 * 10**9
    assert clock.stamp_ns(20, later) == later
    assert clock.stamp_ns(120, later + 130_000_000) == pytest.approx(later + 100_000_000, abs=1_000_000)
