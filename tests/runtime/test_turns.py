"""Whoever lines up first has his turn first, whichever thread gets to run first."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from studio.runtime.base.turns import Turn, Turns
from tests.waiting import await_true


def _beside(job: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=job, daemon=True)
    thread.start()
    return thread


def test_turns_come_in_the_order_in_which_they_were_taken() -> None:
    turns, order = Turns(), list[str]()
    first, second = turns.take(), turns.take()

    def job(turn: Turn, name: str) -> None:
        with turn:
            order.append(name)

    late = _beside(lambda: job(second, "second"))  # its thread comes first
    early = _beside(lambda: job(first, "first"))
    early.join(10)
    late.join(10)
    assert order == ["first", "second"]


def test_a_place_that_is_given_up_holds_nobody_up() -> None:
    turns = Turns()
    first, second, third = turns.take(), turns.take(), turns.take()
    waiting = _beside(second.wait)
    second.end()
    waiting.join(10)
    assert not waiting.is_alive()
    first.end()
    first.end()
    with third:
        pass
    with turns.take():
        pass


def test_a_turn_ends_with_a_failure_too() -> None:
    turns = Turns()
    with pytest.raises(ValueError), turns.take():
        raise ValueError
    passed = threading.Event()

    def job() -> None:
        with turns.take():
            passed.set()

    _beside(job)
    await_true(passed.is_set, "the next turn")
