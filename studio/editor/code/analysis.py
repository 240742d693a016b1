"""The process that knows Python code: asked by the editor, never waited for."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QObject, QProcess, pyqtSignal

from studio.editor.base.own_process import own_process

MODULE = "studio.editor.code.analysis_worker"
MOST_STARTS = 3
"""A process that dies again and again is left alone."""
Answer = Callable[[list[Any]], object]


class CodeAnalysis(QObject):
    """One request at a time; of several that wait, only the newest of a kind is still wanted."""

    refused = pyqtSignal(str)
    """Why nothing will be found, once; "" when it is found again."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.project = Path("/")
        self._process: QProcess | None = None
        self._starts = 0
        self._count = 0
        self._rest = b""
        self._waiting: dict[str, tuple[dict[str, Any], Answer]] = {}
        self._asked: tuple[dict[str, Any], Answer] | None = None
        self._told = False

    @property
    def pid(self) -> int:
        return int(self._process.processId()) if self._process is not None else 0

    def ask(self, kind: str, path: Path, text: str, line: int, column: int, then: Answer) -> None:
        """`line` from 1 on, `column` from 0 on. `then` gets what was found, unless a newer request took its place."""
        self._count += 1
        request = {
            "id": self._count, "kind": kind, "path": str(path), "text": text, "line": line, "column": column,
            "project": str(self.project),
        }  # fmt: skip
        self._waiting[kind] = (request, then)
        self._next()

    def forget(self, path: Path) -> None:
        """A file was closed: what would show an answer about it is gone."""
        asked = str(path)
        self._waiting = {kind: one for kind, one in self._waiting.items() if one[0]["path"] != asked}
        if self._asked is not None and self._asked[0]["path"] == asked:
            self._asked = (self._asked[0], lambda _: None)

    def _next(self) -> None:
        if self._asked is not None or not self._waiting or not self._is_started():
            return
        assert self._process is not None
        kind = next(iter(self._waiting))
        request, then = self._waiting.pop(kind)
        self._asked = (request, then)
        self._process.write(json.dumps(request).encode() + b"\n")

    def _is_started(self) -> bool:
        if self._process is not None:
            return True
        if self._starts >= MOST_STARTS:
            return False
        self._starts += 1
        process = own_process(self, MODULE)
        process.setWorkingDirectory("/")
        process.setProcessChannelMode(QProcess.ProcessChannelMode.ForwardedErrorChannel)
        process.readyReadStandardOutput.connect(self._read)
        process.finished.connect(self._ended)
        process.start()
        self.destroyed.connect(lambda: _end(process))
        self._process = process
        return True

    def _read(self) -> None:
        if self._process is None:
            return
        *lines, self._rest = (self._rest + bytes(self._process.readAllStandardOutput().data())).split(b"\n")
        for line in lines:
            self._take(json.loads(line))

    def _take(self, reply: dict[str, Any]) -> None:
        asked, self._asked = self._asked, None
        if "error" in reply:
            self._waiting.clear()
            if not self._told:
                self._told = True
                self.refused.emit(str(reply["error"]))
            return
        if self._told:
            self._told = False
            self.refused.emit("")  # what was missing has been installed meanwhile
        self._next()
        if asked is not None and asked[0]["id"] == reply["id"]:
            asked[1](reply["found"])

    def _ended(self) -> None:
        self._process, self._asked, self._rest = None, None, b""
        self._next()


def _end(process: QProcess) -> None:
    """The window goes; a process that is destroyed while it runs makes Qt complain."""
    with suppress(RuntimeError):
        process.blockSignals(True)
        process.kill()
        process.waitForFinished(1000)
