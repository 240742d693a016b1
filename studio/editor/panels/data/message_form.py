"""A form for a message of any type: one row for each field, filled with what the type says by itself."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QCheckBox, QFormLayout, QLabel, QLineEdit, QScrollArea, QWidget

from studio.editor.panels.parts.viewer import mark
from studio.errors import StudioError
from studio.messages import Message
from studio.messages.message import field_names
from studio.messages.plain_data import as_plain

LABEL_PX = 104
INDENT = "    "


class FormError(StudioError):
    """A field whose text is no value."""


@dataclass
class Row:
    """One field that is typed; `path` leads to it through messages within messages."""

    path: tuple[str, ...]
    default: Any
    editor: QLineEdit | QCheckBox

    def value(self) -> Any:
        if isinstance(self.editor, QCheckBox):
            return self.editor.isChecked()
        text = self.editor.text().strip()
        if isinstance(self.default, str):
            return self.editor.text()
        try:
            # JSON has no word for them, and people write them so; also .5 and +1 are numbers to them.
            return float(text) if isinstance(self.default, float) else json.loads(text)
        except ValueError:
            raise FormError(
                f"{'.'.join(self.path)}: {text or 'nothing'} is not a value", hint=f"e.g. {as_text(self.default)}"
            ) from None

    def show(self, value: Any) -> None:
        if isinstance(self.editor, QCheckBox):
            self.editor.setChecked(bool(value))
        else:
            self.editor.setText(as_text(value))
            self.editor.setCursorPosition(0)


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


class MessageForm(QScrollArea):
    changed = pyqtSignal()
    sent = pyqtSignal()
    """Enter was pressed in a field."""

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.rows: list[Row] = []
        self.show_type(None)

    def show_type(self, kind: type[Message] | None) -> None:
        """All fields as the type has them by itself."""
        self.rows = []
        page = QWidget()
        form = QFormLayout(page)
        form.setContentsMargins(12, 8, 12, 8)
        form.setVerticalSpacing(4)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        if kind is not None:
            self._add(form, kind(), ())
        self.setWidget(page)
        for ground in (page, self.viewport()):  # Qt would fill them with the colour of the window around the panels
            assert ground is not None
            ground.setAutoFillBackground(False)

    def _add(self, form: QFormLayout, message: Message, before: tuple[str, ...]) -> None:
        for name in field_names(type(message)):
            value, path = getattr(message, name), (*before, name)
            label = QLabel(INDENT * len(before) + name)
            label.setMinimumWidth(LABEL_PX)
            label.setToolTip(".".join(path))
            if isinstance(value, Message):
                form.addRow(label, QLabel(type(value).__name__))
                self._add(form, value, path)
                continue
            row = Row(path, as_plain(value), self._editor(as_plain(value), ".".join(path)))
            row.show(row.default)
            self.rows.append(row)
            form.addRow(label, row.editor)

    def _editor(self, default: Any, name: str) -> QLineEdit | QCheckBox:
        if isinstance(default, bool):
            box = QCheckBox()
            box.toggled.connect(lambda _: self.changed.emit())
            editor: QLineEdit | QCheckBox = box
        else:
            line = QLineEdit()
            line.setPlaceholderText("empty" if isinstance(default, str) else "")
            line.textChanged.connect(lambda _: self.changed.emit())
            line.returnPressed.connect(self.sent)
            editor = line
        editor.setAccessibleName(name)
        return editor

    def values(self) -> dict[str, Any]:
        """What is typed, as plain data; a FormError names the first field that makes no sense, and it is marked."""
        found: dict[str, Any] = {}
        wrong: FormError | None = None
        for row in self.rows:
            try:
                value, failed = row.value(), False
            except FormError as error:
                value, failed, wrong = None, True, wrong or error
            mark(row.editor, "wrong", failed)
            place = found
            for name in row.path[:-1]:
                place = place.setdefault(name, {})
            place[row.path[-1]] = value
        if wrong is not None:
            raise wrong
        return found

    def show_values(self, data: dict[str, Any]) -> None:
        """What `data` names; all else stays."""
        for row in self.rows:
            value: Any = data
            for name in row.path:
                value = value.get(name) if isinstance(value, dict) else None
            if value is not None:
                row.show(value)
