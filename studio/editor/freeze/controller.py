"""The window while the system stands: what it shows then, and what its buttons and keys do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from PyQt6.QtCore import QEvent, QObject, QTimer, pyqtSignal
from PyQt6.QtWidgets import QWidget

from studio.editor.canvas.interaction.live_frozen import FrozenLayer
from studio.editor.canvas.ports import WithCanvas
from studio.editor.code.ports import WithCode, WithCodeController, WithDebug
from studio.editor.docking.layouts import DEBUG
from studio.editor.freeze.bar import FreezeBar, IceFrame
from studio.editor.freeze.snowflake import show_snowflake
from studio.editor.live.feed import Changes
from studio.editor.live.standing import StopReason, between, shown_event, stand_of, step_back
from studio.editor.look.theme import Theme
from studio.editor.ports import WithLayouts, WithSettings, WithSidePanels, WithStatus, WithTheme, WithWidget
from studio.editor.project.ports import WithLive
from studio.editor.running.live_status import show_running
from studio.model.parts import Wire
from studio.model.wiring import topic_of

if TYPE_CHECKING:
    from PyQt6.QtGui import QAction
    from PyQt6.QtWidgets import QMenuBar

    from studio.editor.canvas.interaction.view import CanvasView
    from studio.editor.freeze.event_breaks import EventBreakController
    from studio.editor.running.run_bar import RunButtons
    from studio.editor.running.run_presenter import RunPresenter
    from studio.editor.running.status_bar import StatusBar
    from studio.editor.viewers.viewers import Viewers

AT_A_LINE = ("debug.line", "debug.into", "debug.out")
SETTLE_MS = 150
"""A step that stops again at once changes nothing that anybody could see meanwhile."""
ASK_AGAIN_MS = 200
LOOK_AGAIN_MS = 1000


class ToolBar(Protocol):
    @property
    def run_buttons(self) -> RunButtons: ...
    def show_phase(self) -> None: ...


class Sources(Protocol):
    def show_band(self) -> None: ...


class Needs(
    WithCanvas,
    WithCode,
    WithCodeController,
    WithDebug,
    WithLayouts,
    WithLive,
    WithSettings,
    WithSidePanels,
    WithStatus,
    WithTheme,
    WithWidget,
    Protocol,
):
    """What is taken from the window."""

    @property
    def live(self) -> RunPresenter: ...
    @property
    def status(self) -> StatusBar: ...
    @property
    def actions_by_id(self) -> Mapping[str, QAction]: ...
    @property
    def event_breaks(self) -> EventBreakController: ...
    @property
    def sources(self) -> Sources: ...
    @property
    def toolbar(self) -> ToolBar: ...
    @property
    def viewers(self) -> Viewers: ...
    @property
    def workspace(self) -> QWidget: ...
    def menuBar(self) -> QMenuBar | None: ...
    def show_title(self) -> None: ...


class FreezeController(QObject):
    stands = pyqtSignal(object)
    """A reason that is new, or None: the system goes on."""
    held_changed = pyqtSignal()
    """What waits at the gate."""

    def __init__(self, window: Needs) -> None:
        super().__init__(window.widget)
        self.window = window
        self.stand: StopReason | None = None
        self._continued: object = None
        """The stop at a line that was last continued from."""
        self.held: list[dict[str, Any]] | None = None
        """What the gate delivers next: topic, sequence and stamp_ns; None while that is not known."""
        self.held_count = 0
        """How many of those were sent and wait: the others are ticks and inputs of a log, yet to come."""
        self.busy = False
        """One event is being handled, and what it leads to comes before those."""
        self._held_of: object = None
        self._held_again = QTimer(self)
        """An event that is handled comes to its end without any news of it."""
        self._held_again.setSingleShot(True)
        self._held_again.timeout.connect(self._ask_held)
        self._layer: FrozenLayer | None = None
        row = window.menuBar()
        assert row is not None
        self.bar = FreezeBar(window.theme, window.actions_by_id, row)
        self.frame = IceFrame(window.workspace, window.theme)
        window.workspace.installEventFilter(self)
        self._thaw = QTimer(self)
        self._thaw.setSingleShot(True)
        self._thaw.setInterval(SETTLE_MS)
        self._thaw.timeout.connect(self._thawed)
        feed = window.live.feed
        feed.attached.connect(self._look)
        feed.changed.connect(self._changed)
        feed.ended.connect(lambda _: self._gone())
        window.viewers.break_wanted.connect(lambda topic: window.event_breaks.ask_new(topic))
        window.viewers.changed.connect(self._show_on_canvas)  # one that opens now is frozen, too
        window.debug.stopped.connect(lambda _: self.show_ways())
        window.debug.continued.connect(self.show_ways)
        window.live.phase_changed.connect(self._look)
        self.show_ways()

    @property
    def is_frozen(self) -> bool:
        """The whole system stands on an event, not only one component of it."""
        return self.stand is not None and not self.stand.runs_on and not self.stand.between

    @property
    def _is_paused(self) -> bool:
        return self.window.live.control.phase == "paused"

    # ---- following

    def _changed(self, changes: Changes) -> None:
        if changes.system or (changes.place and self._is_paused):
            self._look()

    def _gone(self) -> None:
        self._show(None)
        self._look_at_gate()

    def _look(self) -> None:
        stand = stand_of(self.window.live.feed.state)
        if stand is None and self.stand is not None and not self.stand.runs_on and self._is_paused:
            stand = between(self.window.live.feed.state)  # the bar stays where it is while one steps on
        if stand is None and self.stand is not None:
            if not self._thaw.isActive():
                self._thaw.start()
        elif stand is not None:
            self._thaw.stop()
            self._show(stand)
        self.show_ways()
        self._look_at_gate()

    def _thawed(self) -> None:
        """It goes on, unless that was a step that has not ended yet, or has ended meanwhile."""
        if self.window.live.control.is_moving:
            self._thaw.start()
        elif self._is_paused and self.stand is not None and not self.stand.runs_on:
            self._look()
        else:
            self._show(None)

    def _look_at_gate(self) -> None:
        """Ask what waits, once for every place at which the system stands."""
        feed = self.window.live.feed
        is_paused = self._is_paused
        stepping = feed.state.get("stepping") or {}
        place = (
            (feed.run, self.stand, stepping.get("position"), tuple(stepping.get("last") or ())) if is_paused else None
        )
        if place == self._held_of:
            return
        self._held_of = place
        if place is None:
            self._take_held({}, None)
        else:
            self._ask_held()

    def _ask_held(self) -> None:
        place = self._held_of
        if place is not None:
            failed = lambda _: self._take_held({}, place)  # noqa: E731
            self.window.live.feed.ask("held", lambda reply: self._take_held(reply, place), failed)

    def _take_held(self, reply: dict[str, Any], place: object) -> None:
        if place != self._held_of:
            return  # of a place that it has left meanwhile: such an answer may come after that of the next one
        self.held, self.busy = reply.get("events"), bool(reply.get("busy"))
        self.held_count = int(reply.get("held", 0))
        if self.busy and not self.is_frozen:
            self._held_again.start(ASK_AGAIN_MS)
        elif place is not None and not self.held and (self.busy or self.held is None):
            # Code stands for long, but what a log sends next may only be on its way; and a request may fail.
            self._held_again.start(LOOK_AGAIN_MS)
        self.held_changed.emit()
        show_running(self.window.status, self.window.live)
        self._show_on_canvas()

    def _show(self, stand: StopReason | None) -> None:
        before, self.stand = self.stand, stand
        window, state = self.window, self.window.live.feed.state
        self.bar.show_stand(stand, state)
        self._fit_frame()
        self.frame.setVisible(self.is_frozen)
        if stand == before:
            return
        window.toolbar.show_phase()
        show_running(window.status, window.live)
        window.show_title()
        window.sources.show_band()
        self.stands.emit(stand)
        self._show_on_canvas()
        has_stopped = stand is not None and before is None
        if has_stopped and window.settings.debug_layout_on_stop and window.layouts.current != DEBUG:
            window.layouts.choose(DEBUG)

    def _fit_frame(self) -> None:
        layout = self.window.workspace.layout()
        band = layout.itemAt(0) if layout is not None else None
        self.frame.fit(band.geometry().bottom() + 1 if band is not None else 0)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        if event is not None and event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            QTimer.singleShot(0, self._fit_frame)
        return super().eventFilter(watched, event)

    def show_theme(self, theme: Theme) -> None:
        self.bar.show_theme(theme)
        self.frame.theme = theme
        self.frame.update()
        self._show_on_canvas()

    def show_canvas(self, view: CanvasView) -> None:
        """A project was opened: its canvas shows too that the system stands."""
        self._layer = FrozenLayer(view)
        self._layer.pill.clicked.connect(lambda: self.window.side_panels.show("held"))
        self._show_on_canvas()

    def leave_canvas(self) -> None:
        """Its project is closed: what lies on it goes with it."""
        self._layer = None

    def _show_on_canvas(self) -> None:
        if self._layer is not None:
            self._layer.show_stand(self.stand, self.window.live.feed.state)
            self._layer.show_held(self.held_count)
        for viewer in self.window.viewers.open.values():
            show_snowflake(viewer, self.window.theme, self.is_frozen)

    def show_where(self) -> None:
        """The line or the event at which the system stands."""
        stand = self.stand
        if stand is None:
            return
        if stand.file and stand.line:
            self.window.code.open_at(stand.file, stand.line)
        else:
            self.window.side_panels.show("this_event")
        self.window.live.go_to_trouble(stand.component)

    # ---- what can be done

    def show_ways(self) -> None:
        """Which of the actions can be done now; those that cannot say why."""
        window, actions = self.window, self.window.actions_by_id
        state, up = window.live.feed.state, window.live.control.is_up
        at_line = window.debug.is_stopped or bool(window.debug.standing_natives)
        for name in AT_A_LINE:
            actions[name].setEnabled(at_line)
            why_not = "" if at_line else "no code is stopped at a line; set a breakpoint, or step into a handler"
            actions[name].setToolTip(_tip(actions[name], why_not))
        back = step_back(state)
        actions["run.back"].setEnabled(up and back.can)
        actions["run.back"].setToolTip(_tip(actions["run.back"], back.why_not))
        for name in ("run.step", "run.next_of_stream", "debug.handler"):
            actions[name].setEnabled(up)
            actions[name].setToolTip(_tip(actions[name], "" if up else "The system does not run"))
        freezing = actions["debug.freezing"]
        freezing.setCheckable(True)
        freezing.setChecked(bool((state.get("debug") or {}).get("freezing", True)))
        freezing.setEnabled(up and "debug" in state)
        window.toolbar.run_buttons.show_ways()

    # ---- doing

    def continue_(self) -> None:
        """Everything that stands goes on, and the system runs."""
        control = self.window.live.control
        natives = self.window.debug.standing_natives
        for native in natives:
            native.go_on("continue")
        if natives and not self.window.debug.is_stopped:
            return
        # The debugger tells of a stop at a line a moment before the system does, and of its end a moment after.
        stop, is_between = self.window.debug.stop, self.stand is not None and self.stand.between
        is_new = stop is not None and not (is_between and stop is self._continued)
        stands = is_new or (self.stand is not None and not is_between)
        if "debug" in self.window.live.feed.state and stands and not control.is_leaving:
            self._continued = stop
            control.move("continue", lambda _: None, gate="run")
        else:
            control.go_on()

    def back(self) -> None:
        """To before the last event, which is delivered again."""
        self.window.live.control.move("back", self._went_back, count=1)

    def _went_back(self, reply: dict[str, Any]) -> None:
        if reply.get("delivered"):
            return  # the answer comes when the code that stopped in it goes on: that it went back is long past
        position = reply.get("position")
        where = f"Back after event {position} of this run" if position else "Back at the start of this run"
        self.window.status.say(where)

    def next_of_stream(self) -> None:
        """To the next event of the topic that the system stands at, or that a selected wire carries."""
        topic = self.chosen_topic()
        if not topic:
            self.window.status.say("Select a wire first: whose next event is meant?", trouble=True)
            return
        self.window.live.control.step(topic)

    def chosen_topic(self) -> str:
        for chosen in self.window.canvas.canvas.selected_connections():
            if isinstance(chosen, Wire):
                return topic_of(chosen.start)
        if self.stand is not None and self.stand.topic:
            return self.stand.topic
        last = (self.window.live.feed.state.get("stepping") or {}).get("last")
        return str(last[0]) if last else ""

    def into_handler(self) -> None:
        """Deliver the next event, and stop at the first line of each handler."""
        control = self.window.live.control
        if control.phase == "running" or control.is_moving:
            control.pause()
        control.move("into_handler", self._went_into)

    def _went_into(self, reply: dict[str, Any]) -> None:
        """Where nothing stands then, it has to be said: otherwise the event has passed unseen."""
        if not reply["delivered"]:
            self.window.status.say("Nothing waits at the gate")
        elif not reply["stops"]:
            topic, sequence = reply["delivered"][0]
            event = shown_event(str(topic), int(sequence))
            self.window.status.say(f"{event} was delivered: no handler in Python takes it, so no code was stopped")

    def set_freezing(self) -> None:
        """Whether a stop freezes the whole system."""
        on = not bool((self.window.live.feed.state.get("debug") or {}).get("freezing", True))
        words = "A stop freezes the whole system" if on else "A stop holds only its component; the system runs on"
        self.window.live.control.request(
            "freezing", lambda reply: self.window.status.say(_sentence(reply.get("note", "")) or words), on=on
        )

    def debug_selected(self) -> None:
        """Attach the debugger to the selected components, or to those of the code in front; or let go of them."""
        for name in self._to_debug():
            if self.window.debug.is_debugged(name):
                self.window.debug.detach(name)
                self.window.status.say(f"{name} is no longer being debugged")
            else:
                self.window.debug.attach(name)

    def _to_debug(self) -> list[str]:
        """The code that has the keyboard is meant, then what is selected, then the code that can be seen."""
        window = self.window
        page = window.code.current
        is_selected = bool(window.canvas.canvas.selected_nodes())
        if page is None or (is_selected and not window.code.has_focus):
            return window.live.selected()
        names = window.code_controller.reload.running_with(page.file.path)
        if not names:
            up = window.live.control.is_up
            why = f"No running component uses {page.file.path.name}" if up else "The system does not run"
            window.status.say(why, trouble=True)
        return names

    def debug_at(self, file: str, line: int) -> None:
        """The selected component fails in this line: have it stop there, with the debugger on it."""
        window = self.window
        page = window.code.open_at(file, line)
        if page is not None and window.debug.book.at(page.key, line) is None:
            window.debug.book.toggle(page.key, line)
        for name in window.live.selected():
            if not window.debug.is_debugged(name):
                window.debug.attach(name)


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _tip(action: Any, why_not: str) -> str:
    keys = action.shortcut().toString()
    name = action.text().rstrip("…") + (f" ({keys})" if keys else "")
    return f"{name}. Not now: {why_not}" if why_not else name
