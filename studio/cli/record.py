"""`studio record`: runs a project's system, records it, and takes bookmarks meanwhile."""

from __future__ import annotations

import argparse
import os
import select
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from studio.cli import run as running
from studio.cli.run_parts.run_console import Console
from studio.cli.shared.given_parameters import add_set_option
from studio.cli.shared.keys import Keys, is_terminal, keys
from studio.cli.shared.outcome import add_json_option
from studio.cli.shared.places import find_project
from studio.cli.shared.recording_options import add_recording_options, folder_for, log_place, progress_text
from studio.cli.shared.trust import add_trust_option
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.recording.facts.set_bookmark import set_bookmark
from studio.runtime.server.attach_server import AttachServer
from studio.runtime.session.session import Session

EXAMPLE = """\
  studio record my_robot                                 into your folder of recordings, until Ctrl-C; b: bookmark
  studio record my_robot drive.mcap --for 60             a minute, into this file
  studio record my_robot logs/ --topics '/laser/*' '/odometry/*' --compression lz4
  studio record my_robot run.mcap --gate lockstep --for 60   a minute of system time, the same events every time
  echo "start of the lap" | studio record my_robot lap.mcap --for 10 --json
"""
RATE_OVER_NS = 2 * SECOND_NS


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Run a project's system and record it. On a terminal, press b to set a bookmark; otherwise each line of "
        "standard input is one."
    )
    parser.add_argument("project", metavar="PROJECT", help="a project's folder or name")
    parser.add_argument(
        "record",
        metavar="OUT",
        nargs="?",
        type=log_place,
        help="a new log (.mcap), or a folder for it (default: the folder of recordings, in Preferences or "
        "$STUDIO_RECORDINGS)",
    )
    parser.add_argument(
        "--for",
        dest="seconds",
        type=running.seconds,
        metavar="SECONDS",
        help="end after this system time (default: at Ctrl-C)",
    )
    running.add_gate_options(parser)
    add_set_option(parser)
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of all random numbers (default: 0)")
    add_recording_options(parser)
    add_trust_option(parser)
    add_json_option(parser)


def run(options: argparse.Namespace) -> int:
    options.system = None
    options.record = options.record or folder_for(find_project(options.project))
    options.stay = options.paused = options.detach = options.detached = options.in_process = False
    with _texts() as texts:
        return running.run_with(options, RecordingConsole(texts, quiet=options.json, seconds=options.seconds))


class RecordingConsole(Console):
    """Shows how far the log is, and sets the bookmarks that somebody types."""

    def __init__(self, texts: Texts, *, quiet: bool, seconds: float | None) -> None:
        super().__init__(quiet=quiet, seconds=seconds)
        self._texts = texts
        self._rate = _Rate()

    def look(self, session: Session, passed_s: float | None = None, runtime: AttachServer | None = None) -> None:
        if passed_s is not None:
            before = self._texts.typed
            for text in self._texts.entered():
                set_bookmark(session.folders.run, text, session.control.status()["now_ns"])
                if not self._quiet:
                    self._print(f"bookmark at {passed_s:.1f} s: {text}")
            if self._texts.typed != before:
                self._drawn_ns = 0  # who types wants to see it at once
        super().look(session, passed_s, runtime)

    def _headline(self, session: Session, passed_s: float) -> str:
        if self._texts.typed is not None:
            return f"bookmark (Enter sets it, Escape forgets it): {self._texts.typed}"
        line = super()._headline(session, passed_s).replace("running", "recording", 1)
        report = session.observer.recording()
        # What a narrow terminal cuts off is what a person knows anyway.
        return f"{line}; {progress_text(report, self._rate(report['bytes']))}; b: bookmark" if report else line


class _Rate:
    """Bytes per second over the last two seconds."""

    def __init__(self) -> None:
        self._seen: deque[tuple[int, int]] = deque()

    def __call__(self, count: int) -> float:
        now_ns = monotonic_ns()
        self._seen.append((now_ns, count))
        while now_ns - self._seen[0][0] > RATE_OVER_NS:
            self._seen.popleft()
        first_ns, before = self._seen[0]
        return (count - before) * SECOND_NS / (now_ns - first_ns) if now_ns > first_ns else 0.0


class Texts:
    """What somebody enters for bookmarks; without input, nothing."""

    typed: str | None = None
    """What has been typed of one so far; None while nobody types."""

    def entered(self) -> Iterator[str]:
        """The texts that are complete, without waiting for more."""
        return iter(())


class TypedTexts(Texts):
    """The key b, a text, Enter; Escape forgets it. Enter alone sets one without a text."""

    def __init__(self, pressed: Keys) -> None:
        self._pressed = pressed

    def entered(self) -> Iterator[str]:
        while (key := self._pressed.read(0.0)) is not None and key != "end of input":
            if self.typed is None:
                self.typed = "" if key == "b" else None
            elif key == "enter":
                text, self.typed = self.typed, None
                yield text.strip() or "bookmark"
            elif key == "escape":
                self.typed = None
            elif key == "backspace":
                self.typed = self.typed[:-1]
            elif key == "space" or len(key) == 1:
                self.typed += " " if key == "space" else key


class PipedTexts(Texts):
    """Lines of a pipe or file, as they come."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._rest = b""
        self._ended = False

    def entered(self) -> Iterator[str]:
        while not self._ended and select.select([self._descriptor], [], [], 0.0)[0]:
            got = os.read(self._descriptor, 4096)
            self._ended = not got
            *lines, self._rest = (self._rest + (got or b"\n")).split(b"\n")
            yield from filter(None, (line.decode("utf-8", "replace").strip() for line in lines))


@contextmanager
def _texts() -> Iterator[Texts]:
    if is_terminal():
        with keys() as pressed:
            yield TypedTexts(pressed)
        return
    try:
        descriptor = sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):  # there is no standard input
        yield Texts()
        return
    yield PipedTexts(descriptor)
