"""One event breakpoint, edited: what it waits for, and what is wrong with it, in words, while it is typed."""

from __future__ import annotations

from typing import cast

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QValidator
from PyQt6.QtWidgets import (
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from studio.editor.code.expression_field import ExpressionField
from studio.errors import StudioError
from studio.messages.field_paths import completions
from studio.runtime.control_plane.event_breakpoints import EventBreakpoint, Example, On, When, ordinal, parse

KINDS: dict[On, str] = {
    "event": "An event of a topic",
    "state": "A component's state changes",
    "error": "A component's handler fails",
    "latency": "An event is handled late",
}
STATES = ("", "active", "inactive", "paused", "error")
ANY = "any component"
BEFORE_AFTER: tuple[When, When] = ("before", "after")


class EveryTime(QSpinBox):
    """`every time`, `every 3rd time`."""

    def __init__(self) -> None:
        super().__init__()
        self.setRange(1, 1_000_000)

    def textFromValue(self, value: int) -> str:
        return f"every {ordinal(value)} time" if value > 1 else "every time"

    def valueFromText(self, text: str | None) -> int:
        digits = "".join(letter for letter in text or "" if letter.isdigit())
        return int(digits) if digits else 1

    def validate(self, text: str | None, at: int) -> tuple[QValidator.State, str, int]:
        return QValidator.State.Acceptable, text or "", at


class EventBreakDialog(QDialog):
    def __init__(
        self,
        window: QWidget,
        point: EventBreakpoint,
        topics: list[str],
        components: list[str],
        example: Example = lambda _: None,
    ) -> None:
        super().__init__(window)
        self._old, self._topics, self._components, self._example = point, topics, components, example
        self.setWindowTitle("Event breakpoint")
        self.setFixedWidth(500)
        self.title = QLabel("Stop the system when…")
        self.title.setProperty("role", "subject")
        self.on = QComboBox()
        for name, words in KINDS.items():
            self.on.addItem(words, name)
        self.on.setCurrentIndex(list(KINDS).index(point.on))
        self.topic = self._choice([*topics], point.topic)
        self.component = self._choice([ANY, *components], point.component or ANY)
        self.when = self._choice(["before", "after"], point.when)
        self.when.setItemText(0, "before it is delivered")
        self.when.setItemText(1, "after all have handled it")
        self.state = self._choice(["to any state", *(f"to {state}" for state in STATES[1:])], "")
        if point.on == "state" and point.condition in STATES:
            self.state.setCurrentIndex(STATES.index(point.condition))
        self.condition = ExpressionField(point.condition if point.on == "event" else "", self._complete)
        self.condition.setPlaceholderText("always, or for example  position.x > 3")
        self.limit = QDoubleSpinBox()
        self.limit.setRange(0.1, 60_000.0)
        self.limit.setDecimals(1)
        self.limit.setSuffix(" ms")
        self.limit.setValue(point.limit_ms or 50.0)
        self.count = EveryTime()
        self.count.setValue(point.count)
        self.wrong = QLabel()
        self.wrong.setProperty("role", "error")
        self.wrong.setWordWrap(True)
        self.fine = QPushButton("Add breakpoint")
        self.fine.setProperty("primary", "true")
        self.fine.setDefault(True)
        self.fine.clicked.connect(self.accept)
        self._build()
        for box in (self.on, self.topic, self.component, self.when, self.state):
            box.currentTextChanged.connect(self._look)
        self.condition.textChanged.connect(self._look)
        self.limit.valueChanged.connect(self._look)
        self._look()

    def _choice(self, texts: list[str], chosen: str) -> QComboBox:
        box = QComboBox()
        box.addItems(texts)
        if chosen in texts:
            box.setCurrentIndex(texts.index(chosen))
        return box

    def _build(self) -> None:
        self._form = form = QFormLayout()
        form.setLabelAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(8)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        rows: list[tuple[str, QWidget]] = [
            ("At", self.on), ("Topic", self.topic), ("Component", self.component), ("Change", self.state),
            ("When", self.when), ("If", self.condition), ("Later than", self.limit), ("Stop", self.count),
        ]  # fmt: skip
        for label, field in rows:
            field.setAccessibleName(label)
            form.addRow(label, field)
        cancel = QPushButton("Cancel")
        cancel.clicked.connect(self.reject)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self.fine)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 14)
        layout.setSpacing(12)
        layout.addWidget(self.title)
        layout.addLayout(form)
        layout.addWidget(self.wrong)
        layout.addLayout(buttons)

    def _complete(self, before: str) -> tuple[str, list[str]]:
        message = self._example(self.topic.currentText())
        return completions(message, before) if message is not None else ("", [])

    def point(self) -> EventBreakpoint:
        on = cast(On, self.on.currentData())
        component = self.component.currentText()
        return EventBreakpoint(
            self._old.id,
            on,
            self.topic.currentText() if on in ("event", "latency") else "",
            component if on != "event" and component != ANY else "",
            BEFORE_AFTER[self.when.currentIndex()] if on == "event" else "before",
            {"event": self.condition.text().strip(), "state": STATES[self.state.currentIndex()]}.get(on, ""),
            self.count.value(),
            self.limit.value() if on == "latency" else 0.0,
        )

    def _look(self) -> None:
        """Only what matters for this kind can be seen; what is wrong is said at once."""
        on = self.on.currentData()
        shown = {
            self.topic: on in ("event", "latency"), self.component: on != "event", self.state: on == "state",
            self.when: on == "event", self.condition: on == "event", self.limit: on == "latency",
        }  # fmt: skip
        for field, visible in shown.items():
            self._form.setRowVisible(field, visible)
        try:
            point = self.point()
            parse(vars(point), self._topics, self._components, self._example)
        except StudioError as error:
            self.wrong.setText(str(error))
            self.fine.setEnabled(False)
            return
        self.wrong.setText("")
        self.fine.setEnabled(True)
        self.fine.setToolTip(f"Stops {point.words}" if point.on == "event" else f"Stops at: {point.words}")
