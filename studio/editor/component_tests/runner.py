"""Runs the tests of a component in a process of their own, and tells what they say line by line."""

from __future__ import annotations

import os
import re
from pathlib import Path

from PyQt6.QtCore import QObject, QProcess, pyqtSignal

from studio.editor.base.own_process import own_process

OPTIONS = ("-q", "--no-header", "--tb=short", "--color=no", "--import-mode=importlib", "-p", "no:cacheprovider",
           "-p", "no:xvfb", "-c", os.devnull)  # fmt: skip
"""Settings of pytest in the project are not read: they can name code to load, and nobody was asked about that."""
NO_PYTEST = "No module named pytest"
_SUMMARY = re.compile(r"^=*\s*(?=\d+ (?:passed|failed|error|skipped))(.*?)\s*=*$")


def has_tests(folder: Path) -> bool:
    return any(folder.glob("test_*.py"))


def code_around(folder: Path, project: Path) -> list[Path]:
    """What pytest runs of the project besides the component."""
    files = (each / "conftest.py" for each in folder.parents if each.is_relative_to(project))
    return sorted(file for file in files if file.exists())


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
        self._process: QProcess | None = None

    @property
    def is_under_way(self) -> bool:
        return self._process is not None

    def start(self, folder: Path, project: Path) -> None:
        bounds = (f"--rootdir={project}", f"--confcutdir={project}")
        process = self._process = own_process(self, "pytest", str(folder), *OPTIONS, *bounds)
        environment = process.processEnvironment()
        environment.insert("PYTHONUNBUFFERED", "1")
        process.setProcessEnvironment(environment)
        process.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
        process.setWorkingDirectory(str(project))
        process.readyReadStandardOutput.connect(self._read)
        process.finished.connect(self._finished)
        process.errorOccurred.connect(self._not_started)
        process.start()

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()

    def _read(self) -> None:
        assert self._process is not None
        text = self._rest + bytes(self._process.readAllStandardOutput().data()).decode(errors="replace")
        *lines, self._rest = text.split("\n")
        for line in lines:
            self.said.emit(line)

    def _finished(self, status: int, how: QProcess.ExitStatus) -> None:
        self._read()
        if self._rest:
            self.said.emit(self._rest)
            self._rest = ""
        self._end(status if how is QProcess.ExitStatus.NormalExit else -1)

    def _not_started(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart and self._process is not None:
            self.said.emit(self._process.errorString())
            self._end(-1)

    def _end(self, status: int) -> None:
        assert self._process is not None
        self._process.deleteLater()
        self._process = None
        self.ended.emit(status)
