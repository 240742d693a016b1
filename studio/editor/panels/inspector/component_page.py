"""A component, or several of one type: parameters, when and where they run, ports, live figures, documentation."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QTabWidget, QVBoxLayout, QWidget

from studio.editor.live.run_control import RunControl
from studio.editor.look.icons import CATEGORY_ICONS, DEFAULT
from studio.editor.look.summary import summary
from studio.editor.look.theme import Theme
from studio.editor.panels.inspector.component_docs import ComponentDocs
from studio.editor.panels.inspector.live_figures import LiveFigures
from studio.editor.panels.inspector.live_header import LiveHeader
from studio.editor.panels.inspector.page import Page, add_form, add_section, add_sentence
from studio.editor.panels.inspector.parameter_set_row import ParameterSetRow
from studio.editor.panels.inspector.ports_list import PortsList
from studio.editor.panels.parts.breaking_label import BreakingLabel
from studio.editor.panels.parts.parameter_fields import ParameterField, field_for, narrow_box, value_of
from studio.editor.project.offer_card import WHAT_A_SOURCE_DOES
from studio.editor.project.session import Session
from studio.model.parts import Component, as_name
from studio.model.source_making import MakeSource, offered_as_source
from studio.model.spec import ComponentSpec
from studio.model.system_edits import Compound, SetActivation, SetHost, SystemEdit, shown

ALONE = "own process"
_ACTIVATIONS = {"event": "on event", "periodic": "periodically", "trigger": "on trigger"}


class ComponentPage(Page):
    parameter_changed = pyqtSignal(str, object, bool)
    """Name, value (None resets), and whether a slider moves."""
    slide_began = pyqtSignal()
    frame_wanted = pyqtSignal(str)
    """The parameter whose frame is to be clicked in the view of the vehicle."""
    world_wanted = pyqtSignal(str)
    tab_chosen = pyqtSignal(int)
    debug_wanted = pyqtSignal(str, int)
    """File and line at which the component is to stop the next time."""

    def __init__(self, session: Session, names: list[str], theme: Theme, control: RunControl, tab: int = 0) -> None:
        super().__init__(theme)
        self.session, self.names, self.control = session, names, control
        self.fields: dict[str, ParameterField] = {}
        self.ports: PortsList | None = None
        self.sets: ParameterSetRow | None = None
        self.to_source: QPushButton | None = None
        components = [session.system.component(name) for name in names]
        spec = session.registry.get(components[0].type)
        if len(names) == 1:
            self._build_one(components[0], spec, tab)
        else:
            self.add_subject("mdi6.select-group", f"{len(names)} selected", ", ".join(names), "")
            self.column.addWidget(self._parameters_tab(components, spec))

    def stop(self) -> None:
        if self.ports is not None:
            self.ports.stop()

    def _build_one(self, component: Component, spec: ComponentSpec | None, tab: int) -> None:
        picture = (spec.icon or CATEGORY_ICONS.get(spec.category, DEFAULT)) if spec else "mdi6.help-rhombus-outline"
        doc = summary(spec.doc) if spec else f"There is no component of type {component.type}."
        self.add_subject(picture, component.name, doc, component.type, renames=self.session)
        feed = self.control.feed
        if feed.is_attached:
            header = LiveHeader(self.control, component.name, self.theme)
            header.error.line_wanted.connect(self.line_wanted)
            header.error.debug_wanted.connect(self.debug_wanted)
            header.error.event_wanted.connect(self.event_wanted)
            self.column.addWidget(header)
        self._offer_source(component, spec)
        self.ports = PortsList(self.session, component.name, self.theme, feed)
        self.ports.go_to.connect(self.go_to)
        tabs = QTabWidget()
        tabs.setDocumentMode(True)
        tabs.setUsesScrollButtons(False)
        tabs.setStyleSheet("QTabBar::tab { padding-left: 6px; padding-right: 6px; }")  # four fit into 240 pixels
        tabs.setElideMode(Qt.TextElideMode.ElideRight)
        tabs.addTab(self._parameters_tab([component], spec), "Parameters")
        tabs.addTab(self.ports, "Ports")
        tabs.addTab(LiveFigures(feed, component.name), "Live")
        docs = ComponentDocs(spec)
        docs.page_wanted.connect(self.page_wanted)
        tabs.addTab(docs, "Docs")
        tabs.setCurrentIndex(tab)
        tabs.currentChanged.connect(self.tab_chosen)
        self.column.addWidget(tabs, 1)
        self.fills = True

    def _offer_source(self, component: Component, spec: ComponentSpec | None) -> None:
        """Where it is likely that its data comes from a log or from another device one day."""
        mode = offered_as_source(self.session.system, component, spec)
        if mode is None or spec is None:
            return
        edit = MakeSource(component.name, mode, spec.ports)
        self.to_source = button = QPushButton("Turn into a data source")
        button.setProperty("link", "true")
        button.setToolTip(f"<span>{WHAT_A_SOURCE_DOES}</span>")
        button.clicked.connect(lambda: self.session.do(edit))
        row = QHBoxLayout()
        row.setContentsMargins(8, 0, 8, 6)
        row.addWidget(button)
        row.addStretch(1)
        self.column.addLayout(row)

    # ---- parameters

    def _parameters_tab(self, components: list[Component], spec: ComponentSpec | None) -> QWidget:
        tab = QWidget()
        layout = QVBoxLayout(tab)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(0)
        if spec is None:
            add_sentence(layout, "Its profile was not found, so its parameters are kept as they are written.")
            for component in components:
                form = add_form(layout)
                for name, text in component.parameters.items():
                    form.addRow(name, BreakingLabel(text))
            return tab
        holder = QVBoxLayout()
        holder.setContentsMargins(10, 6, 10, 8)
        holder.setSpacing(6)
        if spec.parameters:
            self.sets = ParameterSetRow(self.session, self.names, self.theme)
            holder.addWidget(self.sets)
        for parameter in spec.parameters:
            field = field_for(self.session, parameter, self.theme)
            field.changed.connect(self.parameter_changed)
            field.slide_began.connect(self.slide_began)
            field.pick_wanted.connect(partial(self.frame_wanted.emit, parameter.name))
            field.world_wanted.connect(self.world_wanted)
            self.fields[parameter.name] = field
            holder.addWidget(field)
        if not spec.parameters:
            add_sentence(layout, "It has no parameters.")
        layout.addLayout(holder)
        self.fill()
        add_section(layout, "Runs")
        self._add_running(layout, components, spec)
        layout.addStretch(1)
        return tab

    def fill(self) -> None:
        """The fields with what the system says now, and what the running one has instead."""
        if self.sets is not None:
            self.sets.fill()
        components = [self.session.system.component(name) for name in self.names]
        spec = self.session.registry.get(components[0].type)
        for name, field in self.fields.items():
            assert spec is not None
            found = [value_of(component, spec, name) for component in components]
            texts = {text for value, text in found if value is None}
            values = [value for value, _ in found]
            same = all(value == values[0] for value in values)
            unset = [value_of(replace(component, parameters={}), spec, name)[0] for component in components]
            broken = next(iter(texts)) if len(texts) == 1 and len(components) == 1 else None
            back_to = unset[0] if len(set(unset)) == 1 else None
            field.show_value(values[0] if same else None, is_default=values == unset, text=broken, back_to=back_to)
        self.fill_running()

    def fill_running(self) -> None:
        """Where the running component has another value than the canvas: somebody else has set it."""
        told = self.control.feed.state.get("components", {}).get(self.names[0])
        component = self.session.system.component(self.names[0])
        spec = self.session.registry.get(component.type)
        for name, field in self.fields.items():
            running = told["parameters"].get(name) if told and len(self.names) == 1 else None
            running = tuple(running) if isinstance(running, list) else running
            written = value_of(component, spec, name)[0] if spec else None
            field.show_running(running if running is not None and running != written else None)

    # ---- how it runs

    def _add_running(self, layout: QVBoxLayout, components: list[Component], spec: ComponentSpec) -> None:
        session, first = self.session, components[0]
        form = add_form(layout)
        mode = narrow_box()
        mode.setAccessibleName("Activation")
        for activation in spec.activations:
            mode.addItem(_ACTIVATIONS[activation], activation)
        mode.setCurrentIndex(mode.findData(first.mode or spec.activations[0]))
        period = QLineEdit(f"{first.period_s or spec.period_s:g}")
        period.setAccessibleName("Period in seconds")

        def activate() -> None:
            chosen = mode.currentData()
            try:
                every = float(period.text()) if chosen == "periodic" else None
            except ValueError:
                session.refused.emit(f"{period.text()!r} is not a period (e.g. 0.1)")
                return
            self._do_all([SetActivation(name, chosen, every) for name in self.names])

        mode.activated.connect(activate)
        period.editingFinished.connect(lambda: activate() if period.isModified() else None)
        form.addRow("Activation", mode)
        if mode.currentData() == "periodic":
            form.addRow("Period, s", period)
        host = narrow_box()
        host.setAccessibleName("Host")
        host.setEditable(True)
        host.setToolTip("Components with the same host share a process. Write a new name to make a host")
        host.addItem(ALONE)
        host.addItems([each.name for each in session.system.hosts])
        host.setCurrentText(first.host or ALONE)

        def rehost() -> None:
            text = host.currentText().strip()
            text = "" if text == ALONE else as_name(text)
            if {session.system.component(name).host for name in self.names} != {text}:
                session.do(SetHost(tuple(self.names), text))

        host.activated.connect(rehost)
        line = host.lineEdit()
        assert line is not None
        line.editingFinished.connect(rehost)
        form.addRow("Host", host)

    def _do_all(self, edits: list[SystemEdit]) -> None:
        if len(edits) == 1:
            self.session.do(edits[0])
        elif edits:
            what = edits[0].label.partition(" of ")[0]
            self.session.do(Compound(f"{what} of {shown(self.names)}", tuple(edits)))
