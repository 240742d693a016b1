"""The rows of ports and parameters in the dialog: added, filled in, removed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PyQt6.QtCore import QSize, pyqtSignal
from PyQt6.QtGui import QWheelEvent
from PyQt6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QLineEdit, QToolButton, QVBoxLayout, QWidget

from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.new_component.draft import Row, typed_name

KEEPS = {"all": "all", "latest": "newest"}


class NameField(QLineEdit):
    """Turns what is typed into snake_case at once."""

    def __init__(self, hint: str) -> None:
        super().__init__()
        self.setPlaceholderText(hint)
        self.textEdited.connect(self._tidy)

    def _tidy(self, text: str) -> None:
        tidy, before = typed_name(text), typed_name(text[: self.cursorPosition()])
        if tidy != text:
            self.setText(tidy)
            self.setCursorPosition(len(before))

    def mark(self, fault: str) -> None:
        if bool(self.property("wrong")) != bool(fault):
            self.setProperty("wrong", "true" if fault else None)
            style = self.style()
            assert style is not None
            style.polish(self)
        self.setToolTip(fault)


class FieldRow(QWidget):
    """One port or parameter, and below it what is wrong with it."""

    changed = pyqtSignal()
    removed = pyqtSignal(object)

    def __init__(self, kind: str, hint: str, theme: Theme) -> None:
        super().__init__()
        self.kind = kind
        self.is_added = self.is_wanted = False
        """Added by the user; and cannot be left out in silence."""
        self.name = NameField(hint)
        self.name.setAccessibleName(f"Name of {kind}")
        self.name.textChanged.connect(self.changed)
        self.remove = QToolButton()
        self.remove.setIcon(icon("mdi6.close", theme.muted))
        self.remove.setIconSize(QSize(14, 14))
        self.remove.setToolTip(f"Remove this {kind}")
        self.remove.setAccessibleName(f"Remove this {kind}")
        self.remove.clicked.connect(lambda: self.removed.emit(self))
        self.wrong = QLabel()
        self.wrong.setProperty("role", "error")
        self.wrong.setWordWrap(True)
        self.wrong.hide()
        self.fields = QHBoxLayout()
        self.fields.setSpacing(6)
        self.what = QLabel()
        self.what.setProperty("role", "muted")
        self.what.hide()
        self.fields.addWidget(self.what)
        self.fields.addWidget(self.name, 5)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(self.fields)
        layout.addWidget(self.wrong)

    def show_fault(self, words: str) -> None:
        self.name.mark(words)
        self.wrong.setText(words)
        if words:  # and keeps its place when it is mended: what stands below would move under the pointer
            self.wrong.show()

    def want(self) -> None:
        self.is_wanted = True
        self.changed.emit()

    def row(self) -> Row:
        raise NotImplementedError


class PortRow(FieldRow):
    def __init__(self, direction: str, types: Sequence[str], theme: Theme) -> None:
        super().__init__("input" if direction == "in" else "output", "name, e.g. raw" if direction == "in" else
                         "name, e.g. smooth", theme)  # fmt: skip
        self.direction = direction
        self.what.setText(direction)
        self.what.setFixedWidth(24)
        self.what.show()
        self.type = _box(types, "Message type")
        self.type.setCurrentText("Float64")
        self.type.currentTextChanged.connect(self.changed)
        self.type.activated.connect(self.want)  # who chooses a type wants the port
        self.fields.addWidget(self.type, 5)
        self.keep = _box(KEEPS.values(), "Messages it gets")
        self.keep.setToolTip("Every message calls the handler, or only the newest one is kept for it to read")
        self.keep.currentTextChanged.connect(self.changed)
        self.keep.activated.connect(self.want)
        if direction == "in":
            self.fields.addWidget(self.keep, 3)
        self.fields.addWidget(self.remove)

    def row(self) -> Row:
        keep = list(KEEPS)[self.keep.currentIndex()] if self.direction == "in" else ""
        return Row(self.name.text(), self.type.currentText(), keep, self.is_wanted)


class ParameterRow(FieldRow):
    def __init__(self, theme: Theme) -> None:
        super().__init__("parameter", "name, e.g. cutoff_hz", theme)
        self.default, self.unit = QLineEdit("1.0"), QLineEdit()
        self.default.setAccessibleName("Default value")
        self.default.setToolTip("The default decides the kind: 2.0 number, 3 whole number, true, 1,2,3 list, else text")
        self.unit.setAccessibleName("Unit")
        self.unit.setPlaceholderText("unit")
        for field, share in ((self.default, 4), (self.unit, 2)):
            field.textChanged.connect(self.changed)
            self.fields.addWidget(field, share)
        self.fields.addWidget(self.remove)

    def row(self) -> Row:
        return Row(self.name.text(), self.default.text().strip(), self.unit.text().strip(), self.is_wanted)


def _box(texts: Iterable[str], name: str) -> QComboBox:
    box = _CalmBox()
    box.addItems(list(texts))
    box.setAccessibleName(name)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(8)
    return box


class _CalmBox(QComboBox):
    """The wheel scrolls the dialog, and does not change a choice that nobody looks at."""

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        assert event is not None
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class RowList(QWidget):
    """A headline with buttons that add rows, and the rows."""

    changed = pyqtSignal()

    def __init__(self, title: str, nothing: str) -> None:
        super().__init__()
        self.rows: list[FieldRow] = []
        self.title = QLabel(title)
        self.title.setProperty("role", "subject")
        self.nothing = QLabel(nothing)
        self.nothing.setProperty("role", "muted")
        self._head = QHBoxLayout()
        self._head.addWidget(self.title, 1)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)
        self._column.addLayout(self._head)
        self._column.addWidget(self.nothing)

    def offer(self, button: QToolButton) -> None:
        self._head.addWidget(button)

    def add(self, row: FieldRow) -> None:
        """Below those of its kind: inputs stand before outputs."""
        before = [each for each in self.rows if each.kind <= row.kind]
        self.rows.insert(len(before), row)
        self._column.insertWidget(2 + len(before), row)
        row.changed.connect(self.changed)
        row.removed.connect(self._remove)
        self.nothing.hide()
        self.changed.emit()

    def _remove(self, row: FieldRow) -> None:
        self.rows.remove(row)
        self._column.removeWidget(row)
        row.hide()
        row.deleteLater()
        self.nothing.setVisible(not self.rows)
        self.changed.emit()
