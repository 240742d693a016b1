"""The view of one open vehicle: the picture with tools and sliders over it, or four projections without OpenGL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from PyQt6.QtCore import QEvent, QObject, QTimer, pyqtSignal
from PyQt6.QtGui import QGuiApplication, QResizeEvent
from PyQt6.QtWidgets import QGridLayout, QLabel, QWidget

from studio.editor.geometry.protocols import Context
from studio.editor.geometry.selection import Thing
from studio.editor.geometry.view.canvas import Canvas
from studio.editor.geometry.view.commands import Commands
from studio.editor.geometry.view.gestures.mounting import Offer
from studio.editor.geometry.view.hands import Hands
from studio.editor.geometry.view.joint_panel import JointPanel
from studio.editor.geometry.view.mesh_store import MeshStore
from studio.editor.geometry.view.mount_strip import MountStrip
from studio.editor.geometry.view.stage import Stage
from studio.editor.geometry.view.tool_strip import STRIP_WIDTH, ToolStrip
from studio.editor.geometry.view.touching import Touching
from studio.editor.look.theme import Theme
from studio.editor.views.scene.camera import Preset
from studio.editor.views.scene.gl_picture import WITHOUT_GL
from studio.editor.views.scene.painted_picture import PaintedPicture

EDGE = 12
NO_GL = "3-D needs OpenGL"
HOW = (
    "Studio draws four flat views instead; everything can be edited in them.\n"
    "To get OpenGL: install Mesa (Debian and Ubuntu: sudo apt install libgl1 libegl1 libgl1-mesa-dri), "
    "and start Studio on a screen, not with QT_QPA_PLATFORM=offscreen. Over ssh use a virtual one: xvfb-run studio edit"
)
FOUR = (
    ("From above", Preset("", -90.0, 90.0)),
    ("From the front", Preset("", 0.0, 0.0)),
    ("From the right", Preset("", -90.0, 0.0)),
    ("Isometric", Preset("", -135.0, 35.264)),
)


class GeometryView(QWidget):
    _mesh_read = pyqtSignal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context
        self.meshes = MeshStore(self._mesh_read.emit)
        self.stage = Stage(context, self.meshes.of)
        self.hands = Hands(self.stage)
        self.hands.offered = self._offer
        self.canvases: list[Canvas] = []
        self.strip: MountStrip | None = None
        self._told = ""
        self._mesh_read.connect(self._take_mesh)  # queued, as another thread emits it
        self._place = QGridLayout(self)
        self._place.setContentsMargins(0, 0, 0, 0)
        self._place.setSpacing(1)
        self.tools = ToolStrip(self.stage, self.hands, context.theme)
        self.joint_panel = JointPanel(self.stage, context.theme)
        self.touching = Touching(self.stage)
        self.no_gl = self._no_gl_line(context.theme)
        for over in (self.tools, self.joint_panel):
            over.setParent(self)
        self.joint_panel.hide()
        self.commands = Commands(self)
        self.hands.menu = self.commands.menu_at
        self.tools.fill_adding = self.commands.fill_adding
        for action in self.commands.all:
            self.addAction(action)
        self.stage.listen(self._refresh)
        if QGuiApplication.platformName() in WITHOUT_GL:
            self._show_four(f"Qt's platform {QGuiApplication.platformName()} has none")
        else:
            self._show_one()
        self.fit()

    @property
    def canvas(self) -> Canvas:
        """The one that the keyboard is on, else the first."""
        return next((each for each in self.canvases if each.hasFocus()), self.canvases[0])

    # ---- one view, or four without OpenGL

    def _show_one(self) -> None:
        canvas = Canvas(self.stage, self.hands)
        canvas.painter_known.connect(self._check_painter)
        self._put(canvas, 0, 0)

    def _check_painter(self) -> None:
        """Only a picture tells whether there is OpenGL."""
        first = self.canvases[0]
        if len(self.canvases) == 1 and isinstance(first.pictures.maker, PaintedPicture):
            QTimer.singleShot(0, lambda: self._show_four(first.pictures.why_no_gl))

    def _show_four(self, why: str) -> None:
        for canvas in self.canvases:
            canvas.close_canvas()
            self.stage.forget(canvas.changed)
            canvas.setParent(None)
            canvas.deleteLater()
        self.canvases = []
        for number, (title, preset) in enumerate(FOUR):
            canvas = Canvas(self.stage, self.hands, title=title, without_gl=why)
            canvas.camera.is_flat = True
            canvas.camera.look_from(preset)
            canvas.turns = title == "Isometric"
            self._put(canvas, *divmod(number, 2))
        self.no_gl.setToolTip(f"{why}.\n{HOW}")
        self._place.addWidget(self.no_gl, 2, 0, 1, 2)
        self._place.setRowStretch(0, 1)
        self._place.setRowStretch(1, 1)
        self.no_gl.show()
        self.fit()

    def _put(self, canvas: Canvas, row: int, column: int) -> None:
        canvas.left_margin = STRIP_WIDTH + EDGE if (row, column) == (0, 0) else 0
        self.canvases.append(canvas)
        self._place.addWidget(canvas, row, column)
        canvas.installEventFilter(self)
        self.setFocusProxy(self.canvases[0])
        self._raise()

    def _no_gl_line(self, theme: Theme) -> QLabel:
        line = QLabel(f"{NO_GL}: <a href='how' style='color:{theme.accent}'>how to get it</a>")
        line.setContentsMargins(EDGE, 4, EDGE, 4)
        line.linkActivated.connect(lambda _: self.context.ask(NO_GL, HOW, ["Close"]))
        line.hide()
        return line

    # ---- what lies over the picture

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self._raise()

    def _raise(self) -> None:
        self.tools.adjustSize()
        self.tools.move(EDGE, EDGE)
        self.joint_panel.adjustSize()
        size = self.joint_panel.size()
        self.joint_panel.move(self.width() - size.width() - EDGE, self.height() - size.height() - EDGE)
        if self.strip is not None:
            hint = self.strip.sizeHint()
            self.strip.setGeometry(
                (self.width() - hint.width()) // 2, self.height() - hint.height() - 56, hint.width(), hint.height()
            )
        for over in (self.tools, self.joint_panel, self.strip):
            if over is not None:
                over.raise_()

    def _offer(self, offer: Offer, x: float, y: float) -> None:
        """A frame was dropped on another one."""
        self._end_strip()
        self.strip = MountStrip(self.stage, offer, self._end_strip, self.context.theme)
        self.strip.setParent(self)
        self._raise()
        self.strip.show()
        self.strip.setFocus()

    def _end_strip(self) -> None:
        strip, self.strip = self.strip, None
        if strip is not None:
            strip.hide()
            strip.deleteLater()
            self.canvas.setFocus()

    def show_joints(self, on: bool) -> None:
        self.joint_panel.setVisible(on)
        self._refresh()
        self._raise()

    def _refresh(self) -> None:
        self.tools.refresh()
        if self.joint_panel.isVisible():
            self.joint_panel.refresh()
        self.touching.look()
        words = self.hands.words
        if words != self._told and self.isVisible():
            self._told = words
            self.context.say(words)

    def _take_mesh(self) -> None:
        self.stage.changed()
        if not self.meshes.is_reading:
            self.stage.measure_size()
            for words in self.stage.missing()[:1]:
                self.context.say(words, trouble=True)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        if event is not None and event.type() in (QEvent.Type.DragEnter, QEvent.Type.Drop):
            return self.commands.dropped(watched, event)
        return super().eventFilter(watched, event)

    # ---- what window and panels ask

    def fit(self) -> None:
        self.stage.measure_size()
        for canvas in self.canvases:
            canvas.fit()

    def show_thing(self, thing: Thing) -> None:
        centre, radius = self.stage.thing_ball(thing)
        for canvas in self.canvases:
            canvas.show_ball(centre, radius)

    def show_live(self, joints: Mapping[str, float], scans: Mapping[str, Any], words: str) -> None:
        self.stage.live = dict(joints) if words else None
        self.stage.scans = {frame: np.asarray(points, float) for frame, points in scans.items()} if words else {}
        self.stage.live_words = words
        self.stage.changed()

    def show_path(self, frames: list[str]) -> None:
        self.context.selection.show_path(frames)

    def place_body(self, file: Path, at: Callable[[], Any] | None = None) -> None:
        self.commands.place_body(file, at() if at is not None else None)

    def show_theme(self, theme: Theme) -> None:
        self.stage.show_theme()
        self.tools.show_theme(theme)
        self.joint_panel.show_theme(theme)
        self.commands.show_theme(theme)

    def close_panel(self) -> None:
        self.touching.close()
        self.stage.close()
        for canvas in self.canvases:
            canvas.close_canvas()
        self.meshes.close()
