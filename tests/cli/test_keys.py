"""Keys of a real pseudo-terminal."""

from __future__ import annotations

import os
import pty
import sys
import termios
from collections.abc import Iterator

import pytest

from studio.cli.shared.keys import Keys, is_terminal, keys


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The other end of a terminal that is standard input."""
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "r") as standard_input:
        monkeypatch.setattr(sys, "stdin", standard_input)
        yield ours
    os.close(ours)


def read(pressed: Keys, count: int) -> list[str | None]:
    return [pressed.read(5.0) for _ in range(count)]


def test_keys_by_name(terminal: int) -> None:
    assert is_terminal()
    with keys() as pressed:
        os.write(terminal, b"a \x1b[C\x1b[D+\x1bOA\x1b[5~\rq")
        found = read(pressed, 9)
        assert pressed.read(0.0) is None
    assert found == ["a", "space", "right", "left", "+", "up", "page up", "enter", "q"]


def test_a_lone_escape_is_a_key_and_an_arrow_behind_a_letter_is_one(terminal: int) -> None:
    with keys() as pressed:
        os.write(terminal, b"\x1b")
        assert pressed.read(5.0) == "escape"
        os.write(terminal, "é\x1b[B".encode())
        assert read(pressed, 2) == ["é", "down"]


def test_the_terminal_is_put_back(terminal: int) -> None:
    before = termios.tcgetattr(sys.stdin.fileno())
    with pytest.raises(KeyboardInterrupt), keys():
        assert not termios.tcgetattr(sys.stdin.fileno())[3] & termios.ECHO
        raise KeyboardInterrupt
    assert termios.tcgetattr(sys.stdin.fileno()) == before


def test_a_terminal_that_is_gone_ends_the_input() -> None:
    reading, writing = os.pipe()
    os.close(writing)
    assert Keys(reading).read(5.0) == "end of input"
    os.close(reading)
