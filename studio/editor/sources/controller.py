"""Switching sources in the window: what is asked before, what follows, and what the band says meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from PyQt6.QtCore import QObject, QPoint
from PyQt6.QtGui import QCursor
from PyQt6.QtWidgets import QWidget

from studio.editor.canvas.ports import WithCanvas
from studio.editor.live.effects import (
    Actuator,
    Effects,
    actuators_of,
    effects_of,
    exchange_effects,
    listed,
    mix_words,
)
from studio.editor.live.state import rate_words
from studio.editor.log_files.missing_log import NO_LOG, ask_for_log
from studio.editor.log_files.ports import WithLogs
from studio.editor.ports import WithDocks, WithNotice, WithStatus, WithTheme, WithWidget
from studio.editor.project.offer_card import OfferCard
from studio.editor.project.ports import WithFreeze, WithLive, WithProject
from studio.editor.project.session import Session
from studio.editor.project.source_card import SourceCard
from studio.editor.sources.arming import ARM, CANCEL, ArmDialog, Arming
from studio.editor.sources.differences import DifferenceCard
from studio.model.gazebo_provider import GAZEBO, Choice, choice_of, choose
from studio.model.source_edits import ChooseModes
from studio.model.sources import SourceMode
from studio.model.system_edits import SystemEdit
from studio.recordings import log_of

if TYPE_CHECKING:
    from studio.editor.sources.band import OriginBand
    from studio.editor.sources.switch import SourceSwitch

KEEPS_NOTHING = "The vehicle begins at its start. Components that stay keep their state."
ToArm = tuple[tuple[Actuator, ...], float]


class Gazebo(Protocol):
    def server_for_runs(self) -> str: ...


class ProjectPage(Protocol):
    def announce(self, words: str) -> None:
        """For those who hear the window."""


class ToolBar(Protocol):
    @property
    def switch(self) -> SourceSwitch: ...


class Needs(
    WithCanvas,
    WithDocks,
    WithFreeze,
    WithLive,
    WithLogs,
    WithNotice,
    WithProject,
    WithStatus,
    WithTheme,
    WithWidget,
    Protocol,
):
    """What is taken from the window."""

    @property
    def band(self) -> OriginBand: ...
    @property
    def gazebo(self) -> Gazebo: ...
    @property
    def inspector(self) -> QWidget: ...
    @property
    def project(self) -> ProjectPage: ...
    @property
    def toolbar(self) -> ToolBar: ...


class SourceController(QObject):
    def __init__(self, window: Needs) -> None:
        super().__init__(window.widget)
        self.window = window
        self.feed = window.live.feed
        self.arming: Arming = Arming(self.feed, self)
        self.switch, self.band = window.toolbar.switch, window.band
        self.switch.running = self.running
        self.switch.help_wanted.connect(self.show_way_out)
        self.card: SourceCard | None = None
        self.differences: DifferenceCard | None = None
        self.offer: OfferCard | None = None
        self._wanted: dict[str, SourceMode] = {}
        """What the running system is on its way to."""
        self._chosen: dict[str, SourceMode] = {}
        """What the canvas had when somebody looked last."""
        self._to_arm: ToArm | None = None
        """Whom somebody has armed by the choice that is on its way, and by no other."""
        self.arming.told.connect(window.status.say)
        self.arming.told.connect(lambda words: window.project.announce(words))
        self.arming.refused.connect(lambda words: window.status.say(words, trouble=True))
        self.arming.changed.connect(self._armed_changed)
        self.arming.looked.connect(self._say_ages)
        self.band.arm_wanted.connect(self.ask_to_arm)
        self.band.stop_wanted.connect(self.arming.disarm)
        self.band.resume_wanted.connect(self.arming.resume)
        self.feed.changed.connect(lambda changes: self._look() if changes.system or changes.shape else None)
        self.feed.ended.connect(lambda _: self._ended())
        window.live.edits.failed.connect(lambda _: self._given_up())

    def show_session(self, session: Session | None) -> None:
        self._wanted, self._to_arm = {}, None
        if session is not None:
            self._chosen = {source.name: source.mode for source in session.system.sources}
            session.ask_modes = self.choose
            session.ask_simulator = self.exchange
            session.ask_differences = self.show_differences
            session.changed.connect(lambda _: self._edited())
        self.switch.show_session(session)

    def running(self) -> dict[str, SourceMode]:
        """Of the sources of the system that runs."""
        return dict(self.feed.state.get("sources", {}))

    def show_sources(self) -> None:
        """In the inspector, and on the canvas; one after another where there are several."""
        names = [source.name for source in self.window.session.system.sources]
        chosen = self.window.canvas.canvas.selected_nodes()
        here = names.index(chosen[0]) if len(chosen) == 1 and chosen[0] in names else -1
        self.window.docks.show("inspector")
        self.window.canvas.go_to(names[(here + 1) % len(names)])

    def show_differences(self, name: str, mode: SourceMode) -> None:
        """Why a segment has a warning, with what would mend it."""
        window, source = self.window, self.window.session.system.source(name)
        others = {"Show in the inspector": lambda: self._inspect(name)}
        if mode == "logged":
            others = {"Choose a log…": lambda: window.logs.ask_provider(), **others}
        self.differences = DifferenceCard(window.widget, window.theme, window.session, source, mode, others)
        self.differences.open_at(self._below(mode))

    def show_way_out(self, mode: SourceMode) -> None:
        """No source has this mode: offer to turn a component into a source, or to add a provider to one."""
        system = self.window.session.system
        source = next((each for each in system.sources if mode not in each.modes), None)
        if source is not None:
            self._inspect(source.name)
            self.window.status.say(f"{source.name} has no {mode} provider. Add one in the inspector")
            return
        self.offer = OfferCard(self.window.widget, self.window.session, mode)
        self.offer.open_at(self._below(mode))

    def _inspect(self, name: str) -> None:
        self.window.docks.show("inspector")
        self.window.canvas.go_to(name)

    # ---- choosing

    def choose(self, modes: Mapping[str, SourceMode], at: QPoint | None = None) -> None:
        """Ask first where that starts or stops something, or would let something move."""
        session = self.window.session
        self._to_arm = None  # who chooses anew has not armed anybody for that
        up = self.window.live.control.is_up
        effects = effects_of(session.system, session.registry, modes, self.switch.modes(), runs=up)
        if not effects.modes and not self._differs(modes):
            return
        self.card = None
        logs = [log_of(session.folder, log) for log in effects.logs]
        missing = [log for log in logs if not log.exists()]
        if missing and up:
            ask_for_log(self.window, missing[0], so="Nothing was switched.")
        elif effects.actuators:
            self._ask_real(modes, effects)
        elif up and effects.modes:
            kinds = set(modes.values())
            mode = kinds.pop() if len(kinds) == 1 else "simulated"
            self.card = SourceCard(self.window.widget, self.window.theme, mode, effects, lambda: self._do(modes))
            self.card.open_at(at or self._below(mode))
        else:
            self._do(modes)
            if missing:  # chosen all the same: it may be on its way, but who runs it now should know
                ask_for_log(self.window, missing[0])

    def exchange(self, name: str, choice: Choice) -> None:
        """Another simulator behind a source, and its data simulated: asked first where that restarts something."""
        window, session = self.window, self.window.session
        source = session.system.source(name)
        if choice == choice_of(source, session.registry) and self.switch.modes().get(name) == "simulated":
            return
        edit = choose(source, choice, session.registry, window.gazebo.server_for_runs())
        if not window.live.control.is_up:
            session.do(edit)
            return
        effects = exchange_effects(session.system, name, choice, self.switch.modes(), runs=True)
        self._to_arm = None
        word = "Gazebo" if choice == GAZEBO else ""
        self.card = SourceCard(
            window.widget, window.theme, "simulated", effects, lambda: self._exchange(name, edit), word, KEEPS_NOTHING
        )
        self.card.open_at(self._below("simulated"))

    def _exchange(self, name: str, edit: SystemEdit) -> None:
        if self.window.session.do(edit) and self.window.live.control.is_up:
            self._wanted = {name: "simulated"}
            self.window.live.edits.switch([name], restart=True)
        self._look()

    def _differs(self, modes: Mapping[str, SourceMode]) -> bool:
        """Whether the canvas has something else, whatever runs."""
        system = self.window.session.system
        return any(system.source(name).mode != mode for name, mode in modes.items())

    def _below(self, mode: SourceMode) -> QPoint:
        """The segment of the toolbar, unless the choice was made elsewhere."""
        button = self.switch.buttons[mode]
        if self.window.canvas.underMouse() or self.window.inspector.underMouse():
            return QCursor.pos() + QPoint(0, 12)
        return button.mapToGlobal(QPoint(0, button.height() + 4))

    def _ask_real(self, modes: Mapping[str, SourceMode], effects: Effects) -> None:
        runs = self.window.live.control.is_up
        dialog = ArmDialog(
            self.window.widget,
            self.window.theme,
            self.vehicle(effects.actuators),
            effects.actuators,
            effects.sentence,
            runs=runs,
        )
        answer = dialog.exec()
        if answer == CANCEL:
            return
        self._do(modes, (effects.actuators, dialog.speed.value()) if answer == ARM else None)

    def _do(self, modes: Mapping[str, SourceMode], to_arm: ToArm | None = None) -> None:
        session = self.window.session
        self._to_arm = None
        if session.do(ChooseModes(dict(modes))) and self.window.live.control.is_up:
            self._wanted, self._to_arm = dict(modes), to_arm
            kinds = set(modes.values())
            self.switch.under_way = next(iter(kinds)) if len(kinds) == 1 else None
            self.window.live.edits.switch(modes)
        self._look()

    # ---- what becomes of it

    def _look(self) -> None:
        running = self.running()
        if self._wanted and all(running.get(name) == mode for name, mode in self._wanted.items()):
            is_real = set(self._wanted.values()) == {"real"}
            self._wanted, self.switch.under_way = {}, None
            to_arm, self._to_arm = self._to_arm, None
            if to_arm is not None and is_real:
                self.arming.arm(*to_arm)
        self.switch.refresh()
        self.show_band()

    def _edited(self) -> None:
        """A choice that is undone before it has come is withdrawn, and whom it would have armed with it."""
        modes = {source.name: source.mode for source in self.window.session.system.sources}
        if modes != self._chosen:  # also by Undo
            self._chosen = modes
            self.window.notice.withdraw(NO_LOG)  # what it says about an earlier choice is over
        if any(modes.get(name) != mode for name, mode in self._wanted.items()):
            self._given_up()

    def _given_up(self) -> None:
        self._wanted, self._to_arm, self.switch.under_way = {}, None, None
        self._look()

    def _ended(self) -> None:
        self._given_up()

    def _armed_changed(self) -> None:
        self.show_band()
        if self.arming.armed and not self.arming.stopped:
            self.window.status.say(f"ARMED: commands move {listed(self.arming.armed)}", trouble=True)

    # ---- real

    def vehicle(self, actuators: tuple[Actuator, ...]) -> str:
        """What somebody has to type: the vehicle's name, or that of the actuator."""
        geometry = self.window.session.system.geometry
        name = geometry.assembly.rpartition("/")[2].partition(".")[0] if geometry is not None else ""
        return name.capitalize() if name else actuators[0].name

    def real_actuators(self) -> tuple[Actuator, ...]:
        """Of the sources that are real now."""
        session = self.window.session
        modes = self.switch.modes()
        found = [
            actuator
            for source in session.system.sources
            if modes.get(source.name) == "real"  # while one is opened, the switch still has those of the last project
            for actuator in actuators_of(source, session.registry)
        ]
        return tuple(found)

    def ask_to_arm(self) -> None:
        actuators = self.real_actuators()
        if not actuators or not self.window.live.control.is_up:
            return
        names = listed(actuator.name for actuator in actuators)
        words = f"Commands from {self._commanders()} move {names} as soon as it is armed."
        dialog = ArmDialog(
            self.window.widget, self.window.theme, self.vehicle(actuators), actuators, words, runs=True, chosen=True
        )
        if dialog.exec() == ARM:
            self.arming.arm(actuators, dialog.speed.value())

    def _topics(self) -> list[str]:
        """That command what is real."""
        components = self.feed.state.get("components", {})
        names = [name for name in self.arming.known() if name in components]
        heard = [topic for name in names for topics in components[name]["inputs"].values() for topic in topics]
        return list(dict.fromkeys(heard))

    def _commanders(self) -> str:
        return (
            listed(dict.fromkeys(topic.strip("/").partition("/")[0] for topic in self._topics())) or "no component yet"
        )

    def show_band(self) -> None:
        window = self.window
        modes = self.switch.modes() if window.has_session else {}
        self.band.show_modes(list(modes.values()), window.theme)
        if not self.band.is_real:
            return
        armed, up = self.arming.armed, window.live.control.is_up
        stopped = next(iter(self.arming.stopped.values()), "")
        mix = mix_words(modes)
        beside = f" · {mix}" if mix else ""
        actuators = self.real_actuators()
        if armed and window.freeze.is_frozen:
            words = "REAL VEHICLE · ARMED · stopped by the freeze"
        elif stopped:
            words = f"REAL VEHICLE · {'ARMED · ' if armed else 'NOT ARMED · '}STOPPED: {stopped}"
        elif armed:
            moved = self.vehicle(actuators) if actuators else listed(armed)
            words = f"REAL VEHICLE · ARMED · commands from {self._commanders()} move {moved}"
        elif not up:
            words = f"REAL · Run will use the real {'vehicle' if actuators else 'sensors'}, not armed"
        else:
            words = "REAL SENSORS · vehicle not armed" if actuators else "REAL SENSORS"
        if any(actuator.resumes for actuator in actuators):
            words += " · resumes without you after a safety stop"
        self.band.show_real(
            words + beside, "", armed=bool(armed), can_arm=up and bool(actuators),
            can_resume=bool(stopped) and not window.freeze.is_frozen,
        )  # fmt: skip
        self._say_ages()

    def _say_ages(self) -> None:
        """How long the running system has said nothing, when it was last commanded, and how often that is."""
        if not self.band.is_real or not self.arming.armed:
            return
        topics = self.feed.state.get("topics", {})
        rate = sum(float(topics[topic]["rate_hz"] or 0.0) for topic in self._topics() if topic in topics)
        command_s = self.arming.command_age_s
        parts = [
            f"link {self.arming.link_age_s:.1f} s",
            "no command yet" if command_s is None else f"last command {command_s:.1f} s ago",
            f"{rate_words(rate)} commands" if rate else "",
        ]
        self.band.more.setText(" · ".join(part for part in parts if part))
