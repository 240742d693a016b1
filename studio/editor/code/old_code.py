"""Which processes still run the code of a file as it was before the file was saved. No Qt in here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

Processes = Mapping[str, Mapping[str, Any]]
"""Of the running system: host -> its facts, among them the pid."""


class OldCode:
    """A process that was started after a file was saved runs the new code, whoever has restarted it."""

    def __init__(self) -> None:
        self._pids: dict[Path, dict[str, int]] = {}

    def saved(self, file: Path, hosts: Iterable[str], processes: Processes) -> None:
        self._pids[file] = {host: pid for host in hosts if (pid := _pid(host, processes)) is not None}

    def runs(self, file: Path, host: str) -> bool:
        return host in self._pids.get(file, {})

    def reloaded(self, host: str) -> None:
        """It may have kept its process."""
        for pids in self._pids.values():
            pids.pop(host, None)

    def renewed(self, processes: Processes) -> list[Path]:
        """Files whose code no process runs any more as it was; they are forgotten, and so are restarted processes."""
        gone = []
        for file, pids in list(self._pids.items()):
            self._pids[file] = left = {host: pid for host, pid in pids.items() if _pid(host, processes) == pid}
            if not left:
                del self._pids[file]
                gone.append(file)
        return gone

    def clear(self) -> list[Path]:
        """The system has ended: all files that some process has run as they were."""
        return self.renewed({})


def _pid(host: str, processes: Processes) -> int | None:
    return processes.get(host, {}).get("pid")
