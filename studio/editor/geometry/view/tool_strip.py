"""The tools at the left edge of the view, and what goes with them: snapping, axes, layers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeVar

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QAction, QActionGroup
from PyQt6.QtWidgets import QButtonGroup, QFrame, QMenu, QToolButton, QVBoxLayout

from studio.editor.geometry.view.hands import Axes, Hands, Tool
from studio.editor.geometry.view.look import LAYERS
from studio.editor.geometry.view.snapping import STEPS_DEG, STEPS_M
from studio.editor.geometry.view.stage import Stage
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme

TOOLS: Mapping[Tool, tuple[str, str]] = {
    "select": ("mdi6.cursor-default", "Select (Esc)"),
    "move": ("mdi6.cursor-move", "Move along an axis (G)"),
    "rotate": ("mdi6.rotate-orbit", "Turn about an axis (R)"),
    "size": ("mdi6.resize", "Size along an axis (E)"),
    "wall": ("mdi6.wall", "Draw a wall, corner by corner (W)"),
    "mount": ("mdi6.vector-link", "Mount: drag a frame onto a frame of another body (M)"),
    "measure": ("mdi6.ruler", "Measure between two frames (Shift+M)"),
    "section": ("mdi6.scissors-cutting", "Cut it open to look inside"),
}
NOT_IN_WORLDS: tuple[Tool, ...] = ("mount",)
ONLY_IN_WORLDS: tuple[Tool, ...] = ("wall",)
STRIP_WIDTH = 40
AXES_WORDS: list[tuple[str, Axes]] = [
    ("Own axes", "body"),
    ("Axes of the whole", "world"),
    ("Axes of a frame that you click…", "chosen"),
]
V = TypeVar("V")


class ToolStrip(QFrame):
    def __init__(self, stage: Stage, hands: Hands, theme: Theme) -> None:
        super().__init__()
        self.stage, self.hands = stage, hands
        self.setObjectName("viewTools")
        self.setFixedWidth(STRIP_WIDTH)
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        column.setSpacing(2)
        self._icons: dict[QToolButton, str] = {}
        self.fill_adding: Callable[[QMenu], None] = lambda menu: None
        """What can be added; set by who knows the commands."""
        where = "the world" if stage.workspace.is_world else "the selected body"
        column.addWidget(self._menu("mdi6.plus-box-outline", f"Add to {where}", lambda menu: self.fill_adding(menu)))
        group = QButtonGroup(self)
        self.buttons: dict[Tool, QToolButton] = {}
        left_out = NOT_IN_WORLDS if stage.workspace.is_world else ONLY_IN_WORLDS
        for tool, (picture, words) in TOOLS.items():
            if tool in left_out:
                continue
            button = self.buttons[tool] = self._button(picture, words)
            button.setCheckable(True)
            button.clicked.connect(lambda _, tool=tool: hands.take_tool(tool))
            group.addButton(button)
            column.addWidget(button)
        for picture, words, fill in (
            ("mdi6.magnet", "Snapping", self._fill_snap),
            ("mdi6.axis-arrow", "Axes and origin of the handles", self._fill_axes),
            ("mdi6.eye-check-outline", "Choose what to draw", self._fill_layers),
        ):
            column.addWidget(self._menu(picture, words, fill))
        self.show_theme(theme)
        self.refresh()

    def refresh(self) -> None:
        button = self.buttons[self.hands.tool]
        if not button.isChecked():
            button.setChecked(True)

    def show_theme(self, theme: Theme) -> None:
        for button, picture in self._icons.items():
            button.setIcon(icon(picture, theme.muted, theme.accent))
        self.setStyleSheet(
            f"#viewTools {{ background: {theme.panel}; border: 1px solid {theme.border}; border-radius: 4px; }}"
            f"#viewTools QToolButton {{ border: none; border-radius: 3px; padding: 4px; }}"
            f"#viewTools QToolButton:hover {{ background: {theme.hover}; }}"
            f"#viewTools QToolButton:checked {{ background: {theme.selection}; border: 1px solid {theme.accent}; }}"
            "#viewTools QToolButton::menu-indicator { image: none; }"
        )

    def _button(self, picture: str, words: str) -> QToolButton:
        button = QToolButton()
        button.setToolTip(words)
        button.setAccessibleName(words)
        button.setIconSize(QSize(18, 18))
        button.setFixedSize(32, 32)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._icons[button] = picture
        return button

    def _menu(self, picture: str, words: str, fill: Callable[[QMenu], None]) -> QToolButton:
        button = self._button(picture, words)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        menu.aboutToShow.connect(menu.clear)
        menu.aboutToShow.connect(partial(fill, menu))
        button.setMenu(menu)
        return button

    # ---- menus

    def _fill_snap(self, menu: QMenu) -> None:
        snap = self.stage.snap
        self._check(menu, "Snap (Ctrl turns it round while you drag)", snap.is_on, lambda on: self._snap(is_on=on))
        self._check(menu, "To other frames", snap.to_frames, lambda on: self._snap(to_frames=on))
        self._check(menu, "To faces", snap.to_faces, lambda on: self._snap(to_faces=on))
        menu.addSection("Steps of length")
        self._choice(
            menu, [(f"{step * 1000:g} mm", step) for step in STEPS_M], snap.step_m, lambda v: self._snap(step_m=v)
        )
        menu.addSection("Steps of angle")
        self._choice(
            menu, [(f"{step:g}°", step) for step in STEPS_DEG], snap.step_deg, lambda v: self._snap(step_deg=v)
        )

    def _snap(self, **changed: bool | float) -> None:
        self.stage.snap = replace(self.stage.snap, **changed)  # type: ignore[arg-type]
        self.stage.snap.kept(self.stage.context.settings)
        self.stage.changed()

    def _fill_axes(self, menu: QMenu) -> None:
        self._choice(menu, AXES_WORDS, self.hands.axes, self.hands.choose_axes)
        menu.addSeparator()
        menu.addAction("Origin at a frame that you click…", self.hands.ask_origin)
        menu.addAction("Origin of the selected thing", self.hands.own_origin)

    def _fill_layers(self, menu: QMenu) -> None:
        for name, words in LAYERS.items():
            shown = name in self.stage.look.layers
            self._check(menu, words, shown, partial(self._layer, name))

    def _layer(self, name: str, on: bool) -> None:
        self.stage.set_look(self.stage.look.with_layer(name, on))

    def _check(self, menu: QMenu, words: str, on: bool, do: Callable[[bool], object]) -> QAction:
        action = menu.addAction(words)
        assert action is not None
        action.setCheckable(True)
        action.setChecked(on)
        action.toggled.connect(do)
        return action

    def _choice(self, menu: QMenu, values: list[tuple[str, V]], now: V, do: Callable[[V], object]) -> None:
        group = QActionGroup(menu)
        for words, value in values:
            action = menu.addAction(words)
            assert action is not None
            action.setCheckable(True)
            action.setChecked(value == now)
            action.triggered.connect(partial(_dropping_state, do, value))
            group.addAction(action)


def _dropping_state(do: Callable[[V], object], value: V, _on: bool) -> None:
    do(value)
