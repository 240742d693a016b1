"""The window and a running system: what Run, Pause and Stop do here, and how the window tells what became of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from PyQt6.QtCore import QObject, QTimer, pyqtSignal
from PyQt6.QtWidgets import QMessageBox

from studio.editor.canvas.ports import WithCanvas
from studio.editor.live.feed import Feed
from studio.editor.live.run_control import Phase, RunControl
from studio.editor.live.state import parts_of
from studio.editor.log_files.missing_log import NO_LOG, ask_for_log, missing_log
from studio.editor.log_files.missing_log import Needs as MissingLogNeeds
from studio.editor.ports import WithDocks, WithStatus, WithTheme, WithWidget
from studio.editor.project.leaving import LeavingBox
from studio.editor.project.live_edits import LiveEdits
from studio.editor.project.ports import WithFreeze, WithSystemText
from studio.editor.project.session import Session
from studio.editor.project.trust_dialog import TrustDialog
from studio.editor.running.emulator_controller import NO_DEVICES
from studio.model.document import SYSTEM_FILE
from studio.model.files import read_bytes

if TYPE_CHECKING:
    from studio.editor.running.emulator_controller import EmulatorController
    from studio.editor.running.gate_choice import GateChoice

LOOK_FIRST_MS = 600
ASKED_IN: dict[str, tuple[Phase, ...]] = {
    "death": ("stopped",), "slow stop": ("stopping",), "control": ("running", "paused"), "edit": ("running", "paused"),
    NO_LOG: ("stopped", "running", "paused"), NO_DEVICES: ("starting", "running", "paused"),
}  # fmt: skip
"""What a question is about, and the phases in which it means something: in another one it is withdrawn."""


class Arming(Protocol):
    @property
    def armed(self) -> tuple[str, ...]: ...
    def disarm_and_wait(self) -> bool:
        """True when nothing is armed any more."""


class Sources(Protocol):
    @property
    def arming(self) -> Arming: ...


class ProjectPage(Protocol):
    def show_run_problems(self) -> None: ...


class ToolBar(Protocol):
    @property
    def gate(self) -> GateChoice: ...


class Needs(
    MissingLogNeeds, WithCanvas, WithDocks, WithFreeze, WithStatus, WithSystemText, WithTheme, WithWidget, Protocol
):
    """What is taken from the window."""

    @property
    def project(self) -> ProjectPage: ...
    @property
    def emulators(self) -> EmulatorController: ...
    @property
    def sources(self) -> Sources: ...
    @property
    def toolbar(self) -> ToolBar: ...


class RunPresenter(QObject):
    phase_changed = pyqtSignal()

    def __init__(self, window: Needs) -> None:
        super().__init__(window.widget)
        self.window = window
        self.feed = Feed(self)
        self.control: RunControl = RunControl(self.feed, self)
        self.edits: LiveEdits = LiveEdits(self.feed, self)
        self.edits.allows = self._is_trusted
        self._box: QMessageBox | None = None
        control, edits, say = self.control, self.edits, self._say
        self._waiting = QTimer(self)
        self._waiting.setInterval(1000)
        self._waiting.timeout.connect(self._tell_waiting)
        self._waited_s = 0
        control.phase_changed.connect(self._phase_changed)
        control.told.connect(say)
        control.refused.connect(self._complain)
        control.start_failed.connect(self._start_failed)
        control.died.connect(self._died)
        control.stop_is_slow.connect(self._stop_is_slow)
        control.held_by_other.connect(self._held)
        edits.applied.connect(say)
        edits.waiting.connect(self._complain)
        edits.stuck.connect(self._stuck)
        edits.failed.connect(self._not_followed)
        self.feed.refused.connect(lambda why: self._complain(f"A system of this project runs, but: {why}"))
        self.feed.silent.connect(self._silent)
        self.feed.attached.connect(self._tell_attached)

    def show_session(self, session: Session | None) -> None:
        self.edits.show_session(session)
        folder = session.folder if session is not None else None
        if folder != self.feed.folder:
            self.control.turn_away()
        self.feed.follow(folder)

    def close(self) -> None:
        self.control.turn_away()
        self.feed.close()

    def title_words(self) -> str:
        """For the task bar: that it runs, and above all that it is real."""
        if self.control.phase == "stopped":
            return ""
        word = "frozen" if self.window.freeze.is_frozen else self.control.phase
        return f" — {'REAL, ' if self._is_real else ''}{word}"

    @property
    def _is_real(self) -> bool:
        """As it runs, also while it is stopping; as the canvas has it while it starts."""
        modes = self.feed.state.get("sources")
        if modes is None:
            modes = {source.name: source.mode for source in self.window.session.system.sources}
        return "real" in modes.values()

    # ---- what actions do

    def run(self, more: Iterable[str] = ()) -> None:
        """Start, or go on after a pause; `more`: other words for `studio run`."""
        if self.control.phase == "paused":
            self.window.freeze.continue_()
        elif self.control.phase == "running" and self.control.is_moving:
            self.control.go_on()  # it may be about to stand
        elif self.control.phase == "stopped" and self._is_ready():
            document, words = self.window.session.document, [*self.window.toolbar.gate.words_for_run(), *more]
            # What is on the canvas runs, and nothing is saved for that: only Save saves.
            file = document.folder / SYSTEM_FILE
            text = document.texts()[file]
            saved = read_bytes(file) if file.is_file() else b""
            edited = text if document.is_modified and text != saved else None
            self.control.start(document.folder, words, edited)
            self._offer_emulators()

    def _offer_emulators(self) -> None:
        """The system runs all the same: its drivers take a device when it comes."""
        emulators = self.window.emulators
        if emulators.is_missed_by(self.window.session.system):
            self.window.notice.ask(
                "The devices of this project are emulated, and the emulators do not run.",
                {"Start emulators": emulators.start, "Close": lambda: None},
                NO_DEVICES,
            )

    def run_unless_attached(self) -> None:
        """Start the project, but look first whether it runs already: the feed finds that within a moment."""
        QTimer.singleShot(LOOK_FIRST_MS, lambda: self.run() if self.control.phase == "stopped" else None)

    def pause(self) -> None:
        if self.control.phase == "running" or (self.control.phase == "paused" and self.control.is_moving):
            self.control.pause()

    def stop(self) -> None:
        if self.control.phase == "stopping":
            self._stop_is_slow()
        else:
            self.control.stop()

    def restart_all(self) -> None:
        """Stop, and run what is on the canvas now."""
        self.control.stop(then=self.run)

    def command(self, verb: str) -> None:
        names = self.selected()
        if names:
            self.control.command(verb, names)

    def restart(self) -> None:
        self.control.restart(self.selected())

    def selected(self) -> list[str]:
        """The running components behind what is selected."""
        system = self.window.session.system
        chosen = self.window.canvas.canvas.selected_nodes()
        running = self.feed.state.get("components", {})
        names = [part for name in chosen for part in parts_of(system.node(name), self.feed.state) if part in running]
        if not names:
            self._complain("Select a component that runs first" if self.control.is_up else "The system does not run")
        return names

    def go_to_trouble(self, component: str) -> None:
        """Show the card of this component; without one, nothing."""
        for node in self.window.session.system.nodes if component else ():
            if component in parts_of(node, self.feed.state):
                self.window.canvas.go_to(node.name)

    def _is_ready(self) -> bool:
        """Without errors, and trusted."""
        window = self.window
        window.system_text.flush()
        window.session.check()
        errors = [problem for problem in window.session.problems if problem.severity == "error"]
        if errors:
            window.docks.show("problems")
            more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
            self._complain(f"It cannot run yet: {errors[0].message}{more}")
            return False
        if missing := missing_log(window.session.system, window.session.folder):
            source, log = missing
            ask_for_log(window, log, source, so="Nothing was started.")
            return False
        return self._is_trusted()

    def _is_trusted(self) -> bool:
        """Code that came with the project runs only after somebody has seen what it would start and said yes."""
        from studio.runtime.client.trust import commands_of_project, is_trusted, trust

        opened = self.window.session.opened
        commands = commands_of_project(opened)
        if is_trusted(opened.folder, commands):
            return True
        asked = TrustDialog(self.window.widget, self.window.theme, self.window.session.name, opened.folder, commands)
        if asked.exec() == TrustDialog.DialogCode.Accepted:
            trust(opened.folder, commands)
            return True
        return False

    # ---- telling

    def _phase_changed(self) -> None:
        self.window.notice.withdraw(*(about for about, phases in ASKED_IN.items() if self.control.phase not in phases))
        if self.control.phase == "starting":
            self._waited_s = 0
            self._waiting.start()
            self._tell_waiting()
        else:
            self._waiting.stop()
        self.phase_changed.emit()

    def _tell_waiting(self) -> None:
        """So that nobody wonders whether anything happens: large libraries take their time to load."""
        count = len(self.window.session.opened.used_types()) if self.window.has_session else 0
        what = f" {count} kinds of components" if count > 1 else ""
        self._say(f"Starting{what}… {self._waited_s} s")
        self._waited_s += 1

    def _tell_attached(self) -> None:
        name = self.window.session.name if self.window.has_session else self.feed.run
        self._say(f"{name} runs" if self.feed.is_ours else f"Attached to {name}, which was running")

    def _say(self, words: str) -> None:
        self.window.status.say(words)

    def _complain(self, words: str) -> None:
        self.window.status.say(words, trouble=True)

    def _start_failed(self, words: str) -> None:
        name = self.window.session.name if self.window.has_session else "The system"
        self._ask_later(f"{name} does not start", words, {})

    def _died(self) -> None:
        choices: dict[str, Callable[[], object]] = {"Run again": self.run, "Close": lambda: None}
        how, words = "ended without a message: it was killed", self.feed.last_words
        if words:
            lines = (
                words.splitlines()
            )  # Python tells what happened first if it was a signal, last if it was an exception
            how = f"broke: {lines[0] if lines[0].startswith('Fatal') else lines[-1]}"
            choices["Show its output"] = lambda: self._ask_later("The last words of the runtime", words, {})
        self.window.notice.ask(
            f"The runtime of this system {how}. Everything it had started is gone with it; your project is untouched.",
            choices,
            "death",
        )

    def _stop_is_slow(self) -> None:
        if self.control.phase == "stopping":
            self.window.notice.ask(
                "The system has not stopped yet. Components get 6 s to finish; a recorder may take longer.",
                {"Wait": lambda: None, "Kill it": self.control.kill},
                "slow stop",
            )

    def _held(self, sentence: str, take_over: Callable[[], None]) -> None:
        self.window.notice.ask(f"{sentence}.", {"Take over": take_over, "Leave it": lambda: None}, "control")

    def _stuck(self, why: str, hint: str, restart: Callable[[], None]) -> None:
        self.window.notice.ask(
            f"This edit {why}.", {f"{hint.capitalize() or 'Restart'}": restart, "Not now": lambda: None}, "edit"
        )

    def _not_followed(self, why: str) -> None:
        self.window.notice.ask(
            why,
            {"Try again": self.edits.apply_now, "Restart the system": self.restart_all, "Close": lambda: None},
            "edit",
        )

    def _silent(self, seconds: float) -> None:
        if seconds:
            self._complain(f"The runtime has said nothing for {seconds:.0f} s; what you see is old")
        else:
            self._say("The runtime speaks again")

    def _ask_later(self, title: str, words: str, choices: dict[str, Callable[[], object]]) -> None:
        """A dialog that nobody waits for."""
        box = QMessageBox(QMessageBox.Icon.Warning, title, title, QMessageBox.StandardButton.Close, self.window.widget)
        box.setInformativeText(words)
        for text, do in choices.items():
            button = box.addButton(text, QMessageBox.ButtonRole.ActionRole)
            if button is not None:
                button.clicked.connect(lambda _, do=do: do())
        self._box = box
        box.open()

    def may_close(self, close: Callable[[], object]) -> bool:
        """The system goes on without window and project; who leaves it is told, and may decide otherwise.

        `close` is called again when the system has stopped, if that is wanted first. What is armed is not left armed.
        """
        if self.control.phase in ("stopped", "stopping") or not self.window.has_session:
            return True
        arming = self.window.sources.arming
        box = LeavingBox(self.window.widget, self.window.session.name, real=self._is_real, armed=arming.armed)
        match box.ask():
            case "stop":
                self.control.stop(then=close)
                return False
            case "leave":
                return arming.disarm_and_wait()
        return False
