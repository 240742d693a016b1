"""After a frame was dropped on another: six ways in which the body can sit there, each shown at once. Enter mounts."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QColor, QIcon, QKeyEvent, QPixmap
from PyQt6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout

from studio.editor.geometry.view.drawing import Draughtsman
from studio.editor.geometry.view.gestures.mounting import Offer, do_mount
from studio.editor.geometry.view.look import Look
from studio.editor.geometry.view.stage import Stage
from studio.editor.look.theme import Theme
from studio.editor.views.scene.batches import Scene
from studio.editor.views.scene.camera import Camera
from studio.editor.views.scene.painted_picture import PaintedPicture
from studio.model.geometry.arrange import ALTERNATIVES

THUMB = 72
LEFT, RIGHT = (Qt.Key.Key_Left, Qt.Key.Key_Up), (Qt.Key.Key_Right, Qt.Key.Key_Down)


class MountStrip(QFrame):
    def __init__(self, stage: Stage, offer: Offer, done: Callable[[], object], theme: Theme) -> None:
        super().__init__()
        self.stage, self.offer, self._done = stage, offer, done
        self.number = 0
        self.setObjectName("mountStrip")
        self.setStyleSheet(
            f"#mountStrip {{ background: {theme.panel}; border: 1px solid {theme.accent}; border-radius: 6px; }}"
            f"#mountStrip QToolButton {{ border: 1px solid transparent; border-radius: 4px; padding: 3px; }}"
            f"#mountStrip QToolButton:hover {{ background: {theme.hover}; }}"
            f"#mountStrip QToolButton:checked {{ background: {theme.selection}; border-color: {theme.accent}; }}"
        )
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 8, 10, 8)
        title = QLabel(f"Mount <b>{offer.carried}</b> on <b>{offer.carrier}</b>")
        column.addWidget(title)
        row = QHBoxLayout()
        row.setSpacing(4)
        self.buttons = self._thumbs(theme)
        for button in self.buttons:
            row.addWidget(button)
        column.addLayout(row)
        hint = QLabel("1 to 6 or the arrows choose · Enter mounts · Esc cancels")
        hint.setStyleSheet(f"color: {theme.muted}; font-size: 11px;")
        column.addWidget(hint)
        self.show_alternative(0)

    def show_alternative(self, number: int) -> None:
        """The view shows it."""
        self.number = number % len(ALTERNATIVES)
        self.buttons[self.number].setChecked(True)
        model = self.stage.workspace.assembled.model
        self.stage.show_preview(self.offer.would(model, ALTERNATIVES[self.number]))

    def confirm(self) -> None:
        do_mount(self.stage, self.offer, ALTERNATIVES[self.number])
        self._done()

    def cancel(self) -> None:
        self.stage.show_preview(None)
        self._done()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.confirm()
        elif key == Qt.Key.Key_Escape:
            self.cancel()
        elif key in LEFT or key in RIGHT:
            self.show_alternative(self.number + (1 if key in RIGHT else -1))
        elif Qt.Key.Key_1 <= key <= Qt.Key.Key_6:
            self.show_alternative(key - Qt.Key.Key_1)
        else:
            super().keyPressEvent(event)

    def _thumbs(self, theme: Theme) -> list[QToolButton]:
        group = QButtonGroup(self)
        made = []
        for number, alternative in enumerate(ALTERNATIVES):
            button = QToolButton()
            button.setCheckable(True)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
            button.setText(alternative.label)
            button.setIconSize(QSize(THUMB, THUMB))
            button.setIcon(QIcon(self._thumb(number, theme)))
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.clicked.connect(lambda _, number=number: self._clicked(number))
            group.addButton(button)
            made.append(button)
        return made

    def _clicked(self, number: int) -> None:
        """A second click on the same one confirms it."""
        if number == self.number and self.buttons[number].property("chosen"):
            self.confirm()
            return
        for other in self.buttons:
            other.setProperty("chosen", other is self.buttons[number])
        self.show_alternative(number)

    def _thumb(self, number: int, theme: Theme) -> QPixmap:
        """The mounted body and the frame that carries it."""
        model = self.stage.workspace.assembled.model
        self.stage.show_preview(self.offer.would(model, ALTERNATIVES[number]))
        centre, radius = self.stage.ball(self.offer.carried.body)
        bodies = frozenset(model.bodies) - {self.offer.carried.body}
        look = Look(layers=frozenset({"solids", "frames"}), hidden=bodies, frame_m=radius * 0.6)
        drawing = Draughtsman(theme).draw(self.stage.description, self.stage.joints, look, (centre, 1.0))
        camera = Camera()
        camera.show_sphere(centre, radius * 1.1)
        ground = QColor(theme.canvas)
        picture = PaintedPicture().paint(Scene(drawing.scene.things), camera, THUMB * 2, THUMB * 2, ground)
        return QPixmap.fromImage(picture)
