"""Generates the encoder of a message class: one function from a message to its CDR bytes, little-endian.

The function gathers the pieces (packed numbers, encoded text, arrays as they are) and joins them once, so that a large
array is copied exactly once.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from studio.messages.binding import (
    Block,
    Dimension,
    Nested,
    NestedList,
    Run,
    Scalar,
    Slot,
    Stamp,
    Text,
    TextList,
)
from studio.messages.emit import Emitter
from studio.messages.position import Position

ENCAPSULATION = 0x00000100
"""Little-endian plain CDR, as the number that makes these four bytes: 00 01 00 00."""

_GAPS = tuple(bytes(size) for size in range(16))


@lru_cache(maxsize=1024)
def _text_piece(text: str) -> bytes:
    """A string with its length and zero byte. Lists of strings are names, the same in every message."""
    data = text.encode()
    return struct.pack(f"<I{len(data) + 1}s", len(data) + 1, data)


def put_texts(out: list[Any], position: int, texts: Iterable[str]) -> int:
    """Append strings and return the position after them."""
    for text in texts:
        piece = _text_piece(text)
        gap = -position & 3
        out += (_GAPS[gap], piece)
        position += gap + len(piece)
    return position


_CONSTANTS: dict[str, Any] = {
    "ZEROS": _GAPS,
    "put_texts": put_texts,
}


def make_encoder(title: str, slots: tuple[Slot, ...], join: Callable[[Any], Any] = b"".join) -> Callable[[Any], Any]:
    """`join` makes the result of the pieces."""
    writer = _EncodeEmitter({**_CONSTANTS, "join": join})
    writer.number("I", 4, str(ENCAPSULATION))
    writer.at = Position()
    writer.slots(slots, "m")
    return writer.finished(title)


class _EncodeEmitter(Emitter):
    def __init__(self, constants: dict[str, Any]) -> None:
        super().__init__(constants)
        self._format = ""
        self._values: list[str] = []
        self._parts: list[str] = []
        self._zeros = 0
        self._list_begun = False

    def slots(self, slots: tuple[Slot, ...], owner: str) -> None:
        for slot in slots:
            self._slot(slot, owner)

    def _slot(self, slot: Slot, owner: str) -> None:
        source = f"{owner}.{slot.name}"
        match slot:
            case Stamp():
                self._stamp(source)
            case Scalar():
                self.number(slot.letter, slot.size, source)
            case Dimension():
                self.number(slot.letter, slot.size, f"{owner}.{slot.array}.shape[{slot.axis}]")
            case Text():
                self._text(source)
            case Block():
                self._block(slot, source)
            case Run():
                self._run(slot, source)
            case TextList():
                self._text_list(slot, source)
            case Nested():
                inner = self.fresh("m")
                self.line(f"{inner} = {source}")
                self.slots(slot.slots, inner)
            case NestedList():
                self._nested_list(slot, source)

    def number(self, letter: str, size: int, value: str) -> None:
        self._align(size)
        self._format += self._zero_format() + letter
        self._values.append(value)
        self.at = self.at.plus(size)

    def _stamp(self, source: str) -> None:
        seconds, rest = self.fresh("s"), self.fresh("s")
        self.line(f"{seconds}, {rest} = divmod({source}, 1000000000)")
        self.number("i", 4, seconds)
        self.number("I", 4, rest)

    def _text(self, source: str) -> None:
        data, length = self.fresh("t"), self.fresh("n")
        self.line(f"{data} = {source}.encode()")
        self.line(f"{length} = len({data}) + 1")
        self.number("I", 4, length)
        self._part(data)
        self._zeros = 1
        self.at = self.at.plus_expression(length, 1)

    def _block(self, slot: Block, source: str) -> None:
        self._align(slot.dtype.itemsize)
        self._part(source)
        size = slot.dtype.itemsize
        for length in slot.shape:
            size *= length
        self.at = self.at.plus(size)

    def _run(self, slot: Run, source: str) -> None:
        values, length = self.fresh("v"), self.fresh("n")
        self.line(f"{values} = {source}")
        self.line(f"{length} = {values}.size" if slot.axes else f"{length} = len({values})")
        self.number("I", 4, length)
        item = slot.dtype.itemsize
        if item > 4:
            self._align(item, only_if=length)
        self._part(values)
        self.at = self.at.plus_expression(f"{values}.nbytes", min(item, 4))

    def _text_list(self, slot: TextList, source: str) -> None:
        if not slot.length:
            self.number("I", 4, f"len({source})")
        self._flush_to_list()
        start = self.settle()
        end = self.fresh("p")
        self.line(f"{end} = put_texts(out, {start}, {source})")
        self.at = Position(end, 0, 1)

    def _nested_list(self, slot: NestedList, source: str) -> None:
        if not slot.length:
            self.number("I", 4, f"len({source})")
        self._flush_to_list()
        start, item, running = self.settle(), self.fresh("m"), self.fresh("p")
        self.line(f"{running} = {start}")
        self.line(f"for {item} in {source}:")
        with self.indented():
            self.at = Position(running, 0, 1)
            self.slots(slot.slots, item)
            self._flush_to_list()
            self.line(f"{running} = {self.at}")
        self.at = Position(running, 0, 1)

    def _align(self, size: int, only_if: str = "") -> None:
        padding = self.at.padding(size)
        if padding is None or (only_if and padding):
            self._align_when_run(size, only_if)
        elif padding:
            self._zeros += padding
            self.at = self.at.plus(padding)

    def _align_when_run(self, size: int, only_if: str) -> None:
        start, gap = self.settle(), self.fresh("g")
        condition = f" if {only_if} else 0" if only_if else ""
        self.line(f"{gap} = -({start}) & {size - 1}{condition}")
        zeros, self._zeros = self._zeros, 0
        self._flush_numbers()
        self._parts.append(f"ZEROS[{gap} + {zeros}]" if zeros else f"ZEROS[{gap}]")
        self.at = Position(f"{start} + {gap}", 0, 4 if only_if else size)

    def _zero_format(self) -> str:
        zeros, self._zeros = self._zeros, 0
        return f"{zeros}x" if zeros else ""

    def _part(self, expression: str) -> None:
        self._flush_numbers()
        self._parts.append(expression)

    def _flush_numbers(self) -> None:
        self._format += self._zero_format()
        if not self._format:
            return
        if self._values:
            pack = self.constant(struct.Struct("<" + self._format).pack, "PACK")
            self._parts.append(f"{pack}({', '.join(self._values)})")
        else:
            self._parts.append(repr(bytes(struct.calcsize(self._format))))
        self._format, self._values = "", []

    def _flush_to_list(self) -> None:
        self._flush_numbers()
        if self._parts or not self._list_begun:
            operator = "+=" if self._list_begun else "="
            self.line(f"out {operator} [{', '.join(self._parts)}]")
        self._list_begun, self._parts = True, []

    def finished(self, title: str) -> Callable[[Any], Any]:
        self._flush_numbers()
        if self._list_begun:
            self._flush_to_list()
            self.line("return join(out)")
        else:
            self.line(f"return join(({', '.join(self._parts)},))")
        return self.function("encode(m)", f"encode {title}")
