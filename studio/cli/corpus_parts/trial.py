"""Tries one file in a process of its own: what crashes or hangs there ends nothing else."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import tempfile
import traceback
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import IO

from studio.cli.corpus_parts.logs import try_log
from studio.cli.corpus_parts.models import try_model
from studio.cli.corpus_parts.outcome import Found, Outcome, WrongError
from studio.cli.corpus_parts.profiles import try_profile
from studio.errors import StudioError
from studio.runtime.base.clock import SECOND_NS, monotonic_ns

TRIALS = {"model": try_model, "log": try_log, "profile": try_profile}
LAST_WORDS = 300


@dataclass
class Trial:
    """A file that is being tried."""

    found: Found
    process: BaseProcess
    answer: Connection
    errors: IO[bytes]
    limit_s: float
    start_ns: int

    @classmethod
    def start(cls, found: Found, limit_s: float) -> Trial:
        # A copy of this process has all modules loaded already: a thousand files need a thousand of them.
        context = multiprocessing.get_context("fork")
        answer, given = context.Pipe(duplex=False)
        errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed when the answer is taken
        process = context.Process(target=_try, args=(found, given, errors), daemon=True)
        process.start()
        given.close()
        return cls(found, process, answer, errors, limit_s, monotonic_ns())

    @property
    def seconds(self) -> float:
        return (monotonic_ns() - self.start_ns) / SECOND_NS

    def outcome(self) -> Outcome | None:
        """None while it still runs."""
        if self.answer.poll():
            try:
                made = self.answer.recv()
            except EOFError:
                return self._crashed()
            self._end()
            assert isinstance(made, Outcome)
            return made
        if not self.process.is_alive() and not self.answer.poll():
            return self._crashed()
        if self.seconds > self.limit_s:
            self._end()
            return Outcome("crashed", f"no end after {self.limit_s:g} s")
        return None

    def _crashed(self) -> Outcome:
        self.process.join()
        code = self.process.exitcode or 0
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        ended = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        self._end()
        return Outcome("crashed", f"{ended}{': ' + lines[-1][:LAST_WORDS] if lines else ''}")

    def _end(self) -> None:
        """Also what it may have started: it leads a group of its own."""
        if self.process.pid is not None:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                self.process.kill()
        self.process.join()
        self.answer.close()
        self.errors.close()

    stop = _end


def _try(found: Found, given: Connection, errors: IO[bytes]) -> None:
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.dup2(errors.fileno(), sys.stderr.fileno() if _has_file(sys.stderr) else 2)
    try:
        given.send(_outcome(found))
    except BaseException as error:
        # As the interpreter itself would say it; the exit status tells that it was not a refusal.
        os.write(2, "".join(traceback.format_exception(error)).encode())
        os._exit(1)
    os._exit(0)


def _outcome(found: Found) -> Outcome:
    try:
        return TRIALS[found.kind](found.path)
    except StudioError as error:
        line = f"line {error.line}: " if error.line is not None else ""
        return Outcome("refused", f"{line}{error.message}")
    except WrongError as error:
        return Outcome("wrong", str(error))


def _has_file(stream: object) -> bool:
    try:
        return stream.fileno() >= 0  # type: ignore[attr-defined,no-any-return]
    except (AttributeError, OSError, ValueError):
        return False
