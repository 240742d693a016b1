"""Generates the decoder of a message class: one function from the body of a CDR message to the object.

Every read is checked against the end of the body before anything of its size is made: numbers by `struct`, arrays by
`numpy.frombuffer`, strings and counts by the lines below.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np

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
from studio.messages.errors import MessageError
from studio.messages.message import Message, field_names
from studio.messages.position import Position


def fail(problem: str) -> None:
    raise MessageError(problem)


_LENGTHS = {order: struct.Struct(order + "I").unpack_from for order in "<>"}


def get_texts(body: Any, position: int, size: int, count: int, order: str) -> tuple[tuple[str, ...], int]:
    """Read `count` strings and return them and the position after them."""
    if count * 5 > size - position + 3:
        fail(f"{count} strings do not fit into {size - position} bytes")
    texts = []
    length_at = _LENGTHS[order]
    for _ in range(count):
        start = (position + 7) & -4
        (length,) = length_at(body, start - 4)
        position = start + length
        if position > size or length < 1 or body[position - 1]:
            fail("a string is longer than the message or not ended by a zero byte")
        texts.append(str(body[start : position - 1], "utf-8"))
    return tuple(texts), position


_CONSTANTS: dict[str, Any] = {
    "new": object.__new__,
    "set_attribute": object.__setattr__,
    "fail": fail,
    "get_texts": get_texts,
    "ZERO_OR_ONE": b"\0\1",
}


def make_decoder(cls: type[Message], slots: tuple[Slot, ...], order: str) -> Callable[..., Any]:
    """`order` is the byte order of the bytes, "<" or ">". The result takes (body, its size, a function for arrays)."""
    reader = _DecodeEmitter(_CONSTANTS, order)
    result = reader.message(cls, slots)
    return reader.finished(result, cls.__name__)


class _DecodeEmitter(Emitter):
    def __init__(self, constants: dict[str, Any], order: str) -> None:
        super().__init__(constants)
        self._order = order
        self._format = ""
        self._targets: list[str] = []
        self._format_at = ""
        self._blocks: list[tuple[str, Block]] = []
        self._blocks_at = ""

    def message(self, cls: type[Message], slots: tuple[Slot, ...]) -> str:
        """Lines that read one message; returns the name of the variable that holds it."""
        values: dict[str, str] = {}
        sizes: dict[str, str] = {}
        for slot in slots:
            if isinstance(slot, Dimension):
                sizes[slot.name] = self._number(slot.letter, slot.size)
            elif isinstance(slot, Run):
                values[slot.name] = self._run(slot, values, sizes)
            else:
                values[slot.name] = self._value(slot)
        self._flush()
        return self._object(cls, values)

    def _object(self, cls: type[Message], values: dict[str, str]) -> str:
        made, kind = self.fresh("m"), self.constant(cls, "C")
        inside = ", ".join(f"{name!r}: {values[name]}" for name in field_names(cls))
        self.line(f"{made} = new({kind})")
        self.line(f"set_attribute({made}, '__dict__', {{{inside}}})")
        if cls.verify is not Message.verify:
            self.line(f"{made}.verify()")
        return made

    def _value(self, slot: Slot) -> str:
        match slot:
            case Stamp():
                seconds, rest = self._number("i", 4), self._number("I", 4)
                return f"{seconds} * 1000000000 + {rest}"
            case Scalar():
                return self._number(slot.letter, slot.size)
            case Text():
                return self._text(slot)
            case Block():
                return self._block(slot)
            case TextList():
                return self._text_list(slot)
            case Nested():
                return self.message(slot.cls, slot.slots)
            case NestedList():
                return self._nested_list(slot)
        raise TypeError(slot)

    def _number(self, letter: str, size: int) -> str:
        self._align(size)
        if not self._format:
            self._format_at = str(self.at)
        target = self.fresh("n")
        self._format += letter
        self._targets.append(target)
        self.at = self.at.plus(size)
        return target

    def _text(self, slot: Text) -> str:
        length = self._number("I", 4)
        self._flush()
        start, end, text = self.settle(), self.fresh("e"), self.fresh("t")
        self.line(f"{end} = {start} + {length}")
        self.line(f"if {end} > size or {length} < 1 or body[{end} - 1]:")
        self.line(f"    fail('{slot.name}: the text is longer than the message or not ended by a zero byte')")
        if slot.bound:
            self._limit(slot.name, f"{length} - 1", slot.bound)
        self.line(f"{text} = str(body[{start}:{end} - 1], 'utf-8')")
        self.at = Position(end, 0, 1)
        return text

    def _block(self, slot: Block) -> str:
        size = slot.dtype.itemsize
        joins = self._blocks and self._blocks[-1][1].dtype == slot.dtype and not self._format
        if not joins:
            self._flush()
            self._align(size)
            self._blocks_at = str(self.at)
        name = self.fresh("v")
        self._blocks.append((name, slot))
        self.at = self.at.plus(size * int(np.prod(slot.shape)))
        return name

    def _run(self, slot: Run, values: dict[str, str], sizes: dict[str, str]) -> str:
        length = self._number("I", 4)
        self._flush()
        if slot.bound:
            self._limit(slot.name, length, slot.bound)
        item = slot.dtype.itemsize
        if item > 4:
            self._align(item, only_if=length)
        start, array = self.settle(), self.fresh("v")
        count = " * ".join([length, *map(str, slot.tail)])
        self.line(
            f"{array} = view(body, {self._dtype(slot.dtype)}, {count}, {start}){self._shape(slot, values, sizes)}"
        )
        if slot.dtype.kind == "b":
            self._check_bools(slot.name, start, length)
        self.at = Position(f"{start} + {count} * {item}" if item > 1 else f"{start} + {count}", 0, min(item, 4))
        return array

    def _shape(self, slot: Run, values: dict[str, str], sizes: dict[str, str]) -> str:
        if slot.axes:
            axes = (sizes[axis] if axis in sizes else f"len({values[axis]})" for axis in slot.axes)
            return f".reshape({', '.join(axes)})"
        return f".reshape(-1, {', '.join(map(str, slot.tail))})" if slot.tail else ""

    def _text_list(self, slot: TextList) -> str:
        length = str(slot.length) if slot.length else self._number("I", 4)
        self._flush()
        if slot.bound:
            self._limit(slot.name, length, slot.bound)
        texts, end = self.fresh("t"), self.fresh("p")
        self.line(f"{texts}, {end} = get_texts(body, {self.at}, size, {length}, '{self._order}')")
        if slot.text_bound:
            self.line(f"if max(map(len, map(str.encode, {texts})), default=0) > {slot.text_bound}:")
            self.line(f"    fail('{slot.name}: a string is longer than {slot.text_bound} bytes')")
        self.at = Position(end, 0, 1)
        return texts

    def _nested_list(self, slot: NestedList) -> str:
        length = str(slot.length) if slot.length else self._number("I", 4)
        self._flush()
        if slot.bound:
            self._limit(slot.name, length, slot.bound)
        start, made, running = self.settle(), self.fresh("l"), self.fresh("p")
        self.line(f"if {length} > size - ({start}):")
        self.line(f"    fail('{slot.name}: more elements than bytes')")
        self.line(f"{made} = []")
        self.line(f"{running} = {start}")
        self.line(f"for _ in range({length}):")
        with self.indented():
            self.at = Position(running, 0, 1)
            self.line(f"{made}.append({self.message(slot.cls, slot.slots)})")
            self.line(f"{running} = {self.at}")
        self.at = Position(running, 0, 1)
        return f"tuple({made})"

    def _limit(self, name: str, value: str, bound: int) -> None:
        self.line(f"if {value} > {bound}:")
        self.line(f"    fail('{name}: longer than the {bound} that its type allows')")

    def _check_bools(self, name: str, start: str, length: str) -> None:
        # numpy takes any byte for a bool and then computes nonsense with a 2.
        self.line(f"if bytes(body[{start}:{start} + {length}]).strip(ZERO_OR_ONE):")
        self.line(f"    fail('{name}: a bool is neither 0 nor 1')")

    def _align(self, size: int, only_if: str = "") -> None:
        padding = self.at.padding(size)
        if padding is None or (only_if and padding):
            self._flush()
            condition = f" if {only_if} else {self.at}" if only_if else ""
            name = self.fresh("p")
            self.line(f"{name} = ({self.at} + {size - 1}) & -{size}{condition}")
            self.at = Position(name, 0, 4 if only_if else size)
        elif padding:
            if self._format:
                self._format += f"{padding}x"
            self.at = self.at.plus(padding)

    def _dtype(self, dtype: np.dtype[Any]) -> str:
        name = f"DTYPE_{dtype.name}"
        self.constants[name] = dtype
        return name

    def _flush(self) -> None:
        self._flush_numbers()
        self._flush_blocks()

    def _flush_numbers(self) -> None:
        if self._format:
            unpack = self.constant(struct.Struct(self._order + self._format).unpack_from, "UNPACK")
            self.line(f"{', '.join(self._targets)}, = {unpack}(body, {self._format_at})")
        self._format, self._targets = "", []

    def _flush_blocks(self) -> None:
        """Arrays that follow each other are parts of one view: slicing costs a quarter of making a view of bytes."""
        if not self._blocks:
            return
        dtype = self._dtype(self._blocks[0][1].dtype)
        counts = [int(np.prod(block.shape)) for _, block in self._blocks]
        whole = self.fresh("v")
        self.line(f"{whole} = view(body, {dtype}, {sum(counts)}, {self._blocks_at})")
        start = 0
        for (name, block), count in zip(self._blocks, counts, strict=True):
            part = whole if len(self._blocks) == 1 else f"{whole}[{start}:{start + count}]"
            shape = f".reshape({', '.join(map(str, block.shape))})" if len(block.shape) > 1 else ""
            self.line(f"{name} = {part}{shape}")
            if block.dtype.kind == "b":
                self._check_bools(block.name, f"{self._blocks_at} + {start}", str(count))
            start += count
        self._blocks = []

    def finished(self, result: str, title: str) -> Callable[..., Any]:
        self.line(f"if not 0 <= size - ({self.at}) <= 3:")
        self.line(f"    fail(str(size - ({self.at})) + ' bytes are left over')")
        self.line(f"return {result}")
        return self.function("decode(body, size, view)", f"decode {title}")
