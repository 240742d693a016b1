"""Measure: where one frame is in another, the path between them, and the numbers for other programs."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtGui import QGuiApplication
from PyQt6.QtWidgets import (
    QButtonGroup,
    QCompleter,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.editor.geometry.panels.fields import TURN_WORDS, ThreeFields
from studio.editor.geometry.protocols import Context
from studio.editor.geometry.selection import BodyThing, FrameThing, Pick, Thing
from studio.editor.geometry.units import load_units
from studio.editor.look.fonts import code_font
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.breaking_label import BreakingLabel
from studio.errors import StudioError
from studio.model.geometry.measurement import Measurement, loops, measure

VIEWS = ("xyz rpy", "4 × 4", "Quat")
SIDES = {"foi": "Interest", "reference": "Reference"}
CLICKS = {"foi": "Click the frame of interest", "reference": "Click the frame of reference"}
EMPTY = "Choose two frames: by name, with the pointer in the view, or in the tree"


class Measure(QWidget):
    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context
        self.measured: Measurement | None = None
        self.units = load_units(context.settings)
        self.fields = {side: self._frame_field(side) for side in SIDES}
        self.views = QStackedWidget()
        self.position = ThreeFields(context.theme, self.units, "length")
        self.angles = ThreeFields(context.theme, self.units, "angle", words=TURN_WORDS)
        self.matrix, self.quaternion = QLabel(), QLabel()
        self.words, self.path, self.loops = BreakingLabel(EMPTY), BreakingLabel(), BreakingLabel()
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self.refresh)
        self._whole_name = QTimer(self)
        self._whole_name.setSingleShot(True)
        self._whole_name.timeout.connect(self._take_whole_name)
        self._lay_out()
        self._ends = [context.workspace.listen(lambda _: self.refresh())]
        self.refresh()

    # ---- building

    def _lay_out(self) -> None:
        inner, area = QWidget(), QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(inner)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(area)
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 0, 8)
        column.setSpacing(6)
        column.addLayout(self._view_row())
        for side, words in SIDES.items():
            column.addLayout(self._frame_row(side, words))
        self._add_views()
        for widget in (self.views, self.words):
            column.addWidget(widget)
        column.addLayout(self._copy_row())
        title = QLabel("Path")
        title.setProperty("role", "section")
        column.addWidget(title)
        for label in (self.words, self.path, self.loops):
            label.setContentsMargins(10, 0, 10, 0)
            label.setProperty("role", "muted")
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        column.addWidget(self.path)
        title = QLabel("Loops")
        title.setProperty("role", "section")
        column.addWidget(title)
        column.addWidget(self.loops)
        column.addStretch(1)

    def _view_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(10, 8, 10, 0)
        row.setSpacing(0)
        row.addStretch(1)
        self._buttons = QButtonGroup(self)
        for place, words in enumerate(VIEWS):
            button = QToolButton()
            button.setText(words)
            button.setCheckable(True)
            button.setProperty("framed", "true")
            button.setProperty("segment", "true")
            button.setChecked(place == 0)
            self._buttons.addButton(button, place)
            row.addWidget(button)
        self._buttons.idClicked.connect(self.views.setCurrentIndex)
        return row

    def _frame_row(self, side: str, words: str) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(10, 0, 10, 0)
        label = QLabel(words)
        label.setProperty("role", "muted")
        label.setFixedWidth(78)
        pick = QToolButton()
        pick.setIcon(icon("mdi6.cursor-default-click-outline", self.context.theme.muted))
        pick.setToolTip(f"{CLICKS[side]}, in the view or in the tree")
        pick.setAccessibleName(CLICKS[side])
        pick.clicked.connect(lambda _: self.pick(side))
        for widget, stretch in ((label, 0), (self.fields[side], 1), (pick, 0)):
            row.addWidget(widget, stretch)
        return row

    def _frame_field(self, side: str) -> QLineEdit:
        field = QLineEdit()
        field.setFont(code_font(12))
        field.setPlaceholderText("Body:Frame")
        field.setAccessibleName(SIDES[side])
        field.editingFinished.connect(self.refresh)
        field.textEdited.connect(lambda _: self._whole_name.start())
        return field

    def _add_views(self) -> None:
        numbers = QWidget()
        column = QVBoxLayout(numbers)
        column.setContentsMargins(10, 0, 10, 0)
        for three in (self.position, self.angles):
            column.addWidget(three)
            for field in three.fields:
                field.set_read_only()
        self.views.addWidget(numbers)
        for label in (self.matrix, self.quaternion):
            label.setFont(code_font(11))
            # The widest page of a stack, shown or not, would push the others out of a narrow column.
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
            label.setContentsMargins(10, 0, 10, 0)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self.views.addWidget(label)

    def _copy_row(self) -> QGridLayout:
        row = QGridLayout()
        row.setContentsMargins(10, 0, 10, 0)
        label = QLabel("Copy as")
        label.setProperty("role", "muted")
        row.addWidget(label, 0, 0)
        texts: dict[str, Callable[[Measurement], str]] = {
            "Python": Measurement.as_python,
            "XML": Measurement.as_xml,
            "ROS static tf": Measurement.as_ros_static_transform,
            "Text": Measurement.as_text,
        }
        self.copies = {}
        for place, (words, text) in enumerate(texts.items()):
            button = QPushButton(words)
            button.setToolTip(f"Copy it as {words}")
            button.clicked.connect(lambda _, text=text, words=words: self._copy(text, words))
            row.addWidget(button, place // 2, 1 + place % 2)
            self.copies[words] = button
        row.setColumnStretch(3, 1)
        return row

    # ---- choosing frames

    def set_frame(self, side: str, frame: str) -> None:
        """`foi` or `reference`."""
        self.fields[side].setText(frame)
        self.refresh()

    def pick(self, side: str) -> None:
        def take(thing: Thing) -> None:
            self.set_frame(side, str(thing))
            other = "reference" if side == "foi" else "foi"
            if not self.fields[other].text():
                self.pick(other)

        self.context.selection.ask(Pick(CLICKS[side], (FrameThing, BodyThing), take))

    # ---- showing

    def _refresh_soon(self) -> None:
        """A completer writes into its field after it has told."""
        self._soon.start()

    def _take_whole_name(self) -> None:
        """What is typed in full needs no list over the next field: the first click there would only close it."""
        transforms = self.context.workspace.assembled.transforms
        names = {*transforms.get_body_list(), *transforms.frame_names()}
        for field in self.fields.values():
            completer = field.completer()
            popup = completer.popup() if completer is not None else None
            if popup is not None and popup.isVisible() and field.text() in names:
                popup.hide()
                self.refresh()

    def refresh(self) -> None:
        """As the vehicle is now, also where joints have moved."""
        transforms = self.context.workspace.assembled.transforms
        names = [*transforms.get_body_list(), *transforms.frame_names()]
        for field in self.fields.values():
            self._offer(field, names)
        foi, reference = (self.fields[side].text().strip() for side in SIDES)
        self.measured = None
        words = EMPTY
        if foi and reference:
            try:
                self.measured = measure(transforms, foi, reference)
            except StudioError as error:
                words = f"{error.message}. {error.hint}".strip()
        self._show(words)
        self._show_loops()

    def _show(self, words: str) -> None:
        found = self.measured
        self.views.setVisible(found is not None)
        for button in self.copies.values():
            button.setEnabled(found is not None)
        self.context.selection.show_path(found.frames if found is not None else ())
        if found is None:
            self.words.setText(words)
            self.path.setText("")
            return
        self.units = load_units(self.context.settings)
        self.position.show_values(found.xyz_m)
        self.angles.show_values(found.rpy_rad)
        self.matrix.setText(
            "\n".join(" ".join(f"{value + 0.0:8.4f}" for value in row) for row in found.matrix.tolist())
        )
        names = ("x", "y", "z", "w")
        self.quaternion.setText("\n".join(f"{n} {v: .9f}" for n, v in zip(names, found.quaternion, strict=True)))
        x, y, z = found.axis_angles_deg
        distance = f"{self.units.shown(found.distance_m, 'length')} {self.units.name('length')}"
        moving = "" if found.is_rigid else " A joint is between them: this is its current position."
        self.words.setText(
            f"{distance} apart, turned by {found.angle_deg:.4g}°. "
            f"Between the x axes {x:.4g}°, y {y:.4g}°, z {z:.4g}°.{moving}"
        )
        self.path.setText("\n".join(map(str, found.steps)) or "the same frame")

    def _show_loops(self) -> None:
        model, linkage = self.context.workspace.assembled.model, self.context.workspace.assembled.transforms.linkage
        lines = [
            f"{each.constraint}: {each.error_m * 1000:.3g} mm, {each.error_deg:.3g}°"
            f"{'' if each.closes else ' (open)'} over {' → '.join(each.path) or 'the body itself'}"
            for each in loops(model, linkage)
        ]
        self.loops.setText("\n".join(lines) or "No constraint closes a loop")

    def _offer(self, field: QLineEdit, names: list[str]) -> None:
        completer = field.completer()
        model = completer.model() if completer is not None else None
        if completer is None or model is None or model.rowCount() != len(names):
            completer = QCompleter(names, field)
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            completer.activated.connect(self._refresh_soon)
            field.setCompleter(completer)

    def _copy(self, text: Callable[[Measurement], str], words: str) -> None:
        clipboard = QGuiApplication.clipboard()
        if self.measured is not None and clipboard is not None:
            clipboard.setText(text(self.measured))
            self.context.say(f"Copied as {words}")

    def show_theme(self, theme: Theme) -> None:
        self.refresh()

    def close_panel(self) -> None:
        self.context.selection.show_path(())
        for end in self._ends:
            end()
        self._ends = []
