"""A test that leaves something behind fails, and says what; what a fixture of its module has made may stay."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_second_chance import OF_CONFTEST

LEAVES = """
import subprocess
import threading

import pytest
from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QLabel, QWidget

KEPT = []


def test_thread():
    threading.Thread(target=threading.Event().wait, name="waits", daemon=True).start()

def test_process():
    KEPT.append(subprocess.Popen(["sleep", "60"]))

def test_widget(qapp):
    KEPT.append(QLabel("a title"))

def test_timer(qapp):
    KEPT.append(QTimer())
    KEPT[-1].start(1000)

@pytest.fixture
def label(qapp):
    return QLabel("given")

def test_what_it_was_given(label):
    pass

@pytest.fixture(scope="module")
def world():
    ended = threading.Event()
    yield ended
    ended.set()

def test_of_a_world(world):
    threading.Thread(target=world.wait, name="of the world").start()
    threading.Thread(target=threading.Event().wait, name="of nobody", daemon=True).start()

def test_beside_a_world():
    pass

def test_the_last_of_a_world(world):
    pass

@pytest.fixture(scope="module")
def shared(qapp):
    window, process = QWidget(), subprocess.Popen(["sleep", "60"])
    yield window
    for each in (process, *(left for left in KEPT if isinstance(left, subprocess.Popen))):
        each.kill()
        each.wait()
    window.close()
    KEPT.clear()

def test_all_is_well(shared, qtbot):
    timer, widget = QTimer(shared), QWidget()
    timer.start(1000)
    qtbot.addWidget(widget)
    thread = threading.Thread(target=lambda: None)
    thread.start()
"""


@pytest.mark.timeout(180)
def test_what_is_left_fails_the_test_that_left_it(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    for name in ("pyproject.toml", *(f"tests/{each}.py" for each in OF_CONFTEST)):
        (tmp_path / name).write_bytes((checkout / name).read_bytes())
    (tmp_path / "tests/leftovers.py").write_text(
        (checkout / "tests/leftovers.py").read_text().replace("GRACE_S = 20.0", "GRACE_S = 0.2")
    )
    (tmp_path / "tests/test_example.py").write_text(LEAVES)
    words = [sys.executable, "-m", "pytest", "-p", "no:xvfb", "-n", "0", "--leftovers", "tests"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    said = "left behind by this test"
    found = [line.removeprefix(said) for line in done.stdout.splitlines() if line.startswith(said)]
    assert "9 passed, 5 errors" in done.stdout, done.stdout + done.stderr
    assert found[0] == ": thread waits" and found[1].endswith("(sleep 60)")
    assert found[2:4] == [": widget QLabel", ": timer QTimer of 1000 ms"]
    assert found[4:] == [", or by one of its module before it: thread of nobody"]
