"""An array as an image, a map, curves or a table, with its statistics and the cell under the mouse."""

from __future__ import annotations

from PyQt6.QtCore import QAbstractTableModel, QModelIndex, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QSpinBox,
    QStackedLayout,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.editor.look.fonts import code_font, text_font
from studio.editor.look.theme import Theme
from studio.editor.views.data.array_data import ArrayData, number_words
from studio.editor.views.data.array_plot import ArrayPlot
from studio.editor.views.shared.map_colours import UNKNOWN

KINDS = ("Image", "Map", "Plot", "Table")


class ArrayView(QWidget):
    plane_chosen = pyqtSignal(int)
    """Another grid of an array with three axes is wanted."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.data: ArrayData | None = None
        self.kind = "Image"
        self.subject = QLabel()
        self.subject.setProperty("role", "subject")
        self.subject.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.about = QLabel()
        self.about.setProperty("role", "muted")
        self.about.setWordWrap(True)
        self._group = QButtonGroup(self)
        head = QHBoxLayout()
        head.setContentsMargins(10, 6, 8, 4)
        head.setSpacing(0)
        head.addWidget(self.subject, 1)
        self.plane = QSpinBox()
        self.plane.setAccessibleName("Which grid of the array")
        self.plane.setToolTip("Which grid of an array with three axes")
        self.plane.setFixedWidth(56)
        self.plane.hide()
        self.plane.valueChanged.connect(lambda plane: None if self._filling else self.plane_chosen.emit(plane))
        self._filling = False
        head.addWidget(self.plane)
        head.addSpacing(6)
        self.buttons: dict[str, QToolButton] = {}
        for kind in KINDS:
            button = QToolButton()
            button.setText(kind)
            button.setCheckable(True)
            button.setProperty("segment", True)
            button.setFont(text_font(12))
            button.setStyleSheet("padding: 0 5px; min-height: 20px;")
            button.setAccessibleName(f"View as {kind.lower()}")
            button.clicked.connect(lambda _=False, kind=kind: self.choose(kind))
            self._group.addButton(button)
            self.buttons[kind] = button
            head.addWidget(button)
        self.picture = _Picture(theme)
        self.plot = ArrayPlot(theme)
        self.table = QTableView()
        self.table.setAccessibleName("Values of the array")
        self.table.setFont(code_font(12))
        pages = QWidget()
        self._place = QStackedLayout(pages)  # without a widget around it, its first page would be a window for a moment
        for widget in (self.picture, self.plot, self.table):
            self._place.addWidget(widget)
        self.figures = _Figures()
        self.picture.pointed.connect(self._point)
        self.plot.pointed.connect(self._point)
        body = QHBoxLayout()
        body.setContentsMargins(10, 2, 10, 6)
        body.setSpacing(12)
        body.addWidget(pages, 1)
        body.addWidget(self.figures)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addLayout(body, 1)
        about = QHBoxLayout()
        about.setContentsMargins(10, 0, 10, 6)
        about.addWidget(self.about)
        layout.addLayout(about)
        self.buttons[self.kind].setChecked(True)

    def show_array(self, data: ArrayData) -> None:
        was = self.data
        self.data = data
        self.subject.setText(data.name)
        self.about.setText(data.words)
        self._filling = True
        self.plane.setRange(0, data.planes - 1)
        self.plane.setValue(next((place for place in data.index if place is not None), 0))
        self.plane.setVisible(data.planes > 1)
        self._filling = False
        flat = data.values.ndim == 1
        for kind in ("Image", "Map"):
            self.buttons[kind].setEnabled(not flat)
            self.buttons[kind].setToolTip("A row of values has no second axis" if flat else "")
        self.buttons["Plot"].setEnabled(not data.is_colours)
        self.figures.show_statistics(data)
        if was is None or was.name != data.name or not self.buttons[self.kind].isEnabled():
            fits = "Plot" if flat else "Map" if _is_map(data) else "Image"
            if not self.buttons[self.kind].isEnabled() or (was is None or was.shape != data.shape):
                self.kind = fits
        self._show()

    def say(self, name: str, words: str) -> None:
        """Instead of an array: why there is none."""
        self.data = None
        self.subject.setText(name)
        self.about.setText(words)

    def choose(self, kind: str) -> None:
        self.kind = kind
        self._show()

    def _show(self) -> None:
        data = self.data
        self.buttons[self.kind].setChecked(True)
        if data is None:
            return
        if self.kind == "Table":
            self.table.setModel(_Cells(data, self.table))
            self.table.resizeColumnsToContents()
            self._place.setCurrentWidget(self.table)
        elif self.kind == "Plot":
            self.plot.show_data(data)
            self._place.setCurrentWidget(self.plot)
        else:
            self.picture.show_data(data, self.kind == "Map")
            self._place.setCurrentWidget(self.picture)

    def _point(self, row: int, column: int) -> None:
        if self.data is not None:
            self.figures.show_cell(self.data, row, column)

    def show_theme(self, theme: Theme) -> None:
        self.theme = self.picture.theme = self.plot.theme = theme
        self._show()


def _is_map(data: ArrayData) -> bool:
    return not data.is_colours and data.values.dtype.kind == "f" and bool(data.statistics.get("nan"))


class _Figures(QWidget):
    """The column at the right."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedWidth(116)
        self._values: dict[str, QLabel] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(4)
        for row, name in enumerate(("min", "mean", "max", "NaN")):
            label = QLabel(name)
            label.setProperty("role", "muted")
            value = QLabel()
            value.setFont(code_font(12))
            value.setAlignment(Qt.AlignmentFlag.AlignRight)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(label, row, 0)
            grid.addWidget(value, row, 1)
            self._values[name] = value
        self.cell = QLabel()
        self.cell.setProperty("role", "muted")
        self.value = QLabel()
        self.value.setFont(code_font(13))
        grid.addWidget(self.cell, 5, 0, 1, 2)
        grid.addWidget(self.value, 6, 0, 1, 2)
        grid.setRowStretch(7, 1)
        grid.setRowMinimumHeight(4, 6)

    def show_statistics(self, data: ArrayData) -> None:
        for name, label in self._values.items():
            value = data.statistics.get(name.lower())
            label.setText("—" if value is None else number_words(value))
            label.setToolTip("Of a sample of the values" if data.sampled else "")
        self.cell.clear()
        self.value.clear()

    def show_cell(self, data: ArrayData, row: int, column: int) -> None:
        self.cell.setText(f"cell [{', '.join(map(str, data.place(row, column)))}]")
        value = data.grid[row, column]
        is_colour = data.is_colours
        self.value.setText(" ".join(map(str, value.tolist())) if is_colour else number_words(value.item()))


class _Picture(QWidget):
    """Cells as they are, as large as there is room, with the one under the mouse outlined."""

    pointed = pyqtSignal(int, int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self._image = QImage()
        self._as_map = False
        self._cell: tuple[int, int] | None = None
        self.setMouseTracking(True)
        self.setMinimumSize(120, 90)
        self.setAccessibleName("Picture of the array")

    def sizeHint(self) -> QSize:
        return QSize(240, 190)

    def show_data(self, data: ArrayData, as_map: bool) -> None:
        pixels = data.pixels(as_map, UNKNOWN[self.theme.name])
        height, width = pixels.shape
        self._image = QImage(pixels.tobytes(), width, height, width * 4, QImage.Format.Format_RGB32).copy()
        self._as_map = as_map
        self._cell = None
        self.update()

    def _frame(self) -> QRectF:
        """Where the picture lies: square cells, unless it is so long that nothing could be seen."""
        if self._image.isNull():
            return QRectF()
        width, height = self._image.width(), self._image.height()
        scale = min(self.width() / width, self.height() / height)
        across, down = width * scale, height * scale
        if min(across, down) < 24:
            across, down = max(across, 24.0), max(down, 24.0)
        return QRectF(0.5, 0.5, across - 1, down - 1)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        frame = self._frame()
        if not frame.contains(event.position()):
            return
        column = int((event.position().x() - frame.left()) / frame.width() * self._image.width())
        row = int((event.position().y() - frame.top()) / frame.height() * self._image.height())
        row, column = min(row, self._image.height() - 1), min(column, self._image.width() - 1)
        self._cell = (row, column)
        self.update()
        self.pointed.emit(self._image.height() - 1 - row if self._as_map else row, column)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        frame = self._frame()
        painter = QPainter(self)
        painter.drawImage(frame, self._image)
        painter.setPen(QPen(QColor(self.theme.border), 1))
        painter.drawRect(frame)
        if self._cell is not None and frame.width():
            row, column = self._cell
            across, down = frame.width() / self._image.width(), frame.height() / self._image.height()
            cell = QRectF(frame.left() + column * across, frame.top() + row * down, across, down)
            grown = max(0.0, 9 - min(across, down)) / 2
            painter.setPen(QPen(QColor("#000000"), 3))
            painter.drawRect(cell.adjusted(-grown, -grown, grown, grown))
            painter.setPen(QPen(QColor("#FFFFFF"), 1.5))
            painter.drawRect(cell.adjusted(-grown, -grown, grown, grown))
        painter.end()


class _Cells(QAbstractTableModel):
    def __init__(self, data: ArrayData, parent: QWidget) -> None:
        super().__init__(parent)
        self._data = data
        grid = data.grid
        # Rows of one value each: what has one axis reads better from above to below.
        self._grid = grid.T if data.values.ndim == 1 else grid
        self._flat = data.values.ndim == 1

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        return int(self._grid.shape[0])

    def columnCount(self, parent: QModelIndex | None = None) -> int:
        return int(self._grid.shape[1])

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        value = self._grid[index.row(), index.column()]
        if self._data.is_colours:
            return " ".join(map(str, value.tolist()))
        return f"{value:.6g}" if self._grid.dtype.kind == "f" else str(value)

    def headerData(self, section: int, side: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        steps = self._data.steps
        if self._flat:
            return str(section * steps[0]) if side is Qt.Orientation.Vertical else ""
        return str(section * (steps[0] if side is Qt.Orientation.Vertical else steps[1]))
