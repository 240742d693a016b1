"""One of two maps that are compared: of a topic as it goes on or was, held as it is, or of a recording at any time."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject, QSize, Qt
from PyQt6.QtGui import QFontMetrics
from PyQt6.QtWidgets import QFileDialog, QMenu, QToolButton

from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.viewer import TopicChoice
from studio.editor.views.maps.compare_view import CompareView
from studio.editor.views.maps.logged_map import LoggedMap, LoggedMaps, logs_in, maps_in
from studio.editor.views.maps.map_history import MapHistory
from studio.editor.views.shared.newest_wish import NewestWish
from studio.errors import StudioError
from studio.messages import Map
from studio.recordings import where_logs_are

if TYPE_CHECKING:
    from studio.editor.panels.compare.compare_viewer import CompareViewer

TITLE_SPACES, LEAST_TOPIC = 56, 60
"""Pixels: between the words of a title and at its ends; and of a topic that gives way to where its map comes from."""
Read = tuple[LoggedMaps, int, LoggedMap]
"""Of a recording, at which time, the map."""


class Side(QObject):
    def __init__(self, viewer: CompareViewer, letter: str) -> None:
        super().__init__(viewer)
        self.viewer, self.letter = viewer, letter
        self.map: Map | None = None
        self.recording: LoggedMaps | None = None
        """Where the map comes from, if not from what runs."""
        self._wanted: tuple[Path, int | None] | None = None
        """The recording that is being read or cannot be read, perhaps only today, and the time in it."""
        self.origin = ""
        """In words; empty for what comes now."""
        self.mode = ""
        """Real, logged or simulated; empty where it is none of them alone."""
        self.trouble = ""
        self.at_ns = 0
        """The time since the start of its run or recording that is looked at; its map may be a little older."""
        self.follows = True
        """What comes now is shown; False while an earlier map of the run is looked at."""
        self._history = MapHistory()
        self._start_ns = 0
        self._reader: NewestWish[Read] = NewestWish(self, self._have_read)
        self.topic = TopicChoice(frozenset({"Map"}), f"Map {letter}")
        self.topic.setMinimumContentsLength(8)
        self.topic.share = 0.14  # two of them have to fit beside all the rest; the titles tell more
        self.topic.chosen.connect(lambda topic: viewer.watch(self, topic))
        self.hold = viewer.tool(
            "mdi6.pause-octagon-outline",
            f"Hold {letter}: keep this map while the system runs",
            self._hold,
            on=False,
        )
        self.from_log = QToolButton()
        self.from_log.setToolTip(f"{letter} from a recording, at any time of it")
        self.from_log.setAccessibleName(f"{letter} from a recording")
        self.from_log.setIconSize(QSize(14, 14))
        self.from_log.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = QMenu(self.from_log)
        self.menu.aboutToShow.connect(self._list_logs)
        self.from_log.setMenu(self.menu)
        self.view = CompareView(viewer.theme)
        self.view.setAccessibleName(f"Map {letter}")
        self.show_theme(viewer.theme)

    @property
    def is_held(self) -> bool:
        return self.hold.isChecked()

    @property
    def remembered(self) -> tuple[Path, int | None] | None:
        """The recording, and the time in it, that shall be there again another day: the one that is wanted, also if it
        is not there."""
        return self._wanted or ((self.recording.path, self.at_ns) if self.recording is not None else None)

    @property
    def words(self) -> str:
        return "   ".join(word for word in (self.letter, self.topic.topic, self.origin) if word)

    def title(self, metrics: QFontMetrics, width: int) -> str:
        """Its letter on a plate in the colour of where the map comes from, and what it is, as far as it fits."""
        origin = self.viewer.theme.origins.get(self.mode)
        plate = f" {self.letter} · {origin.word} " if origin is not None else self.letter
        room = width - metrics.horizontalAdvance(plate) - TITLE_SPACES
        least = min(metrics.horizontalAdvance(self.topic.topic), LEAST_TOPIC)
        came = metrics.elidedText(self.origin, Qt.TextElideMode.ElideMiddle, room - least)
        rest = max(room - metrics.horizontalAdvance(came), least)
        topic = metrics.elidedText(self.topic.topic, Qt.TextElideMode.ElideMiddle, rest)
        words = "&nbsp;&nbsp; ".join(escape(word) for word in (topic, came) if word)
        if origin is None:
            return f"<b>{self.letter}</b> &nbsp; {words}"
        style = f"background-color: {origin.fill}; color: {origin.on_fill}; font-weight: 600;"
        return f'<span style="{style}">&nbsp;{self.letter} · {origin.word}&nbsp;</span> &nbsp; {words}'

    def _mode_now(self) -> str:
        modes = set(self.viewer.feed.state.get("sources", {}).values())
        return str(modes.pop()) if len(modes) == 1 else ""

    def take(self, map_: Map, time_ns: int, start_ns: int) -> bool:
        """What comes now, and whether it is shown; a side that is held, or looks back, stays what it is."""
        if self.is_held:
            return False
        self.trouble = ""
        self._history.add(map_, time_ns)
        self._start_ns, self.mode = start_ns, self._mode_now()
        if self.follows:
            self._show_past(len(self._history) - 1)
        return self.follows

    def lose(self, why: str) -> None:
        """What comes is no map any more; a map that is held stays."""
        if not self.is_held:
            self.forget()
            self.trouble = why
            self.viewer.refresh()

    def keep(self, topic: str, map_: Map, origin: str) -> None:
        """This map and no other, until it is let go."""
        self.map, self.origin, self.recording, self.trouble, self._wanted = map_, origin, None, "", None
        self.mode = self._mode_now()
        self._settle(topic)

    def begin_with(self, map_: Map) -> None:
        """Of its topic, until the next one comes: a system that stands brings none."""
        if self.map is None:
            self.map, self.mode = map_, self._mode_now()

    def _settle(self, topic: str) -> None:
        self.hold.setChecked(True)
        self.topic.choose(topic)
        self.viewer.refresh()
        self.viewer.settled.emit()

    def forget(self) -> None:
        if not self.is_held:
            self.map, self.origin, self.follows = None, "", True
            self._history.clear()

    def _hold(self, on: bool) -> None:
        self.origin = f"held, of {self.map.stamp_ns / 1e9:.1f} s" if on and self.map is not None else ""
        self.recording, self._wanted, self.trouble, self.follows = None, None, "", True
        self.viewer.refresh()
        self.viewer.settled.emit()

    # ---- time

    @property
    def length_ns(self) -> int:
        """Over what time it can be gone through; 0 where there is only one map."""
        if self.recording is not None:
            return self.recording.length_ns
        if self.is_held or len(self._history) < 2:
            return 0
        return max(self._history.time_ns(-1) - self._start_ns, 0)

    @property
    def step_ns(self) -> int:
        """Between two maps, about."""
        count = self.recording.count if self.recording is not None else len(self._history)
        return self.length_ns // max(count, 1)

    def seek(self, after_ns: int) -> None:
        """The map that was made nearest to this time; of a recording it is read beside the window's work."""
        recording = self.recording
        if recording is not None:
            at_ns = self.at_ns = min(max(after_ns, 0), recording.length_ns)
            self._reader.ask(lambda: (recording, at_ns, recording.at(at_ns)))
        elif self.length_ns:
            self.follows = after_ns >= self.length_ns
            self._show_past(self._history.nearest(self._start_ns + after_ns))
            self.at_ns = min(max(after_ns, 0), self.length_ns)
            self.viewer.refresh()

    def _show_past(self, place: int) -> None:
        self.map, newest_ns = self._history[place], self._history.time_ns(-1)
        time_ns = self._history.time_ns(place)
        self.at_ns = max(time_ns - self._start_ns, 0)
        self.origin = "" if self.follows else f"{(newest_ns - time_ns) / 1e9:.1f} s ago"

    # ---- recordings

    def _list_logs(self) -> None:
        self.menu.clear()
        for path in logs_in(self.viewer.feed.folder):
            self.menu.addAction(path.name, lambda path=path: self.read(path))
        if not self.menu.isEmpty():
            self.menu.addSeparator()
        self.menu.addAction("Choose a log…", self._ask_log)
        if self.is_held or self._wanted is not None:
            self.menu.addAction("As it comes now", self.let_go)

    def _ask_log(self) -> None:
        start = str(where_logs_are(self.viewer.feed.folder))
        name, _ = QFileDialog.getOpenFileName(self.viewer, f"Map {self.letter} from a log", start, "Logs (*.mcap)")
        if name:
            self.read(Path(name))

    def let_go(self) -> None:
        self.hold.setChecked(False)
        self._hold(False)

    def read(self, path: Path, after_ns: int | None = None) -> None:
        """From this recording on; the time that suits the other map, or without one its last map."""
        topic, self.trouble = self.topic.topic, ""
        wanted_ns = self.viewer.times.time_for(self) if after_ns is None else after_ns
        self._wanted = (path, wanted_ns)

        def work() -> Read:
            maps = maps_in(path, topic)
            at_ns = maps.length_ns if wanted_ns is None else min(max(wanted_ns, 0), maps.length_ns)
            return maps, at_ns, maps.at(at_ns)

        self._reader.ask(work)

    def _have_read(self, found: Read | StudioError) -> None:
        if isinstance(found, StudioError):
            self.trouble = str(found)
            if self.recording is not None:
                self._wanted = None  # what is shown is what there is to come back to
            self.viewer.refresh()
            return
        recording, at_ns, read = found
        is_new = recording != self.recording
        if not is_new and not self.is_held:
            return  # it was let go meanwhile
        self.map, self.recording, self.trouble, self.mode = read.map, recording, "", "logged"
        if self._wanted is not None and self._wanted[0] == recording.path:
            self._wanted = None
        self.origin = f"{recording.path.name}, after {read.after_ns / 1e9:.1f} s"
        if is_new:
            self.at_ns = at_ns
            self._settle(recording.topic)
        else:
            self.viewer.refresh()

    def show_theme(self, theme: Theme) -> None:
        self.from_log.setIcon(icon("fa6s.database", theme.muted))
