"""Which tests have failed, and with what message, in a file of JSON lines: `--record-failures FILE`.

`make test` tries once more what has failed. Without this nobody would see a test that fails at first every other day.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

LONGEST_MESSAGE = 300


class FailureRecord:
    """A plugin of pytest, in the process that hears of all workers. `again`: this run gives the second chance."""

    def __init__(self, file: Path, *, again: bool) -> None:
        self._file = file
        self._again = again
        self._saved: dict[str, str] = {}
        file.parent.mkdir(parents=True, exist_ok=True)

    def pytest_sessionstart(self) -> None:
        if not self._again:
            self._write(began=True)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._saved.pop(report.nodeid, None)
            self._write(test=report.nodeid, again=self._again, message=_message(report), load=os.getloadavg()[0])
        elif self._again and report.when == "call" and report.passed:
            self._saved[report.nodeid] = "passed"

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._again and self._saved:
            terminalreporter.section("failed at first, and passed when tried once more")
            for test in self._saved:
                terminalreporter.write_line(test)
            terminalreporter.write_line("each is a bug until shown otherwise; python -m tools.second_chances tells why")

    def _write(self, **fields: Any) -> None:
        with self._file.open("a") as out:
            out.write(json.dumps(fields) + "\n")


def _message(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = str(crash.message if crash is not None else report.longrepr or "")
    where = "" if report.when == "call" else f"in {report.when}: "
    return (where + text.strip())[:LONGEST_MESSAGE]
