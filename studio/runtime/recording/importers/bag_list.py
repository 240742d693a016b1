"""What `metadata.yaml` of a ROS 2 bag says of its files. Versions differ in much that nobody needs here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

_PACKED = re.compile(r"compression_mode:\s*['\"]?(message|file)", re.IGNORECASE)
_FILES = re.compile(r"relative_file_paths:\s*\n((?:\s*-\s*.+\n?)+)")
_FILE = re.compile(r"^\s*-\s*['\"]?(.+?)['\"]?\s*$", re.MULTILINE)
_DISTRIBUTION = re.compile(r"ros_distro:\s*['\"]?([a-z]+)")
_READ_BYTES = 1 << 20


class BagList(NamedTuple):
    files: tuple[str, ...] = ()
    is_packed: bool = False
    """Whether files or messages are compressed one by one."""
    distribution: str = ""
    """The ROS 2 that recorded it, where that is said."""

    def missing(self, found: Iterable[Path]) -> list[str]:
        names = {file.name for file in found}
        return [name for name in self.files if name not in names]


def read_list(metadata: Path) -> BagList:
    """Empty if there is none."""
    try:
        with metadata.open(encoding="utf-8", errors="replace") as stream:
            text = stream.read(_READ_BYTES)
    except OSError:
        return BagList()
    listed = _FILES.search(text)
    # Old recorders wrote the bag's folder before the name.
    files = tuple(Path(name).name for name in _FILE.findall(listed[1])) if listed else ()
    said = _DISTRIBUTION.search(text)
    return BagList(files, _PACKED.search(text) is not None, said[1] if said else "")
