"""Questions to a broker that does not answer."""

from __future__ import annotations

import signal
import tempfile
import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
import zmq

from studio.runtime.processes.control import Control, ControlError
from studio.runtime.wire import addresses
from tests.runtime.systems import Part, ProcessRun, plan
from tests.waiting import await_true


@pytest.fixture
def run() -> Iterator[Path]:
    """The folder of a run whose broker hears everything and says nothing."""
    with tempfile.TemporaryDirectory(prefix="studio-t-") as folder:
        deaf = zmq.Context.instance().socket(zmq.ROUTER)
        deaf.bind(addresses.control(Path(folder)))
        yield Path(folder)
        deaf.close(0)


def test_while_a_run_is_being_stopped_nobody_waits_without_end(run: Path) -> None:
    """Whoever waits holds the connection, and closing it would wait for him."""
    control = Control(run, lambda: -1)
    with pytest.raises(ControlError, match="did not answer 'upcoming' within 2 s"):
        control.ask("upcoming", timeout_s=None)
    control.close()
    with pytest.raises(ControlError, match="the broker is not running, so pause was not possible"):
        control.pause()


def test_a_broker_that_died_since_it_was_asked_will_not_answer(run: Path) -> None:
    numbers = count(1)
    control = Control(run, lambda: next(numbers))
    failed = threading.Event()

    def ask() -> None:
        with pytest.raises(ControlError, match="died before it answered 'pause'"):
            control.pause()
        failed.set()

    threading.Thread(target=ask, daemon=True).start()
    assert failed.wait(20)
    control.close()


def test_who_asks_while_a_system_is_being_stopped_does_not_hold_up_its_end() -> None:
    """As a live edit does that is followed at once by Stop."""
    session = ProcessRun(plan(ticker=Part("Ticker", outlets=("out",), period_s=0.01)), record=False)
    session.start("run")
    session.broker.send_signal(signal.SIGSTOP)  # so that what is asked stays unanswered
    closing = threading.Thread(target=session.close, daemon=True)
    closing.start()
    await_true(lambda: session.stopping, "the end to begin")
    with pytest.raises(ControlError):
        session.pause()
    closing.join(30)
    assert not closing.is_alive()
