"""The bar below: origin, state, clock, rate, problems, load, layout. Its parts are buttons to where one can act."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from PyQt6.QtCore import QSize, Qt, QTimer, pyqtBoundSignal, pyqtSignal
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PyQt6.QtWidgets import QLabel, QSizePolicy, QStatusBar, QToolButton

from studio.editor.look.icons import icon
from studio.editor.look.style import dress
from studio.editor.look.theme import Theme
from studio.editor.running.way_progress import WayProgress
from studio.errors import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from studio.editor.project.session import Session
    from studio.errors import Problem
    from studio.model.sources import SourceMode

MESSAGE_MS = 8000
NOTHING_OPEN = "No project open"
TROUBLE = "▲"
SPACING = 6
"""That Qt puts between two parts of a status bar."""
EDGES = 16
"""That it keeps free at its ends, at most."""
EXAMPLE = "Examples of Studio are not changed: Ctrl+S saves your own copy"
SAFETY = "A log never moves a vehicle"


class _Yielding(QLabel):
    """Words that are left out where there is no room for all of them: they do not make the window wider."""

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent | None) -> None:
        if self.width() >= self.sizeHint().width():
            super().paintEvent(event)


class _Sentence(QLabel):
    """What is said. Where there is no room for all of it, it ends with dots; the tooltip has the whole."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Message")
        self.setContentsMargins(8, 0, 0, 0)
        # It does not make the window wider.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.plain = ""
        self.mark = ""
        """The colour of the mark of trouble before it; nothing if there is none."""

    def tell(self, text: str, mark: str = "") -> None:
        """As it is: an error may be about an element of a file, and that is no mark-up of this label."""
        self.plain, self.mark = text, mark
        escaped = html.escape(text, quote=False)
        self.setTextFormat(Qt.TextFormat.RichText if mark else Qt.TextFormat.PlainText)
        self.setText(f'<span style="color:{mark}">{TROUBLE}</span> {escaped}' if mark else text)
        self.setToolTip(f"<span>{escaped}</span>" if "<" in text else text)

    @property
    def fits(self) -> bool:
        return self.width() >= self.sizeHint().width()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        if self.fits:
            super().paintEvent(event)
            return
        painter, area, metrics = QPainter(self), self.contentsRect(), self.fontMetrics()
        if self.mark:
            painter.setPen(QColor(self.mark))
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, TROUBLE)
            area.setLeft(area.left() + metrics.horizontalAdvance(f"{TROUBLE} "))
        painter.setPen(self.palette().windowText().color())
        words = metrics.elidedText(self.plain, Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, words)


class StatusBar(QStatusBar):
    problems_wanted = pyqtSignal()
    save_wanted = pyqtSignal()
    zoom_wanted = pyqtSignal()
    trouble_wanted = pyqtSignal()
    layouts_wanted = pyqtSignal()
    frozen_wanted = pyqtSignal()
    origin_wanted = pyqtSignal()
    clock_wanted = pyqtSignal()
    figures_wanted = pyqtSignal()
    load_wanted = pyqtSignal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.setSizeGripEnabled(False)
        self.origin = self._button("Where the data comes from", self.origin_wanted)
        self.origin.setToolTip("Where the data comes from: show the sources")
        self.modes: Callable[[], Mapping[str, SourceMode]] = dict
        """Of every source: as it runs, or as the canvas has it."""
        self.clock = self._button("System time", self.clock_wanted)
        self.clock.setToolTip("System time: show the states of all components over time")
        self.running = self._button("State of the system", self.trouble_wanted)
        self.troubled = ""
        """A component that is in trouble; empty if none is."""
        self.figures = self._button("Events and losses", self.figures_wanted)
        self.figures.setToolTip("Events per second, the slowest delivery, and losses: show every topic")
        self.load = self._button("Processor and memory", self.load_wanted)
        self.load.setToolTip("Processor and memory of all components: show the processes")
        self.saved = self._button("Saved or not", self.save_wanted)
        self.problems = self._button("Problems", self.problems_wanted)
        self._recording = self._safety = ""
        self._has_figures = False
        self._resting = ""
        """Said while there is nothing else to say."""
        self.words = _Sentence()
        self.content = _Yielding()
        self.content.setProperty("role", "muted")
        self.zoom = self._button("Zoom", self.zoom_wanted)
        self.layout_name = self._button("Layout of the panels", self.layouts_wanted)
        self.layout_name.setToolTip("Arrangement of the panels (Ctrl+1 to Ctrl+9)")
        self.frozen = self._button("The system is frozen", self.frozen_wanted)
        self.frozen.setText("Frozen")
        self.frozen.setToolTip("The whole system is paused: show where")
        self.frozen.hide()
        for button in (self.frozen, self.origin, self.running, self.clock, self.figures, self.saved, self.problems):
            self.addWidget(button)
        self.addWidget(self.words, 1)
        self.way = WayProgress()
        self.way.shown.connect(lambda on: self.make_way(on=on, figures=not on))
        self.addWidget(self.way, 2)
        self.way.hide()
        for widget in (self.load, self.content, self.zoom, self.layout_name):
            self.addPermanentWidget(widget)
        for button in (self.running, self.clock, self.figures, self.load):
            button.hide()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(lambda: self._show_words(self._resting))

    def _button(self, name: str, signal: pyqtBoundSignal) -> QToolButton:
        button = QToolButton()
        button.setAccessibleName(name)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setIconSize(QSize(13, 13))
        button.setStyleSheet("min-height: 20px;")
        button.clicked.connect(signal)
        return button

    def say(self, text: str, *, trouble: bool = False, stays: bool = False) -> None:
        """A sentence for a while, or until another is said."""
        self._show_words(text, self.theme.warning if trouble else "")
        if stays:
            self._timer.stop()
        else:
            self._timer.start(MESSAGE_MS)

    def show_recording(self, words: str) -> None:
        """How far the log is, wherever there is nothing else to say; empty when it has ended."""
        if words != self._recording:
            self._recording = words
            self._rest(" · ".join(filter(None, (self._safety, words))))

    def _rest(self, text: str) -> None:
        is_resting = self.words.text() in ("", self._resting)
        self._resting = text
        if is_resting:
            self._show_words(text)

    def _show_words(self, text: str, mark: str = "") -> None:
        self.words.tell(text, mark)
        self._make_room()

    def make_way(self, *, on: bool, figures: bool) -> None:
        """A long way takes the place of the sentence and of the figures, so that it fits into a narrow window."""
        self._has_figures = figures and not on
        self.words.setVisible(not on)
        self._make_room()

    def _make_room(self) -> None:
        """What matters least waits until a sentence that needs its room has been said; before what is said all the
        time, only the counts give way."""
        is_open, has_way = self.saved.isVisibleTo(self), not self.way.isHidden()
        wanted = {self.content: is_open and not has_way, self.load: self._has_figures, self.figures: self._has_figures,
                  self.zoom: is_open, self.layout_name: is_open}  # fmt: skip
        fixed = (self.frozen, self.origin, self.running, self.clock, self.saved, self.problems)
        shown = [part for part in (*fixed, *wanted) if (wanted[part] if part in wanted else not part.isHidden())]
        room = self.width() - EDGES - sum(part.sizeHint().width() + SPACING for part in shown)
        missing = self.words.sizeHint().width() - room if self.words.plain and not has_way else 0
        is_said = self.words.plain != self._resting
        for part in wanted:
            if missing > 0 and wanted[part] and (is_said or part is self.content):
                wanted[part] = False
                missing -= part.sizeHint().width() + SPACING
        for part, on in wanted.items():
            part.setVisible(on)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self._make_room()

    def refresh(
        self,
        session: Session | None,
        selected: int = 0,
        *,
        changed: bool = False,
        example: bool = False,
        of_run: Sequence[Problem] = (),
        vehicle: bool = False,
    ) -> None:
        """`of_run`: what is wrong with the system that runs. `vehicle`: one is open, with or without a project."""
        for widget in (self.saved, self.problems, self.zoom, self.origin, self.layout_name):
            widget.setVisible(session is not None)
        if session is None:
            self.content.hide()
            self._rest("" if vehicle else NOTHING_OPEN)
            return
        self.show_origin()
        self.saved.setText("Not saved" if changed else "Example" if example else "Saved")
        self.saved.setIcon(
            icon("mdi6.content-save-alert-outline" if changed else "mdi6.content-save-check-outline", self.theme.muted)
        )
        self.saved.setToolTip(EXAMPLE if example else "Save (Ctrl+S)")
        errors, warnings = counted([*of_run, *session.problems])
        words = [f"{n} {word}{'' if n == 1 else 's'}" for n, word in ((errors, "error"), (warnings, "warning")) if n]
        self.problems.setText(", ".join(words) or "No problems")
        mark, colour = (
            ("fa6s.circle-exclamation", self.theme.error) if errors
            else ("fa6s.triangle-exclamation", self.theme.warning) if warnings
            else ("fa6s.circle-check", self.theme.fine)
        )  # fmt: skip
        self.problems.setIcon(icon(mark, colour))
        counts = " · ".join(
            f"{len(table)} {word}{'' if len(table) == 1 else 's'}"
            for table, word in ((session.system.nodes, "node"), (session.system.wires, "wire"))
        )
        self.content.setText(f"{selected} selected · {counts}" if selected else counts)
        self._make_room()

    def show_layout(self, name: str) -> None:
        self.layout_name.setText(f"Layout: {name}")

    def show_zoom(self, zoom: float) -> None:
        self.zoom.setText(f"{zoom * 100:.0f} %")

    def show_origin(self) -> None:
        modes = sorted(set(self.modes().values()))
        self.origin.setVisible(bool(modes))
        self._safety = SAFETY if "logged" in modes else ""
        self._rest(" · ".join(filter(None, (self._safety, self._recording))))
        if not modes:
            return
        words = " · ".join(self.theme.origins[mode].word for mode in modes)
        fill, text = self.theme.header, self.theme.text
        if len(modes) == 1:
            fill, text = self.theme.origins[modes[0]].fill, self.theme.origins[modes[0]].on_fill
        self.origin.setText(words if len(modes) == 1 else f"Mixed: {words}")
        dress(
            self.origin,
            f"QToolButton {{ background: {fill}; color: {text}; border: 0; border-radius: 0; padding: 0 10px;"
            f" min-height: 22px; font-weight: 600; }} QToolButton:focus {{ border: 2px solid {self.theme.focus}; }}",
        )
