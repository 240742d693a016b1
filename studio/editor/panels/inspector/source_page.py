"""A source: who provides its data, what differs between the providers and how to mend it, and its ports."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QMenu, QPushButton, QToolButton, QVBoxLayout, QWidget

from studio.editor.live.effects import effects_of, exchange_effects
from studio.editor.live.feed import Feed
from studio.editor.live.run_control import RunControl
from studio.editor.live.state import mode_of, parts_of
from studio.editor.look.icons import CATEGORY_ICONS, DEFAULT, icon
from studio.editor.look.theme import Theme
from studio.editor.panels.inspector.live_header import LiveHeader
from studio.editor.panels.inspector.page import Page, add_section
from studio.editor.panels.inspector.ports_list import PortsList
from studio.editor.panels.parts.breaking_label import BreakingLabel
from studio.editor.panels.parts.parameter_fields import ParameterField, field_for, value_of
from studio.editor.project.session import Session
from studio.editor.project.source_card import card_text
from studio.model.gazebo_provider import (
    GAZEBO,
    Choice,
    choices_of,
    embedded_provider,
    gazebo_provider,
    is_on_gazebo,
    mode_of_choice,
    segments_of,
)
from studio.model.source_fixes import fixes_for
from studio.model.source_making import RemoveProvider, SetProviderParameters, offers_for
from studio.model.sources import LiveProvider, LogProvider, Source, SourceMode, explain_differences
from studio.model.spec import Value
from studio.model.system_edits import BringGeometry, Compound, SystemEdit


class SourcePage(Page):
    log_wanted = pyqtSignal()
    frame_wanted = pyqtSignal(object)
    world_wanted = pyqtSignal(str)
    """What takes the frame that is clicked in the view of the vehicle."""
    """Somebody wants to choose a log to play."""
    debug_wanted = pyqtSignal(str, int)
    """File and line at which one of its components is to stop the next time."""

    def __init__(self, session: Session, source: Source, theme: Theme, control: RunControl) -> None:
        super().__init__(theme)
        self.session, self.source, self.runs = session, source, control.feed.is_attached
        self.add_subject("mdi6.car", source.name, "A source: the same ports, real, logged or simulated.", "source",
                         renames=session)  # fmt: skip
        feed: Feed = control.feed
        for part in parts_of(source, feed.state) if feed.is_attached else ():
            header = LiveHeader(control, part, theme, titled=True)
            header.error.line_wanted.connect(self.line_wanted)
            header.error.debug_wanted.connect(self.debug_wanted)
            header.error.event_wanted.connect(self.event_wanted)
            self.column.addWidget(header)
        self._feed = feed
        self._now = now = mode_of(source, feed.state)
        is_on = is_on_gazebo(source, session.registry)
        self._choice: Choice = GAZEBO if now == "simulated" and is_on else now
        add_section(self.column, "Data comes from")
        self.buttons: dict[Choice, QToolButton] = {}
        self.adders: dict[SourceMode, QPushButton] = {}
        self.removers: dict[SourceMode, QToolButton] = {}
        self.fixes: list[QPushButton] = []
        self.fields: dict[tuple[SourceMode, str, str], ParameterField] = {}
        """By mode, component and parameter."""
        self._slide = object()
        """Another one for every drag: those of a page that is made anew are none of the last one either."""
        for choice in segments_of(choices_of(source, session.registry)):
            self._add_provider(choice, now)
        self._add_differences()
        self._add_parameters()
        add_section(self.column, "Ports")
        self.ports = PortsList(session, source.name, theme, feed)
        self.ports.go_to.connect(self.go_to)
        self.column.addWidget(self.ports)

    def is_of_now(self) -> bool:
        """Whether it still marks where the data comes from."""
        return mode_of(self.source, self._feed.state) == self._now

    def _provider(self, choice: Choice) -> LiveProvider | LogProvider | None:
        """Who it is, or would be: the simulated provider is of the file, or has another simulator in it."""
        source, specs = self.source, self.session.registry
        if choice not in choices_of(source, specs):
            return None
        if choice == GAZEBO:
            return source.simulated if is_on_gazebo(source, specs) else gazebo_provider(source, specs)
        is_other = choice == "simulated" and is_on_gazebo(source, specs)
        return embedded_provider(source, specs) if is_other else source.provider(mode_of_choice(choice))

    def _add_provider(self, choice: Choice, now: SourceMode) -> None:
        """One row: a button that chooses it, and who it is."""
        mode = mode_of_choice(choice)
        source, origin = self.source, self.theme.origins[mode]
        provider = self._provider(choice)
        button = QToolButton()
        button.setText("Gazebo" if choice == GAZEBO else origin.word)
        button.setAccessibleName(f"{source.name} {choice}")
        button.setFixedWidth(88)
        button.setEnabled(provider is not None)
        chosen = choice == self._choice
        if chosen:
            button.setStyleSheet(
                f"QToolButton {{ background: {origin.fill}; color: {origin.on_fill}; border: 1px solid {origin.fill};"
                " border-radius: 4px; min-height: 24px; font-weight: 600; }"
            )
        else:
            button.setProperty("framed", "true")
            button.setStyleSheet("QToolButton { min-height: 22px; }")
        if provider is None:
            button.setToolTip(f"No {mode} provider for {source.name}")
        elif chosen:
            button.setToolTip("A Gazebo server simulates it" if choice == GAZEBO else f"The data is {mode}")
        else:
            system, registry = self.session.system, self.session.registry
            if mode == now == "simulated":
                effects = exchange_effects(system, source.name, choice, {source.name: now}, runs=self.runs)
            else:
                effects = effects_of(system, registry, {source.name: mode}, {source.name: now}, runs=self.runs)
            button.setToolTip(card_text(effects, f"Switch {source.name} to {'Gazebo' if choice == GAZEBO else mode}"))
        button.clicked.connect(lambda _: self.session.choose(source.name, choice))
        self.buttons[choice] = button
        words = BreakingLabel(_provider(provider))
        words.setProperty("role", "muted")
        if isinstance(provider, LogProvider):
            words.setToolTip(provider.log)
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(10, 3, 10, 3)
        row.setSpacing(10)
        row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        beside = QVBoxLayout()  # one below the other: a narrow panel has no room for both beside the button
        beside.addWidget(words)
        row.addLayout(beside, 1)
        if provider is None:
            beside.addWidget(self._adder(mode), 0, Qt.AlignmentFlag.AlignLeft)
        elif not chosen and mode != source.mode and provider is source.provider(mode):
            row.addWidget(self._remover(mode))
        self.column.addWidget(holder)

    def _adder(self, mode: SourceMode) -> QPushButton:
        """Somebody for a mode that has nobody yet."""
        button = QPushButton("Choose a log…" if mode == "logged" else "Add…")
        button.setProperty("link", "true")
        button.setAccessibleName(f"Add a {mode} provider")
        if mode == "logged":
            button.clicked.connect(lambda _: self.log_wanted.emit())
        else:
            button.clicked.connect(lambda _: self.offer(mode).popup(button.mapToGlobal(button.rect().bottomLeft())))
        self.adders[mode] = button
        return button

    def _remover(self, mode: SourceMode) -> QToolButton:
        button = QToolButton()
        button.setIcon(icon("mdi6.close", self.theme.muted))
        button.setToolTip(f"Remove the {mode} provider of {self.source.name}")
        button.setAccessibleName(f"Remove the {mode} provider")
        button.clicked.connect(lambda _: self.session.do(RemoveProvider(self.source.name, mode)))
        self.removers[mode] = button
        return button

    def offer(self, mode: SourceMode) -> QMenu:
        """Which types of components could stand behind its ports."""
        menu = QMenu(self)
        source, system = self.source, self.session.system
        for offer in offers_for(source, mode, self.session.registry):
            lacks = f"  ·  nothing for {', '.join(offer.missing[:3])}" if offer.missing else ""
            entry = menu.addAction(f"{offer.spec.type}{lacks}")
            assert entry is not None
            picture = offer.spec.icon or CATEGORY_ICONS.get(offer.spec.category, DEFAULT)
            entry.setIcon(icon(picture, self.theme.muted))
            edit: SystemEdit = offer.edit(system, source, mode)
            if offer.spec.assembly:
                edit = Compound(edit.label, (edit, BringGeometry(offer.spec.assembly)))
            entry.triggered.connect(lambda _=False, edit=edit: self.session.do(edit))
        if menu.isEmpty():
            entry = menu.addAction("No component has ports like these")
            assert entry is not None
            entry.setEnabled(False)
        return menu

    def _add_parameters(self) -> None:
        """Of every component behind it, the ones in use first."""
        providers = sorted(self.source.live_providers(), key=lambda each: each[0] != self.source.mode)
        for mode, provider in providers:
            for component in provider.components:
                spec = self.session.registry.get(component.type)
                if spec is None or not spec.parameters:
                    continue
                add_section(self.column, f"{component.name} · {mode}")
                holder = QWidget()
                layout = QVBoxLayout(holder)
                layout.setContentsMargins(10, 6, 10, 8)
                layout.setSpacing(6)
                for parameter in spec.parameters:
                    field = field_for(self.session, parameter, self.theme)
                    field.changed.connect(partial(self._set, mode, component.name))
                    field.slide_began.connect(self._begin_slide)
                    take = partial(self._take_frame, mode, component.name, parameter.name)
                    field.pick_wanted.connect(partial(self.frame_wanted.emit, take))
                    field.world_wanted.connect(self.world_wanted)
                    self.fields[mode, component.name, parameter.name] = field
                    layout.addWidget(field)
                self.column.addWidget(holder)
        self.fill()

    def _take_frame(self, mode: SourceMode, component: str, parameter: str, frame: str) -> None:
        self._set(mode, component, parameter, frame, False)

    def fill(self) -> None:
        """The fields with what the system says now."""
        source = self.session.system.source(self.source.name)
        for (mode, name, parameter), field in self.fields.items():
            provider = source.provider(mode)
            component = provider.component(name) if isinstance(provider, LiveProvider) else None
            spec = self.session.registry.get(component.type) if component is not None else None
            if component is not None and spec is not None:
                value, text = value_of(component, spec, parameter)
                unset = value_of(replace(component, parameters={}), spec, parameter)[0]
                broken = text if value is None else None
                field.show_value(value, is_default=value == unset, text=broken, back_to=unset)

    def _set(self, mode: SourceMode, component: str, name: str, value: Value | None, sliding: bool) -> None:
        if not sliding:
            self._begin_slide()
        gesture = ("slider", self._slide) if sliding else None
        self.session.do(SetProviderParameters(self.source.name, mode, component, {name: value}, gesture))

    def _begin_slide(self) -> None:
        self._slide = object()

    def _add_differences(self) -> None:
        """Where a provider is not what the source promises: in words, with what would mend it."""
        differences = explain_differences(self.source, self.session.registry)
        if not differences:
            return
        add_section(self.column, "Providers differ")
        holder = QWidget()
        layout = QVBoxLayout(holder)
        layout.setContentsMargins(10, 6, 10, 6)
        layout.setSpacing(4)
        for difference in differences:
            row = QHBoxLayout()
            mark = QLabel()
            mark.setPixmap(icon("mdi6.alert", self.theme.warning).pixmap(14, 14))
            words = BreakingLabel(difference.message)
            words.setToolTip(difference.hint)
            row.addWidget(mark)
            row.addWidget(words, 1)
            layout.addLayout(row)
            for fix in fixes_for(self.source, difference.mode, difference.message, self.session.registry):
                button = QPushButton(fix.text)
                button.setProperty("link", "true")
                button.clicked.connect(lambda _, fix=fix: self.session.do(fix.edit))
                self.fixes.append(button)
                layout.addWidget(button)
        self.column.addWidget(holder)

    def stop(self) -> None:
        self.ports.stop()


def _provider(provider: LiveProvider | LogProvider | None) -> str:
    if isinstance(provider, LogProvider):
        return Path(provider.log).name or "no log chosen"  # a whole path fills the panel
    names = [f"{component.name} ({component.type})" for component in provider.components] if provider else []
    return ", ".join(names) or "none"
