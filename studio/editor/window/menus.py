"""The menus, made from the table of actions, and the keys that belong to no menu entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject, QPoint, Qt, QTimer
from PyQt6.QtGui import QAction, QKeySequence, QShortcut
from PyQt6.QtWidgets import QMenu

from studio.editor.docking.layouts import MOST
from studio.editor.look.icons import icon
from studio.editor.window import layout_menu
from studio.editor.window.actions import ACTIONS, MENUS, SUBMENUS, Action, by_id
from studio.editor.window.text_verbs import VERBS, can, do_in_text, focused_text
from studio.editor.window.window_menu import OpenList

if TYPE_CHECKING:
    from studio.editor.window.main_window import MainWindow

RUNNING_ONLY = ("run.activate", "run.deactivate", "run.reset", "run.trigger", "run.restart", "run.apply", "run.anew",
                "run.stop_vehicle")  # fmt: skip

IN_VEHICLES = (
    "geometry.add_body",
    "geometry.drive",
    "geometry.export_urdf",
    "geometry.export_sdf",
    "geometry.export_mjcf",
)


class Menus(QObject):
    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.window = window
        self.actions: dict[str, QAction] = {}
        """By the id of their row in the table."""
        self.by_title: dict[str, QMenu] = {}
        bar = window.menuBar()
        assert bar is not None
        for title in MENUS:
            menu = bar.addMenu(title)
            assert menu is not None
            self.by_title[title] = menu
        for name, (title, text) in SUBMENUS.items():
            self.by_title[name] = QMenu(text, window)
            self.by_title[title].addMenu(self.by_title[name])
        for action in ACTIONS:
            self._add(action)
        self.recent = QMenu("Open recent", window)
        self.recent.aboutToShow.connect(self._fill_recent)
        self.by_title["File"].insertMenu(self.actions["file.save"], self.recent)
        self.layouts = QMenu("Layout", window)
        self.layouts.aboutToShow.connect(lambda: layout_menu.fill(self.layouts, window))
        self.by_title["Window"].insertMenu(self.actions["view.reset_layout"], self.layouts)
        self.open_list = OpenList(self.by_title["Window"], window)
        geometry = self.by_title["Geometry"]
        self._of_view: list[QAction] = []
        geometry.aboutToShow.connect(self._show_view_actions)
        edit = self.by_title["Edit"]
        edit.aboutToShow.connect(self._show_text_verbs)
        edit.aboutToHide.connect(lambda: QTimer.singleShot(0, self.show_session))  # what was chosen is done by then
        for number in range(1, MOST + 1):
            self._add_layout_key(number)

    def _add(self, action: Action) -> None:
        made = QAction(action.text, self.window)
        made.setObjectName(action.id)
        made.setShortcuts([QKeySequence(keys) for keys in action.keys])
        made.triggered.connect(lambda _=False, action=action: self.perform(action))
        if action.scope == "canvas":
            # Letters belong to text fields everywhere else.
            made.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            self.window.document.addAction(made)
        menu = self.by_title[action.in_menu]
        if action.begins_group:
            menu.addSeparator()
        menu.addAction(made)
        self.actions[action.id] = made

    def _add_layout_key(self, number: int) -> None:
        shortcut = QShortcut(QKeySequence(f"Ctrl+{number}"), self.window)
        shortcut.activated.connect(lambda: layout_menu.choose(self.window, number) if self.window.has_session else None)

    def _fill_recent(self) -> None:
        self.recent.clear()
        for each in self.window.settings.recents.all():
            if each.kind == "log" or not each.is_there:
                continue
            entry = self.recent.addAction(each.path)
            assert entry is not None
            entry.triggered.connect(lambda _=False, place=each.place: self.window.files.open_any(place))
        if self.recent.isEmpty():
            nothing = self.recent.addAction("Nothing yet")
            assert nothing is not None
            nothing.setEnabled(False)

    # ---- doing

    def perform(self, action: Action) -> None:
        if do_in_text(action.id):
            return
        if action.id in VERBS and action.scope == "canvas" and not self.window.docks.is_in_front("system"):
            # What is selected there cannot be seen.
            self.window.docks.show("system")
            self.window.status.say(f"Here is the canvas: {action.text.lower()} once more if you mean it")
        elif self._is_possible(action):
            action.do(self.window)

    def _is_possible(self, action: Action) -> bool:
        has_vehicle = self.window.is_furnished and self.window.vehicles.active is not None
        return action.scope == "window" or self.window.has_session or (action.scope == "document" and has_vehicle)

    def trigger(self, name: str) -> None:
        """Do an action by its id, as its menu entry would."""
        self.perform(by_id(name))

    # ---- how they look

    def show_icons(self) -> None:
        for action in ACTIONS:
            if action.icon:
                self.actions[action.id].setIcon(icon(action.icon, self.window.theme.muted))

    def show_session(self) -> None:
        """What can be done with the project that is open, or without one; and with one that runs."""
        window = self.window
        for action in ACTIONS:
            if action.scope != "window":
                self.actions[action.id].setEnabled(self._is_possible(action))
        for name in RUNNING_ONLY:
            self.actions[name].setEnabled(window.has_session and window.live.control.is_up)
        keeping = window.vehicles.keeping if window.is_furnished else None
        for name in IN_VEHICLES:
            self.actions[name].setEnabled(keeping is not None)
        if keeping is None and not window.has_session:
            return
        is_example = keeping.is_example if keeping is not None else window.files.is_example
        self.actions["file.save"].setText("Save a copy…" if is_example else by_id("file.save").text)
        self.actions["file.close"].setText("Close vehicle" if keeping is not None else by_id("file.close").text)
        history = keeping.document.workspace.history if keeping is not None else window.session.document.history
        for name, word, label in (("edit.undo", "Undo", history.undo_label), ("edit.redo", "Redo", history.redo_label)):
            entry = self.actions[name]
            entry.setText(f"{word} {label}" if label else word)
            entry.setToolTip(f"{word} {label or ''} ({by_id(name).keys[0]})")
            entry.setEnabled(label is not None)

    def _show_text_verbs(self) -> None:
        """The Edit menu of a text that has the focus."""
        text = focused_text()
        if text is None:
            return
        for name in VERBS:
            self.actions[name].setEnabled(can(text, name))
        for name in ("edit.undo", "edit.redo"):
            self.actions[name].setText(by_id(name).text)

    def _show_view_actions(self) -> None:
        """What can be done in the view in front, at the end of its menu."""
        menu = self.by_title["Geometry"]
        for old in self._of_view:
            menu.removeAction(old)
        self._of_view = self.window.vehicles.actions()
        if self._of_view:
            line = menu.addSeparator()
            assert line is not None
            menu.addActions(self._of_view)
            self._of_view = [line, *self._of_view]

    def open_layouts(self) -> None:
        """Above the status bar, where the name of the current one is."""
        name = self.window.status.layout_name
        self.layouts.popup(name.mapToGlobal(QPoint(0, -self.layouts.sizeHint().height())))
