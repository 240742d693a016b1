"""Code and debugger in the window: where the code stands is shown in its file, values beside it, and what is saved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from PyQt6.QtCore import QObject, QTimer
from PyQt6.QtWidgets import QMenu

from studio.editor.canvas.ports import WithCanvas
from studio.editor.code import looks
from studio.editor.code.debug_control import project_key
from studio.editor.code.debug_session import Body, Frame
from studio.editor.code.handler_place import handlers_of, line_of
from studio.editor.code.inline_values import names_by_line, texts
from studio.editor.code.ports import WithCode, WithDebug
from studio.editor.code.reload import Reload
from studio.editor.code.source_view import source_of
from studio.editor.code.start_under import StartUnder
from studio.editor.live.standing import shown_event
from studio.editor.ports import WithSettings, WithSidePanels, WithStatus, WithWidget
from studio.editor.project.ports import WithLive, WithProject
from studio.errors import StudioError
from studio.model.spec import PythonEntry
from studio.runtime.debug.vscode import open_in_vscode, write_launch_file

if TYPE_CHECKING:
    from studio.editor.code.code_page import CodePage


class Needs(
    WithCanvas,
    WithCode,
    WithDebug,
    WithLive,
    WithProject,
    WithSettings,
    WithSidePanels,
    WithStatus,
    WithWidget,
    Protocol,
):
    """What is taken from the window."""


class CodeController(QObject):
    def __init__(self, window: Needs) -> None:
        super().__init__(window.widget)
        self.window = window
        self.reload = Reload(window)
        self.start_under: StartUnder = StartUnder(window)
        self._marked: CodePage | None = None
        self._passed: tuple[str, int] | None = None
        """The stepped event at whose handler the mark is; None at another mark, or at none."""
        self._shown_in = ""
        """The run in which a step has brought code to the front: once is enough, who goes back to the canvas stays."""
        debug, code = window.debug, window.code
        debug.attachments.made_of = self.reload.running_with
        debug.attachments.runs_old = self.reload.runs_old
        debug.frame_chosen.connect(self._show_frame)
        debug.told.connect(lambda words: window.status.say(words))
        debug.refused.connect(lambda words: window.status.say(words, trouble=True))
        debug.native.connect(self._debug_native)
        code.opened.connect(self._opened)
        window.live.control.stepped.connect(self._event_passed)
        window.live.phase_changed.connect(self._unmark_handler)
        window.live.feed.changed.connect(lambda changes: self._moved_away() if changes.system else None)
        window.live.control.moving_changed.connect(self._moved_away)

    # ---- a project

    def show_project(self, folder: Path) -> None:
        self.window.debug.show_project(folder)
        self.window.code.restore(self.window.settings.text(f"{project_key(folder)}/open"))

    def leave_project(self, folder: Path) -> None:
        """What is open is remembered, and closed."""
        self.window.settings.set_text(f"{project_key(folder)}/open", self.window.code.save())
        self.window.debug.show_project(None)
        self._marked = None
        self.window.code.close_all()

    # ---- where the code stands

    def _show_frame(self, frame: Frame | None) -> None:
        if self._marked is not None and self._marked in self.window.code.pages.values():  # and was not closed since
            self._marked.editor.show_here(0)
        self._marked = self._passed = None
        if frame is None or not frame.file or not Path(frame.file).is_file():
            return
        page = self.window.code.open_at(frame.file, frame.line, focus=False)
        stop = self.window.debug.stop
        if page is None or stop is None:
            return
        is_top = frame == stop.top
        page.editor.show_here(frame.line, caller=not is_top)
        self._marked = page
        self._show_values(page, frame, is_top)

    # ---- where the event went that was stepped

    def _event_passed(self, topic: str, sequence: int) -> None:
        """When the window has shown where the system is now: to open code takes a moment."""
        QTimer.singleShot(0, lambda: self._show_handler(topic, sequence))

    def _show_handler(self, topic: str, sequence: int) -> None:
        """One event was delivered, and no code stands: the code that has handled it.

        The first step of a run brings it to the front; the others follow it there, while code can be seen.
        """
        window = self.window
        if not window.has_session or window.debug.is_stopped:
            return
        if not (window.code.current is not None or self._shown_in != window.live.feed.run):
            return
        place = self._handler_place(topic)
        if place is None:
            return
        self._shown_in = window.live.feed.run
        self._show_frame(None)
        page = window.code.open_at(*place, focus=False)
        if page is not None:
            page.editor.show_here(place[1], caller=True)
            page.editor.show_values({place[1]: (f"got {shown_event(topic, sequence)}", "muted")})
            self._marked, self._passed = page, (topic, sequence)

    def _moved_away(self) -> None:
        """The system was taken back, or its sources were switched: the marked event is not the last one any more."""
        last = (self.window.live.feed.state.get("stepping") or {}).get("last")
        if (
            self._passed is not None
            and not self.window.live.control.is_moving
            and tuple((last or ())[:2]) != self._passed
        ):
            self._show_frame(None)

    def _handler_place(self, topic: str) -> tuple[Path, int] | None:
        """Of several components that got it, the one that is selected, or whose code can be seen, or the first."""
        window = self.window
        components = window.live.feed.state.get("components", {})
        selected, page = window.canvas.canvas.selected_nodes(), window.code.current
        found: list[tuple[int, Path, int]] = []
        for name, method in handlers_of(topic, components):
            spec = window.session.registry.get(str(components.get(name, {}).get("type", "")))
            file = source_of(spec) if spec is not None and isinstance(spec.entry, PythonEntry) else None
            if spec is None or file is None or not isinstance(spec.entry, PythonEntry):
                continue
            line = line_of(file.read_text(encoding="utf-8", errors="replace"), spec.entry.cls, method)
            is_seen = page is not None and page.file.path == file.resolve()
            if line:
                found.append((0 if name in selected else 1 if is_seen else 2, file, line))
        return min(found, key=lambda each: each[0])[1:] if found else None

    def _unmark_handler(self) -> None:
        if self.window.live.control.phase != "paused" and not self.window.debug.is_stopped:
            self._show_frame(None)

    def _show_values(self, page: CodePage, frame: Frame, is_top: bool) -> None:
        debug, stop = self.window.debug, self.window.debug.stop
        assert stop is not None
        here = f"stopped here: {stop.text}" if stop.reason == "exception" and stop.text else "stopped here"
        values = {frame.line: (here, "error" if stop.reason == "exception" else "frozen")} if is_top else {}
        page.editor.show_values(values)
        places = names_by_line(page.editor.text(), frame.line)
        names = sorted({name for found in places.values() for name in found})
        if not names or debug.session is None:
            return

        def show(body: Body) -> None:
            told = looks.told(str(body.get("result", "")))
            words = {name: str(about["words"]) for name, about in told.items()}
            beside = {line: (text, "muted") for line, text in texts(places, words).items()}
            if self._marked is page:
                page.editor.show_values({**beside, **values})

        debug.evaluate(looks.known_of(names), show, context="clipboard")

    def open_in_vscode(self) -> None:
        """What stands, or is debugged, or is selected: VS Code gets a configuration that attaches to the same proxy."""
        debug = self.window.debug
        host = debug.stop.host if debug.stop is not None else next(iter(debug.sessions), "")
        if host:
            self._open_in_vscode(host)
        elif names := self.window.live.selected():  # which says so if there are none
            debug.attach(names[0], then=lambda: self._attached_for_vscode(names[0]))

    def _attached_for_vscode(self, component: str) -> None:
        state = self.window.live.feed.state
        host = str(state["components"][component]["host"])
        if host in self.window.debug.sessions:
            self._open_in_vscode(host)
            return
        pid = state.get("processes", {}).get(host, {}).get("pid")
        self.window.status.say(
            f"{component} is a program: gdb runs in the panel Terminal;"
            f" in VS Code, attach its C++ debugger to process {pid}"
        )

    def _open_in_vscode(self, host: str) -> None:
        window, debug = self.window, self.window.debug
        frame = debug.frame
        try:
            file = write_launch_file(window.session.folder, host, debug.sessions[host].adapter)
            place = (frame.file, frame.line) if frame is not None else ("", 0)
            started = open_in_vscode(window.session.folder, *place)
        except StudioError as error:
            window.status.say(str(error), trouble=True)
            return
        more = "" if started else "; VS Code is not installed here, open that folder in it"
        window.status.say(f"{file} attaches to {host}: choose “Studio: {host}” under Run and Debug{more}")

    def _debug_native(self, component: str, told: dict[str, Any]) -> None:
        if told["goes_on"] and told["missing"]:  # nobody asked for gdb: the breakpoint says why it does not stop
            debug = self.window.debug
            debug.attachments.answered(debug.host_of(component), str(told["missing"]))
            self.window.live.feed.ask("debug", None, lambda _: None, component=component, on=False)
            return
        self.window.side_panels.show("terminal").debug(component, told)

    # ---- values under the mouse

    def _opened(self, page: CodePage) -> None:
        page.editor.value_wanted.connect(lambda expression, at: self._look(page, expression, at))
        page.editor.menu_opening.connect(lambda menu, _: self._add_entries(menu, page))
        page.reload_wanted.connect(lambda: self.reload.reload(page))

    def _look(self, page: CodePage, expression: str, at: int) -> None:
        if not self.window.debug.is_stopped:
            return

        def show(body: Body) -> None:
            told = looks.told(str(body.get("result", ""))).get(expression)
            if told is not None:
                page.editor.show_tip(at, f"{expression}: {told['type']}\n{told['words']}")

        self.window.debug.evaluate(looks.names_of([expression]), show, context="clipboard")

    def _add_entries(self, menu: QMenu, page: CodePage) -> None:
        """For a selected expression while the code stands."""
        chosen = page.editor.selectedText().strip()
        if not chosen or "\n" in chosen or not self.window.debug.is_stopped:
            return
        menu.addSeparator()
        for text, panel, method in (
            ("Watch this", "watches", "add"),
            ("Evaluate this", "evaluate", "evaluate"),
            ("View as an array", "variables", "view"),
        ):
            entry = menu.addAction(text)
            assert entry is not None
            entry.triggered.connect(
                lambda _=False, panel=panel, method=method: getattr(self.window.side_panels.show(panel), method)(chosen)
            )
