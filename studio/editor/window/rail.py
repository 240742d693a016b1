"""Where the window is narrow, the panels at its left are a rail of icons: the canvas gets the room.

A click on an icon opens its panel beside the rail, another one folds it again. Who has opened one keeps it open, also
the next time; where there is room again, what was folded comes back by itself.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PyQt6.QtCore import QEvent, QObject, QSize, Qt
from PyQt6.QtWidgets import QFrame, QToolButton, QVBoxLayout

from studio.editor.docking.layouts import DEBUG, GAZEBO, GEOMETRY, NARROW
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.window.side_panels import PANELS

if TYPE_CHECKING:
    from studio.editor.window.main_window import MainWindow

WIDTH = 44
PALETTE = "palette"


class RailButton(QToolButton):
    """Has a rule of its own in the style sheet."""


class Rail(QFrame):
    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self.window_ = window
        self.setFixedWidth(WIDTH)
        self.setAccessibleName("Panels at the left")
        self._icons = {PALETTE: ("Palette", "mdi6.puzzle")}
        self._icons |= {each.name: (each.title, each.icon) for each in PANELS if each.beside == PALETTE}
        self.buttons: dict[str, QToolButton] = {}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 8, 4, 8)
        layout.setSpacing(4)
        for name in self._icons:
            button = RailButton()
            button.setCheckable(True)
            button.setIconSize(QSize(20, 20))
            button.setFixedSize(WIDTH - 8, 36)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.clicked.connect(partial(self.toggle, name))
            self.buttons[name] = button
            layout.addWidget(button)
        layout.addStretch(1)
        self.hide()
        window.installEventFilter(self)

    def connect_docks(self) -> None:
        """The docks are there: their panels may be opened and closed by others too."""
        for name in self.buttons:
            self.window_.docks.when_seen(name, self.refresh)
        self.show_theme(self.window_.theme)

    @property
    def is_narrow(self) -> bool:
        return self.window_.width() < NARROW

    def settle(self) -> None:
        """The window has another width, or its panels stand as another layout has them."""
        self.setVisible(self.is_narrow and self.window_.layouts.current not in (GEOMETRY, GAZEBO))
        docks = self.window_.docks
        if not self.is_narrow:
            docks.unfold()
        elif not self._stays_open():
            docks.fold([name for name in self.buttons if not docks.is_closed(name)])
        self.refresh()

    def _stays_open(self) -> bool:
        """By choice; where the stack is what one looks at; and where there is nothing yet but the palette."""
        window = self.window_
        is_empty = window.has_session and not window.session.system.nodes
        return window.settings.left_open or window.layouts.current == DEBUG or is_empty

    def toggle(self, name: str, _: bool = False) -> None:
        """Open a panel in front of the others, or fold them all if it is there."""
        docks = self.window_.docks
        if not self.is_narrow:
            docks.toggle(name)
            return
        is_there = docks.is_in_front(name)
        if is_there:
            docks.fold([each for each in self.buttons if not docks.is_closed(each)])
        else:
            docks.show(name)
            self.window_.layouts.give_columns()
        self.window_.settings.left_open = not is_there
        self.refresh()

    def refresh(self) -> None:
        for name, button in self.buttons.items():
            is_open, title = self.window_.docks.is_in_front(name), self._icons[name][0]
            button.setChecked(is_open)
            words = f"{title}: fold it" if is_open else f"{title}: open it beside the canvas"
            button.setToolTip(words)
            button.setAccessibleName(f"{title}, {'open' if is_open else 'folded'}")

    def show_theme(self, theme: Theme) -> None:
        for name, button in self.buttons.items():
            button.setIcon(icon(self._icons[name][1], theme.muted))

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """The window is made wider or narrower."""
        is_resized = event is not None and event.type() == QEvent.Type.Resize and self.window_.is_furnished
        if is_resized and self.isHidden() == self.is_narrow:
            self.settle()
        return super().eventFilter(watched, event)
