"""One of two maps that are compared: of a topic as it goes on, held as it is, or the last one of a recording."""

from __future__ import annotations

from html import escape
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject, QSize, pyqtSignal
from PyQt6.QtWidgets import QComboBox, QFileDialog, QMenu, QToolButton

from studio.editor.icons import icon
from studio.editor.panels.viewer import TopicChoice
from studio.editor.theme import Theme
from studio.editor.views.compare_view import CompareView
from studio.editor.views.logged_map import LoggedMap, last_map, logs_in
from studio.errors import StudioError
from studio.messages import Map

if TYPE_CHECKING:
    from studio.editor.panels.compare_viewer import CompareViewer


class Side(QObject):
    _read = pyqtSignal(object, object)

    def __init__(self, viewer: CompareViewer, letter: str) -> None:
        super().__init__(viewer)
        self.viewer, self.letter = viewer, letter
        self.map: Map | None = None
        self.log: Path | None = None
        """Where the map comes from, if not from what runs."""
        self.origin = ""
        """In words; empty for what comes now."""
        self.mode = ""
        """Real, logged or simulated; empty where it is none of them alone."""
        self.trouble = ""
        self.topic = TopicChoice(frozenset({"Map"}), f"Map {letter}")
        self.topic.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.topic.setMinimumContentsLength(8)  # two of them have to fit beside all the rest; the titles tell more
        self.topic.chosen.connect(lambda topic: viewer.watch(self, topic))
        self.hold = viewer.tool(
            "mdi6.pause-octagon-outline",
            f"Hold {letter}: keep this map while the system goes on",
            self._hold,
            on=False,
        )
        self.from_log = QToolButton()
        self.from_log.setToolTip(f"{letter} from a recording: the last map that is in it")
        self.from_log.setAccessibleName(f"{letter} from a recording")
        self.from_log.setIconSize(QSize(14, 14))
        self.from_log.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = QMenu(self.from_log)
        self.menu.aboutToShow.connect(self._list_logs)
        self.from_log.setMenu(self.menu)
        self.view = CompareView(viewer.theme)
        self.view.setAccessibleName(f"Map {letter}")
        self._read.connect(self._have_read)
        self.show_theme(viewer.theme)

    @property
    def is_held(self) -> bool:
        return self.hold.isChecked()

    @property
    def words(self) -> str:
        return "   ".join(word for word in (self.letter, self.topic.topic, self.origin) if word)

    def title(self) -> str:
        """Its letter on a plate in the colour of where the map comes from, and what it is."""
        origin = self.viewer.theme.origins.get(self.mode)
        words = "&nbsp;&nbsp; ".join(escape(word) for word in (self.topic.topic, self.origin) if word)
        if origin is None:
            return f"<b>{self.letter}</b> &nbsp; {words}"
        plate = f"background-color: {origin.fill}; color: {origin.on_fill}; font-weight: 600;"
        return f'<span style="{plate}">&nbsp;{self.letter} · {origin.word}&nbsp;</span> &nbsp; {words}'

    def _mode_now(self) -> str:
        modes = set(self.viewer.feed.state.get("sources", {}).values())
        return str(modes.pop()) if len(modes) == 1 else ""

    def take(self, map_: Map) -> None:
        """What comes now; a side that is held stays what it is."""
        if not self.is_held:
            self.map, self.origin, self.mode = map_, "", self._mode_now()

    def keep(self, topic: str, map_: Map, origin: str, log: Path | None = None) -> None:
        """This map and no other, until it is let go."""
        self.map, self.origin, self.log, self.trouble = map_, origin, log, ""
        self.mode = "logged" if log is not None else self._mode_now()
        self.hold.setChecked(True)
        self.topic.choose(topic)
        self.viewer.refresh()
        self.viewer.settled.emit()

    def forget(self) -> None:
        if not self.is_held:
            self.map = None

    def _hold(self, on: bool) -> None:
        self.origin = f"held, of {self.map.stamp_ns / 1e9:.1f} s" if on and self.map is not None else ""
        self.log = None
        self.viewer.refresh()
        self.viewer.settled.emit()

    # ---- recordings

    def _list_logs(self) -> None:
        self.menu.clear()
        for path in logs_in(self.viewer.feed.folder):
            self.menu.addAction(path.name, lambda path=path: self.read(path))
        if not self.menu.isEmpty():
            self.menu.addSeparator()
        self.menu.addAction("Choose a log…", self._ask_log)
        if self.is_held:
            self.menu.addAction("As it comes now", self.let_go)

    def _ask_log(self) -> None:
        start = str(self.viewer.feed.folder or Path.home())
        name, _ = QFileDialog.getOpenFileName(self.viewer, f"Map {self.letter} from a log", start, "Logs (*.mcap)")
        if name:
            self.read(Path(name))

    def let_go(self) -> None:
        self.hold.setChecked(False)
        self._hold(False)

    def read(self, path: Path) -> None:
        """Beside the window's work."""
        topic, self.trouble = self.topic.topic, ""

        def work() -> None:
            try:
                self._read.emit(last_map(path, topic), None)
            except StudioError as error:
                self._read.emit(None, error)

        Thread(target=work, name="read map", daemon=True).start()

    def _have_read(self, found: LoggedMap | None, error: StudioError | None) -> None:
        if found is not None:
            self.keep(found.topic, found.map, found.words, found.path)
        else:
            self.trouble = str(error)
            self.viewer.refresh()

    def show_theme(self, theme: Theme) -> None:
        self.from_log.setIcon(icon("fa6s.database", theme.muted))
