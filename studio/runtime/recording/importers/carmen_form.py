"""How a CARMEN log is told from other texts."""

from __future__ import annotations

import re
from pathlib import Path

from studio.runtime.recording.importers.carmen_lines import MESSAGES, PARAM
from studio.runtime.recording.importers.output import Watch
from studio.runtime.recording.importers.text_lines import TextLines

_LOOKED_AT_LINES = 2000
_CARMEN_COMMENT = re.compile(rb"#+\s*(message formats defined|PARAM param_name)")


def is_carmen(path: Path) -> bool:
    """Whether a message or comment of CARMEN is among the first lines; damage before it is no reason to refuse."""
    for number, line in TextLines(path, Watch(path)):
        words = line.split(None, 1)
        if _CARMEN_COMMENT.match(line) or (words and (words[0] in MESSAGES or words[0] == PARAM)):
            return True
        if number > _LOOKED_AT_LINES:
            break
    return False
