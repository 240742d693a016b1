"""A vehicle in files of its own, and what a document of the window gives its panels."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from PyQt6.QtWidgets import QApplication, QWidget

from studio.editor.geometry.selection import Selection
from studio.editor.look.theme import DARK, Theme
from studio.errors import StudioError
from studio.model.geometry.workspace import On, Workspace
from studio.model.history import Edit


class Settings:
    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    def text(self, name: str) -> str:
        return self.kept.get(name, "")

    def set_text(self, name: str, value: str) -> None:
        self.kept[name] = value


class Given:
    """The Context of panels under test."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.selection = Selection()
        self.settings = Settings()
        self.theme: Theme = DARK
        self.said: list[str] = []
        self.opened: list[tuple[Path, int]] = []
        self.panels: dict[str, Any] = {}
        self.shown: list[str] = []
        self.saved = 0
        self.made: list[QWidget] = []
        self.answer: str | None = None
        self.workspace.listen(lambda _: self.selection.forget_missing(self.workspace.assembled.model))

    def say(self, words: str, *, trouble: bool = False) -> None:
        self.said.append(words)

    def ask(self, title: str, words: str, answers: Sequence[str]) -> str | None:
        self.said.append(words)
        return self.answer or answers[0]

    def do(self, edit: Edit[Any], *, body: str = "", file: Path | None = None) -> bool:
        return self._try(lambda: self.workspace.do(edit, body=body, file=file))

    def do_all(self, label: str, edits: Sequence[On], *, new_files: dict[Path, bytes] | None = None) -> bool:
        return self._try(lambda: self.workspace.do_all(label, edits, new_files=new_files))

    def _try(self, do: Any) -> bool:
        try:
            return bool(do())
        except StudioError as error:
            self.said.append(str(error))
            return False

    def save(self) -> None:
        self.workspace.save()
        self.saved += 1

    def open(self, file: Path, line: int = 0) -> None:
        self.opened.append((file, line))

    def show_panel(self, name: str) -> Any:
        self.shown.append(name)
        return self.panels.get(name)

    def show(self, kind: Any, width: int = 360, height: int = 700) -> Any:
        """A panel in a window."""
        panel = kind(self)
        self.made.append(panel)
        panel.resize(width, height)
        panel.show()
        QApplication.processEvents()
        return panel


@pytest.fixture
def models(tmp_path: Path, checkout: Path) -> Path:
    for kind in ("bodies", "assemblies"):
        shutil.copytree(checkout / "models" / kind, tmp_path / kind)
    return tmp_path


@pytest.fixture
def context(models: Path, qapp: QApplication) -> Iterator[Given]:
    given = Given(Workspace.load(models / "assemblies/raptor.xml", [models]))
    yield given
    _close(given)


@pytest.fixture
def body_context(models: Path, qapp: QApplication) -> Iterator[Given]:
    """One body by itself."""
    given = Given(Workspace.load(models / "bodies/raptor.xml", [models]))
    yield given
    _close(given)


def _close(given: Given) -> None:
    for panel in given.made:
        panel.close_panel()  # type: ignore[attr-defined]
        panel.close()
        panel.deleteLater()
    QApplication.processEvents()
