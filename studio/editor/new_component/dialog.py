"""The dialog that makes a component: what is typed at the left, the files that come of it at the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent, QShowEvent
from PyQt6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QDoubleSpinBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.editor.look.dialog_parts import button_row
from studio.editor.look.icons import CATEGORY_ICONS, icon
from studio.editor.look.theme import Theme
from studio.editor.new_component.draft import Draft, Row, faults
from studio.editor.new_component.preview import FilePreview
from studio.editor.new_component.rows import FieldRow, NameField, ParameterRow, PortRow, RowList
from studio.editor.panels.parts.parameter_fields import narrow_box
from studio.model.spec import CATEGORIES, PROFILE, Category
from studio.runtime.scaffold.creation import files_of
from studio.runtime.scaffold.description import Description, DescriptionError

KINDS: dict[Category, str] = {
    "sensor": "Sensor: brings data into the system",
    "processor": "Processor: computes something from data",
    "actuator": "Actuator: moves something real",
    "judge": "Judge: compares with ground truth",
}

SCROLL_BAR = 12


@dataclass(frozen=True)
class Place:
    """A folder that the component can be made in."""

    title: str
    tip: str
    components: Path | None
    """None where that is not possible."""
    shown: str
    """The folder for the eye, e.g. `my_robot/components`."""


class NewComponentDialog(QDialog):
    create_wanted = pyqtSignal()

    def __init__(
        self,
        parent: QWidget,
        theme: Theme,
        types: Sequence[str],
        places: Sequence[Place],
        why_not: Callable[[str, Path], str],
    ) -> None:
        """`why_not` tells what is in the way of a component of this name in these components, "" if nothing is."""
        super().__init__(parent)
        self.theme, self.types, self.places, self._why_not = theme, types, places, why_not
        self.setWindowTitle("New component")
        self.resize(1080, 640)
        self.name = NameField("e.g. low_pass")
        self.about_name = QLabel()
        self.about_name.setWordWrap(True)
        self.about_name.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.doc = QLineEdit()
        self.doc.setPlaceholderText("one sentence for users, e.g. Smooths a signal")
        self.kind = narrow_box()
        for category in CATEGORIES:
            self.kind.addItem(icon(CATEGORY_ICONS[category], theme.muted), KINDS[category], category)
        self.kind.setCurrentIndex(CATEGORIES.index("processor"))
        self.where = QButtonGroup(self)
        self.on_message, self.on_timer = QRadioButton("On each message"), QRadioButton("Periodically, every")
        self.on_message.setToolTip("A handler is called for each message that arrives")
        self.on_timer.setToolTip("on_timer is called once per period; handlers of messages are called, too")
        self.acts = QButtonGroup(self)
        self.acts.addButton(self.on_message)
        self.acts.addButton(self.on_timer)
        self.on_message.setChecked(True)
        self.period = QDoubleSpinBox()
        self.period.setRange(0.001, 3600.0)
        self.period.setDecimals(3)
        self.period.setSingleStep(0.1)
        self.period.setValue(0.1)
        self.period.setSuffix(" s")
        self.period.setAccessibleName("Period")
        self.only_timer = QLabel()
        """Beside the choice that has no effect."""
        self.only_timer.setProperty("role", "muted")
        self.only_timer.setToolTip("Messages arrive at inputs: without one, only the timer makes it act")
        self.ports = RowList("Ports", "No ports yet")
        self.parameters = RowList("Parameters", "No parameters yet")
        self.preview = FilePreview(theme)
        self.cancel, self.create_it = QPushButton("Cancel"), QPushButton("Create")
        self.create_it.setProperty("primary", "true")
        self.create_it.setDefault(True)
        self.create_it.clicked.connect(self._create)
        self.cancel.clicked.connect(self.reject)
        self.whole = QLabel()
        self.whole.setProperty("role", "error")
        self.whole.setWordWrap(True)
        self._has_tried = False
        """An empty name is no error before somebody wants to create it."""
        self._lay_out()
        self.add_port("in")
        self.add_port("out")
        self._connect()
        self._look()
        self.name.setFocus()

    # ---- what is in it

    def add_port(self, direction: str, row: Row | None = None) -> PortRow:
        made = PortRow(direction, self.types, self.theme)
        if row is not None:
            made.name.setText(row.name)
            made.type.setCurrentText(row.choice)
        self.ports.add(made)
        return made

    def add_parameter(self) -> ParameterRow:
        made = ParameterRow(self.theme)
        self.parameters.add(made)
        return made

    def begin_with(self, name: str, inputs: Sequence[Row] = (), outputs: Sequence[Row] = ()) -> None:
        """What is known already: a name that was searched for, the port that it is to be wired to."""
        self.name.setText(name)
        for direction, rows in (("in", inputs), ("out", outputs)):
            for row in rows:
                made = next((each for each in self._ports(direction) if not each.name.text()), None)
                made = made or self.add_port(direction)
                made.name.setText(row.name)
                made.type.setCurrentText(row.choice)

    @property
    def place(self) -> Place:
        return self.places[max(0, self.where.checkedId())]

    def draft(self) -> Draft:
        return Draft(
            self.name.text(),
            tuple(row.row() for row in self._ports("in")),
            tuple(row.row() for row in self._ports("out")),
            tuple(row.row() for row in self.parameters.rows),
            self.kind.currentData(),
            self.period.value() if self.on_timer.isChecked() or self._needs_timer else None,
            self.doc.text(),
        )

    def _ports(self, direction: str) -> list[PortRow]:
        return [row for row in self.ports.rows if isinstance(row, PortRow) and row.direction == direction]

    @property
    def _rows(self) -> list[FieldRow]:
        """In the order of the draft."""
        return [*self._ports("in"), *self._ports("out"), *self.parameters.rows]

    @property
    def _nameless(self) -> list[FieldRow]:
        return [row for row in self._rows if not row.name.text()]

    # ---- how it looks

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setLabelAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(7)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.name.setAccessibleName("Name")
        self.doc.setAccessibleName("Description")
        self.kind.setAccessibleName("Kind")
        form.addRow("Name", self.name)
        form.addRow("", self.about_name)
        form.addRow("Description", self.doc)
        form.addRow("Kind", self.kind)
        form.addRow("Location", self._places())
        form.addRow("Acts", self._activation())
        for text, list_, do, tip in (
            ("Input", self.ports, lambda: self.add_port("in"), "Add a port that receives messages"),
            ("Output", self.ports, lambda: self.add_port("out"), "Add a port that publishes messages"),
            ("Parameter", self.parameters, self.add_parameter, "Add a value that can be set in the inspector"),
        ):
            list_.offer(self._adder(text, do, tip))
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 10, 0)
        column.setSpacing(14)
        column.addLayout(form)
        column.addWidget(self.ports)
        column.addWidget(self.parameters)
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidget(inner)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFixedWidth(max(474, inner.minimumSizeHint().width() + SCROLL_BAR))
        viewport = scroll.viewport()
        assert viewport is not None
        viewport.setAutoFillBackground(False)
        inner.setAutoFillBackground(False)
        parts = QHBoxLayout()
        parts.setSpacing(16)
        parts.addWidget(scroll)
        parts.addWidget(self.preview, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 14)
        layout.setSpacing(12)
        layout.addLayout(parts, 1)
        layout.addLayout(button_row(self.cancel, self.create_it, words=self.whole))

    def _adder(self, text: str, do: Callable[[], PortRow | ParameterRow], tip: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setIcon(icon("mdi6.plus", self.theme.accent))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setProperty("framed", "true")
        button.setToolTip(tip)
        button.clicked.connect(lambda: self._begin(do()))
        return button

    def _begin(self, row: PortRow | ParameterRow) -> None:
        row.is_added = True
        row.name.setFocus()

    def _places(self) -> QWidget:
        box = QWidget()
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for number, place in enumerate(self.places):
            button = QRadioButton(place.title)
            button.setToolTip(place.tip)
            button.setEnabled(place.components is not None)
            self.where.addButton(button, number)
            column.addWidget(button)
        first = self.where.button(0)
        assert first is not None
        first.setChecked(True)
        return box

    def _activation(self) -> QWidget:
        box = QWidget()
        timed = QHBoxLayout()
        timed.setSpacing(8)
        timed.addWidget(self.on_timer)
        timed.addWidget(self.period)
        timed.addStretch(1)
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        told = QHBoxLayout()
        told.setSpacing(8)
        told.addWidget(self.on_message)
        told.addWidget(self.only_timer, 1)
        column.addLayout(told)
        column.addLayout(timed)
        return box

    def _connect(self) -> None:
        for signal in (self.name.textChanged, self.doc.textChanged, self.kind.currentIndexChanged,
                       self.period.valueChanged):  # fmt: skip
            signal.connect(self._look)
        self.where.idToggled.connect(self._look)
        self.acts.buttonToggled.connect(self._look)
        for rows in (self.ports, self.parameters):
            rows.changed.connect(self._look)

    # ---- while it is typed

    def _look(self, *_: object) -> None:
        draft, place = self.draft(), self.place
        found = faults(draft, lambda name: self._why_not(name, place.components) if place.components else place.tip)
        self._say_name(found.name if draft.name or self._has_tried else "", draft)
        for row, words in zip(self._rows, found.rows, strict=True):
            row.show_fault(words)
        self.whole.setText(found.whole)
        self.create_it.setEnabled(not found.first or not draft.name)
        self.create_it.setToolTip(found.first or "Make the files, put the component on the canvas and open its code")
        self.only_timer.setText("no named input yet: periodically" if self._needs_timer else "")
        self.period.setEnabled(draft.period_s is not None)
        self._show_preview(draft)

    @property
    def _needs_timer(self) -> bool:
        """Without an input, nothing but the timer makes it act."""
        return self.on_message.isChecked() and not any(row.name.text() for row in self._ports("in"))

    def _say_name(self, wrong: str, draft: Draft) -> None:
        self.name.mark(wrong)
        role = "error" if wrong else "muted"
        if self.about_name.property("role") != role:
            self.about_name.setProperty("role", role)
            style = self.about_name.style()
            assert style is not None
            style.polish(self.about_name)
        name = draft.name.rstrip("_")
        words = f"Class {Description(name).class_name}" if name else "Spaces become underscores"
        self.about_name.setText(wrong or words)

    def _show_preview(self, draft: Draft) -> None:
        name = draft.name.rstrip("_") or "new_component"
        try:
            files = files_of(replace(draft, name=name).described())
        except DescriptionError:
            return  # what was shown last is nearer to what is wanted than nothing
        self.preview.show_files(files, f"Create makes these files and {PROFILE} in {self.place.shown}/{name}")

    def _create(self) -> None:
        self._has_tried = True
        self._want([row for row in self._nameless if row.is_added])
        self._look()
        found = faults(self.draft(), lambda name: "")
        if found.first:
            row = next((each for each, words in zip(self._rows, found.rows, strict=True) if words), None)
            (self.name if found.name or row is None else row.name).setFocus()
            return
        self.create_wanted.emit()

    def _want(self, rows: Sequence[FieldRow]) -> None:
        for row in rows:
            row.want()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Return in a field goes on to a row that has no name yet: it may not be meant to be left out."""
        assert event is not None
        is_return = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        nameless = self._nameless
        if is_return and nameless and self.name.text() and not isinstance(self.focusWidget(), QPushButton):
            self._want(nameless)
            nameless[0].name.setFocus()
            return
        super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent | None) -> None:
        """Room for two lines about the name, so that nothing below moves while it is typed."""
        self.about_name.setMinimumHeight(2 * self.about_name.fontMetrics().lineSpacing())
        super().showEvent(event)
