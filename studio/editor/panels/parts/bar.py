"""The row of choices above a picture. It never makes its panel wider: what has no room is behind `⋯` at its end."""

from __future__ import annotations

from PyQt6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QSize, Qt
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from studio.editor.panels.parts.popup import keep_apart, show_over
from studio.editor.panels.parts.viewer_tool import ViewerTool

BAR_HEIGHT, LEAST_WIDTH = 38, 200
MARGIN, SPACING = 8, 6
_FIT = QEvent.Type(QEvent.registerEventType())


class Bar(QWidget):
    def __init__(self, *widgets: QWidget) -> None:
        super().__init__()
        self.setFixedHeight(BAR_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(MARGIN, 4, MARGIN, 4)
        self._row.setSpacing(SPACING)
        self._widgets = widgets
        for widget in widgets:
            self._row.addWidget(widget, 1 if isinstance(widget, QLabel) else 0)
        self._rest = QFrame(None, Qt.WindowType.Popup)
        keep_apart(self._rest, self)
        self._rest.setProperty("role", "card")
        self._column = QVBoxLayout(self._rest)
        self._column.setContentsMargins(8, 8, 8, 8)
        self.more = QToolButton()
        self.more.setText("⋯")
        self.more.setToolTip("More")
        self.more.setAccessibleName("More")
        self.more.clicked.connect(self._open_rest)
        self._row.addWidget(self.more)
        self.more.hide()
        self.outside: tuple[QWidget, ...] = ()
        """For which there is no room now."""
        self._will_fit = False

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_WIDTH, BAR_HEIGHT)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self._fit_soon()

    def event(self, event: QEvent | None) -> bool:
        done = super().event(event)
        kind = event.type() if event is not None else None
        if kind == QEvent.Type.LayoutRequest:  # one of them came, went or became wider
            self._fit_soon()
        elif kind == _FIT:
            self._will_fit = False
            self._fit()
        return done

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """What is behind `⋯` is in another layout, which does not tell this one that it was hidden or shown."""
        if event is not None and event.type() in (QEvent.Type.HideToParent, QEvent.Type.ShowToParent):
            self._fit_soon()
        return super().eventFilter(watched, event)

    def _fit_soon(self) -> None:
        """Before it is painted, and once for all that has happened until then: a panel that opens is resized several
        times, and what moves behind `⋯` and back has its style computed anew.
        """
        if not self._will_fit:
            self._will_fit = True
            QCoreApplication.postEvent(self, QEvent(_FIT))

    def _fit(self) -> None:
        """From the right to the left; words give way by themselves, and the first choice always stays."""
        seen = [widget for widget in self._widgets if not isinstance(widget, QLabel) and not widget.isHidden()]
        wide = {widget: _width(widget) + SPACING for widget in seen}
        room = self.width() - 2 * MARGIN
        if sum(wide.values()) > room:
            room -= self.more.sizeHint().width() + SPACING
        inside = list(seen)
        while len(inside) > 1 and sum(wide[widget] for widget in inside) > room:
            inside.pop()
        outside = tuple(widget for widget in seen if widget not in inside)
        if outside != self.outside:
            self._move(outside)

    def _move(self, outside: tuple[QWidget, ...]) -> None:
        """Between the row and what is behind `⋯`. A widget with another parent is hidden: what was shown is again."""
        for place, widget in enumerate(self._widgets):
            if widget in outside and widget not in self.outside:
                before = [other for other in self._widgets[:place] if other in outside]  # they are there by now
                self._column.insertWidget(len(before), widget)
                _stand(widget, behind=True)
                widget.show()
                widget.installEventFilter(self)
            elif widget in self.outside and widget not in outside:
                widget.removeEventFilter(self)
                hidden = widget.isHidden()
                self._row.insertWidget(place, widget)
                _stand(widget, behind=False)
                widget.setVisible(not hidden)
        self.outside = outside
        self.more.setVisible(bool(outside))

    def _open_rest(self) -> None:
        self._rest.adjustSize()
        below = self.more.mapToGlobal(QPoint(self.more.width(), self.more.height() + 4))
        self._rest.move(below - QPoint(self._rest.width(), 0))
        show_over(self._rest, self)


def _stand(widget: QWidget, *, behind: bool) -> None:
    if isinstance(widget, ViewerTool):
        widget.stand(behind=behind)


def _width(widget: QWidget) -> int:
    return min(max(widget.sizeHint().width(), widget.minimumWidth()), widget.maximumWidth())
