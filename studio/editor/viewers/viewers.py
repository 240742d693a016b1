"""Viewers in the window: any number of each kind, remembered per project, and a sensible few where none were chosen."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import QObject, QTimer, pyqtSignal

from studio.editor.base.deferred import Beside
from studio.editor.live.automatic_layout import Wish, wishes
from studio.editor.live.state_history import history_of
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.viewers.viewer_kinds import KINDS, Kind, kind_called
from studio.errors import StudioError

if TYPE_CHECKING:
    from studio.editor.docking.docks import Docks
    from studio.editor.live.feed import Feed
    from studio.editor.panels.parts.viewer import Viewer


ROOM_PX = 1400
"""In a window that is narrower, viewers are tabs of the document: beside it they would leave it too little."""
PRELOADED = ("map", "plot", "scene", *(kind.name for kind in KINDS))
"""The slowest first, and all others."""
PRELOAD_AFTER_MS = 3000
NEXT_MS = 60
"""Between two viewers that open by themselves."""


def _kind_of(viewer: Viewer) -> Kind:
    return kind_called(viewer.KIND)


class Viewers(QObject):
    changed = pyqtSignal()
    """One was opened or closed, or chose something else to show."""
    break_wanted = pyqtSignal(str)
    """A topic at whose events the system is to stop."""
    action_wanted = pyqtSignal(str)
    """An action of the window, by its name: an empty viewer offers what would fill it."""
    _imported = pyqtSignal(object)

    def __init__(self, docks: Docks, feed: Feed, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self.docks, self.feed, self.theme = docks, feed, theme
        self.open: dict[str, Viewer] = {}
        """By the name of their dock: map.1, map.2, plot.1 ..."""
        self.as_tabs: Callable[[], bool] = lambda: False
        """Whether all of them are tabs of the document: a layout that needs the room around it says so."""
        self.are_unwanted = False
        """The user has closed all there were: none opens by itself any more."""
        history_of(feed)  # it remembers from now on, so that a time line opened later begins here
        feed.attached.connect(self._keep_trace)
        self._imported.connect(self._open_chosen)
        self._to_open: list[Wish] = []
        self._waiting: list[tuple[Kind, dict[str, Any] | None, str]] = []
        """What was wanted and needs an import first."""
        self._is_importing = False
        self._next = QTimer(self)
        self._next.setSingleShot(True)
        self._next.setInterval(NEXT_MS)
        self._next.timeout.connect(self._open_next)
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.timeout.connect(self.preload)
        self._quiet.start(PRELOAD_AFTER_MS)

    def _keep_trace(self) -> None:
        """From the first attachment on, so that Causality opened at a stop can tell how the system got there."""
        from studio.editor.live.trace_keeper import keeper_of  # brings numpy, which must not delay the first paint

        keeper_of(self.feed)

    def add(self, kind_name: str, settings: dict[str, Any] | None = None, name: str = "") -> Viewer:
        """Open one more; its dock has the first free name, unless a saved layout knows it by one."""
        kind = kind_called(kind_name)
        if not name:
            numbers = (number for number in range(1, len(self.open) + 2) if f"{kind.name}.{number}" not in self.open)
            name = f"{kind.name}.{next(numbers)}"
        viewer = kind.make(self.feed, self.theme)
        side, beside = self._place(kind)
        self.open[name] = viewer
        self.docks.add_viewer(name, viewer.title, viewer, side, beside=beside, close=lambda: self._dismiss(name))
        self.docks.set_icon(name, icon(kind.icon, self.theme.muted))
        viewer.titled.connect(lambda title: self.docks.set_title(name, title))
        if settings:
            viewer.restore(settings)
        viewer.settled.connect(self.changed)
        viewer.wanted.connect(self._help)
        self._join(viewer)
        self.changed.emit()
        return viewer

    def open_soon(self, kind_name: str, settings: dict[str, Any] | None = None, name: str = "") -> None:
        """As `add`, after what it needs was imported beside the window's work.

        Importing halts the window for half a second, also when another thread imports already and one has to wait.
        """
        self._waiting.append((kind_called(kind_name), settings, name))
        self._open_waiting()

    def _open_waiting(self) -> None:
        """In the order in which they were wanted."""
        while self._waiting and self._waiting[0][0].is_imported:
            kind, settings, name = self._waiting.pop(0)
            self.add(kind.name, settings, name)
        if self._waiting and not self._is_importing:
            self._is_importing = True
            module = self._waiting[0][0].module
            Beside(lambda: import_module(module), self._go_on, self)

    def _go_on(self, came: object) -> None:
        self._is_importing = False
        if isinstance(came, StudioError) and self._waiting:  # it was reported; another try would fail, too
            self._waiting.pop(0)
        self._open_waiting()

    def _place(self, kind: Kind) -> tuple[str, str]:
        """Large ones with the document, wide ones behind the problems; of the others the first beside the document, all
        more below it."""
        if self.as_tabs() or kind.is_large:
            return "tab", "system"
        if kind.is_wide and self.docks.has("problems"):
            return "tab", "problems"
        kinds = {name: _kind_of(viewer) for name, viewer in self.open.items()}
        names = [name for name, each in kinds.items() if not each.is_wide and not each.is_large]
        if not names:
            return ("right", "system") if self.docks.manager.width() >= ROOM_PX else ("tab", "system")
        if self.docks.manager.width() < ROOM_PX:
            return "tab", names[0]
        return ("bottom", names[0]) if len(names) == 1 else ("tab", names[1])

    def rehang(self) -> None:
        """A layout was chosen that does not know the open viewers: they stay open, behind what it is there for."""
        hidden = {name: viewer for name, viewer in self.open.items() if self.docks.is_closed(name)}
        seen = {name: viewer for name, viewer in self.open.items() if name not in hidden}
        for name, viewer in hidden.items():
            self.open = seen
            side, beside = self._place(_kind_of(viewer))
            front = self.docks.front_beside(beside)
            self.docks.move(name, side, beside=beside)
            self.docks.show(front if side == "tab" else name)
            seen[name] = viewer
        self.open = seen

    def close(self, name: str) -> None:
        viewer = self.open.pop(name, None)
        if viewer is not None:
            viewer.close_viewer()
            self._link_plots()
            self.docks.remove(name)
            self.changed.emit()

    def _dismiss(self, name: str) -> None:
        """By the user."""
        self.close(name)
        self.are_unwanted = not self.open
        self.changed.emit()

    def close_all(self) -> None:
        """Another project: its viewers are others."""
        self.are_unwanted = False
        self._to_open.clear()
        self._waiting.clear()
        for name in list(self.open):
            self.open.pop(name).close_viewer()
            self.docks.remove(name)

    def _link_plots(self) -> None:
        """To the first of them, which may have been closed just now; not those in which no time runs along the axis."""
        plots: list[Any] = [viewer for viewer in self.open.values() if viewer.KIND == "plot"]
        over_time = [plot for plot in plots if not plot.against.isChecked()]
        for plot in plots:
            plot.link_to(over_time[0] if plot in over_time[1:] else None)

    def _join(self, viewer: Viewer) -> None:
        """All plots have one time; what is dragged out of the topics by a double-click gets a plot."""
        if viewer.KIND == "plot":
            self._link_plots()
            viewer.settled.connect(self._link_plots)
        if viewer.KIND == "player":
            viewer.logs = getattr(self.parent(), "logs", None)  # type: ignore[attr-defined]
        if viewer.KIND in ("topics", "message"):
            viewer.plot_wanted.connect(self._plot_field)  # type: ignore[attr-defined]
        if viewer.KIND in ("topics", "message", "plot"):
            viewer.cause_wanted.connect(self.explain)  # type: ignore[attr-defined]
        if viewer.KIND == "map":
            viewer.compare_wanted.connect(self.compare)  # type: ignore[attr-defined]
            viewer.scene_wanted.connect(lambda: self.show("scene"))  # type: ignore[attr-defined]
        if viewer.KIND == "topics":
            viewer.break_wanted.connect(self.break_wanted)  # type: ignore[attr-defined]
            viewer.message_wanted.connect(lambda topic: self.add("message", {"topic": topic}))  # type: ignore[attr-defined]

    def _help(self, action: str) -> None:
        """A viewer that is wanted may be open already; anything else is the window's to do."""
        kind = action.removeprefix("viewer.")
        if kind != action:
            self.show(kind)
        else:
            self.action_wanted.emit(action)

    def _plot_field(self, field: object) -> None:
        plots = [viewer for viewer in self.open.values() if viewer.KIND == "plot"]
        plot = plots[-1] if plots else self.add("plot")
        plot.add(field)  # type: ignore[attr-defined]

    def compare(self, topic: str, shown: object, origin: str) -> None:
        """A map, held, with what its topic brings from now on."""
        name = self.show("compare")
        self.open[name].hold_a(topic, shown, origin)  # type: ignore[attr-defined]

    def explain(self, topic: str, number: int) -> None:
        """How an event came about, and what it led to; 0: the newest of its topic."""
        name = self.show("causality")
        self.open[name].explain(topic, number)  # type: ignore[attr-defined]

    def show(self, kind: str) -> str:
        """The name of the last viewer of a kind, which is seen now; opened if there is none."""
        if not any(kind == viewer.KIND for viewer in self.open.values()):
            self.add(kind)
        name = [name for name, viewer in self.open.items() if kind == viewer.KIND][-1]
        self.docks.show(name)
        return name

    # ---- what is kept

    def save(self) -> str:
        entries = [{"name": name, "kind": v.KIND, "settings": v.save()} for name, v in self.open.items()]
        return json.dumps({"viewers": entries, "unwanted": self.are_unwanted})

    def restore(self, text: str) -> None:
        """What was saved, or of it what can be read, and is not open already."""
        try:
            kept = json.loads(text)
        except json.JSONDecodeError:
            return
        if not isinstance(kept, dict):
            return
        self.are_unwanted = (self.are_unwanted or kept.get("unwanted") is True) and not self.open
        entries = kept.get("viewers")
        known = {kind.name for kind in KINDS}
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and entry.get("kind") in known and entry.get("name") not in self.open:
                settings = entry.get("settings")
                self.add(entry["kind"], settings if isinstance(settings, dict) else None, str(entry.get("name", "")))

    def choose_by_types(self) -> None:
        """For a system that has no viewers: those that its message types ask for, as soon as they are imported.

        Importing takes longer than a window may stand still, so it happens beside its work.
        """
        wanted = wishes(self.feed.state, {kind.name: kind.types for kind in KINDS})
        if wanted and not self.open and not self.are_unwanted:
            self._import([kind_called(wish.kind) for wish in wanted], lambda: self._imported.emit(wanted))

    def preload(self) -> None:
        """What is slow to import comes in a quiet moment, so that the first map and the first plot open at once."""
        self._import([kind_called(name) for name in PRELOADED], lambda: None)

    def _import(self, kinds: list[Kind], then: Callable[[], object]) -> None:
        def work() -> None:
            for kind in kinds:
                warm = getattr(import_module(kind.module), "warm", None)
                if warm is not None:
                    warm()
            then()

        Thread(target=work, name="import viewers", daemon=True).start()

    def _open_chosen(self, wanted: list[Wish]) -> None:
        """One after the other, with a look at the window's other work in between: together they would halt it."""
        if self.open or self.are_unwanted or not self.feed.is_attached:
            return  # the user was faster, or the system is gone
        self._to_open = list(wanted)
        self._open_next()

    def _open_next(self) -> None:
        if not self.feed.is_attached:
            self._to_open.clear()
        if not self._to_open:
            return
        wish = self._to_open.pop(0)
        window = self.docks.manager.window()
        held = window.focusWidget() if window is not None else None
        front = self.docks.front_beside("system")
        self.add(wish.kind, wish.settings)
        has_room = self.docks.manager.width() >= ROOM_PX
        if not has_room:
            self.docks.show(front or "system")  # nobody has asked for them: not over what is being worked on
        if held is not None and held.isVisible():
            held.setFocus()  # a tab that lay over it for a moment has taken the keyboard away
        if self._to_open:
            self._next.start()
        elif has_room:
            for name in list(self.open)[1:2]:
                self.docks.show(name)  # of those that share a place, the first

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        for name, viewer in self.open.items():
            viewer.show_theme(theme)
            self.docks.set_icon(name, icon(_kind_of(viewer).icon, theme.muted))
