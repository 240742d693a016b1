"""Processes that are born instead of started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from studio.runtime.nurse import Child, Nurse
from tests.waiting import await_true

HAS_NUMBA = """\
import sys

def main():
    return 3 if "numba" in sys.modules else 4
"""
SAYS = """\
import os, sys

def main():
    print(os.getppid(), os.getsid(0) == os.getpid(), sys.argv[1:], os.environ.get("COLOUR"), os.getcwd(), flush=True)
    print("complaint", file=sys.stderr, flush=True)
    return 7
"""
WAITS = """\
import time

def main():
    time.sleep(600)
"""


@pytest.fixture
def nurse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Nurse]:
    (tmp_path / "says_where_it_is.py").write_text(SAYS)
    (tmp_path / "waits_for_ever.py").write_text(WAITS)
    (tmp_path / "has_numba.py").write_text(HAS_NUMBA)
    monkeypatch.syspath_prepend(tmp_path)
    nurse = Nurse()
    yield nurse
    nurse.close()


def born(nurse: Nurse, module: str, outputs: tuple[int, int], *words: str) -> Child:
    environment = {**os.environ, "COLOUR": "green"}
    child = nurse.bear(module, words, title=f"studio {module}", environment=environment, outputs=outputs)
    assert child is not None
    return child


def test_libraries_are_there_for_those_who_want_them(nurse: Nurse) -> None:
    def status(*libraries: str) -> int:
        words = {"title": "studio x", "environment": dict(os.environ), "outputs": (2, 2), "libraries": libraries}
        child = nurse.bear("has_numba", (), **words)  # type: ignore[arg-type]
        assert child is not None
        return child.wait(20)

    assert (status("numba", "numpy"), status()) == (3, 4)


def nursery_of(child_of: int, *born: int) -> psutil.Process:
    """Who was just born looks like it until it has taken its own name."""

    def is_one(process: psutil.Process) -> bool:
        try:
            return process.pid not in born and process.cmdline()[:1] == ["studio nursery"]
        except psutil.Error:  # another child, that has ended meanwhile
            return False

    return [each for each in psutil.Process(child_of).children() if is_one(each)][-1]


def test_a_born_process_is_a_child_like_any_other(nurse: Nurse) -> None:
    reading, writing = os.pipe()
    complaints, complaining = os.pipe()
    child = born(nurse, "says_where_it_is", (writing, complaining), "one", "two words")
    os.close(writing)
    os.close(complaining)
    assert child.wait(20) == 7
    assert child.poll() == child.returncode == 7
    with os.fdopen(reading) as said, os.fdopen(complaints) as complained:
        assert said.read() == f"{os.getpid()} True ['one', 'two words'] green {os.getcwd()}\n"
        assert complained.read() == "complaint\n"


def test_it_can_be_waited_for_and_ended(nurse: Nurse) -> None:
    child = born(nurse, "waits_for_ever", (2, 2))
    assert child.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(0.05)
    await_true(lambda: psutil.Process(child.pid).cmdline()[0] == "studio waits_for_ever", "its own name")
    child.kill()
    assert child.wait(20) == -signal.SIGKILL
    child.terminate()  # of one that is gone: nothing happens


def test_a_killed_nursery_takes_nobody_along_and_is_replaced(nurse: Nurse) -> None:
    first = born(nurse, "waits_for_ever", (2, 2))
    nursery = nursery_of(os.getpid(), first.pid)
    nursery.kill()
    psutil.wait_procs([nursery], 5)
    second = born(nurse, "waits_for_ever", (2, 2))
    assert first.poll() is second.poll() is None
    for child in (first, second):
        child.kill()
        child.wait(20)


def test_variables_that_are_read_at_the_start_hold(nurse: Nurse, monkeypatch: pytest.MonkeyPatch) -> None:
    """A nursery that was started before one of them changed would pass on what it had read."""
    born(nurse, "says_where_it_is", (2, 2)).wait(20)
    before = nursery_of(os.getpid()).pid
    born(nurse, "says_where_it_is", (2, 2)).wait(20)
    assert nursery_of(os.getpid()).pid == before
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    born(nurse, "says_where_it_is", (2, 2)).wait(20)
    assert nursery_of(os.getpid()).pid != before


def test_the_born_and_the_nursery_end_with_a_killed_parent(tmp_path: Path) -> None:
    (tmp_path / "waits_for_ever.py").write_text(
        "import os, time\nfrom studio.runtime.process import die_with_parent\n\n"
        "def main():\n    die_with_parent()\n    time.sleep(600)\n"
    )
    code = (
        "import os, time\nfrom studio.runtime.nurse import nurse\n"
        "environment = {**os.environ, 'STUDIO_PARENT': str(os.getpid())}\n"
        "child = nurse.bear('waits_for_ever', [], title='studio x', environment=environment, outputs=(2, 2))\n"
        "print(child.pid, flush=True)\ntime.sleep(600)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        family = [child, nursery_of(parent.pid, child.pid)]
        parent.kill()
    _gone, alive = psutil.wait_procs(family, 10)
    assert not alive
