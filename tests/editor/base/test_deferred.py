"""Work that is put off: in slices, on demand, on another thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from PyQt6.QtCore import QObject
from PyQt6.QtWidgets import QApplication
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from studio.editor.base.deferred import Beside, Deferred, Slices
from studio.editor.views.shared.newest_wish import NewestWish
from studio.errors import StudioError


class House:
    door: Deferred[str] = Deferred()
    times = 0

    def furnish(self) -> None:
        self.times += 1
        self.door = "open"


def test_a_part_is_made_when_it_is_first_asked_for() -> None:
    house = House()
    assert "door" not in vars(house)
    assert (house.door, house.door, house.times) == ("open", "open", 1)


def test_between_two_slices_other_events_come(qtbot: QtBot) -> None:
    owner, told = QObject(), []
    first = Slices(map(told.append, (1, 2)), owner)
    second = Slices(map(told.append, (10, 20)), owner)
    first.start()
    second.start()
    with qtbot.waitSignals([first.done, second.done], timeout=10_000):
        pass
    assert told == [1, 10, 2, 20]


def test_what_is_left_can_be_done_at_once(qtbot: QtBot) -> None:
    owner, told, ends = QObject(), [], []
    slices = Slices(map(told.append, range(3)), owner)
    slices.done.connect(lambda: ends.append(len(told)))
    slices.start()
    slices.finish()
    slices.finish()
    qtbot.wait(20)
    assert (told, ends, slices.is_done) == ([0, 1, 2], [3], True)


def test_events_that_a_slice_lets_in_do_not_bring_the_next_one(qtbot: QtBot) -> None:
    def work() -> Iterator[None]:
        yield
        QApplication.processEvents()
        yield

    owner = QObject()
    slices = Slices(work(), owner)
    slices.start()
    slices.finish()
    assert slices.is_done


def test_a_slice_that_fails_is_the_last(qtbot: QtBot) -> None:
    told = []

    def work() -> Iterator[None]:
        told.append("began")
        yield
        raise RuntimeError("no wood")

    owner = QObject()
    slices = Slices(work(), owner)
    with capture_exceptions() as errors:
        slices.start()
        qtbot.waitUntil(lambda: bool(errors), timeout=10_000)
        qtbot.wait(20)
    assert [str(error[1]) for error in errors] == ["no wood"] and told == ["began"] and not slices.is_done


def test_a_slice_that_needs_a_later_one_says_so() -> None:
    def work() -> Iterator[None]:
        slices.finish()
        yield

    owner = QObject()
    slices = Slices(work(), owner)
    with pytest.raises(AssertionError, match="later"):
        slices.finish()


def broken() -> int:
    raise ValueError("no wood")


@pytest.fixture
def reported(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What whoever reports faults of Studio is told."""
    told: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: told.append(str(args.exc_value)))
    return told


def test_who_waits_for_work_beside_is_told_that_it_failed(qtbot: QtBot, reported: list[str]) -> None:
    owner, told = QObject(), []
    Beside(broken, told.append, owner)
    qtbot.waitUntil(lambda: bool(told), timeout=10_000)
    assert isinstance(told[0], StudioError) and "no wood" in told[0].message and reported == ["no wood"]


def test_after_a_wish_that_failed_the_next_is_done(qtbot: QtBot, reported: list[str]) -> None:
    owner, told = QObject(), []
    wishes: NewestWish[int] = NewestWish(owner, told.append)
    wishes.ask(broken)
    qtbot.waitUntil(lambda: bool(told), timeout=10_000)
    assert isinstance(told[0], StudioError) and "no wood" in told[0].message and reported == ["no wood"]
    wishes.ask(lambda: 7)
    qtbot.waitUntil(lambda: told[1:] == [7], timeout=10_000)


def test_what_was_done_beside_is_told_on_the_first_thread(qtbot: QtBot) -> None:
    owner, told = QObject(), []
    Beside(threading.get_ident, lambda there: told.append((there, threading.get_ident())), owner)
    qtbot.waitUntil(lambda: bool(told), timeout=10_000)
    there, here = told[0]
    assert here == threading.get_ident() != there
