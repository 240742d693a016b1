"""The form behind the layers button of a map: what lies over what, how strongly, and what is drawn on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from PyQt6.QtCore import QPoint, QSize, Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.popup import keep_apart, show_over
from studio.editor.panels.parts.viewer import muted
from studio.editor.views.maps.map_view import Things

NEW_OPACITY = 0.6
"""Of a layer that is added: what is below it should be seen."""
THINGS = {
    "vehicle": "Vehicle, cross hairs",
    "driven": "Driven path",
    "planned": "Planned path, goal",
    "votes": "Arcs of the votes",
    "scans": "Scans",
    "grid": "Grid",
}


@dataclass(eq=False)
class LayerChoice:
    """What the user wants to see of a topic; the map itself may come later."""

    topic: str
    plane: str = ""
    """Empty: the first one."""
    colours: str = ""
    opacity: float = 1.0
    visible: bool = True
    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)
    """By plane: from where to where the colours go; others have the range that suits them."""

    def save(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def restored(cls, kept: object) -> LayerChoice | None:
        """From a file: None if it makes no sense."""
        if not isinstance(kept, dict) or not isinstance(kept.get("topic"), str):
            return None
        choice = cls(kept["topic"])
        for name, kind in (("plane", str), ("colours", str), ("opacity", int | float), ("visible", bool)):
            if isinstance(kept.get(name), kind):
                setattr(choice, name, kept[name])
        choice.opacity = min(max(float(choice.opacity), 0.0), 1.0)
        ranges = kept.get("ranges")
        for plane, ends in ranges.items() if isinstance(ranges, dict) else ():
            if isinstance(ends, list | tuple) and len(ends) == 2 and all(isinstance(end, int | float) for end in ends):
                choice.ranges[str(plane)] = (float(ends[0]), float(ends[1]))
        return choice


class LayersForm(QFrame):
    """Opens below its button, and closes with a click beside it."""

    changed = pyqtSignal()
    """How a layer or a thing is shown."""
    wanted = pyqtSignal(str)
    """A layer of this topic."""
    moved = pyqtSignal(object, int)
    """A layer, up by so many places."""
    removed = pyqtSignal(object)

    def __init__(self, owner: QWidget, things: Things, rows: Mapping[str, QWidget], theme: Theme) -> None:
        super().__init__(None, Qt.WindowType.Popup)
        keep_apart(self, owner)
        self.setProperty("role", "card")
        self.theme, self.things = theme, things
        self.boxes: dict[str, QCheckBox] = {}
        self.lines: list[LayerLine] = []
        self._lines_of: list[tuple[LayerChoice, dict[str, Any], str]] = []
        self.add = QComboBox()
        self.add.setAccessibleName("Add a layer")
        self.add.setToolTip("One more map over these")
        self.add.activated.connect(self._add)
        self._list = QVBoxLayout()
        self._list.setSpacing(2)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 12)
        column.setSpacing(8)
        column.addWidget(muted("Layers, the topmost first"))
        column.addLayout(self._list)
        column.addWidget(self.add)
        column.addWidget(muted("Drawn on them"))
        column.addLayout(self._thing_boxes())
        form = QFormLayout()
        for label, widget in rows.items():
            form.addRow(label, widget)
        column.addLayout(form)

    def _thing_boxes(self) -> QGridLayout:
        grid = QGridLayout()
        for number, thing in enumerate(fields(Things)):
            box = self.boxes[thing.name] = QCheckBox(THINGS[thing.name])
            box.toggled.connect(lambda on, name=thing.name: self._show_thing(name, on))
            grid.addWidget(box, number // 2, number % 2)
        self.show_things()
        return grid

    def show_things(self) -> None:
        for name, box in self.boxes.items():
            box.blockSignals(True)
            box.setChecked(getattr(self.things, name))
            box.blockSignals(False)

    def _show_thing(self, name: str, on: bool) -> None:
        setattr(self.things, name, on)
        self.changed.emit()

    def show_layers(self, choices: Sequence[LayerChoice], main: LayerChoice, topics: Sequence[str]) -> None:
        """`choices` from the lowest to the topmost; `main` is chosen in the bar and cannot be removed here."""
        # Topics come one by one while a system starts, and rows are slow to make: only what is new is made anew.
        of = [(choice, choice.save(), str(self.theme.name)) for choice in reversed(choices)]
        if of != self._lines_of:
            self._lines_of = of
            for line in self.lines:
                self._list.removeWidget(line)
                line.deleteLater()
            self.lines = [LayerLine(self, choice, is_main=choice is main) for choice in reversed(choices)]
            for line in self.lines:
                self._list.addWidget(line)
                line.up.setEnabled(line is not self.lines[0])
                line.down.setEnabled(line is not self.lines[-1])
        if list(topics) != [self.add.itemData(i) for i in range(1, self.add.count())]:
            self.add.clear()
            self.add.addItem("Add a layer…", "")
            for topic in topics:
                self.add.addItem(topic, topic)
        self.add.setVisible(bool(topics))
        self._fit()

    def show_planes(self, choice: LayerChoice, names: Sequence[str], plane: str) -> None:
        for line in self.lines:
            if line.choice is choice:
                line.show_planes(names, plane)

    def _add(self, index: int) -> None:
        topic = str(self.add.itemData(index) or "")
        self.add.setCurrentIndex(0)
        if topic:
            self.wanted.emit(topic)

    def open_below(self, button: QWidget) -> None:
        self.move(button.mapToGlobal(QPoint(0, button.height() + 2)))
        show_over(self, button)
        self._fit()

    def _fit(self) -> None:
        """As large as it has to be, and all of it on the screen."""
        if not self.isVisible():
            return
        self.adjustSize()
        screen = self.screen()
        if screen is not None:
            room = screen.availableGeometry()
            x = max(min(self.x(), room.right() - self.width()), room.left())
            self.move(x, max(min(self.y(), room.bottom() - self.height()), room.top()))


class LayerLine(QWidget):
    def __init__(self, form: LayersForm, choice: LayerChoice, *, is_main: bool) -> None:
        super().__init__()
        self.form, self.choice = form, choice
        self.seen = QCheckBox(choice.topic or "The map of this viewer")
        self.seen.setChecked(choice.visible)
        self.seen.setAccessibleName(f"Show {choice.topic}")
        self.seen.toggled.connect(self._see)
        self.plane = QComboBox()
        self.plane.setToolTip("The plane that is shown" + ("; also in the bar" if is_main else ""))
        self.plane.setAccessibleName("Plane")
        self.plane.setMinimumContentsLength(12)
        self.plane.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.plane.activated.connect(lambda _: self._choose_plane())
        self.plane.setEnabled(not is_main)
        self.opacity = QSlider(Qt.Orientation.Horizontal)
        self.opacity.setRange(0, 100)
        self.opacity.setFixedWidth(90)
        self.opacity.setValue(round(choice.opacity * 100))
        self.opacity.setAccessibleName("Opacity")
        self.opacity.valueChanged.connect(self._fade)
        self.share = QLabel()
        self.share.setFixedWidth(38)
        self.share.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.seen, 1)
        row.addWidget(self.plane)
        row.addWidget(self.opacity)
        row.addWidget(self.share)
        self.up = self._button("mdi6.arrow-up", "Over the one above", lambda: form.moved.emit(choice, 1))
        self.down = self._button("mdi6.arrow-down", "Below the one below", lambda: form.moved.emit(choice, -1))
        self.remove = self._button("mdi6.close", "Remove this layer", lambda: form.removed.emit(choice))
        self.remove.setEnabled(not is_main)
        for button in (self.up, self.down, self.remove):
            row.addWidget(button)
        self._tell_share()

    def _button(self, name: str, words: str, do: Callable[[], object]) -> QToolButton:
        button = QToolButton()
        button.setIcon(icon(name, self.form.theme.muted))
        button.setIconSize(QSize(14, 14))
        button.setToolTip(words)
        button.setAccessibleName(words)
        button.clicked.connect(lambda _: do())
        return button

    def show_planes(self, names: Sequence[str], plane: str) -> None:
        if list(names) != [self.plane.itemText(i) for i in range(self.plane.count())]:
            self.plane.clear()
            self.plane.addItems(list(names))
            self.form._fit()
        self.plane.setCurrentText(plane)

    def _see(self, on: bool) -> None:
        self.choice.visible = on
        self.form.changed.emit()

    def _choose_plane(self) -> None:
        self.choice.plane = self.plane.currentText()
        self.form.changed.emit()

    def _fade(self, percent: int) -> None:
        self.choice.opacity = percent / 100
        self._tell_share()
        self.form.changed.emit()

    def _tell_share(self) -> None:
        self.share.setText(f"{round(self.choice.opacity * 100)} %")
        self.opacity.setToolTip("Opacity over the layers below")
