"""Keys pressed on a terminal, one by one and by name.

    with keys() as pressed:
        for key in pressed:            # for ever; None when nothing was pressed for a moment
            if key == "q": break

While it is open the terminal gives every key at once and shows none of them; Ctrl-C still interrupts.
"""

from __future__ import annotations

import os
import select
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager

WAIT_S = 0.1
"""How long a silence lasts before the iterator says None."""
ESCAPE_S = 0.05
"""The bytes of an arrow key come together; an Escape that nothing follows is the key itself."""

NAMES = {
    " ": "space", "\r": "enter", "\n": "enter", "\t": "tab", "\x7f": "backspace", "\b": "backspace", "\x1b": "escape",
    "\x1b[A": "up", "\x1b[B": "down", "\x1b[C": "right", "\x1b[D": "left",
    "\x1bOA": "up", "\x1bOB": "down", "\x1bOC": "right", "\x1bOD": "left",
    "\x1b[H": "home", "\x1b[F": "end", "\x1b[1~": "home", "\x1b[4~": "end",
    "\x1b[5~": "page up", "\x1b[6~": "page down", "\x1b[3~": "delete",
    "\x04": "end of input",
}  # fmt: skip
"""What terminals send for the keys that are no characters; every other character is its own name."""


class Keys:
    """An iterator of key names. `read` is one step of it with a patience of one's own."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._bytes = b""

    def __iter__(self) -> Iterator[str | None]:
        while True:
            yield self.read()

    def read(self, wait_s: float = WAIT_S) -> str | None:
        """The next key; None if none came in time. "end of input" for ever when the terminal is gone."""
        if not self._bytes and not self._fill(wait_s):
            return None
        if self._bytes == b"\x1b":
            self._fill(ESCAPE_S)
        return self._taken()

    def _fill(self, wait_s: float) -> bool:
        if not select.select([self._descriptor], [], [], wait_s)[0]:
            return False
        try:
            got = os.read(self._descriptor, 64)
        except OSError:  # a terminal that was closed
            got = b""
        self._bytes += got or b"\x04"
        return True

    def _taken(self) -> str:
        """Take one key off the bytes: a whole escape sequence, or one character."""
        text = self._bytes.decode("utf-8", "replace")
        length = _sequence_length(text)
        key, self._bytes = text[:length], text[length:].encode()
        return NAMES.get(key, key)


def _sequence_length(text: str) -> int:
    if text[:2] not in ("\x1b[", "\x1bO"):
        return 1
    for index, character in enumerate(text[2:], 2):
        if "@" <= character <= "~":
            return index + 1
    return len(text)


def is_terminal() -> bool:
    """Whether there are keys to read."""
    try:
        return sys.stdin.isatty()
    except ValueError:  # closed
        return False


@contextmanager
def keys() -> Iterator[Keys]:
    """The keys of standard input, which must be a terminal; it is put back as it was, whatever happens."""
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    changed = termios.tcgetattr(descriptor)
    changed[3] &= ~(termios.ICANON | termios.ECHO)
    changed[6][termios.VMIN], changed[6][termios.VTIME] = 1, 0
    termios.tcsetattr(descriptor, termios.TCSADRAIN, changed)
    try:
        yield Keys(descriptor)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
