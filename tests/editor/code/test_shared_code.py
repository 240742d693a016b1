"""Code of components that other projects use, too: the originals stay as they came."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtWidgets import QMessageBox

from studio import paths
from studio.editor.code.code_page import CodePage
from studio.editor.code.source_view import main_source, source_of
from studio.editor.window import files
from studio.editor.window.main_window import MainWindow
from studio.model.component_xml import read_profile
from studio.model.spec import CommandEntry
from studio.runtime.client.trust import commands_of, is_trusted
from tests.editor.rover import write_rover

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What was installed with Studio: one component, one example that uses it."""
    package = tmp_path / "site" / "studio"
    monkeypatch.setattr(paths.came_with_studio, "__defaults__", (package,))
    monkeypatch.setattr(paths.share_roots, "__defaults__", (package,))
    monkeypatch.setattr(paths, "EXAMPLES", frozenset({"rover"}))
    shutil.copytree(ROOT / "components" / "low_pass", package / "share" / "components" / "low_pass")
    write_rover(package / "share" / "projects" / "rover")
    return package / "share"


@pytest.fixture
def window(one_window: MainWindow, site: Path) -> Iterator[MainWindow]:
    one_window.show()
    one_window.show_session(None)
    one_window.code.shared.changeable.clear()
    yield one_window
    for page in one_window.code.modified:
        page.editor.setModified(False)
    one_window.hide()
    one_window.show_session(None)


def change(window: MainWindow, file: Path) -> CodePage:
    page = window.code.open_at(file)
    assert page is not None
    page.editor.insertAt("# mine\n", 0, 0)
    return page


def answer(monkeypatch: pytest.MonkeyPatch, *words: str) -> list[str]:
    """Click these, one per question; returns what was asked."""
    asked, left = [], list(words)

    def click(box: QMessageBox) -> int:
        asked.append(box.text())
        wanted = left.pop(0)
        next(button for button in box.buttons() if button.text() == wanted).click()
        return 0

    monkeypatch.setattr(QMessageBox, "exec", click)
    return asked


def test_code_of_a_shipped_component_in_an_example_is_saved_in_the_copy(
    window: MainWindow, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped, mine = site / "components/low_pass/low_pass.py", tmp_path / "mine"
    before = shipped.read_text()
    assert window.files.open(site / "projects/rover") and window.files.is_example
    page = change(window, shipped)
    monkeypatch.setattr(files, "ask_new_folder", lambda *_: mine)
    assert page.save()
    assert shipped.read_text() == before
    copy = mine / "components/low_pass"
    assert (copy / "low_pass.py").read_text() == f"# mine\n{before}" and (copy / "component.xml").is_file()
    assert window.session.folder == mine and list(window.code.pages) == [str(copy / "low_pass.py")]
    spec = window.session.registry.get("low_pass")
    assert spec is not None and spec.folder == copy, "the copy is what runs"
    assert is_trusted(mine, commands_of(mine, [spec]))


def test_in_ones_own_project_the_user_decides_between_a_copy_and_all_projects(
    window: MainWindow, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped, mine = site / "components/low_pass/low_pass.py", write_rover(tmp_path / "own")
    before = shipped.read_text()
    assert window.files.open(mine)
    asked = answer(monkeypatch, "Cancel", "Copy into rover")
    page = change(window, shipped)
    assert not page.save() and page.is_modified and asked == ["Other projects use low_pass, too."]
    assert page.save() and shipped.read_text() == before
    copy = mine / "components/low_pass/low_pass.py"
    assert copy.read_text() == f"# mine\n{before}" and list(window.code.pages) == [str(copy)]
    spec = window.session.registry.get("low_pass")
    assert spec is not None and is_trusted(mine, commands_of(mine, [spec]))
    assert change(window, copy).save() and len(asked) == 2, "it is one's own now"


def test_a_shared_component_can_be_changed_for_all_projects(
    window: MainWindow, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped, mine = site / "components/low_pass/low_pass.py", write_rover(tmp_path / "own")
    assert window.files.open(mine)
    asked = answer(monkeypatch, "Change it for all projects")
    page = change(window, shipped)
    assert page.save() and shipped.read_text().startswith("# mine\n")
    assert change(window, shipped).save() and len(asked) == 1, "it is asked once"


def test_the_main_file_of_a_program_opens_not_the_largest(tmp_path: Path) -> None:
    spec = read_profile(ROOT / "components/c_filter/component.xml")
    assert isinstance(spec.entry, CommandEntry) and source_of(spec) == ROOT / "components/c_filter/c_filter.c"
    for name, text in {"aaa.c": "int helper;", "zzz.c": "int main(void)\n", "run.sh": "exec ./bin/program"}.items():
        (tmp_path / name).write_text(text)
    assert main_source(tmp_path, "thing", ["sh", "run.sh"]) == tmp_path / "run.sh"
    assert main_source(tmp_path, "thing", ["./bin/program"]) == tmp_path / "zzz.c"
    (tmp_path / "thing.c").touch()
    assert main_source(tmp_path, "thing", ["./bin/program"]) == tmp_path / "thing.c"
