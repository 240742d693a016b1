"""Logs in the window: recording the running system, and opening, importing and playing what was recorded."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Protocol

from PyQt6.QtCore import QMimeData, QObject, QUrl, pyqtSignal
from PyQt6.QtGui import QAction, QDesktopServices
from PyQt6.QtWidgets import QFileDialog, QInputDialog, QMenu, QMessageBox

from studio.editor.live.clock_words import system_time_ns
from studio.editor.live.state import count_words
from studio.editor.log_files.import_dialog import ImportDialog
from studio.editor.log_files.log_facts import (
    LogFacts,
    feeds,
    import_target,
    mcap_of,
    providers_for,
    read_facts,
    viewing_project,
    why_not,
)
from studio.editor.log_files.missing_log import NO_LOG
from studio.editor.log_files.open_dialog import ALONE, PROJECT, OpenLogDialog
from studio.editor.log_files.record import COMPRESSIONS, RecordDialog, growth_words
from studio.editor.log_files.simulated_log import SECONDS, SimulatedLog
from studio.editor.look.open_dialog import sort_of
from studio.editor.ports import Status, WithDocks, WithNotice, WithSettings, WithStatus, WithTheme, WithWidget
from studio.editor.project.offer_card import offers
from studio.editor.project.ports import WithFiles, WithLive, WithProject
from studio.editor.project.session import Session
from studio.editor.views.shared.newest_wish import NewestWish
from studio.errors import StudioError
from studio.model.source_edits import SetProvider
from studio.model.system_edits import Compound
from studio.recordings import new_recording, recordings_of, size_words, where_logs_are
from studio.runtime.base.clock import wall_ns

if TYPE_CHECKING:
    from PyQt6.QtCore import pyqtBoundSignal

    from studio.editor.log_files.record import RecordButton
    from studio.editor.viewers.viewers import Viewers

Reader = Callable[[LogFacts], None]

FILTER = "Logs (*.mcap *.bag *.db3 metadata.yaml *.log *.log.gz *.clf *.gz *.zstd);;All files (*)"


SIMULATED = "a log from the simulator"
"""What a question is about."""


class Switch(Protocol):
    @property
    def log_wanted(self) -> pyqtBoundSignal: ...


class ToolBar(Protocol):
    @property
    def record(self) -> RecordButton: ...
    @property
    def switch(self) -> Switch: ...


class ShowsRecording(Status, Protocol):
    def show_recording(self, words: str) -> None:
        """How far the log is; empty when it has ended."""


class Needs(
    WithDocks, WithFiles, WithLive, WithNotice, WithProject, WithSettings, WithStatus, WithTheme, WithWidget, Protocol
):
    """What is taken from the window."""

    @property
    def status(self) -> ShowsRecording: ...
    @property
    def toolbar(self) -> ToolBar: ...
    @property
    def viewers(self) -> Viewers: ...


def _key(project: Path, name: str) -> str:
    return f"record/{hashlib.sha256(str(project.resolve()).encode()).hexdigest()[:16]}/{name}"


class LogController(QObject):
    _read = pyqtSignal(object, object, object)

    def __init__(self, window: Needs) -> None:
        super().__init__(window.widget)
        self.window = window
        self.feed = window.live.feed
        self.button = window.toolbar.record
        self.topics: list[str] = []
        """Chosen to be recorded in this project; empty for all."""
        self.compression = next(iter(COMPRESSIONS))
        self.importing: ImportDialog | None = None
        self._simulated: SimulatedLog | None = None
        self._busy: str | None = None
        self._had_player = False
        self._file = ""
        """The log that is being written."""
        self._file_of: Path | None = None
        """The project whose system writes it."""
        self._viewing: NewestWish[tuple[LogFacts, Path]] = NewestWish(self, self._have_project)
        self.button.clicked.connect(lambda _: self.toggle())
        menu = QMenu(self.button)
        entries = []
        for text, do in (
            ("Record…", self.ask_record), ("Set a bookmark…", self.ask_bookmark), ("Show the logs", self.show_folder),
        ):  # fmt: skip
            entry = menu.addAction(text)
            assert entry is not None
            entry.triggered.connect(lambda _, do=do: do())
            entries.append(entry)
        menu.aboutToShow.connect(lambda: self._show_entries(*entries[:2]))
        self.button.setMenu(menu)
        self._read.connect(self._have_read)
        self.feed.changed.connect(lambda changes: self._look() if changes.system or changes.shape else None)
        self.feed.ended.connect(lambda _: self._system_ended())
        window.live.phase_changed.connect(self._look)
        window.toolbar.switch.log_wanted.connect(self.ask_open)
        self._look()

    def show_session(self, session: Session | None) -> None:
        """What is recorded was chosen among the topics of a project, and is of no use in another."""
        self.close()
        self.topics, self.compression = [], next(iter(COMPRESSIONS))
        if session is not None:
            kept = self.window.settings
            self.topics = kept.names(_key(session.folder, "topics"))
            compression = kept.text(_key(session.folder, "compression"))
            self.compression = compression if compression in COMPRESSIONS else next(iter(COMPRESSIONS))

    def close(self) -> None:
        """What is under way for the open project ends with it."""
        if self._simulated is not None:
            self._cancel_simulated()
            self.window.notice.withdraw(SIMULATED)

    # ---- recording

    @property
    def report(self) -> dict[str, Any] | None:
        """Of the recorder, as it last told; None while nothing is recorded."""
        state = self.feed.state
        if not state.get("recording"):
            return None
        return {"file": state["recording"], **(state.get("recorder") or {})}

    def _show_entries(self, choose: QAction, bookmark: QAction) -> None:
        """A choice before it is recorded, bookmarks while it is."""
        choose.setEnabled(self.report is None)
        bookmark.setEnabled(self.report is not None)

    def toggle(self) -> None:
        """Begin or end; a system that does not run is started, and recorded from its first event."""
        if self.report is not None:
            self.end()
        else:
            self.begin(self._new_log())

    def ask_record(self) -> None:
        """With a choice of topics and a place."""
        if self.report is not None:
            self._say("It is being recorded already", trouble=True)
            return
        session = self.window.session
        told = self.feed.state.get("topics", {})
        topics = {name: str(topic["type"]) for name, topic in told.items()}
        file = self._new_log()
        self._make_folder(file)
        dialog = RecordDialog(self.window.widget, self.window.theme, topics, self.topics, file)
        dialog.compression.setCurrentIndex(max(dialog.compression.findData(self.compression), 0))
        if dialog.exec():
            self.topics, self.compression = dialog.topics, str(dialog.compression.currentData())
            self.window.settings.set_names(_key(session.folder, "topics"), self.topics)
            self.window.settings.set_text(_key(session.folder, "compression"), self.compression)
            self.begin(Path(dialog.file.text()))

    def _new_log(self) -> Path:
        session = self.window.session
        return new_recording(recordings_of(session.folder), session.name, wall_ns())

    def begin(self, file: Path) -> None:
        if not self._make_folder(file):
            return
        control = self.window.live.control
        if control.phase == "stopped":
            self.window.live.run(["--record", str(file), "--compression", self.compression, *self._words()])
            return
        self._busy = "Starting…"
        self._look()
        known = self.feed.state.get("topics", {})
        topics = [topic for topic in self.topics if topic in known] or self._of_project(known)
        self.feed.ask(
            "record", self._begun, self._refused, timeout_s=None, on=True, file=str(file), topics=topics,
            compression=self.compression,
        )  # fmt: skip

    def _of_project(self, known: Iterable[str]) -> tuple[str, ...]:
        """What the system itself selects; all, if it selects none that are there."""
        from studio.runtime.plan.planning import (
            recorded_topics,  # it brings numpy, which a window that opens can do without
        )

        return recorded_topics(self.window.session.system, known) or tuple(known)

    def _words(self) -> list[str]:
        return ["--topics", *self.topics] if self.topics else []

    def _make_folder(self, file: Path) -> bool:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self._say(f"{file.parent} cannot be made: {error.strerror}", trouble=True)
            return False
        return True

    def _begun(self, reply: dict[str, Any]) -> None:
        self._busy = None
        self._say(f"Recording {len(reply['topics'])} topics into {Path(reply['log']).name}")
        self._look()

    def end(self) -> None:
        self._busy = "Closing…"
        self._look()
        self.feed.ask("record", self._ended, self._refused, timeout_s=None, on=False)

    def _ended(self, reply: dict[str, Any]) -> None:
        self._busy, self._file = None, ""
        self._look()
        self.offer(Path(reply["log"]), f"{count_words(reply['events'])} events")

    def _refused(self, error: StudioError) -> None:
        self._busy = None
        self._say(str(error), trouble=True)
        self._look()

    def ask_bookmark(self) -> None:
        """For the moment at which it is asked for, however long the words take."""
        time_ns = system_time_ns(self.feed.state)
        text, sure = QInputDialog.getText(self.window.widget, "Bookmark", "Bookmark name")
        if sure:
            self.bookmark(text, time_ns)

    def bookmark(self, text: str, time_ns: int | None = None) -> None:
        told = {} if time_ns is None else {"time_ns": time_ns}
        self.feed.ask("bookmark", lambda _: self._say("The bookmark is in the log"), self._refused, text=text, **told)

    def show_folder(self) -> None:
        if self.window.has_session:
            folder = recordings_of(self.window.session.folder)
            if self._make_folder(folder / "any"):
                QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))

    def _show_player(self) -> None:
        """Who flips to Logged wants to see where in the log it is; without any viewer, others see to that."""
        had, self._had_player = self._had_player, bool(self.feed.state.get("player"))
        viewers = self.window.viewers
        if self._had_player and not had and viewers.open:
            if not any(viewer.KIND == "player" for viewer in viewers.open.values()):
                viewers.add("player")
            name = next(name for name, viewer in viewers.open.items() if viewer.KIND == "player")
            self.window.docks.show(name)

    def _look(self) -> None:
        self._show_player()
        report = self.report
        if report is not None:
            self._file, self._file_of = str(report["file"]), self.feed.folder
        self.button.show_state(self.window.live.control.phase, report, self._busy)
        self.window.status.show_recording(growth_words(report) if report is not None else "")

    def _system_ended(self) -> None:
        """The recorder has closed its log with the system; one that is only looked away from goes on recording."""
        file, self._file, self._busy = self._file, "", None
        self._look()
        if file and self._file_of == self.feed.folder and Path(file).is_file():
            self.offer(Path(file), "")

    def offer(self, log: Path, events: str) -> None:
        """What can be done with a log that was just written."""
        if self.window.has_session:
            self.window.session.check()  # it may be the one that a source has missed
        size = size_words(float(log.stat().st_size)) if log.is_file() else ""
        told = ", ".join(part for part in (events, size) if part)
        self.window.notice.ask(
            f"{log.name} is recorded: {told}.",
            {"Play in this project": lambda: self.play_here(log), "Open it alone": lambda: self.open_alone(log),
             "Close": lambda: None},
            about="recorded",
        )  # fmt: skip

    # ---- opening

    def ask_open(self) -> None:
        start = where_logs_are(self.window.session.folder if self.window.has_session else None)
        path, _ = QFileDialog.getOpenFileName(self.window.widget, "Open or import a log", str(start), FILTER)
        if path:
            self.open(Path(path))

    def dropped(self, data: QMimeData | None) -> Path | None:
        """The log in what is dragged over the window; None if there is none, or several things."""
        paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()] if data is not None else []
        if len(paths) != 1:
            return None
        return paths[0] if paths[0].exists() and sort_of(paths[0]) == "log" else None

    def open(self, path: Path) -> None:
        """MCAP is opened, a bag of one such file too; any other is imported first."""
        self._with_mcap(path, lambda file: self._read_facts(file, self._ask_where))

    def _with_mcap(self, path: Path, then: Callable[[Path], None]) -> None:
        """With the file itself, or with what it becomes; of a bag, people choose the file that describes it."""
        path = path.parent if path.name == "metadata.yaml" else path
        file = mcap_of(path)
        if file is not None:
            then(file)
        else:
            self.bring_in(path, then)

    def bring_in(self, path: Path, then: Callable[[Path], None]) -> None:
        """Import it; `then` gets the log that was made."""
        if self.importing is not None and self.importing.is_under_way:
            self._say("Another log is being imported", trouble=True)
            return
        session = self.window.session if self.window.has_session else None
        target = import_target(path, session.system if session else None, session.folder if session else None)
        self.importing = ImportDialog(self.window.widget, self.window.theme, path, target)
        self.importing.imported.connect(then)
        self.importing.start()

    def _read_facts(self, path: Path, then: Reader) -> None:
        """Beside the window's work: one that was never finished is read as a whole."""

        def read() -> None:
            try:
                self._read.emit(read_facts(path), None, then)
            except StudioError as error:
                self._read.emit(None, error, then)

        Thread(target=read, name="read log", daemon=True).start()

    def _have_read(self, facts: LogFacts | None, error: StudioError | None, then: Reader) -> None:
        if facts is not None:
            then(facts)
        elif error is not None:
            self._show_trouble(error, then)

    def _show_trouble(self, error: StudioError, then: Reader | None = None) -> None:
        from studio.runtime.recording.format.errors import LogDamaged  # it brings numpy

        box = QMessageBox(self.window.widget)
        box.setWindowTitle("This log cannot be opened")
        box.setText("This log cannot be opened")
        box.setInformativeText(str(error))
        if isinstance(error, LogDamaged) and error.file is not None and then is not None:
            damaged = Path(error.file)
            box.setInformativeText(f"{damaged.name} {error.message}. Its intact part can be saved as a copy.")
            save = box.addButton("Save intact part", QMessageBox.ButtonRole.AcceptRole)
            box.addButton("Close", QMessageBox.ButtonRole.RejectRole)
            box.setDefaultButton(save)
            # Not before the box is gone: it would hold back the dialog of the import.
            on = partial(self._read_facts, then=then)
            box.finished.connect(lambda _: self.bring_in(damaged, on) if box.clickedButton() is save else None)
        box.open()

    def _remember(self, facts: LogFacts) -> None:
        self.window.settings.recents.add(facts.path, "log", facts.words)

    def _ask_where(self, facts: LogFacts) -> None:
        if not self.window.has_session:
            self._open_alone(facts)
            return
        session = self.window.session
        feeds = list(providers_for(session.system, session.folder, facts))
        dialog = OpenLogDialog(self.window.widget, facts, session.name, feeds, why_not(session.system, facts))
        answer = dialog.exec()
        if answer == PROJECT:
            self._play_here(facts)
        elif answer == ALONE:
            self._open_alone(facts)

    def open_alone(self, log: Path) -> None:
        self._read_facts(log, self._open_alone)

    def _open_alone(self, facts: LogFacts) -> None:
        self._viewing.ask(lambda: (facts, viewing_project(facts)))

    def _have_project(self, made: tuple[LogFacts, Path] | StudioError) -> None:
        if isinstance(made, StudioError):
            self._show_trouble(made)
            return
        facts, folder = made

        def run() -> None:
            self._remember(facts)
            self.window.live.run_unless_attached()
            self._say(f"{facts.path.name}: {facts.words}")

        self.window.files.ask_leave_and_open(folder, run)

    def play_here(self, log: Path) -> None:
        """In place of the sensors of the open project."""
        self._read_facts(log, self._play_here)

    def _play_here(self, facts: LogFacts) -> None:
        if not self.window.has_session:  # it was closed while the log was read
            return
        session = self.window.session
        providers = providers_for(session.system, session.folder, facts)
        if not providers:
            self._offer_source(session, facts)
            return
        known = {source.name: source.logged for source in session.system.sources}
        edits = [SetProvider(name, "logged", each) for name, each in providers.items() if each != known[name]]
        if edits and not session.do(Compound(f"Play {facts.path.name}", tuple(edits))):
            return
        session.check()  # the log that was missing may be there now
        self._remember(facts)
        session.choose_modes(dict.fromkeys(providers, "logged"))
        if self.window.live.control.phase == "stopped":
            self.window.live.run()

    def _offer_source(self, session: Session, facts: LogFacts) -> None:
        """A robot built from the palette has no source yet, but often the component whose topics were recorded."""
        edit = next((each for each in offers(session) if feeds(each, facts)), None)
        if edit is None:
            self._say(f"{facts.path.name} cannot play here: {why_not(session.system, facts)}", trouble=True)
            return

        def make() -> None:
            if session.do(edit):
                self._play_here(facts)

        self.window.notice.ask(
            f"The log can play in place of {edit.component} once that is a data source.",
            {"Turn it into a source and play": make, "Open it alone": lambda: self._open_alone(facts),
             "Close": lambda: None},
            about="recorded",
        )  # fmt: skip

    def record_simulated(self) -> None:
        """A log from the simulator for a project that plays one of a robot: recorded, written as CARMEN, imported."""
        if self._simulated is not None:
            return
        folder = self.window.session.folder
        made = self._simulated = SimulatedLog(self.window.live.control.studio, recordings_of(folder), self)
        made.made.connect(self._have_simulated)
        made.failed.connect(self._no_simulated)
        self.window.notice.ask(
            f"A Pioneer drives through a simulated maze for {SECONDS} s of its time, and is recorded…",
            {"Cancel": self._cancel_simulated}, SIMULATED,
        )  # fmt: skip
        made.start()

    def _cancel_simulated(self) -> None:
        made, self._simulated = self._simulated, None
        if made is not None:
            made.cancel()
            self._say("Nothing was recorded")

    def _have_simulated(self, log: Path) -> None:
        self._end_simulated()
        if self.window.has_session:
            self.bring_in(log, self.play_here)

    def _no_simulated(self, why: str) -> None:
        self._end_simulated()
        self._say(f"No log was recorded: {why}", trouble=True)

    def _end_simulated(self) -> None:
        self._simulated = None
        self.window.notice.withdraw(SIMULATED)

    def ask_provider(self) -> None:
        """A log that sources shall play, and which of its topics feeds which port."""
        start = where_logs_are(self.window.session.folder)
        path, _ = QFileDialog.getOpenFileName(self.window.widget, "Choose a log for the sources", str(start), FILTER)
        if path:
            self._with_mcap(Path(path), self.ask_mapping)

    def ask_mapping(self, log: Path) -> None:
        """Which topic of it feeds which port of the open project."""
        if self.window.has_session:
            self._read_facts(log, self._ask_mapping)

    def _ask_mapping(self, facts: LogFacts) -> None:
        from studio.editor.log_files.topic_mapping import MappingDialog  # few need it

        if self.window.has_session:  # it may have been closed while the log was read
            dialog = MappingDialog(self.window.widget, self.window.theme, self.window.session, facts)
            dialog.accepted.connect(lambda: self.window.notice.withdraw(NO_LOG))
            dialog.open()

    def _say(self, words: str, *, trouble: bool = False) -> None:
        self.window.status.say(words, trouble=trouble)
