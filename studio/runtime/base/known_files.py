"""Which files have other content than when this process began.

The time at which its inode changed tells it of any file, but a hard link or new permissions change that time too:
package installers link the files of one store into every environment, and each new link touches all the others. So
size and time of writing of the files that are in use are noted early, and decide in these cases.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from studio.runtime.base.clock import wall_ns


class KnownFiles:
    def __init__(self) -> None:
        self._began_ns = wall_ns()
        self._noted: dict[str, tuple[int, int, int]] = {}

    def note(self, files: Iterable[str]) -> None:
        """These are as they were when the process began, but for those that have been touched since."""
        for file in files:
            try:
                status = os.stat(file)
            except OSError:
                continue
            if status.st_ctime_ns <= self._began_ns:
                self._noted[file] = _written(status)

    def have_changed(self, file: str) -> bool:
        try:
            status = os.stat(file)
        except OSError:
            return True
        return status.st_ctime_ns > self._began_ns and self._noted.get(file) != _written(status)


def _written(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_size, status.st_mtime_ns
