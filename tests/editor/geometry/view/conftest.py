"""A vehicle of its own folder in the real view, and a hand for mouse and keys."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from studio.editor.geometry.selection import Selection, Thing
from studio.editor.geometry.view.canvas import Canvas
from studio.editor.geometry.view.geometry_view import GeometryView
from studio.editor.geometry.view.handled import place_of
from studio.editor.look.theme import LIGHT
from studio.errors import StudioError
from studio.model.geometry.workspace import On, Workspace
from studio.model.history import Edit


class Store(dict[str, str]):
    def text(self, name: str) -> str:
        return self.get(name, "")

    def set_text(self, name: str, value: str) -> None:
        self[name] = value


class Desk:
    """What the document gives to the view."""

    theme = LIGHT

    def __init__(self, path: Path) -> None:
        self.workspace = Workspace.load(path, [path.parent.parent])
        self.selection = Selection()
        self.settings = Store()
        self.said: list[str] = []

    def say(self, words: str, *, trouble: bool = False) -> None:
        self.said.append(words)

    def ask(self, title: str, words: str, answers: Sequence[str]) -> str | None:
        return answers[0]

    def do(self, edit: Edit[Any], *, body: str = "", file: Path | None = None) -> bool:
        return self._tried(lambda: self.workspace.do(edit, body=body, file=file))

    def do_all(self, label: str, edits: Sequence[On], *, new_files: dict[Path, bytes] | None = None) -> bool:
        return self._tried(lambda: self.workspace.do_all(label, edits, new_files=new_files))

    def _tried(self, do: Callable[[], bool]) -> bool:
        try:
            return do()
        except StudioError as error:
            self.said.append(str(error))
            return False

    def save(self) -> None:
        self.workspace.save()

    def open(self, file: Path, line: int = 0) -> None: ...

    def show_panel(self, name: str) -> None: ...


class Hand:
    """Mouse and keys on a canvas, at things instead of pixels."""

    def __init__(self, view: GeometryView, desk: Desk) -> None:
        self.view, self.desk = view, desk

    @property
    def canvas(self) -> Canvas:
        """The one that looks from behind, above and right, also where four are shown."""
        return self.view.canvases[-1]

    def at(self, thing: Thing) -> QPoint:
        pose = place_of(self.view.stage, thing)
        assert pose is not None
        return self.at_point(pose[:3, 3])

    def at_point(self, point: Any) -> QPoint:
        canvas = self.canvas
        (place,), _ = canvas.camera.project(np.asarray(point, float)[None], canvas.width(), canvas.height())
        return QPoint(round(place[0]), round(place[1]))

    def click(self, at: QPoint, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.mouseClick(self.canvas, Qt.MouseButton.LeftButton, modifiers, at)

    def drag(self, start: QPoint, end: QPoint, button: Qt.MouseButton = Qt.MouseButton.LeftButton) -> None:
        QTest.mousePress(self.canvas, button, Qt.KeyboardModifier.NoModifier, start)
        for share in (0.3, 0.6, 1.0):
            QTest.mouseMove(self.canvas, start + (end - start) * share)
        QTest.mouseRelease(self.canvas, button, Qt.KeyboardModifier.NoModifier, end)

    def keys(self, text: str) -> None:
        for letter in text:
            QTest.keyClick(self.canvas, letter)

    def key(self, key: Qt.Key) -> None:
        QTest.keyClick(self.canvas, key)

    def where(self, frame: str, reference: str = "Raptor") -> list[float]:
        matrix = self.desk.workspace.assembled.transforms.get_transformation(frame, reference)
        return [round(float(value), 6) + 0.0 for value in matrix[:3, 3]]


@pytest.fixture
def models(tmp_path: Path, checkout: Path) -> Path:
    for kind in ("bodies", "assemblies"):
        shutil.copytree(checkout / "models" / kind, tmp_path / kind)
    return tmp_path


@pytest.fixture
def desk(models: Path) -> Desk:
    return Desk(models / "assemblies/raptor.xml")


@pytest.fixture
def hand(desk: Desk, qapp: QApplication) -> Iterator[Hand]:
    view = GeometryView(desk)  # type: ignore[arg-type]
    view.resize(1280, 800)
    view.show()
    qapp.processEvents()
    view.fit()
    made = Hand(view, desk)
    made.canvas.setFocus()
    yield made
    view.close_panel()
    view.close()
