"""What a person sees of a system while `studio run` runs it: log lines, failures, a status line. All on stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from studio.cli.run_result import Result, death
from studio.runtime.launcher import Session

LOUD = ("warning", "error", "critical")
CLEAR_LINE = "\r\x1b[K"


class Console:
    def __init__(self, *, quiet: bool, seconds: float | None) -> None:
        self._quiet = quiet
        self._seconds = seconds
        self._status = sys.stderr.isatty() and not quiet
        self._told: set[str] = set()
        """Components whose failure has been shown."""

    def look(self, session: Session, passed_s: float | None = None) -> None:
        """Show what has happened since the last look."""
        log = session.observer.log
        while log:
            line = log.popleft()
            if not self._quiet or line["level"] in LOUD:
                level = f"{line['level']}: " if line["level"] in LOUD else ""
                self._print(f"{line['component']}: {level}{line['text']}")
        for report in list(session.observer.reports.values()):
            for name, component in report["components"].items():
                self._tell_failure(name, component["error"])
        if passed_s is not None:
            self._look_while_running(session, passed_s)

    def _look_while_running(self, session: Session, passed_s: float) -> None:
        for host, status in list(session.exits.items()):
            for component in session.plan.on_host(host):
                self._tell_failure(component.name, death(status, session.output_of(host)))
        if self._status:
            of = f" of {self._seconds:g}" if self._seconds is not None else ", Ctrl-C ends"
            print(f"{CLEAR_LINE}running {passed_s:.1f}{of} s", end="", file=sys.stderr, flush=True)

    def tell_failures(self, result: Result) -> None:
        """Show the failures that nobody has seen yet."""
        for component in result.components:
            self._tell_failure(component.name, component.error)

    def close(self) -> None:
        if self._status:
            print(CLEAR_LINE, end="", file=sys.stderr, flush=True)

    def _tell_failure(self, name: str, error: str) -> None:
        if error and name not in self._told:
            self._told.add(name)
            self._print(f"{name} failed:\n" + "\n".join(f"  {line}" for line in readable(error)))

    def _print(self, text: str) -> None:
        print(f"{CLEAR_LINE if self._status else ''}{text}", file=sys.stderr, flush=True)


def readable(traceback: str) -> Iterator[str]:
    """The traceback without the machinery that called the component."""
    inside = False
    for line in traceback.rstrip().splitlines():
        if line.startswith('  File "'):
            inside = line.split('"')[1].endswith("studio/runtime/cell.py")
        elif not line.startswith("    "):
            inside = False
        if not inside:
            yield line
