"""With nothing selected: the system itself."""

from __future__ import annotations

from PyQt6.QtWidgets import QLabel, QLineEdit

from studio.editor.look.summary import summary
from studio.editor.look.theme import Theme
from studio.editor.look.typed_names import keep_to_names
from studio.editor.panels.inspector.geometry_form import GeometryForm
from studio.editor.panels.inspector.page import Page, add_form, add_section
from studio.editor.project.session import Session
from studio.model.system_edits import DescribeSystem


class SystemPage(Page):
    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__(theme)
        system = session.system
        self.add_subject("mdi6.graph-outline", system.name, summary(system.doc), "system")
        name, doc = QLineEdit(system.name), QLineEdit(system.doc)
        name.setAccessibleName("Name of the system")
        keep_to_names(name)
        doc.setAccessibleName("Description")
        for field in (name, doc):
            field.setCursorPosition(0)  # its beginning can be read
        name.editingFinished.connect(lambda: name.isModified() and session.do(DescribeSystem(name.text(), doc.text())))
        doc.editingFinished.connect(lambda: doc.isModified() and session.do(DescribeSystem(name.text(), doc.text())))
        form = add_form(self.column)
        form.addRow("Name", name)
        form.addRow("Description", doc)
        add_section(self.column, "Geometry")
        self.geometry_form = GeometryForm(session)
        self.column.addWidget(self.geometry_form)
        add_section(self.column, "Contains")
        counts = add_form(self.column)
        for title, count in (
            ("Components", len(list(system.components))), ("Sources", len(list(system.sources))),
            ("Wires", len(system.wires)), ("Services", len(system.services)), ("Hosts", len(system.hosts)),
        ):  # fmt: skip
            counts.addRow(title, QLabel(str(count)))
