"""The models of the world, and what can be done with one of them: move, back to where it was, delete, spawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QColor, QKeyEvent
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDoubleSpinBox,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from studio.editor.look.fonts import code_font, text_font
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.bar import Bar
from studio.runtime.gazebo.connections.scene import SceneModel, yaw_rad

NAME, KIND, PARTS, PLACE, HEADING = range(5)
TITLES = ("Model", "Kind", "Parts", "x y z, m", "Heading")


class ModelsPanel(QWidget):
    chosen = pyqtSignal(str)
    move_wanted = pyqtSignal(str, float, float, float)
    """A model, x and y in metres and its heading in radians."""
    home_wanted = pyqtSignal(str)
    delete_wanted = pyqtSignal(str)
    spawn_wanted = pyqtSignal(str, float, float, float)
    """An assembly, and where."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._models: Sequence[SceneModel] = ()
        self._spawned: frozenset[str] = frozenset()
        self._can_change = False
        self._wanted = ""
        self.table = _Table(self._delete_current)
        self.table.setHorizontalHeaderLabels(TITLES)
        header, side = self.table.horizontalHeader(), self.table.verticalHeader()
        assert header is not None and side is not None
        side.hide()
        side.setDefaultSectionSize(25)
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, width in ((NAME, 150), (KIND, 110), (PARTS, 130), (PLACE, 170)):
            self.table.setColumnWidth(column, width)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setAlternatingRowColors(True)
        self.table.setShowGrid(False)
        self.table.setAccessibleName("Models of the world")
        self.table.itemSelectionChanged.connect(self._choose)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._make_bar())
        whole.addWidget(self.table, 1)
        self._show_choice()

    def _make_bar(self) -> QWidget:
        self.vehicles = QComboBox()
        self.vehicles.setAccessibleName("Vehicle to spawn")
        self.vehicles.setToolTip("An assembly of the project, or one that ships")
        self.spawn = QPushButton("Spawn")
        self.spawn.setToolTip("Put the vehicle into the world at x, y and heading")
        self.spawn.clicked.connect(lambda: self.spawn_wanted.emit(self.vehicles.currentText(), *self._at()))
        self.x_m, self.y_m = _field("x ", " m", 1000.0), _field("y ", " m", 1000.0)
        self.heading = _field("", "°", 360.0)
        self.move_button = QPushButton("Move")
        self.move_button.setToolTip("Move the selected model to x, y and heading; its height stays")
        self.move_button.clicked.connect(lambda: self.move_wanted.emit(self.current(), *self._at()))
        self.home = QPushButton("Reset")
        self.home.setToolTip("Move the selected model back to its first pose")
        self.home.clicked.connect(lambda: self.home_wanted.emit(self.current()))
        self.delete = QPushButton("Delete")
        self.delete.setToolTip("Take the selected model out of the world (Delete)")
        self.delete.clicked.connect(lambda: self.delete_wanted.emit(self.current()))
        title = QLabel("Models")
        title.setFont(text_font(13, 600))
        return Bar(
            title, self.vehicles, self.spawn, self.x_m, self.y_m, self.heading, self.move_button, self.home, self.delete
        )

    def _delete_current(self) -> None:
        if self.delete.isEnabled():
            self.delete_wanted.emit(self.current())

    def _at(self) -> tuple[float, float, float]:
        return self.x_m.value(), self.y_m.value(), math.radians(self.heading.value())

    def current(self) -> str:
        item = self.table.item(self.table.currentRow(), NAME)
        return item.text() if item is not None else ""

    def select(self, name: str) -> None:
        """Also one that is still to come."""
        self._wanted = "" if any(each.name == name for each in self._models) else name
        for place, model in enumerate(self._models):
            if model.name == name:
                self.table.setCurrentCell(place, NAME)

    def show_vehicles(self, names: Sequence[str], preferred: str) -> None:
        if [self.vehicles.itemText(place) for place in range(self.vehicles.count())] != list(names):
            self.vehicles.clear()
            self.vehicles.addItems(names)
            if preferred in names:
                self.vehicles.setCurrentText(preferred)
        self._show_choice()

    def show_models(self, models: Sequence[SceneModel], spawned: frozenset[str], *, can_change: bool) -> None:
        models = sorted(models, key=lambda each: (each.name not in spawned, each.is_static))
        is_same = [each.name for each in models] == [each.name for each in self._models]
        self._models, self._spawned, self._can_change = models, spawned, can_change
        if not is_same:
            before = self.current()
            self.table.blockSignals(True)
            self.table.setRowCount(len(models))
            for place in range(len(models)):
                for column in range(len(TITLES)):
                    self.table.setItem(place, column, self._item(column))
            self.table.blockSignals(False)
            self.table.clearSelection()
            self.table.setCurrentCell(-1, -1)
            self.select(self._wanted or before)
        for place, model in enumerate(models):
            for column, text in enumerate(self._words(model)):
                item = self.table.item(place, column)
                if item is not None and item.text() != text:
                    item.setText(text)
        self._show_choice()

    def _item(self, column: int) -> QTableWidgetItem:
        item = QTableWidgetItem()
        if column in (PLACE, HEADING):
            item.setFont(code_font(12))
        elif column != NAME:
            item.setForeground(QColor(self._theme.muted))
        return item

    def _words(self, model: SceneModel) -> tuple[str, ...]:
        kind = "spawned here" if model.name in self._spawned else "static" if model.is_static else "movable"
        place = "  ".join(_number(value, 2) for value in model.placement.position_m)
        degrees = f"{_number(math.degrees(yaw_rad(model.placement)), 0)}°"
        return model.name, kind, model.parts, place, degrees

    def _choose(self) -> None:
        model = next((each for each in self._models if each.name == self.current()), None)
        if model is not None:
            for field, value in ((self.x_m, model.placement.position_m[0]), (self.y_m, model.placement.position_m[1])):
                field.setValue(value)
            self.heading.setValue(math.degrees(yaw_rad(model.placement)))
        self._show_choice()
        self.chosen.emit(self.current())

    def _show_choice(self) -> None:
        model = next((each for each in self._models if each.name == self.current()), None)
        self.spawn.setEnabled(self._can_change and self.vehicles.count() > 0)
        for button in (self.home, self.delete):
            button.setEnabled(self._can_change and model is not None)
        self.move_button.setEnabled(self._can_change and model is not None and not model.is_static)

    def show_theme(self, theme: Theme) -> None:
        self._theme = theme
        models, self._models = self._models, ()
        self.show_models(models, self._spawned, can_change=self._can_change)


def _number(value: float, digits: int) -> str:
    """Without a zero that is less than zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "\N{MINUS SIGN}")


class _Table(QTableWidget):
    def __init__(self, delete: Callable[[], object]) -> None:
        super().__init__(0, len(TITLES))
        self._delete = delete

    def keyPressEvent(self, e: QKeyEvent | None) -> None:
        if e is not None and e.key() == Qt.Key.Key_Delete:
            self._delete()
        else:
            super().keyPressEvent(e)


def _field(prefix: str, suffix: str, most: float) -> QDoubleSpinBox:
    field = QDoubleSpinBox()
    field.setRange(-most, most)
    field.setDecimals(2 if suffix != "°" else 0)
    field.setPrefix(prefix)
    field.setSuffix(suffix)
    field.setMaximumWidth(104)
    field.setAccessibleName({"x ": "x in metres", "y ": "y in metres"}.get(prefix, "Heading in degrees"))
    return field
