"""What a person sees of a system while `studio run` runs it: log lines, failures, a live table. All on stderr."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator

from studio.cli.run_parts.run_result import Result
from studio.cli.shared.live_table import live_table
from studio.paths import PACKAGE
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.processes.events import Happening, ProcessExited
from studio.runtime.server.attach_server import AttachServer
from studio.runtime.session.session import Session

LOUD = ("warning", "error", "critical")
DRAW_EVERY_NS = SECOND_NS // 2
_MACHINERY = tuple(
    f"studio/runtime/host/{name}.py" for name in ("component_runner", "lifecycle_state", "hand_commands", "executor")
)
"""What calls components: of no interest to those who wrote them."""


class Console:
    def __init__(self, *, quiet: bool, seconds: float | None) -> None:
        self._quiet = quiet
        self._seconds = seconds
        self._live = sys.stderr.isatty() and not quiet
        self._muted = False
        self._drawn = 0
        """Lines of the table that are on the screen."""
        self._drawn_ns = 0
        self._told: set[str] = set()
        """Components whose failure has been shown."""

    def look(self, session: Session, passed_s: float | None = None, runtime: AttachServer | None = None) -> None:
        """Show what has happened since the last look."""
        log = session.observer.log
        while log:
            line = log.popleft()
            if not self._quiet or line["level"] in LOUD:
                level = f"{line['level']}: " if line["level"] in LOUD else ""
                self._print(f"{line['component']}: {level}{line['text']}")
        while session.happenings:
            self._tell(session, session.happenings.popleft())
        for report in list(session.observer.reports.values()):
            for name, component in report["components"].items():
                self._tell_failure(name, component.get("error", ""))
        if passed_s is not None and runtime is not None and self._live:
            self._draw(runtime, passed_s)

    def _tell(self, session: Session, happening: Happening) -> None:
        # The components of a host; broker and recorder have none.
        for name in [component.name for component in session.plan.on_host(happening.name)] or [happening.name]:
            if isinstance(happening, ProcessExited):
                self._told.discard(name)
                self._tell_failure(name, str(happening))
            else:
                self._print(f"{name}: {happening.level}: {happening}")

    def tell_failures(self, result: Result) -> None:
        """Show the failures that nobody has seen yet."""
        for component in result.components:
            self._tell_failure(component.name, component.error)

    def mute(self) -> None:
        """Nobody sees it any more: those who attach hear all of this from the runtime."""
        self._muted, self._live = True, False

    def close(self) -> None:
        self._wipe()

    def _tell_failure(self, name: str, error: str) -> None:
        if error and name not in self._told:
            self._told.add(name)
            self._print(f"{name} failed:\n" + "\n".join(f"  {line}" for line in readable(error)))

    def _print(self, text: str) -> None:
        if not self._muted:
            self._wipe()
            print(text, file=sys.stderr, flush=True)

    # The table.

    def _draw(self, runtime: AttachServer, passed_s: float) -> None:
        now_ns = monotonic_ns()
        if self._drawn and now_ns - self._drawn_ns < DRAW_EVERY_NS:
            return
        size = shutil.get_terminal_size()
        lines = [self._headline(runtime.session, passed_s), *live_table(runtime.snapshot())][: size.lines - 1]
        self._wipe()
        print("\n".join(line[: size.columns - 1] for line in lines), file=sys.stderr, flush=True)
        self._drawn, self._drawn_ns = len(lines), now_ns

    def _headline(self, session: Session, passed_s: float) -> str:
        of = f" of {self._seconds:g} s" if self._seconds is not None else " s, Ctrl-C ends"
        return f"running {passed_s:.0f}{of}"

    def _wipe(self) -> None:
        if self._drawn:
            print(f"\x1b[{self._drawn}F\x1b[J", end="", file=sys.stderr, flush=True)
            self._drawn = 0


def readable(traceback: str) -> Iterator[str]:
    """The traceback without the machinery that called the component; of what Studio itself refuses, the reason alone:
    nobody has to look into Studio's files for it."""
    files = [line.split('"')[1] for line in traceback.splitlines() if line.startswith('  File "')]
    name, _, reason = traceback[traceback.rfind("\n", 0, -1) + 1 :].rstrip().partition(": ")
    if name.startswith("studio.") and reason and all(file.startswith(str(PACKAGE)) for file in files):
        yield reason
        return
    inside = False
    for line in traceback.rstrip().splitlines():
        if line.startswith('  File "'):
            inside = line.split('"')[1].endswith(_MACHINERY)
        elif not line.startswith("    "):
            inside = False
        if not inside:
            yield line
