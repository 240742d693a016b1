"""A form of rows, each of which reads its value from the vehicle and writes it back by an edit.

`refresh` shows the values as they are now and leaves the fields themselves alone, so that the keyboard stays where it
is while edits come from elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import (
    QCheckBox,
    QColorDialog,
    QComboBox,
    QCompleter,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from studio.editor.geometry.panels.fields import NumberField, PoseFields, ThreeFields
from studio.editor.geometry.units import Units
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.breaking_label import BreakingLabel
from studio.editor.panels.parts.parameter_fields import narrow_box

LABEL_PX = 96
ROOM_PX = 226
"""Beside the margins and the scroll bar of the narrowest panel."""
PLAIN = (0.56, 0.6, 0.66, 1.0)
"""Of a shape that names no colour."""
Get = Callable[[], Any]
Take = Callable[[Any], object]


class Form(QWidget):
    def __init__(self, theme: Theme, units: Units) -> None:
        super().__init__()
        self.theme, self.units = theme, units
        self.named: dict[str, QWidget] = {}
        """Fields by the words before them."""
        self._refreshers: list[Callable[[], object]] = []
        self.is_retired = False
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 8)
        self.column.setSpacing(0)

    def refresh(self) -> None:
        for show in self._refreshers:
            show()

    def retire(self) -> None:
        """Another form takes its place. It goes when control is back in the event loop: one of its own fields may be
        what caused that."""
        self._refreshers = []
        self.is_retired = True
        self.hide()
        self.deleteLater()

    def on_refresh(self, show: Callable[[], object]) -> None:
        self._refreshers.append(show)
        show()

    def _taken(self, take: Take, show: Callable[[], object]) -> Take:
        """What was refused gives way to what is there."""

        def do(value: Any) -> None:
            take(value)
            if not self.is_retired:
                show()

        return do

    # ---- words

    def title(self, icon_name: str, words: Get, about: Get) -> None:
        mark, title, line = QLabel(), BreakingLabel(), BreakingLabel()
        mark.setPixmap(icon(icon_name, self.theme.accent).pixmap(QSize(20, 20)))
        title.setProperty("role", "subject")
        title.setStyleSheet("font-size: 14px;")
        line.setProperty("role", "muted")
        texts = QVBoxLayout()
        texts.setSpacing(1)
        texts.addWidget(title)
        texts.addWidget(line)
        row = QHBoxLayout()
        row.setContentsMargins(10, 10, 10, 8)
        row.setSpacing(8)
        row.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(texts, 1)
        self.column.addLayout(row)

        def show() -> None:
            title.setText(words())
            line.setText(about())

        self.on_refresh(show)

    def section(self, words: str) -> None:
        label = BreakingLabel(words)
        label.setProperty("role", "section")
        self.column.addWidget(label)
        self.column.addSpacing(6)

    def note(self, words: Get) -> QLabel:
        label = BreakingLabel()
        label.setProperty("role", "muted")
        self._add(label)

        def show() -> None:
            label.setText(words())
            label.setVisible(bool(words()))

        self.on_refresh(show)
        return label

    def notice(self, words: str, links: Sequence[tuple[str, str, Callable[[], object]]]) -> QFrame:
        """A fact that matters before an edit, with links: words, tooltip, what a click does."""
        frame = QFrame()
        frame.setProperty("role", "notice")
        inner = QVBoxLayout(frame)
        inner.setContentsMargins(10, 6, 10, 6)
        inner.setSpacing(2)
        inner.addWidget(BreakingLabel(words))
        for text, tip, do in links:
            button = QPushButton(text)
            button.setProperty("link", "true")
            button.setToolTip(tip)
            button.clicked.connect(lambda _, do=do: do())
            inner.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        self.column.addWidget(frame)
        self.column.addSpacing(6)
        return frame

    # ---- fields

    def number(
        self,
        words: str,
        kind: str,
        get: Get,
        take: Take,
        *,
        suffix: str = "",
        may_be_empty: bool = False,
        tip: str = "",
    ) -> NumberField:  # fmt: skip
        field = NumberField(self.theme, self.units, kind, suffix=suffix, may_be_empty=may_be_empty, name=words)
        field.changed.connect(self._taken(take, lambda: field.show_value(get())))
        self.row(words, field, tip)
        self.on_refresh(lambda: None if field.edit.isModified() else field.show_value(get()))
        return field

    def three(self, words: str, kind: str, get: Get, take: Take, names: tuple[str, ...] = ("x", "y", "z")) -> None:
        field = ThreeFields(self.theme, self.units, kind, words=names)
        field.changed.connect(self._taken(take, lambda: field.show_values(get())))
        label = QLabel(words)
        label.setProperty("role", "muted")
        self._add(label)
        self._add(field)
        self.named[words] = field
        self.on_refresh(lambda: field.show_values(get()))

    def pose(self, get: Get, take: Take, words: str = "Pose") -> PoseFields:
        field = PoseFields(self.theme, self.units)
        field.changed.connect(self._taken(take, lambda: field.show_pose(get())))
        self._add(field)
        self.named[words] = field
        self.on_refresh(lambda: field.show_pose(get()))
        return field

    def text(
        self, words: str, get: Get, take: Take, *, choices: Callable[[], Sequence[str]] | None = None, tip: str = "",
        empty: str = "",
    ) -> QLineEdit:  # fmt: skip
        """`choices`: names that are offered while one types."""
        field = QLineEdit()
        field.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        field.setPlaceholderText(empty)
        if choices is not None:
            completer = QCompleter(list(choices()), field)
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            field.setCompleter(completer)

        def typed() -> None:
            if field.isModified() and field.text() != get():
                field.setModified(False)
                self._taken(take, show)(field.text().strip())

        def show() -> None:
            if not field.isModified():
                field.setText(get())
                field.setCursorPosition(0)

        field.editingFinished.connect(typed)
        self.row(words, field, tip)
        self.on_refresh(show)
        return field

    def choice(
        self, words: str, choices: Callable[[], Sequence[tuple[str, Any]]], get: Get, take: Take, tip: str = ""
    ) -> QComboBox:
        """Each choice: words, and the value that they stand for."""
        box = narrow_box()

        def show() -> None:
            box.blockSignals(True)
            box.clear()
            for text, value in choices():
                box.addItem(text, value)
            if box.findData(get()) < 0:
                box.addItem(f"{get()} (missing)", get())
            box.setCurrentIndex(box.findData(get()))
            box.blockSignals(False)

        box.activated.connect(
            lambda _: self._taken(take, show)(box.currentData()) if box.currentData() != get() else None
        )
        self.row(words, box, tip)
        self.on_refresh(show)
        return box

    def check(self, words: str, get: Get, take: Take, tip: str = "") -> QCheckBox:
        box = QCheckBox(words)
        box.setToolTip(tip)
        box.clicked.connect(take)
        self._add(box)
        self.named[words] = box
        self.on_refresh(lambda: box.setChecked(get()))
        return box

    def colour(self, words: str, get: Get, take: Take) -> None:
        """Red, green, blue and opacity as the file has them; a click asks for another."""
        button = QPushButton()

        def ask() -> None:
            dialog = QColorDialog(_colour_of(get()), self)
            dialog.setOption(QColorDialog.ColorDialogOption.ShowAlphaChannel)
            dialog.colorSelected.connect(lambda made: take(_colour_text(made)))
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.open()

        def show() -> None:
            made = _colour_of(get())
            button.setText(get() or "As usual")
            button.setIcon(icon("fa6s.square", made.name()))

        button.setToolTip("Choose another colour")
        button.clicked.connect(lambda _: ask())
        self.row(words, button, "")
        self.on_refresh(show)

    def buttons(self, *buttons: tuple[str, str, str, Callable[[], object]]) -> list[QPushButton]:
        """In rows that the narrowest panel has room for: words, icon, tooltip, what a click does."""
        rows = QVBoxLayout()
        rows.setContentsMargins(10, 4, 10, 6)
        rows.setSpacing(6)
        made: list[QPushButton] = []
        room = 0
        for words, icon_name, tip, do in buttons:
            button = QPushButton(words)
            if icon_name:
                button.setIcon(icon(icon_name, self.theme.muted))
            button.setToolTip(tip)
            button.clicked.connect(lambda _, do=do: do())
            wide = button.sizeHint().width() + rows.spacing()
            if not made or wide > room:
                row, room = QHBoxLayout(), ROOM_PX
                row.setSpacing(6)
                row.addStretch(1)
                rows.addLayout(row)
            row.insertWidget(row.count() - 1, button)
            room -= wide
            self.named[words] = button
            made.append(button)
        self.column.addLayout(rows)
        return made

    def row(self, words: str, widget: QWidget, tip: str) -> None:
        label = QLabel(words)
        label.setProperty("role", "muted")
        label.setFixedWidth(LABEL_PX)
        label.setToolTip(tip)
        if tip:
            widget.setToolTip(tip)
        widget.setAccessibleName(words)
        row = QHBoxLayout()
        row.setContentsMargins(10, 0, 10, 6)
        row.setSpacing(4)
        row.addWidget(label)
        row.addWidget(widget, 1)
        self.column.addLayout(row)
        self.named[words] = widget

    def _add(self, widget: QWidget) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(10, 0, 10, 6)
        row.addWidget(widget, 1)
        self.column.addLayout(row)

    def end(self) -> None:
        self.column.addStretch(1)


def _colour_of(text: str) -> QColor:
    parts = [float(word) for word in text.split()] if text else list(PLAIN)
    red, green, blue, opacity = parts
    return QColor.fromRgbF(red, green, blue, opacity)


def _colour_text(colour: QColor) -> str:
    return " ".join(f"{part or 0.0:.3g}" for part in colour.getRgbF())
