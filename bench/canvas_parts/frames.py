"""What every contender of the canvas benchmark does alike: a view of the same size, driven by the same hand.

A frame lasts from the change until the viewport has been painted. A contender runs as a process that reads words on
stdin (build, pan, drag, fit) and answers with milliseconds of processor time: all of this happens in one thread that
never waits, and what else the machine does must not count.
"""

from __future__ import annotations

import gc
import statistics
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator

from PyQt6.QtCore import QEvent, QObject, QPointF, QRectF, Qt
from PyQt6.QtGui import QMouseEvent
from PyQt6.QtWidgets import QApplication, QGraphicsView

COLUMNS, ROWS, PORTS = 40, 25, 4
ACROSS, DOWN = 256, 208
WIDTH, HEIGHT = 1400, 900
FRAMES = 30
EVERYTHING = QRectF(0, 0, COLUMNS * ACROSS, ROWS * DOWN)
GRABBED = (20, 12)
"""The node that is dragged: in the middle, so that all its wires are in sight."""


def place(column: int, row: int) -> tuple[float, float]:
    return float(column * ACROSS), float(row * DOWN)


def wires() -> Iterator[tuple[tuple[int, int], int, tuple[int, int], int]]:
    """From node and out port to node and in port: two of each node, to the next column, around at the edges."""
    for column in range(COLUMNS):
        for row in range(ROWS):
            for port in (0, 1):
                yield (column, row), port, ((column + 1) % COLUMNS, (row + port) % ROWS), port


class Contender(ABC):
    view: QGraphicsView

    @abstractmethod
    def build(self) -> None:
        """The scene from a model that is already in memory, and `view` on it."""

    @abstractmethod
    def grip(self) -> QPointF:
        """Where on the scene the grabbed node can be taken."""

    @abstractmethod
    def grabbed_at(self) -> QPointF:
        """Where the grabbed node is."""

    def carry(self, by: QPointF) -> bool:
        """Move the grabbed node from where it was, for who cannot be dragged by events of a mouse."""
        return False

    def scroll(self, dx: int, dy: int) -> None:
        across, down = self.view.horizontalScrollBar(), self.view.verticalScrollBar()
        assert across is not None and down is not None
        across.setValue(across.value() + dx)
        down.setValue(down.value() + dy)

    def look_at(self, point: QPointF) -> None:
        self.view.resetTransform()
        self.view.centerOn(point)


class _Paints(QObject):
    def __init__(self, view: QGraphicsView) -> None:
        super().__init__()
        self.count = 0
        viewport = view.viewport()
        assert viewport is not None
        viewport.installEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802  # Qt's name
        if event is not None and event.type() == QEvent.Type.Paint:
            self.count += 1
        return False


class Stage:
    def __init__(self, contender: Contender) -> None:
        self.contender = contender
        self.paints: _Paints | None = None

    def build(self) -> float:
        """Until the first frame is on the screen."""
        if self.paints is not None:
            return self._build_again()
        began = time.process_time()
        self.contender.build()
        self._show()
        took = (time.process_time() - began) * 1000
        self._rest()
        return took

    def _build_again(self) -> float:
        old = self.contender.view
        old.hide()
        began = time.process_time()
        self.contender.build()
        self._show()
        took = (time.process_time() - began) * 1000
        old.deleteLater()
        self._rest()
        return took

    def _show(self) -> None:
        view = self.contender.view
        view.resize(WIDTH, HEIGHT)
        self.paints = _Paints(view)
        view.show()
        self._until_painted(0)

    def pan(self) -> float:
        self._look_at_the_middle()
        return self._frames(lambda number: self.contender.scroll(17, 9))

    def drag(self) -> float:
        """With the mouse, as a hand does it."""
        self._look_at_the_middle()
        start = self.contender.grip()
        before = self.contender.grabbed_at()
        self._mouse(QEvent.Type.MouseButtonPress, start)
        self._mouse(QEvent.Type.MouseMove, start + QPointF(30, 10))
        self._settle()

        def step(number: int) -> None:
            # Never where it is already: who paints only what changed would paint nothing.
            by = QPointF(30 + 17 * ((number + 1) % 8), 10 + 17 * ((number + 1) % 5))
            if not self.contender.carry(by):
                self._mouse(QEvent.Type.MouseMove, start + by)

        took = self._frames(step)
        moved = self.contender.grabbed_at() - before
        self._mouse(QEvent.Type.MouseMove, start)
        self._mouse(QEvent.Type.MouseButtonRelease, start)
        self._settle()
        if abs(moved.x()) + abs(moved.y()) < 20:
            raise RuntimeError("the node did not follow the mouse")
        return took

    def fit(self) -> float:
        """Everything in the view, from 100 % each time: only the frame with all nodes is timed."""
        view = self.contender.view
        took = []
        for _ in range(5):
            self._look_at_the_middle()
            assert self.paints is not None
            count, began = self.paints.count, time.process_time()
            view.fitInView(EVERYTHING, Qt.AspectRatioMode.KeepAspectRatio)
            self._until_painted(count)
            took.append((time.process_time() - began) * 1000)
        self._look_at_the_middle()
        return statistics.median(took)

    def _look_at_the_middle(self) -> None:
        self.contender.look_at(self.contender.grabbed_at())
        self._settle()

    def _frames(self, step: Callable[[int], None]) -> float:
        assert self.paints is not None
        took = []
        gc.collect()
        for number in range(FRAMES):
            count, began = self.paints.count, time.process_time()
            step(number)
            self._until_painted(count)
            took.append((time.process_time() - began) * 1000)
        return statistics.median(took)

    def _until_painted(self, count: int) -> None:
        assert self.paints is not None
        end = time.monotonic() + 120
        while self.paints.count == count:
            QApplication.processEvents()
            if time.monotonic() > end:
                raise RuntimeError("nothing was painted for two minutes")

    def _rest(self) -> None:
        """Whatever a new scene still does by itself must not fall into the first frames."""
        end = time.monotonic() + 1.0
        while time.monotonic() < end:
            QApplication.processEvents()

    def _settle(self) -> None:
        for _ in range(3):
            QApplication.processEvents()

    def _mouse(self, kind: QEvent.Type, at: QPointF) -> None:
        view = self.contender.view
        viewport = view.viewport()
        assert viewport is not None
        point = QPointF(view.mapFromScene(at))
        moving = kind == QEvent.Type.MouseMove
        button = Qt.MouseButton.NoButton if moving else Qt.MouseButton.LeftButton
        held = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else Qt.MouseButton.LeftButton
        globally = QPointF(viewport.mapToGlobal(point.toPoint()))
        event = QMouseEvent(kind, point, globally, button, held, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(viewport, event)


def serve(contender: Contender) -> int:
    stage = Stage(contender)
    print("ready", flush=True)
    for line in sys.stdin:
        print(getattr(stage, line.strip())(), flush=True)
    return 0
