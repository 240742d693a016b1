"""XML as written: where each element lies in the bytes, and how to change one attribute without touching the rest.

lxml forgets quotes, the order of attributes on a changed element, and white space inside tags; so expat tells the byte
spans here, and changes are made in the bytes themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from studio.model.xml_parse import refuse_unsafe

_S = rb"[ \t\r\n]"
_ATTRIBUTE = re.compile(rb"(%s+)([^ \t\r\n=/>\"']+)%s*=%s*(\"[^\"]*\"|'[^']*')" % (_S, _S, _S))
_START_TAG = re.compile(rb"<[^ \t\r\n/>]+(?:%s)*%s*/?>" % (_ATTRIBUTE.pattern, _S))
_TAG_NAME = re.compile(rb"<[^ \t\r\n/>]+")
_LINE_HEAD = re.compile(rb"(?s)(?:<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>|[^\r\n<])*")
_LAST_LINE = re.compile(rb"\r?\n[ \t]*\Z")
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"}
_ATTRIBUTE_ESCAPES = {"&": "&amp;", "<": "&lt;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}


@dataclass
class Span:
    """One element in the bytes: `<tag ...>` is start..inner_start, the content inner_start..inner_end."""

    tag: str
    """In a namespace: `uri name`, which no name that Studio knows can equal."""
    attributes: dict[str, str]
    start: int
    inner_start: int
    inner_end: int = 0
    end: int = 0
    text: str = ""
    children: list[Span] = field(default_factory=list)


def parse_spans(data: bytes) -> list[Span]:
    """Every element of `data`, in document order. FileError if the bytes are no XML that Studio reads."""
    refuse_unsafe(data)
    return _SpanReader(data).spans


class _SpanReader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.spans: list[Span] = []
        self._open: list[Span] = []
        self._parser = expat.ParserCreate("utf-8", namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.Parse(data, True)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        start = self._parser.CurrentByteIndex
        written = _START_TAG.match(self.data, start)
        if written is None:
            raise ValueError(f"no start tag at byte {start}")
        span = Span(tag, attributes, start, written.end())
        if self._open:
            self._open[-1].children.append(span)
        self.spans.append(span)
        self._open.append(span)

    def _end(self, tag: str) -> None:
        span = self._open.pop()
        if self.data[span.inner_start - 2 : span.inner_start] == b"/>":
            span.inner_end = span.end = span.inner_start
        else:
            span.inner_end = self._parser.CurrentByteIndex
            span.end = self.data.index(b">", span.inner_end) + 1

    def _characters(self, text: str) -> None:
        self._open[-1].text += text


def edit_start_tag(
    written: bytes, current: Mapping[str, str], wanted: Mapping[str, str], known: Mapping[str, Callable[[str], object]]
) -> bytes:
    """The start tag `written` with its known attributes as `wanted`.

    `known` lists them in the order in which new ones are written, each with the function by which two texts are
    compared: with `float`, `0.50` stays when 0.5 is wanted. Unknown attributes stay as they are.
    """
    for name, meaning in known.items():
        if name not in wanted and name in current:
            written = _remove_attribute(written, name)
        elif name in wanted and name not in current:
            written = _insert_attribute(written, name, wanted[name], list(known))
        elif name in wanted and not same(current[name], wanted[name], meaning):
            written = _set_attribute(written, name, wanted[name])
    return written


def same(one: str, other: str, meaning: Callable[[str], object]) -> bool:
    return one == other or meaning(one) == meaning(other)


def escape_text(text: str, newline: bytes = b"\n") -> bytes:
    escaped = "".join(_ESCAPES.get(character, character) for character in text)
    return escaped.encode("utf-8").replace(b"\n", newline)


def escape_attribute(text: str, quote: str = '"') -> bytes:
    escapes = _ATTRIBUTE_ESCAPES | ({'"': "&quot;"} if quote == '"' else {"'": "&apos;"})
    return "".join(escapes.get(character, character) for character in text).encode("utf-8")


def attribute(name: str, value: str) -> bytes:
    return name.encode() + b'="' + escape_attribute(value) + b'"'


def split_line(gap: bytes) -> tuple[bytes, bytes]:
    """What stands on the line on which `gap` begins, and the rest; a line break inside a comment does not count."""
    head = _LINE_HEAD.match(gap)
    end = head.end() if head else 0
    return gap[:end], gap[end:]


def last_line(gap: bytes) -> bytes | None:
    """The line break and indentation at the end of `gap`, None if what follows `gap` does not begin a line."""
    found = _LAST_LINE.search(gap)
    return found.group() if found else None


def _find(written: bytes, name: str) -> re.Match[bytes]:
    for found in _ATTRIBUTE.finditer(written):
        if found.group(2) == name.encode():
            return found
    raise ValueError(f"no attribute {name} in {written!r}")


def _set_attribute(written: bytes, name: str, value: str) -> bytes:
    start, end = _find(written, name).span(3)
    quote = written[start : start + 1]
    return written[:start] + quote + escape_attribute(value, quote.decode()) + quote + written[end:]


def _remove_attribute(written: bytes, name: str) -> bytes:
    start, end = _find(written, name).span()
    return written[:start] + written[end:]


def _insert_attribute(written: bytes, name: str, value: str, order: list[str]) -> bytes:
    """After the last of those that come before it in `order`, set apart from it as that one is from its predecessor."""
    before = {known.encode() for known in order[: order.index(name)]}
    earlier = [found for found in _ATTRIBUTE.finditer(written) if found.group(2) in before]
    tag = _TAG_NAME.match(written)
    place = earlier[-1].end() if earlier else (tag.end() if tag else 0)
    space = earlier[-1].group(1) if len(earlier) > 1 and b"\n" in earlier[-1].group(1) else b" "
    return written[:place] + space + attribute(name, value) + written[place:]
