"""The test of a component runs its code in a project that nobody has looked at: that asks first, as Run does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from studio.editor.project.trust_dialog import TrustDialog
from studio.editor.window.main_window import MainWindow
from studio.runtime.client.trust import VARIABLE, commands_in, trust
from tests.cli.test_trust import PROBE, PROFILE

RUN_MS = 90_000
SYSTEM = '<system name="lab" version="1"><component name="probe" type="probe"/></system>'


class Lab:
    """A project from elsewhere, open in the window, and what the user was asked about it."""

    def __init__(self, window: MainWindow, folder: Path) -> None:
        self.window, self.folder = window, folder
        self.own = folder / "components" / "probe"
        self.trace = folder.parent / "code_has_run"
        self.asked: list[str] = []
        self.own.mkdir(parents=True)
        (self.own / "probe.py").write_text(PROBE.format(trace=str(self.trace)))
        (self.own / "test_probe.py").write_text("import probe\n\ndef test_it() -> None:\n    assert probe.Probe\n")
        (self.own / "component.xml").write_text(PROFILE.format(module="probe"))
        (folder / "system.xml").write_text(SYSTEM)

    def leaves_a_trace(self, file: str) -> None:
        (self.folder / file).write_text(f"import pathlib\npathlib.Path({str(self.trace)!r}).touch()\n")

    def run_test(self, qtbot: QtBot) -> None:
        assert self.window.files.open(self.folder)
        self.window.tests.run(self.own)
        panel = self.window.side_panels.get("tests")
        qtbot.waitUntil(lambda: not panel.run.is_under_way, timeout=RUN_MS)


@pytest.fixture
def lab(one_window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    lab = Lab(one_window, tmp_path / "lab")

    def refuse(dialog: TrustDialog) -> TrustDialog.DialogCode:
        lab.asked += dialog.commands.toPlainText().splitlines()
        return TrustDialog.DialogCode.Rejected

    monkeypatch.setattr(TrustDialog, "exec", refuse)
    yield lab
    one_window.hide()
    one_window.show_session(None)


def test_an_unknown_component_is_asked_about(lab: Lab, qtbot: QtBot) -> None:
    lab.run_test(qtbot)
    assert lab.asked == ["python components/probe: probe:Probe"] and not lab.trace.exists()


def test_so_is_one_that_is_a_link_out_of_the_project(lab: Lab, qtbot: QtBot) -> None:
    elsewhere = lab.own.rename(lab.folder.parent / "elsewhere")
    lab.own.symlink_to(elsewhere)
    lab.run_test(qtbot)
    assert lab.asked == [f"python components/probe (outside: {elsewhere}): probe:Probe"] and not lab.trace.exists()


def test_so_is_what_pytest_runs_around_it(lab: Lab, qtbot: QtBot) -> None:
    trust(lab.folder, commands_in(lab.folder, [lab.own]))
    lab.leaves_a_trace("conftest.py")
    lab.run_test(qtbot)
    assert "python conftest.py: pytest" in lab.asked and not lab.trace.exists()


def test_nothing_else_that_lies_there_runs(lab: Lab, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither modules of the working directory, nor what the settings of pytest name, nor what lies above it."""
    (lab.own / "test_probe.py").write_text("def test_it() -> None: ...\n")
    trust(lab.folder, commands_in(lab.folder, [lab.own]))
    for file in ("pytest.py", "studio.py", "planted.py", "sitecustomize.py", "../conftest.py"):
        lab.leaves_a_trace(file)
    (lab.folder / "pytest.ini").write_text("[pytest]\npythonpath = .\naddopts = -p planted\n")
    monkeypatch.chdir(lab.folder)
    lab.run_test(qtbot)
    panel = lab.window.side_panels.get("tests")
    assert "1 passed" in panel.words.text(), panel.lines
    assert not lab.asked and not lab.trace.exists()
