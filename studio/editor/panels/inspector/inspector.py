"""The inspector: a page about what is selected, kept up to date with the system on the canvas and the one that runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from PyQt6.QtCore import QSize, Qt, QTimer, pyqtSignal
from PyQt6.QtWidgets import QScrollArea

from studio.editor.live.feed import Changes
from studio.editor.live.run_control import RunControl
from studio.editor.look.theme import Theme
from studio.editor.panels.inspector.component_page import ComponentPage
from studio.editor.panels.inspector.page import Page, add_sentence
from studio.editor.panels.inspector.service_page import ServicePage
from studio.editor.panels.inspector.source_page import SourcePage
from studio.editor.panels.inspector.system_page import SystemPage
from studio.editor.panels.inspector.wire_page import WirePage
from studio.editor.panels.parts.parameter_fields import ParameterField
from studio.editor.project.session import Session
from studio.model.parts import Component, Connection, ServiceWire, Wire
from studio.model.sources import Source
from studio.model.spec import Value
from studio.model.system_edits import Compound, SetParameters, shown

LEAST_WIDTH = 240
"""Every page fits into it; what is narrower would be cut off at the right."""


class Inspector(QScrollArea):
    go_to = pyqtSignal(str)
    line_wanted = pyqtSignal(str, int)
    page_wanted = pyqtSignal(Path)
    log_wanted = pyqtSignal()
    frame_wanted = pyqtSignal(object)
    """What takes the frame that is clicked in the view of the vehicle, as `Body:Frame`."""
    world_wanted = pyqtSignal(str)
    """Open the world of a simulator, as its parameter names it."""
    vehicle_wanted = pyqtSignal()
    """Show the vehicle of the system."""
    debug_wanted = pyqtSignal(str, int)
    event_wanted = pyqtSignal(str, int)

    def __init__(self, theme: Theme, control: RunControl) -> None:
        super().__init__()
        self.theme, self.control = theme, control
        self.session: Session | None = None
        self.nodes: list[str] = []
        self.connections: list[Connection] = []
        self._slide = 0
        self._tab = 0
        self._shape: object = None
        self._page: Page | None = None
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self.refresh)
        control.feed.attached.connect(self._run_changed)
        control.feed.ended.connect(self._run_changed)
        control.feed.changed.connect(self._live_changed)
        self.refresh()

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_WIDTH, super().minimumSizeHint().height())

    @property
    def fields(self) -> dict[str, ParameterField]:
        """Of the parameters that are shown."""
        return self._page.fields if isinstance(self._page, ComponentPage) else {}

    def show_session(self, session: Session | None) -> None:
        self.session = session
        self.nodes, self.connections = [], []
        if session is not None:
            session.changed.connect(lambda _: self._later.start(0))
        self.refresh()

    def show_selection(self, nodes: Iterable[str], connections: Iterable[Connection]) -> None:
        self.nodes, self.connections = list(nodes), list(connections)
        self._later.start(0)

    def show_geometry(self) -> None:
        """The page of the system, ready for another geometry."""
        self.show_selection((), ())
        self.refresh()
        if isinstance(self._page, SystemPage):
            self._page.geometry_form.box.setFocus()
            self.ensureWidgetVisible(self._page.geometry_form)

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self._shape = None
        self.refresh()

    def _run_changed(self, *_: object) -> None:
        self._shape = None
        self._later.start(0)

    def _live_changed(self, changes: Changes) -> None:
        if isinstance(self._page, SourcePage) and not self._page.is_of_now():
            self._run_changed()
        if isinstance(self._page, ComponentPage) and changes.components.intersection(self._page.names):
            self._page.fill_running()

    # ---- pages

    def refresh(self) -> None:
        """Build the page for what is selected; only refill it if the same things are shown as before."""
        session = self.session
        nodes = [name for name in self.nodes if session is not None and name in session.system.nodes]
        shape = self._shape_of(nodes)
        page = self._page
        if shape == self._shape and shape is not None and isinstance(page, ComponentPage | SourcePage) and page.fields:
            page.fill()
            return
        self._shape = shape
        if self._page is not None:
            self._page.stop()
        self._page = page = self._make(session, nodes)
        page.go_to.connect(self.go_to)
        page.line_wanted.connect(self.line_wanted)
        page.page_wanted.connect(self.page_wanted)
        page.event_wanted.connect(self.event_wanted)
        page.renamed.connect(self._renamed)
        if isinstance(page, ComponentPage):
            page.parameter_changed.connect(self._parameter_changed)
            page.slide_began.connect(self._begin_slide)
            page.debug_wanted.connect(self.debug_wanted)
            page.tab_chosen.connect(self._remember_tab)
            page.frame_wanted.connect(self._ask_frame)
            page.world_wanted.connect(self.world_wanted)
        if isinstance(page, SourcePage):
            page.log_wanted.connect(self.log_wanted)
            page.frame_wanted.connect(self.frame_wanted)
            page.world_wanted.connect(self.world_wanted)
            page.debug_wanted.connect(self.debug_wanted)
        if isinstance(page, SystemPage):
            page.geometry_form.open_wanted.connect(self.vehicle_wanted)
        if not page.fills:
            page.column.addStretch(1)
        self.setWidget(page)

    def _make(self, session: Session | None, nodes: list[str]) -> Page:
        theme, control = self.theme, self.control
        if session is None:
            page = Page(theme)
            add_sentence(page.column, "No project is open")
            return page
        values = [session.system.node(name) for name in nodes]
        if len(values) == 1 and isinstance(values[0], Source):
            return SourcePage(session, values[0], theme, control)
        types = {value.type for value in values if isinstance(value, Component)}
        if len(types) == 1 and all(isinstance(value, Component) for value in values):
            return ComponentPage(session, nodes, theme, control, self._tab)
        if nodes:
            page = Page(theme)
            page.add_subject("mdi6.select-group", f"{len(nodes)} selected", ", ".join(nodes), "")
            words = "They are of different types. Select components of one type to set them together."
            add_sentence(page.column, words)
            return page
        wire = self.connections[0] if len(self.connections) == 1 else None
        found = session.system.wires.get(wire.key) if isinstance(wire, Wire) else None
        if found is not None:
            return WirePage(session, found, theme, control.feed)
        if isinstance(wire, ServiceWire) and wire.key in session.system.services:
            return ServicePage(session, wire, theme)
        return SystemPage(session, theme)

    def _shape_of(self, nodes: list[str]) -> object:
        """Two selections of one shape are shown by the same widgets."""
        if self.session is None or not nodes:
            return None
        values = [self.session.system.node(name) for name in nodes]
        stripped = [
            (value.name, value.type, value.host, value.mode, value.period_s)
            if isinstance(value, Component) else _without_parameters(value) for value in values
        ]  # fmt: skip
        wired = [len(self.session.system.connections_of(name)) for name in nodes]
        return (self.theme.look, len(self.session.system.hosts), tuple(map(repr, stripped)), tuple(wired))

    def _remember_tab(self, index: int) -> None:
        self._tab = index

    def _renamed(self, old: str, new: str) -> None:
        self.nodes = [new if each == old else each for each in self.nodes]

    # ---- values

    def _begin_slide(self) -> None:
        self._slide += 1

    def _ask_frame(self, parameter: str) -> None:
        """For the components that are shown now, whatever is selected when the frame is clicked."""
        session, nodes = self.session, list(self.nodes)

        def take(frame: str) -> None:
            if session is not None and session is self.session:
                edits = tuple(SetParameters(node, {parameter: frame}, None) for node in nodes)
                session.do(edits[0] if len(edits) == 1 else Compound(f"Set {parameter} of {shown(nodes)}", edits, None))

        self.frame_wanted.emit(take)

    def _parameter_changed(self, name: str, value: Value | None, sliding: bool) -> None:
        if self.session is None:
            return
        if not sliding:
            self._slide += 1
        gesture = ("slider", self._slide) if sliding else None
        edits = tuple(SetParameters(node, {name: value}, gesture) for node in self.nodes)
        self.session.do(edits[0] if len(edits) == 1 else Compound(f"Set {name} of {shown(self.nodes)}", edits, gesture))


def _without_parameters(source: Source) -> Source:
    for mode, provider in source.live_providers():
        bare = tuple(replace(component, parameters={}) for component in provider.components)
        source = source.with_provider(mode, replace(provider, components=bare))
    return source
