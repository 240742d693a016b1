"""What a process has written to its terminal: the screen as it is, and the lines that have left it. No Qt.

pyte knows the escape sequences. Its way of drawing, one character at a time, takes ten times as long as this one, and
text after a character that cannot be shown was lost.
"""

from __future__ import annotations

import unicodedata
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

import pyte
from pyte import modes
from pyte.screens import Char, Margins, StaticDefaultDict
from wcwidth import wcwidth

MOST_LINES = 5000
"""That have left the screen at the top and can be scrolled back to."""
APPLICATION_KEYS, BRACKETED_PASTE = 1 << 5, 2004 << 5
"""Modes that a program asks for; pyte keeps private ones shifted."""

Line = Mapping[int, Char]
"""What is written in it, by column; blanks need not be there."""
Row = StaticDefaultDict[int, Char]
"""One that can still be written into."""


class TerminalScreen(pyte.Screen):
    def __init__(self, columns: int, lines: int) -> None:
        self.left: deque[Row] = deque(maxlen=MOST_LINES)
        """Lines that have left at the top, oldest first."""
        self.count_left = 0
        """Of all that ever left: with it a line has a number that it keeps."""
        self.answer: Callable[[str], object] = lambda _: None
        """Called with what the terminal itself has to say to the process, such as where the cursor is."""
        self._chars: dict[Char, dict[str, Char]] = {}
        super().__init__(columns, lines)

    # ---- what there is

    @property
    def first(self) -> int:
        """The number of the oldest line that is kept."""
        return self.count_left - len(self.left)

    @property
    def end(self) -> int:
        """The number after the last line of the screen."""
        return self.count_left + int(self.lines)

    def line(self, number: int) -> Line:
        if number < self.count_left:
            return self.left[number - self.first]
        return self.buffer[number - self.count_left]

    def text_of(self, number: int, start: int = 0, end: int | None = None) -> str:
        """Of a line, or of some columns of it, without blanks at the end."""
        line = self.line(number)
        width = max(line, default=-1) + 1
        cells = range(start, width if end is None else min(end, width))
        return "".join(line[x].data if x in line else " " for x in cells).rstrip()

    def text(self) -> Iterator[str]:
        """All that is kept, line by line."""
        return (self.text_of(number) for number in range(self.first, self.end))

    # ---- writing

    def draw(self, data: str) -> None:
        """Pieces of a line at once where that is possible, which is nearly always."""
        while data:
            room = self.columns - self.cursor.x
            if room <= 0 and modes.DECAWM in self.mode:
                self.carriage_return()
                self.linefeed()
                continue
            piece, data = (data[:room], data[room:]) if room > 0 else (data, "")
            if room > 0 and piece.isascii() and piece.isprintable() and modes.IRM not in self.mode:
                self._write(piece)
            else:
                composed = unicodedata.normalize("NFC", piece)
                super().draw("".join(sign for sign in composed if wcwidth(sign) > 0))

    def _write(self, piece: str) -> None:
        attributes = self.cursor.attrs
        known = self._chars.get(attributes)
        if known is None:
            if len(self._chars) > 500:  # somebody shows all colours that there are
                self._chars.clear()
            known = self._chars[attributes] = {}
        cells = [known.get(sign) or known.setdefault(sign, attributes._replace(data=sign)) for sign in piece]
        x = self.cursor.x
        self.buffer[self.cursor.y].update(zip(range(x, x + len(cells)), cells, strict=True))
        self.cursor.x = x + len(cells)
        self.dirty.add(self.cursor.y)

    def index(self) -> None:
        top, bottom = self.margins or Margins(0, self.lines - 1)
        if self.cursor.y == bottom and top == 0:
            self._leave(self.buffer[0])
        super().index()

    def _leave(self, line: Row) -> None:
        self.left.append(line)
        self.count_left += 1

    def erase_in_display(self, how: int = 0, *args: object, **kwargs: object) -> None:
        super().erase_in_display(how, *args, **kwargs)
        if how == 3:
            self.left.clear()

    def erase_in_line(self, how: int = 0, private: bool = False) -> None:
        super().erase_in_line(how, private)
        if how in (0, 2):  # what was written when the terminal was wider
            line = self.buffer[self.cursor.y]
            for x in [x for x in line if x >= self.columns]:
                del line[x]

    def write_process_input(self, data: str) -> None:
        self.answer(data)

    # ---- another size

    def set_mode(self, *wanted: int, **kwargs: object) -> None:
        """Its width is that of the panel, whatever the process asks for (DECCOLM)."""
        super().set_mode(*(each for each in wanted if each << 5 != modes.DECCOLM), **kwargs)

    def resize(self, lines: int | None = None, columns: int | None = None) -> None:
        """The line of the cursor stays in sight; what has no room leaves at the top, and comes back from there."""
        lines, columns = lines or self.lines, columns or self.columns
        if (lines, columns) == (self.lines, self.columns):
            return
        shown: list[Row] = []
        for y in range(self.lines):
            if y == self.cursor.y:  # which the program writes anew if need be
                at = len(shown)
                shown.append(self.buffer[y])
            else:
                shown += _folded(self.buffer[y], columns)
        self.cursor.y = at
        while self.cursor.y >= lines:
            self._leave(shown.pop(0))
            self.cursor.y -= 1
        del shown[lines:]
        while len(shown) < lines and self.left and self.cursor.y < lines - 1:
            shown.insert(0, self.left.pop())
            self.count_left -= 1
            self.cursor.y += 1
        self.buffer.clear()
        self.buffer.update(enumerate(shown))
        self.lines, self.columns = lines, columns
        self.tabstops = set(range(8, columns, 8))
        self.cursor.x = min(self.cursor.x, columns)
        self.set_margins()
        self.dirty.update(range(lines))


def _folded(line: Row, columns: int) -> list[Row]:
    """A line that is too long for the new width, in pieces."""
    width = max(line, default=-1) + 1
    if width <= columns:
        return [line]
    pieces = []
    for start in range(0, width, columns):
        piece: Row = StaticDefaultDict(line.default)
        piece.update({x - start: line[x] for x in range(start, min(start + columns, width)) if x in line})
        pieces.append(piece)
    return pieces


class TerminalStream(pyte.ByteStream):
    """A sequence that pyte cannot make sense of is passed over; what follows it is shown."""

    def _send_to_parser(self, data: str) -> bool | None:
        with suppress(Exception):
            return super()._send_to_parser(data)
        return True
