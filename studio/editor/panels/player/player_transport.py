"""The row of the LogPlayer that one works with: buttons of a tape, the rate, time and number. Knows no log."""

from __future__ import annotations

import math
from collections.abc import Callable

from PyQt6.QtCore import QPointF, QRectF, QSize, pyqtSignal
from PyQt6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent, QWheelEvent
from PyQt6.QtWidgets import QHBoxLayout, QLineEdit, QSizePolicy, QToolButton, QWidget

from studio.editor.look.fonts import code_font
from studio.editor.look.theme import Theme

PRESETS: tuple[tuple[str, float | None], ...] = (
    ("0.1", 0.1), ("0.5", 0.5), ("1", 1.0), ("2", 2.0), ("10", 10.0), ("Max", None),
)  # fmt: skip
SLOWEST, FASTEST = 0.01, 1000.0
BAR_HEIGHT = 40
TOOL_WIDTH, GAP = 30, 8


class FittingBar(QWidget):
    """A row that hides what matters least where it would not fit; it never widens its dock."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(BAR_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(8, 4, 8, 4)
        self._row.setSpacing(3)
        self._widgets: list[tuple[QWidget, int]] = []
        self._last: QWidget | None = None
        self._gaps = 0
        self._stands_for: dict[QWidget, QWidget] = {}
        self.hidden_widgets: list[QWidget] = []
        """For which there is no room now."""

    def add_last(self, widget: QWidget) -> None:
        """At the end, and only while something is hidden."""
        self._row.addStretch(1)
        self._row.addWidget(widget)
        self._last = widget
        widget.hide()

    def add(self, widget: QWidget, rank: int = 0, *, stands_for: QWidget | None = None) -> None:
        """Of rank 0 are those that always stay; the higher, the sooner it goes, with all of its rank. What stands for
        another, which goes sooner, is only there while that one is not."""
        self._row.addWidget(widget)
        self._widgets.append((widget, rank))
        if stands_for is not None:
            self._stands_for[widget] = stands_for

    def add_gap(self) -> None:
        """Between what belongs together and what does not."""
        self._row.addSpacing(GAP)
        self._gaps += GAP + self._row.spacing()

    def minimumSizeHint(self) -> QSize:
        return QSize(200, BAR_HEIGHT)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self.fit()

    def fit(self) -> None:
        spacing = self._row.spacing()
        room = self.width() - 24 - self._gaps
        wanted = {widget: widget.sizeHint().width() + spacing for widget, _ in self._widgets}
        wanted |= {widget: widget.maximumWidth() + spacing for widget in wanted if widget.maximumWidth() < 1000}
        needed = sum(width for widget, width in wanted.items() if widget not in self._stands_for)
        if self._last is not None:
            room -= (self._last.sizeHint().width() + spacing) if needed > room else 0
            self._last.setVisible(needed > room)
        gone: set[QWidget] = set()
        for rank in sorted({rank for _, rank in self._widgets} - {0}, reverse=True):
            if needed <= room:
                break
            going = [widget for widget, each in self._widgets if each == rank and self._is_wanted(widget, gone)]
            gone.update(going)
            needed -= sum(wanted[widget] for widget in going)
            needed += sum(wanted[widget] for widget, other in self._stands_for.items() if other in going)
        for widget, _ in self._widgets:
            widget.setVisible(widget not in gone and self._is_wanted(widget, gone))
        self.hidden_widgets = [widget for widget, _ in self._widgets if widget in gone]

    def _is_wanted(self, widget: QWidget, gone: set[QWidget]) -> bool:
        """What stands for another is not, while that one is there."""
        other = self._stands_for.get(widget)
        return other is None or other in gone


class RateDial(QWidget):
    """Drag up or down, or turn the wheel: slower and faster on a scale of powers."""

    turned = pyqtSignal(float)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.rate: float | None = 1.0
        self._pressed: tuple[float, float] | None = None
        self.setFixedSize(32, 32)
        self.setToolTip("Rate: drag up and down, or turn the wheel; a double-click is 1 ×")
        self.setAccessibleName("Rate")

    def show_rate(self, rate: float | None) -> None:
        if rate != self.rate and self._pressed is None:
            self.rate = rate
            self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        on = self.isEnabled()
        painter.setPen(QPen(QColor(self.theme.control_border if on else self.theme.border), 1.5))
        painter.setBrush(QColor(self.theme.field))
        painter.drawEllipse(QRectF(3, 3, 26, 26))
        share = 1.0 if self.rate is None else math.log10(self.rate / SLOWEST) / math.log10(FASTEST / SLOWEST)
        angle = math.radians(-225 + 270 * min(max(share, 0.0), 1.0))
        painter.setPen(QPen(QColor(self.theme.accent if on else self.theme.disabled), 2.5))
        middle, reach = QPointF(16, 16), QPointF(math.cos(angle), math.sin(angle))
        painter.drawLine(middle + reach * 4, middle + reach * 12)

    def _turn(self, rate: float) -> None:
        rate = min(max(rate, SLOWEST), FASTEST)
        digits = 2 - math.floor(math.log10(rate))
        self.rate = round(rate, max(digits, 0))
        self.update()
        self.turned.emit(self.rate)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        self._pressed = (event.position().y(), self.rate or FASTEST)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        if self._pressed is not None:
            self._turn(self._pressed[1] * 10 ** ((self._pressed[0] - event.position().y()) / 60))

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        self._pressed = None

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        self._turn(1.0)

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        assert event is not None
        event.accept()
        self._turn((self.rate or FASTEST) * 1.1 ** (event.angleDelta().y() / 120))


class Presets(QWidget):
    """Rates that one wants most, side by side."""

    chosen = pyqtSignal(object)
    """A rate, or None for as fast as it goes."""

    def __init__(self) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self.buttons: dict[float | None, QToolButton] = {}
        for words, rate in PRESETS:
            button = QToolButton()
            button.setText(words)
            button.setCheckable(True)
            button.setProperty("segment", "true")
            button.setStyleSheet("QToolButton { padding: 0 2px; }")  # six of them, and there is never enough room
            button.setToolTip(f"{words} times as fast" if rate else "As fast as the components go")
            button.clicked.connect(lambda _, rate=rate: self.chosen.emit(rate))
            row.addWidget(button)
            self.buttons[rate] = button

    def show_rate(self, rate: float | None) -> None:
        for each, button in self.buttons.items():
            button.setChecked(each == rate)


def field(width: int, name: str, words: str, done: Callable[[], object]) -> QLineEdit:
    """A short one for figures; Enter does it."""
    made = QLineEdit()
    made.setFont(code_font(12))
    made.setFixedWidth(width)
    made.setAccessibleName(name)
    made.setToolTip(words)
    made.returnPressed.connect(done)
    return made


def seconds_in(text: str) -> float | None:
    """Of `1:19.5`, `79.5` or `1:02:03`; None for anything else."""
    seconds = 0.0
    for part in text.strip().split(":"):
        try:
            seconds = seconds * 60 + float(part)
        except ValueError:
            return None
    return seconds if math.isfinite(seconds) else None
