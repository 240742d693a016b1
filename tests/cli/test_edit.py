"""`studio edit`: what it says where no window can be opened."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from studio.cli import edit
from studio.editor.base import display
from studio.runtime.client.running_systems import RunningSystem, running_systems
from tests.displays import own_display
from tests.waiting import await_true

CHECKOUT = Path(__file__).resolve().parents[2]
PATIENCE_S = 60.0
MISBEHAVING = Path(__file__).resolve().parents[1] / "misbehaving"


def studio(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {
        key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    command = [sys.executable, "-m", "studio", *words]
    return subprocess.run(command, capture_output=True, text=True, env={**kept, **environment}, timeout=50, check=False)


@pytest.mark.parametrize("words", [(), ("edit",), ("edit", "first_steps")])
def test_without_a_display_it_says_so_and_what_to_do_instead(words: tuple[str, ...]) -> None:
    done = studio(*words)
    assert done.returncode == 1
    assert "there is no display" in done.stderr and "studio --help" in done.stderr


def test_a_display_that_is_not_there_is_named() -> None:
    done = studio(DISPLAY=":4711")
    assert done.returncode == 1 and ":4711" in done.stderr


def test_without_qt_it_says_how_to_get_it(tmp_path: Path) -> None:
    (tmp_path / "PyQt6.py").write_text("raise ImportError('No module named PyQt6')", encoding="utf-8")
    done = studio("edit", PYTHONPATH=str(tmp_path), QT_QPA_PLATFORM="offscreen")
    assert done.returncode == 1 and "cannot be opened" in done.stderr and "pip install" in done.stderr


def test_a_project_that_does_not_exist_is_wrong_use() -> None:
    assert studio("edit", "no_such_project").returncode == 2


@pytest.mark.parametrize("word", ["first_steps", "projects/first_steps", "projects/first_steps/system.xml"])
def test_an_example_is_changed_only_for_those_who_say_so(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`make run` names the path of one, and Run then wrote into the shipped files."""
    asked: list[dict[str, object]] = []

    def run(project: Path, **how: object) -> int:
        asked.append({"project": project, **how})
        return 0

    monkeypatch.setattr(edit, "_import_window", lambda: SimpleNamespace(run=run))
    monkeypatch.setattr(display, "require_display", lambda: None)
    monkeypatch.chdir(CHECKOUT)
    for in_place in (False, True):
        options = argparse.Namespace(project=word, run=False, picture=None, theme="", trust=False, in_place=in_place)
        assert edit.run(options) == 0
        assert asked[-1]["project"] == CHECKOUT / "projects" / "first_steps" and asked[-1]["in_place"] is in_place


SICK = '<system name="sick" version="1"><component name="a" type="no_such_type"/></system>'
FOREIGN = """<system name="foreign" version="1">
  <component name="source" type="signal_source" mode="periodic" period_s="0.1"/>
  <component name="fragile" type="fragile"/>
  <wire from="source.value" to="fragile.value"/>
</system>"""


@pytest.mark.parametrize(
    ("system", "words"),
    [
        ("<system", "system.xml"),
        (SICK, "sick cannot run: "),
        (FOREIGN, "which you have not trusted yet: python components/fragile"),
    ],
)
def test_a_picture_of_what_cannot_run_is_refused_at_once(tmp_path: Path, system: str, words: str) -> None:
    """Nobody sees a question in a window without a display: it would wait for ever."""
    folder = tmp_path / ("sick" if system is SICK else "foreign")
    shutil.copytree(MISBEHAVING / "fragile", folder / "components" / "fragile")
    (folder / "system.xml").write_text(system)
    done = studio(
        "edit", str(folder), "--run", "--picture", str(tmp_path / "x.png"),
        XDG_DATA_HOME=str(tmp_path / "data"), STUDIO_TRUST="",
    )  # fmt: skip
    assert done.returncode == 1 and words in done.stderr, done.stderr
    assert not (tmp_path / "x.png").exists()


def test_a_window_that_is_to_run_its_project_does(tmp_path: Path) -> None:
    """As `make run` opens it, on a screen."""
    project = shutil.copytree(CHECKOUT / "projects" / "first_steps", tmp_path / "steps")
    with own_display(1280, 800) as display_name:
        environment = {key: value for key, value in os.environ.items() if key != "QT_QPA_PLATFORM"}
        environment |= {"DISPLAY": display_name, "XDG_CONFIG_HOME": str(tmp_path / "settings")}
        words = [sys.executable, "-m", "studio", "edit", str(project), "--run", "--picture", str(tmp_path / "run.png")]
        window = subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL)
        try:
            await_true(lambda: _system_of(project) is not None, "its system to run", PATIENCE_S)
            assert window.poll() is None
        finally:
            window.kill()
            window.wait()
            system = _system_of(project)
            if system is not None:  # it outlives its window
                os.kill(system.pid, signal.SIGTERM)
                await_true(lambda: not system.is_alive(), "the system to end", PATIENCE_S)


def _system_of(project: Path) -> RunningSystem | None:
    return next((each for each in running_systems() if Path(each.folder) == project), None)
