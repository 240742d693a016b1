"""The geometry of a system: the assembly that says where sensors sit, and the port that tells how its joints move."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QComboBox, QFileDialog, QFormLayout, QPushButton, QWidget

from studio.editor.panels.parts.breaking_label import BreakingLabel
from studio.editor.panels.parts.parameter_fields import narrow_box
from studio.editor.project.session import Session
from studio.model.geometry.library import Library
from studio.model.geometry_check import JOINTS_TYPE, suggested_assemblies
from studio.model.parts import Endpoint, GeometryUse
from studio.model.system_edits import SetGeometry
from studio.model.wiring import ports_of
from studio.paths import model_roots

NONE = "none"
STILL = "do not move"
FILE = "Choose a file…"


class GeometryForm(QWidget):
    changed = pyqtSignal()
    open_wanted = pyqtSignal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        use = session.system.geometry
        self.box = narrow_box()
        self.box.setEditable(True)
        self.box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.box.setAccessibleName("Geometry")
        self.box.setToolTip("The vehicle: where its sensors sit, how large it is and how it drives. A name or a file")
        self._fill(use)
        self.box.activated.connect(self._chosen)
        line = self.box.lineEdit()
        assert line is not None
        line.setPlaceholderText("Choose a vehicle")
        # A method of this widget: Qt ends an edit also while it deletes the field, and a function of ours that holds
        # the field would then look into memory that is gone.
        line.editingFinished.connect(self._finished)
        self.joints = narrow_box()
        self.joints.setAccessibleName("Joints")
        self.joints.setToolTip(f"The out port of type {JOINTS_TYPE} with the positions of the joints")
        self._fill_joints(use)
        self.joints.activated.connect(self._joined)
        form = QFormLayout(self)
        form.setContentsMargins(10, 8, 10, 8)
        form.setVerticalSpacing(6)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow("Vehicle", self.box)
        if use is not None:
            form.addRow(self._open_button())
        if use is not None:
            form.addRow("Joints", self.joints)
        form.addRow(self._words())

    def _open_button(self) -> QPushButton:
        button = QPushButton("Open vehicle")
        button.setToolTip("Show and change the vehicle in 3-D, beside the canvas")
        button.clicked.connect(self.open_wanted)
        return button

    def _fill(self, use: GeometryUse | None) -> None:
        session = self.session
        suggested = suggested_assemblies(session.system, session.registry)
        assemblies = Library(model_roots(session.folder)).assemblies()
        self.box.addItem(NONE, "")
        for name in dict.fromkeys([*suggested, *assemblies]):
            self.box.addItem(name, name)
            if name in suggested:
                where = self.box.count() - 1
                self.box.setItemData(where, "The vehicle of a simulator here", Qt.ItemDataRole.ToolTipRole)
        self.box.insertSeparator(self.box.count())
        self.box.addItem(FILE)
        if use is None:
            self.box.setCurrentIndex(-1)
        else:
            self.box.setCurrentText(use.assembly)

    def _fill_joints(self, use: GeometryUse | None) -> None:
        system, specs = self.session.system, self.session.registry
        self.joints.addItem(STILL, None)
        for node in system.nodes:
            for port in ports_of(system, specs, node.name):
                if port.direction == "out" and port.type == JOINTS_TYPE:
                    end = Endpoint(node.name, port.name)
                    self.joints.addItem(str(end), end)
        if use is not None and use.joints is not None:
            if self.joints.findText(str(use.joints)) < 0:
                self.joints.addItem(f"{use.joints} (missing)", use.joints)
            self.joints.setCurrentIndex(max(0, self.joints.findText(str(use.joints), Qt.MatchFlag.MatchStartsWith)))

    def _words(self) -> BreakingLabel:
        found = self.session.opened.geometry()
        label = BreakingLabel()
        if found is None:
            label.setText("Components that drive need it. Adding a simulator sets the geometry of its vehicle.")
        elif found.model is None:
            first = next((each for each in found.problems if each.severity == "error"), None)
            hint = f" ({first.hint})" if first is not None and first.hint else ""
            label.setText(f"{first.message}{hint}" if first is not None else "It cannot be read.")
        else:
            sensors = sum(len(body.sensors) for body in found.model.bodies.values())
            bodies = len(found.model.bodies)
            label.setText(f"{bodies} {'body' if bodies == 1 else 'bodies'}, {sensors} sensors")
        label.setProperty("role", "error" if found is not None and found.model is None else "muted")
        return label

    # ---- what is chosen

    def _chosen(self, index: int) -> None:
        if self.box.itemText(index) == FILE:
            self._choose_file()
        elif self.box.itemData(index) == "":
            self._set(None)
        else:
            self._typed(self.box.itemText(index))

    def _finished(self) -> None:
        line = self.box.lineEdit()
        if line is not None and line.isModified():
            self._typed(line.text())

    def _typed(self, text: str) -> None:
        name, old = text.strip(), self.session.system.geometry
        if not name or name == NONE:
            self._set(None)
        else:
            self._set(GeometryUse(name) if old is None else replace(old, assembly=name))

    def _choose_file(self) -> None:
        folder = self.session.folder
        name, _ = QFileDialog.getOpenFileName(self, "Geometry of the system", str(folder), "Assemblies (*.xml)")
        if name:
            path = Path(name)
            self._typed(str(path.relative_to(folder)) if path.is_relative_to(folder) else name)
        else:
            old = self.session.system.geometry
            self.box.setCurrentText(old.assembly if old is not None else "")

    def _joined(self, index: int) -> None:
        old = self.session.system.geometry
        if old is not None:
            self._set(replace(old, joints=self.joints.itemData(index)))

    def _set(self, use: GeometryUse | None) -> None:
        if use != self.session.system.geometry:
            self.session.do(SetGeometry(use))
            self.changed.emit()
