"""The band below the toolbar that says where the data comes from: unmistakable when it is real."""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPolygonF
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from studio.editor.look.fonts import text_font
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.model.sources import SourceMode

THIN, TALL, HATCH = 4, 26, 96
GREY = "#9AA0A6"
"""The hatch while nothing can move."""


class OriginBand(QWidget):
    """Four pixels, dashed for a log and solid for a simulation; 26, orange, hatched and in words when it is real."""

    arm_wanted = pyqtSignal()
    stop_wanted = pyqtSignal()
    resume_wanted = pyqtSignal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.modes: list[SourceMode] = []
        self._shown: tuple[list[SourceMode], str] | None = None
        self.armed = False
        self._mark, self.words, self.more = QLabel(), QLabel(), QLabel()
        self.more.setMinimumWidth(1)  # figures give way in a narrow window, before the words do
        self.arm, self.stop = QPushButton("Arm…"), QPushButton("Stop vehicle   Esc Esc")
        self.resume = QPushButton("Resume vehicle")
        row = QHBoxLayout(self)
        row.setContentsMargins(HATCH + 10, 0, HATCH + 10, 0)
        row.setSpacing(9)
        row.addWidget(self._mark)
        row.addWidget(self.words)
        row.addStretch(1)
        for widget in (self.more, self.resume, self.arm, self.stop):
            row.addWidget(widget)
        self.arm.clicked.connect(self.arm_wanted)
        self.stop.clicked.connect(self.stop_wanted)
        self.stop.setToolTip(
            "Disarm: every command to the vehicle is refused. Escape twice does it while a window of Studio has the"
            " focus. This is not a certified emergency stop."
        )
        self.resume.clicked.connect(self.resume_wanted)
        self.resume.setToolTip(
            "Lift the safety stop: commands move the vehicle again. First look at the vehicle and at what stopped it."
        )
        self.arm.setToolTip("Conditions before commands may move the vehicle")
        self.setAccessibleName("Origin of the data")
        self.show_modes([], theme)

    @property
    def is_real(self) -> bool:
        return "real" in self.modes

    def show_modes(self, modes: list[SourceMode], theme: Theme) -> None:
        """One for each source, in order: the band is divided among them."""
        if self._shown == (modes, theme.look):
            return  # asked for with every piece of news, and style sheets take their time
        self._shown = (list(modes), theme.look)
        self.modes, self.theme = modes, theme
        self.setFixedHeight(0 if not modes else TALL if self.is_real else THIN)
        for widget in (self._mark, self.words, self.more, self.resume, self.arm, self.stop):
            widget.setVisible(self.is_real)
        origin = theme.origins["real"]
        self._mark.setPixmap(icon(origin.icon, origin.on_fill).pixmap(15, 15))
        for label, weight in ((self.words, 600), (self.more, 500)):
            label.setFont(text_font(12, weight))
            label.setStyleSheet(f"color: {origin.on_fill}; background: transparent;")
        for button in (self.resume, self.arm, self.stop):
            button.setFont(text_font(12, 600))
            button.setStyleSheet(
                f"QPushButton {{ background: {origin.on_fill}; color: #FFB273; border: 0; border-radius: 0;"
                f" min-height: {TALL}px; max-height: {TALL}px; padding: 0 12px; }}"
                "QPushButton:hover { color: #FFFFFF; } QPushButton:focus { border: 2px solid #FFFFFF; }"
            )
        self.update()

    def show_real(self, words: str, more: str, *, armed: bool, can_arm: bool, can_resume: bool = False) -> None:
        """What stands in it while a source is real."""
        if self.words.text() != words:
            self.words.setText(words)
            self.setAccessibleDescription(words)
        self.more.setText(more)
        self.resume.setVisible(self.is_real and armed and can_resume)
        self.arm.setVisible(self.is_real and can_arm and not armed)
        self.stop.setVisible(self.is_real and armed)
        if armed != self.armed:
            self.armed = armed
            self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        share = self.width() / max(len(self.modes), 1)
        if self.is_real:
            self._paint_real(painter)
        for place, mode in enumerate(self.modes):
            left = place * share
            if mode == "real":
                continue
            # Beside what is real the others have a strip below: the words need the whole band.
            top, height = (TALL - THIN, THIN) if self.is_real else (0, THIN)
            self._paint_other(painter, QRectF(left, top, share, height), mode)

    def _paint_other(self, painter: QPainter, where: QRectF, mode: SourceMode) -> None:
        colour = QColor(self.theme.origins[mode].text)
        if mode == "simulated":
            painter.fillRect(where, colour)
            return
        at = where.left()
        while at < where.right():
            painter.fillRect(QRectF(at, where.top(), min(32.0, where.right() - at), where.height()), colour)
            at += 40

    def _paint_real(self, painter: QPainter) -> None:
        origin = self.theme.origins["real"]
        painter.fillRect(self.rect(), QColor(origin.fill))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        dark = QColor(origin.on_fill if self.armed else GREY)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(dark)
        for left in (0, self.width() - HATCH):
            painter.setClipRect(QRectF(left, 0, HATCH, TALL))
            for step in range(-2, HATCH // 12):
                x = left + step * 22.0
                painter.drawPolygon(
                    QPolygonF(
                        [QPointF(x, TALL), QPointF(x + 11, TALL), QPointF(x + 11 + TALL, 0), QPointF(x + TALL, 0)]
                    )
                )
        painter.setClipping(False)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
