"""How a process ends that was forked with all its libraries: as any Python program does, but nothing is taken apart.

To free every module and object copies each page that is still shared with the fork server: 40 ms of work for every
process of a run, 100 with numba, and whoever stops a system waits for all of them.
"""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys
from collections.abc import Callable
from contextlib import suppress


def run_and_leave(main: Callable[[], int | None]) -> None:
    """The process ends with the status of `main` soon after this returns or raises.

    Until then all is as usual: threads are waited for, functions of `atexit` are called, and what was written is
    written, also into files that nobody has closed.
    """
    status = 1  # of one that ends by an exception

    def leave() -> None:
        try:
            _write_out()
        finally:
            os._exit(status)

    atexit.register(leave)  # called last: after everything that is registered from now on
    try:
        status = main() or 0
    except SystemExit as ending:
        status = ending.code if isinstance(ending.code, int) else int(ending.code is not None)
        raise


def _write_out() -> None:
    ours = [each for each in gc.get_objects() if issubclass(type(each), io.IOBase)]
    for stream in (*ours, sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # a full disk, a file that is closed
            stream.flush()
    del ours
    gc.collect()  # what nobody refers to closes what it has open, such as the end of an archive
