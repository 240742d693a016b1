"""XML from files that may be hostile: refused by expat before lxml sees them, and only ever a FileError."""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from lxml import etree

from studio.model.files import MAX_BYTES, FileError

MAX_DEPTH = 64
MAX_ATTRIBUTE_CHARACTERS = 64 * 1024
XINCLUDE = "http://www.w3.org/2001/XInclude"
_LAST_LINE = 65535
"""libxml2 has 16 bits for what is set from outside."""
_HINTS = {
    "no element found": "the file is empty, or ends before its last closing tag",
    "mismatched tag": "a closing tag must have the name of the tag that was opened last",
}
"""For what expat says; its line is where the fault was noticed."""
_UTF8_NAMES = {"utf-8", "utf8", "us-ascii", "ascii"}
_FOREIGN_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff", b"<\x00", b"\x00<")


_DECLARATION = re.compile(rb"<\?xml\s[^>]*?\?>")
_PREFIX = re.compile(rb"(?:</?|\s)([A-Za-z_][\w.-]*):[\w.-]+(?=[\s/>=])")
_DECLARED = re.compile(rb"xmlns:([\w.-]+)\s*=")
_ROOT = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|<!--.*?-->|<\?.*?\?>)*<[A-Za-z_][\w:.-]*", re.DOTALL)
_VERSION = re.compile(rb"""version\s*=\s*["']1\.[0-9]+["']""")


def as_simulators_read(data: bytes) -> bytes:
    """Models of others are not always XML by the book, and their simulators do not mind."""
    return _with_declared_prefixes(_without_odd_declaration(data))


def _with_declared_prefixes(data: bytes) -> bytes:
    """`<drake:joint>` without a declaration of `drake`: it gets one in the root, whose line stays the same."""
    missing = set(_PREFIX.findall(data)) - set(_DECLARED.findall(data)) - {b"xml", b"xmlns"}
    root = _ROOT.match(data)
    if root is None or not missing:
        return data
    declared = b"".join(b' xmlns:%s="urn:undeclared:%s"' % (name, name) for name in sorted(missing))
    return data[: root.end()] + declared + data[root.end() :]


def _without_odd_declaration(data: bytes) -> bytes:
    """Models of others with `<?xml version="0.0"?>`, or with a declaration behind a comment or an empty line: their
    simulators do not mind. The declaration becomes spaces, so that the lines keep their numbers."""
    found = _DECLARATION.search(data)
    if found is None or (found.start() == 0 and _VERSION.search(found[0])):
        return data
    before = re.sub(rb"<!--.*?-->", b"", data[: found.start()].removeprefix(codecs.BOM_UTF8), flags=re.DOTALL)
    if before.strip() or re.search(rb"encoding\s*=\s*[\"'](?!utf-?8|us-ascii|ascii)", found[0], re.IGNORECASE):
        return data
    blank = re.sub(rb"[^\n]", b" ", found[0])
    return data[: found.start()] + blank + data[found.end() :]


def parse_hardened(data: bytes, file: Path | str | None = None) -> etree._Element:
    """The root element, without comments and processing instructions (XML kept as written is xml_text's business)."""
    lines = refuse_unsafe(data, file)
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False,
        attribute_defaults=False, huge_tree=False, remove_comments=True, remove_pis=True, strip_cdata=True,
    )  # fmt: skip
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise FileError(f"not well-formed XML: {error.msg}", file=file, line=error.lineno) from None
    except (etree.LxmlError, ValueError) as error:
        raise FileError(f"not readable as XML: {error}", file=file) from None
    _correct_lines(root, lines)
    return root


def refuse_unsafe(data: bytes, file: Path | str | None = None) -> list[int]:
    """Raise FileError unless `data` is well-formed UTF-8 XML without DOCTYPE and XInclude and within the limits.

    The result is the line in which each element begins, in document order.
    """
    if len(data) > MAX_BYTES:
        raise FileError(f"larger than {MAX_BYTES // 2**20} MB", file=file, hint="Studio does not write such files")
    _refuse_other_encodings(data, file)
    guard = _Guard(file)
    try:
        guard.parser.Parse(data, True)
    except expat.ExpatError as error:
        what = expat.errors.messages.get(error.code, str(error))
        hint = _HINTS.get(what, "")
        raise FileError(f"not well-formed XML: {what}", file=file, line=error.lineno, hint=hint) from None
    return guard.lines


def _correct_lines(root: etree._Element, lines: list[int]) -> None:
    """libxml2 gives the line in which a start tag ends; people look for the one in which it begins."""
    for element, line in zip(root.iter(etree.Element), lines, strict=True):
        if line <= _LAST_LINE:
            element.sourceline = line  # type: ignore[assignment]  # an int; lxml-stubs has "..."


def _refuse_other_encodings(data: bytes, file: Path | str | None) -> None:
    if data.startswith(_FOREIGN_MARKS):
        raise FileError("not UTF-8 (it looks like UTF-16 or UTF-32)", file=file, line=1, hint="save it as UTF-8")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        raise FileError(f"not UTF-8: byte 0x{byte:02x}", file=file, line=line, hint="save it as UTF-8") from None


class _Guard:
    """Watches one pass of expat; a handler that raises stops the parser there and then."""

    def __init__(self, file: Path | str | None) -> None:
        self.file = file
        self.depth = 0
        self.lines: list[int] = []
        self.parser = expat.ParserCreate("utf-8", namespace_separator=" ")
        self.parser.XmlDeclHandler = self._declaration
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.EntityDeclHandler = self._doctype
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end

    def _declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding is not None and encoding.lower() not in _UTF8_NAMES:
            self._refuse(f"the encoding {encoding} is not supported", 'save the file as UTF-8 with encoding="UTF-8"')

    def _doctype(self, *_declared: object) -> NoReturn:
        self._refuse("a DOCTYPE is not allowed", "delete it: Studio's files need no document type and no entities")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        self.lines.append(self.parser.CurrentLineNumber)
        if self.depth > MAX_DEPTH:
            self._refuse(f"elements nested deeper than {MAX_DEPTH}", "Studio does not write such files")
        if name.startswith(XINCLUDE + " "):
            self._refuse("XInclude is not supported", "put the included text into this file")
        for key, value in attributes.items():
            if len(value) > MAX_ATTRIBUTE_CHARACTERS:
                self._refuse(f"the attribute {key[:40]} is longer than {MAX_ATTRIBUTE_CHARACTERS} characters", "")

    def _end(self, name: str) -> None:
        self.depth -= 1

    def _refuse(self, message: str, hint: str) -> NoReturn:
        raise FileError(message, file=self.file, line=self.parser.CurrentLineNumber, hint=hint)
