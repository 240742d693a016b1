"""Files that Studio made of a model: marked, so that what somebody changed in them by hand is never lost silently."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from studio.model.files import FileError, read_bytes, write_atomically

_MARK = re.compile(rb"<!-- made by Robot Systems Studio from [^\n]*; content ([0-9a-f]{16}); [^\n]*-->\n")


def marked(text: str, source: str) -> bytes:
    """`text`, an XML document without a declaration, with a mark that knows what it looked like."""
    body = text.encode("utf-8")
    name = re.sub(r"[^\w. :/-]", "_", source).replace("--", "__")
    mark = (
        f"<!-- made by Robot Systems Studio from {name}; content {_digest(body)}; edit that instead of this file -->\n"
    )
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + mark.encode() + body


def is_untouched(data: bytes) -> bool:
    """Whether the file is as Studio wrote it."""
    found = _MARK.search(data)
    return found is not None and _digest(data[found.end() :]) == found.group(1).decode()


def write_generated(path: Path, data: bytes, *, overwrite: bool = False) -> None:
    """Replaces only what Studio wrote and nobody changed, unless told to."""
    if path.exists() and not overwrite:
        old = read_bytes(path)
        if not is_untouched(old):
            edited = _MARK.search(old) is not None
            message = "was edited by hand since Studio made it" if edited else "was not made by Studio"
            raise FileError(message, file=path, hint="choose another name, or overwrite it with --overwrite")
    write_atomically(path, data)


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()[:16]
