"""The parts that every page of the inspector is made of."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.look.typed_names import keep_to_names
from studio.editor.panels.parts.breaking_label import BreakingLabel
from studio.editor.project.session import Session
from studio.model.system_edits import RenameNode

NAME_HEIGHT = 28
"""Of the field with the name; the icon and the word beside it stand in the middle of it."""


class Page(QWidget):
    """What is selected, from top to bottom."""

    go_to = pyqtSignal(str)
    """A node that somebody wants to see."""
    renamed = pyqtSignal(str, str)
    line_wanted = pyqtSignal(str, int)
    """File and line of code."""
    page_wanted = pyqtSignal(Path)
    """A file to read in help."""
    event_wanted = pyqtSignal(str, int)
    """Topic and number of an event of which somebody wants to know how it came about."""
    fills = False
    """Whether its last part takes all the room that is left."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.setObjectName("page")
        self.setStyleSheet("#page { background: transparent; }")
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 8)
        self.column.setSpacing(0)

    def stop(self) -> None:
        """Before it is thrown away: what is live ends."""

    def add_subject(self, picture: str, title: str, doc: str, kind: str, *, renames: Session | None = None) -> None:
        """`renames`: the session in which the title is a name that can be changed."""
        row = QHBoxLayout()
        row.setContentsMargins(10, 10, 10, 8)
        row.setSpacing(8)
        mark = QLabel()
        mark.setPixmap(icon(picture, self.theme.muted).pixmap(20, 20))
        first_line = NAME_HEIGHT if renames is not None else 20
        mark.setFixedHeight(first_line)
        row.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(1)
        if renames is not None:
            words.addWidget(self._name_field(renames, title))
        else:
            subject = BreakingLabel(title)
            subject.setProperty("role", "subject")
            subject.setStyleSheet("font-size: 14px;")
            words.addWidget(subject)
        for text in (kind if kind != title else "", doc):
            if text:  # below the name: beside it a narrow panel has no room for both
                line = BreakingLabel(text)
                line.setProperty("role", "muted")
                words.addWidget(line)
        row.addLayout(words, 1)
        self.column.addLayout(row)

    def _name_field(self, session: Session, name: str) -> QLineEdit:
        field = QLineEdit(name)
        field.setCursorPosition(0)
        keep_to_names(field)
        field.setTextMargins(-3, 0, 0, 0)  # the name begins where the words below it do
        field.setAccessibleName("Name")
        field.setStyleSheet(
            "font-size: 14px; font-weight: 600; border-color: transparent; background: transparent; padding: 0;"
        )
        field.setToolTip("Write another name to rename it; wires follow")

        def rename() -> None:
            if field.isModified() and field.text() != name and session.do(RenameNode(name, field.text())):
                self.renamed.emit(name, field.text())

        field.editingFinished.connect(rename)
        return field


def add_section(layout: QVBoxLayout, title: str) -> None:
    label = BreakingLabel(title)
    label.setProperty("role", "section")
    layout.addWidget(label)


def add_sentence(layout: QVBoxLayout, words: str) -> None:
    label = BreakingLabel(words)
    label.setProperty("role", "muted")
    label.setContentsMargins(10, 8, 10, 8)
    layout.addWidget(label)


def add_form(layout: QVBoxLayout) -> QFormLayout:
    holder = QWidget()
    form = QFormLayout(holder)
    form.setContentsMargins(10, 8, 10, 8)
    form.setHorizontalSpacing(8)
    form.setVerticalSpacing(6)
    form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    layout.addWidget(holder)
    return form
