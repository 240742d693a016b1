"""For tests of the window: no screen, no settings of the developer's, a project to edit."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PyQt6.QtCore import QEvent, QPointF, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from studio.editor.base.collecting import Collector
from studio.editor.base.settings import Settings
from studio.editor.canvas.interaction.view import CanvasView
from studio.editor.canvas.scene.scene import CanvasScene
from studio.editor.live.feed import Feed
from studio.editor.look.theme import LIGHT
from studio.editor.project.session import Session
from studio.editor.window.app import make_window
from studio.editor.window.main_window import MainWindow
from tests.editor.panels.given import TOPICS

HERE = Path(__file__).parent


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


_rover = _load("rover")


@pytest.fixture(scope="session")
def collector(qapp: QApplication) -> Collector:
    """As in the program. Its timer only runs in tests that wait; the others collect after themselves."""
    return Collector.of(qapp)


@pytest.fixture(autouse=True)
def _collect_between_tests(collector: Collector) -> Iterator[None]:
    yield
    collector.collect_if_due()


@pytest.fixture
def rover(tmp_path: Path) -> Path:
    folder: Path = _rover.write_rover(tmp_path / "rover")
    return folder


@pytest.fixture
def session(rover: Path, qapp: QApplication) -> Iterator[Session]:
    opened = Session.open(rover)
    yield opened
    opened.close()


@pytest.fixture
def view(session: Session, qapp: QApplication) -> Iterator[CanvasView]:
    made = CanvasView(CanvasScene(session, LIGHT))
    made.resize(1500, 700)
    made.show()
    made.fit()
    yield made
    made.cancel_gesture()
    made.close()
    made.deleteLater()
    delete_now()


@pytest.fixture(scope="session")
def one_window(tmp_path_factory: pytest.TempPathFactory, qapp: QApplication) -> Iterator[MainWindow]:
    """Making a window takes a second on a slow machine, opening a project in it a tenth."""
    settings = Settings(tmp_path_factory.mktemp("settings") / "editor.ini")
    settings.motion = "none"  # what a test has asked for is there at once
    made = make_window(qapp, settings)
    made.files.may_leave = lambda: True  # type: ignore[method-assign]  # nobody is there to answer
    made.resize(1280, 800)
    yield made
    made.close()
    made.deleteLater()
    delete_now()


@pytest.fixture
def window(rover: Path, one_window: MainWindow) -> Iterator[MainWindow]:
    shutil.rmtree(one_window.files.autosave.root, ignore_errors=True)  # of a test that took longer than its interval
    one_window.status.say("", stays=True)  # what the last test had it say stays for seconds
    one_window.settings.theme = LIGHT.name  # a test before may have chosen another
    one_window.resize(1280, 800)  # so may have been made larger
    one_window.show()
    assert one_window.files.open(rover)
    yield one_window
    one_window.hide()
    one_window.window_commands.help.close()  # it would come in front of the next canvas
    one_window.emulators.stop()
    one_window.show_session(None)
    if one_window.theme is not LIGHT:
        one_window.show_theme(LIGHT)
    delete_now()


def delete_now() -> None:
    """What a running window does between two events; widgets of one test must not live on in the next."""
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


class Hand:
    """A mouse on the canvas, in coordinates of the scene."""

    def __init__(self, view: CanvasView) -> None:
        self.view = view

    def press(self, at: QPointF, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.mousePress(self.view.viewport(), Qt.MouseButton.LeftButton, keys, self.view.mapFromScene(at))

    def move(self, at: QPointF) -> None:
        QTest.mouseMove(self.view.viewport(), self.view.mapFromScene(at))

    def release(self, at: QPointF) -> None:
        QTest.mouseRelease(
            self.view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, self.view.mapFromScene(at)
        )

    def drag(self, start: QPointF, end: QPointF) -> None:
        self.press(start)
        self.move(start + (end - start) / 2)
        self.move(end)
        self.release(end)

    def click(self, at: QPointF, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        self.press(at, keys)
        self.release(at)

    def port(self, node: str, name: str, *, service: bool = False) -> QPointF:
        item = self.view.canvas.nodes[node]
        port = item.card.port(name, service=service)
        assert port is not None
        return item.anchor(port)

    def body(self, node: str) -> QPointF:
        item = self.view.canvas.nodes[node]
        return item.pos() + QPointF(item.card.width / 2, 40)


@pytest.fixture
def hand(view: CanvasView) -> Hand:
    return Hand(view)


@pytest.fixture
def hand_in(qapp: QApplication) -> Callable[[CanvasView], Hand]:
    return Hand


@pytest.fixture
def feed(qapp: QApplication) -> Iterator[Feed]:
    """Of a system that is as the snapshot says; the events are given by the tests."""
    made = Feed()
    made.state = {"topics": dict(TOPICS), "components": {}, "processes": {}}
    yield made
    made.close()
