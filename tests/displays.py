"""Displays of one's own, for what has to be seen to be tested."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def own_display(width: int, height: int) -> Iterator[str]:
    """Of an Xvfb, by the name that DISPLAY wants."""
    reader, writer = os.pipe()
    words = ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp"]
    server = subprocess.Popen(words, pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        with os.fdopen(reader) as stream:
            yield f":{stream.readline().strip()}"
    finally:
        server.terminate()
        server.wait(timeout=20)
