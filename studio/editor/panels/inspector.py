"""The inspector: what is selected, its parameters, how it runs, its ports, its documentation."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace

from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtWidgets import (
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QTabWidget,
    QTextBrowser,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.editor.icons import CATEGORY_ICONS, DEFAULT, icon
from studio.editor.panels.parameter_fields import ParameterField, narrow_box
from studio.editor.session import Session
from studio.editor.summary import summary
from studio.editor.theme import Theme
from studio.errors import StudioError
from studio.model.parts import Component, Connection, Wire
from studio.model.project import README
from studio.model.source_edits import ChooseModes
from studio.model.sources import LiveProvider, LogProvider, Source, SourceMode
from studio.model.spec import ComponentSpec, Delivery, Value
from studio.model.system_edits import (
    Compound,
    DescribeSystem,
    RenameNode,
    SetActivation,
    SetDelivery,
    SetHost,
    SetParameters,
    SetParameterSet,
    SystemEdit,
    shown,
)
from studio.model.wiring import effective_delivery, port_at, ports_of

ALONE = "own process"
_ACTIVATIONS = {"event": "on event", "periodic": "periodically", "trigger": "on trigger"}


@dataclass(frozen=True)
class SetTogether(Compound):
    """One value for several components; all steps of one slide are one for undo."""

    gesture: Hashable | None = None

    @property
    def merge_key(self) -> Hashable | None:
        return None if self.gesture is None else (self.title, self.gesture)


class Inspector(QScrollArea):
    go_to = pyqtSignal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.session: Session | None = None
        self.nodes: list[str] = []
        self.connections: list[Connection] = []
        self.fields: dict[str, ParameterField] = {}
        self._slide = 0
        self._tab = 0
        self._shape: object = None
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self.refresh)
        self.refresh()

    def show_session(self, session: Session | None) -> None:
        self.session = session
        self.nodes, self.connections = [], []
        if session is not None:
            session.changed.connect(lambda _: self._later.start(0))
        self.refresh()

    def show_selection(self, nodes: Iterable[str], connections: Iterable[Connection]) -> None:
        self.nodes, self.connections = list(nodes), list(connections)
        self._later.start(0)

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self._shape = None
        self.refresh()

    # ---- building

    def refresh(self) -> None:
        """Build the page for what is selected; only refill it if the same things are shown as before."""
        session = self.session
        nodes = [name for name in self.nodes if session is not None and name in session.system.nodes]
        shape = self._shape_of(nodes)
        if shape == self._shape and shape is not None and self.fields:
            self._fill_fields(nodes)
            return
        self._shape = shape
        self.fields = {}
        page = QWidget()
        page.setObjectName("page")
        page.setStyleSheet("#page { background: transparent; }")
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 8)
        layout.setSpacing(0)
        if session is None:
            self._add_sentence(layout, "Nothing is open")
        elif len(nodes) == 1:
            self._build_node(layout, session, nodes[0])
        elif nodes:
            self._build_several(layout, session, nodes)
        elif len(self.connections) == 1 and isinstance(self.connections[0], Wire):
            self._build_wire(layout, session, self.connections[0])
        else:
            self._build_system(layout, session)
        layout.addStretch(1)
        self.setWidget(page)

    def _shape_of(self, nodes: list[str]) -> object:
        """Two selections of one shape are shown by the same widgets."""
        if self.session is None or not nodes:
            return None
        values = [self.session.system.node(name) for name in nodes]
        stripped = [
            (value.name, value.type, value.host, value.mode, value.period_s, value.parameter_set)
            if isinstance(value, Component) else value for value in values
        ]  # fmt: skip
        wired = [len(self.session.system.connections_of(name)) for name in nodes]
        return (self.theme.name, len(self.session.system.hosts), tuple(map(repr, stripped)), tuple(wired))

    def _build_node(self, layout: QVBoxLayout, session: Session, name: str) -> None:
        node = session.system.node(name)
        if isinstance(node, Source):
            self._build_source(layout, session, node)
            return
        spec = session.registry.get(node.type)
        picture = (spec.icon or CATEGORY_ICONS.get(spec.category, DEFAULT)) if spec else "mdi6.help-rhombus-outline"
        doc = summary(spec.doc) if spec else f"There is no component of type {node.type}."
        self._add_subject(layout, picture, name, doc, node.type)
        tabs = QTabWidget()
        tabs.setDocumentMode(True)
        tabs.addTab(self._parameters_tab(session, [node], spec), "Parameters")
        tabs.addTab(self._ports_tab(session, name), "Ports")
        tabs.addTab(self._docs_tab(spec), "Docs")
        tabs.setCurrentIndex(self._tab)
        tabs.currentChanged.connect(self._remember_tab)
        layout.addWidget(tabs, 1)

    def _remember_tab(self, index: int) -> None:
        self._tab = index

    def _build_several(self, layout: QVBoxLayout, session: Session, nodes: list[str]) -> None:
        values = [session.system.node(name) for name in nodes]
        components = [value for value in values if isinstance(value, Component)]
        specs = {component.type: session.registry.get(component.type) for component in components}
        self._add_subject(layout, "mdi6.select-group", f"{len(nodes)} selected", ", ".join(nodes), "")
        if len(components) < len(values) or len(specs) > 1:
            self._add_sentence(
                layout, "They are of different types. Select components of one type to set them together."
            )
            return
        layout.addWidget(self._parameters_tab(session, components, next(iter(specs.values()))))

    def _build_source(self, layout: QVBoxLayout, session: Session, source: Source) -> None:
        self._add_subject(
            layout, "mdi6.car", source.name, "A source: the same ports, real, logged or simulated.", "source"
        )
        box = narrow_box()
        for mode in source.modes:
            origin = self.theme.origins[mode]
            box.addItem(icon(origin.icon, origin.text), origin.word, mode)
        box.setCurrentIndex(box.findData(source.mode))
        box.activated.connect(lambda index: self._switch(session, source.name, box.itemData(index)))
        box.setAccessibleName("Where the data comes from")
        form = self._form(layout)
        form.addRow("Data comes from", box)
        for mode in source.modes:
            words = QLabel(_provider(source.provider(mode)))
            words.setProperty("role", "muted")
            words.setWordWrap(True)
            form.addRow(self.theme.origins[mode].word, words)
        self._add_section(layout, "Ports")
        layout.addWidget(self._ports_tab(session, source.name))

    def _switch(self, session: Session, name: str, mode: SourceMode) -> None:
        session.do(ChooseModes({name: mode}))

    def _build_wire(self, layout: QVBoxLayout, session: Session, wire: Wire) -> None:
        found = session.system.wires.get(wire.key)
        if found is None:
            self._build_system(layout, session)
            return
        port = port_at(session.system, session.registry, wire.start)
        kind = port.type if port else "unknown type"
        self._add_subject(
            layout, "mdi6.vector-line", f"{wire.start.node} → {wire.end.node}", f"{wire.start} → {wire.end}", kind
        )
        asked = effective_delivery(session.system, session.registry, Wire(*wire.key))
        box = narrow_box()
        box.setAccessibleName("Delivery")
        for title, kind in (
            (f"as the port asks ({asked})", ""),
            ("every event", "lossless"),
            ("only the newest", "latest"),
            ("a queue", "queue"),
        ):
            box.addItem(title, kind)
        own = found.delivery
        box.setCurrentIndex(box.findData(own.kind if own else ""))
        depth = QLineEdit(str(own.depth if own and own.kind == "queue" else 5))
        depth.setAccessibleName("Depth of the queue")
        depth.setEnabled(own is not None and own.kind == "queue")

        def deliver() -> None:
            chosen = box.currentData()
            depth.setEnabled(chosen == "queue")
            try:
                delivery = Delivery.parse(f"queue {depth.text()}" if chosen == "queue" else chosen) if chosen else None
            except StudioError as error:
                session.refused.emit(str(error))
                return
            session.do(SetDelivery(wire, delivery))

        box.activated.connect(deliver)
        depth.editingFinished.connect(lambda: deliver() if depth.isModified() else None)
        form = self._form(layout)
        form.addRow("Delivery", box)
        form.addRow("Queue, events", depth)

    def _build_system(self, layout: QVBoxLayout, session: Session) -> None:
        system = session.system
        self._add_subject(layout, "mdi6.graph-outline", system.name, summary(system.doc), "system")
        name, doc = QLineEdit(system.name), QLineEdit(system.doc)
        name.setAccessibleName("Name of the system")
        doc.setAccessibleName("What it does")
        doc.setCursorPosition(0)
        name.editingFinished.connect(lambda: name.isModified() and session.do(DescribeSystem(name.text(), doc.text())))
        doc.editingFinished.connect(lambda: doc.isModified() and session.do(DescribeSystem(name.text(), doc.text())))
        form = self._form(layout)
        form.addRow("Name", name)
        form.addRow("What it does", doc)
        self._add_section(layout, "Contains")
        counts = self._form(layout)
        for title, count in (
            ("Components", len(list(system.components))), ("Sources", len(list(system.sources))),
            ("Wires", len(system.wires)), ("Services", len(system.services)), ("Hosts", len(system.hosts)),
        ):  # fmt: skip
            counts.addRow(title, QLabel(str(count)))

    # ---- parts

    def _parameters_tab(self, session: Session, components: list[Component], spec: ComponentSpec | None) -> QWidget:
        tab = QWidget()
        layout = QVBoxLayout(tab)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(0)
        if spec is None:
            self._add_sentence(layout, "Its profile was not found, so its parameters are kept as they are written.")
            for component in components:
                form = self._form(layout)
                for name, text in component.parameters.items():
                    form.addRow(name, QLabel(text))
            return tab
        holder = QVBoxLayout()
        holder.setContentsMargins(10, 6, 10, 8)
        holder.setSpacing(6)
        if spec.parameter_sets:
            holder.addWidget(self._set_box(session, components, spec))
        for parameter in spec.parameters:
            field = ParameterField(parameter, self.theme)
            field.changed.connect(self._parameter_changed)
            self.fields[parameter.name] = field
            holder.addWidget(field)
        if not spec.parameters:
            self._add_sentence(layout, "It has no parameters.")
        layout.addLayout(holder)
        self._fill_fields([component.name for component in components])
        self._add_section(layout, "Runs")
        self._add_running(layout, session, components, spec)
        layout.addStretch(1)
        return tab

    def _set_box(self, session: Session, components: list[Component], spec: ComponentSpec) -> QWidget:
        box = narrow_box()
        box.setAccessibleName("Parameter set")
        box.addItem("no set", "")
        for name in spec.parameter_sets:
            box.addItem(name, name)
        chosen = {component.parameter_set for component in components}
        box.setCurrentIndex(box.findData(chosen.pop()) if len(chosen) == 1 else -1)
        names = [component.name for component in components]
        box.activated.connect(
            lambda index: self._do_all(session, [SetParameterSet(name, box.itemData(index)) for name in names])
        )
        row = QWidget()
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        label = QLabel("Set")
        label.setFixedWidth(113)
        label.setToolTip("Values that belong together, named by the component's author")
        layout.addWidget(label)
        layout.addWidget(box, 1)
        return row

    def _add_running(
        self, layout: QVBoxLayout, session: Session, components: list[Component], spec: ComponentSpec
    ) -> None:
        names = [component.name for component in components]
        first = components[0]
        form = self._form(layout)
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
                session.refused.emit(f"{period.text()!r} is no period (e.g. 0.1)")
                return
            self._do_all(session, [SetActivation(name, chosen, every) for name in names])

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
            text = "" if text == ALONE else text
            if {session.system.component(name).host for name in names} != {text}:
                session.do(SetHost(tuple(names), text))

        host.activated.connect(rehost)
        line = host.lineEdit()
        assert line is not None
        line.editingFinished.connect(rehost)
        form.addRow("Host", host)

    def _ports_tab(self, session: Session, name: str) -> QWidget:
        tab = QWidget()
        layout = QVBoxLayout(tab)
        layout.setContentsMargins(10, 8, 10, 8)
        layout.setSpacing(3)
        system = session.system
        for port in ports_of(system, session.registry, name):
            hue = self.theme.hue(port.type)
            label = QLabel(f'<span style="color:{hue}">●</span> <b>{port.name}</b> {port.direction} · {port.type}')
            label.setToolTip(port.doc)
            layout.addWidget(label)
            for wire in system.wires_of(name):
                mine = wire.start if port.direction == "out" else wire.end
                other = wire.end if port.direction == "out" else wire.start
                if mine == (name, port.name):
                    arrow = "→" if port.direction == "out" else "←"
                    link = QToolButton()
                    link.setText(f"     {arrow} {other}")
                    link.setAccessibleName(f"Go to {other.node}")
                    link.setStyleSheet(f"color: {self.theme.accent}; min-height: 20px; padding: 0;")
                    link.clicked.connect(lambda _, node=other.node: self.go_to.emit(node))
                    layout.addWidget(link)
        layout.addStretch(1)
        return tab

    def _docs_tab(self, spec: ComponentSpec | None) -> QWidget:
        browser = QTextBrowser()
        browser.setOpenExternalLinks(True)
        browser.setFrameShape(QFrame.Shape.NoFrame)
        browser.setStyleSheet("background: transparent; padding: 6px;")
        readme = spec.folder / README if spec and spec.folder else None
        if readme is not None and readme.is_file():
            browser.setMarkdown(readme.read_text(encoding="utf-8", errors="replace"))
        else:
            browser.setPlainText(spec.doc if spec else "")
        return browser

    def _add_subject(self, layout: QVBoxLayout, picture: str, title: str, doc: str, kind: str) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(10, 10, 10, 8)
        row.setSpacing(8)
        mark = QLabel()
        mark.setPixmap(icon(picture, self.theme.muted).pixmap(20, 20))
        row.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(1)
        if self.session is not None and len(self.nodes) == 1 and title in self.session.system.nodes:
            words.addWidget(self._name_field(self.session, title))
        else:
            subject = QLabel(title)
            subject.setProperty("role", "subject")
            subject.setStyleSheet("font-size: 14px;")
            words.addWidget(subject)
        line = QLabel(doc)
        line.setProperty("role", "muted")
        line.setWordWrap(True)
        words.addWidget(line)
        row.addLayout(words, 1)
        if kind:
            label = QLabel(kind)
            label.setProperty("role", "muted")
            row.addWidget(label, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(row)

    def _name_field(self, session: Session, name: str) -> QLineEdit:
        field = QLineEdit(name)
        field.setAccessibleName("Name")
        field.setStyleSheet(
            "font-size: 14px; font-weight: 600; border-color: transparent; background: transparent; padding: 0;"
        )
        field.setToolTip("Write another name to rename it; wires follow")

        def rename() -> None:
            if field.isModified() and field.text() != name and session.do(RenameNode(name, field.text())):
                self.nodes = [field.text() if each == name else each for each in self.nodes]

        field.editingFinished.connect(rename)
        return field

    def _add_section(self, layout: QVBoxLayout, title: str) -> None:
        label = QLabel(title)
        label.setProperty("role", "section")
        layout.addWidget(label)

    def _add_sentence(self, layout: QVBoxLayout, words: str) -> None:
        label = QLabel(words)
        label.setProperty("role", "muted")
        label.setWordWrap(True)
        label.setContentsMargins(10, 8, 10, 8)
        layout.addWidget(label)

    def _form(self, layout: QVBoxLayout) -> QFormLayout:
        holder = QWidget()
        form = QFormLayout(holder)
        form.setContentsMargins(10, 8, 10, 8)
        form.setHorizontalSpacing(8)
        form.setVerticalSpacing(6)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        layout.addWidget(holder)
        return form

    # ---- values

    def _fill_fields(self, names: list[str]) -> None:
        assert self.session is not None
        components = [self.session.system.component(name) for name in names]
        spec = self.session.registry.get(components[0].type)
        for name, field in self.fields.items():
            assert spec is not None
            found = [_value_of(component, spec, name) for component in components]
            texts = {text for value, text in found if value is None}
            values = [value for value, _ in found]
            same = all(value == values[0] for value in values)
            unset = [_value_of(replace(component, parameters={}), spec, name)[0] for component in components]
            is_default = values == unset
            broken = next(iter(texts)) if len(texts) == 1 and len(components) == 1 else None
            field.show_value(values[0] if same else None, is_default=is_default, text=broken)

    def _parameter_changed(self, name: str, value: Value | None, sliding: bool) -> None:
        if self.session is None:
            return
        if not sliding:
            self._slide += 1
        gesture = ("slider", self._slide) if sliding else None
        edits = tuple(SetParameters(node, {name: value}, gesture) for node in self.nodes)
        self.session.do(
            edits[0] if len(edits) == 1 else SetTogether(f"Set {name} of {shown(self.nodes)}", edits, gesture)
        )

    def _do_all(self, session: Session, edits: list[SystemEdit]) -> None:
        if len(edits) == 1:
            session.do(edits[0])
        elif edits:
            what = edits[0].label.partition(" of ")[0]
            session.do(Compound(f"{what} of {shown(self.nodes)}", tuple(edits)))


def _value_of(component: Component, spec: ComponentSpec, name: str) -> tuple[Value | None, str]:
    """The value a parameter has, or None and the text that cannot be read."""
    parameter = spec.parameter(name)
    assert parameter is not None
    if name in component.parameters:
        text = component.parameters[name]
        try:
            return parameter.parse(text), text
        except StudioError:
            return None, text
    chosen = spec.parameter_sets.get(component.parameter_set, {})
    return chosen.get(name, parameter.default), ""


def _provider(provider: LiveProvider | LogProvider | None) -> str:
    if isinstance(provider, LogProvider):
        return provider.log or "no log chosen"
    names = [f"{component.name} ({component.type})" for component in provider.components] if provider else []
    return ", ".join(names) or "nobody"
