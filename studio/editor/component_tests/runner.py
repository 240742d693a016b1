"""Runs the tests of a component in a process of their own, and tells what they say line by line."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from PyQt6.QtCore import QObject, QProcess, QProcessEnvironment, pyqtSignal

OPTIONS = ("-q", "--no-header", "--tb=short", "--color=no", "--import-mode=importlib", "-p", "no:cacheprovider",
           "-p", "no:xvfb")  # fmt: skip
NO_PYTEST = "No module named pytest"
_SUMMARY = re.compile(r"^=*\s*(?=\d+ (?:passed|failed|error|skipped))(.*?)\s*=*$")


def has_tests(folder: Path) -> bool:
    return any(folder.glob("test_*.py"))


def summary_in(line: str) -> str:
    """`2 passed in 0.31s`, if this is the line that says so."""
    found = _SUMMARY.match(line.strip())
    return found.group(1) if found else ""


class TestRun(QObject):
    __test__ = False  # pytest would collect it for its name
    said = pyqtSignal(str)
    """A line of its output."""
    ended = pyqtSignal(int)
    """With its exit status; negative if it was stopped or could not be started."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._rest = ""
        self._process = QProcess(self)
        self._process.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.finished.connect(self._finished)
        self._process.errorOccurred.connect(self._not_started)

    @property
    def is_under_way(self) -> bool:
        return self._process.state() != QProcess.ProcessState.NotRunning

    def start(self, folder: Path, project: Path) -> None:
        environment = QProcessEnvironment.systemEnvironment()
        environment.insert("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
        environment.insert("PYTHONUNBUFFERED", "1")
        self._process.setProcessEnvironment(environment)
        self._process.setWorkingDirectory(str(project))
        self._process.start(sys.executable, ["-m", "pytest", str(folder), *OPTIONS])

    def stop(self) -> None:
        self._process.kill()

    def _read(self) -> None:
        text = self._rest + bytes(self._process.readAllStandardOutput().data()).decode(errors="replace")
        *lines, self._rest = text.split("\n")
        for line in lines:
            self.said.emit(line)

    def _finished(self, status: int, how: QProcess.ExitStatus) -> None:
        self._read()
        if self._rest:
            self.said.emit(self._rest)
            self._rest = ""
        self.ended.emit(status if how is QProcess.ExitStatus.NormalExit else -1)

    def _not_started(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self.said.emit(self._process.errorString())
            self.ended.emit(-1)
