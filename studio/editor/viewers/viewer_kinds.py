"""The sorts of viewers that there are. Each is made by a module that is imported when the first of it is opened."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio.editor.live.feed import Feed
    from studio.editor.look.theme import Theme
    from studio.editor.panels.parts.viewer import Viewer


@dataclass(frozen=True)
class Kind:
    """One sort of viewer; its module is imported when the first one is opened."""

    name: str
    title: str
    icon: str
    make: Callable[[Feed, Theme], Viewer]
    types: frozenset[str] = frozenset()
    """The types of messages for which one opens by itself."""
    module: str = ""
    """What is slow to import, and is imported beside the window's work before one opens by itself."""
    is_wide: bool = False
    """Better below the document than beside it."""
    is_large: bool = False
    """Needs the place of the document itself."""
    also: str = ""
    """Other words that people look for."""

    @property
    def is_imported(self) -> bool:
        """All of it: another thread may be in the middle."""
        module = sys.modules.get(self.module)
        return module is not None and not getattr(module.__spec__, "_initializing", False)


def _kind(
    room: str,
    name: str,
    title: str,
    picture: str,
    *types: str,
    is_wide: bool = False,
    is_large: bool = False,
    also: str = "",
) -> Kind:
    module, class_name = f"studio.editor.panels.{room}.{name}_viewer", f"{name.capitalize()}Viewer"

    def make(feed: Feed, theme: Theme) -> Viewer:
        made: Viewer = getattr(import_module(module), class_name)(feed, theme)
        return made

    return Kind(name, title, picture, make, frozenset(types), module, is_wide, is_large, also)


KINDS: tuple[Kind, ...] = (
    _kind("map", "map", "Map", "mdi6.map", "Map", also="grid terrain goal"),
    _kind("compare", "compare", "Compare maps", "mdi6.set-split", is_large=True, also="difference diff runs"),
    _kind("map", "votes", "Votes", "mdi6.fan", "Vote"),
    _kind("map", "scan", "Laser scan", "mdi6.radar", "Range3d", also="lidar range"),
    _kind("plot", "plot", "Plot", "mdi6.chart-line", "Float64", also="chart curve graph"),
    _kind("data", "image", "Image", "mdi6.image", "Image", "CompressedImage", also="camera picture"),
    _kind("data", "scene", "3-D scene", "mdi6.cube-scan", also="3d world view"),
    _kind("data", "message", "Message", "mdi6.code-json", also="echo value"),
    _kind("data", "states", "States over time", "mdi6.timeline-clock", is_wide=True, also="life-cycle timeline"),
    _kind("data", "causality", "Causality", "mdi6.call-split", is_wide=True, also="cause causes why latency effect"),
    _kind("data", "publish", "Publish", "mdi6.message-draw", also="send"),
    _kind("data", "teleop", "Drive", "fa6s.gamepad", also="teleop joystick gamepad keyboard"),
    _kind("data", "topics", "Topics", "mdi6.access-point", is_wide=True, also="rate bandwidth messages"),
    _kind("player", "player", "LogPlayer", "fa6s.database", is_wide=True, also="replay recording bag mcap seek"),
)


def kind_called(name: str) -> Kind:
    return next(kind for kind in KINDS if kind.name == name)
