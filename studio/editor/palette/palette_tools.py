"""What the palette has beside components: where data comes from, where it goes, and remarks on the canvas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from PyQt6.QtCore import QPointF
from PyQt6.QtGui import QCursor
from PyQt6.QtWidgets import QMenu

from studio.editor.canvas.interaction.gestures import snapped
from studio.editor.canvas.interaction.insertion import size_of
from studio.editor.canvas.ports import WithCanvas
from studio.editor.log_files.ports import WithLogs
from studio.editor.look.icons import CATEGORY_ICONS, icon
from studio.editor.look.summary import summary
from studio.editor.ports import WithTheme, WithWidget
from studio.editor.project.ports import WithProject
from studio.model.parts import Component
from studio.model.source_making import MakeSource
from studio.model.sources import SourceMode
from studio.model.spec import ComponentSpec
from studio.model.system_edits import AddNode, BringGeometry, Compound

SIMULATOR, PERSON = "simulator", "person"
TOOL_TAGS = (SIMULATOR, PERSON)
"""Components with one of these tags stand among the tools: they are what a robot is tried with, not parts of it."""


class Needs(WithCanvas, WithLogs, WithProject, WithTheme, WithWidget, Protocol):
    """What is taken from the window."""


@dataclass(frozen=True)
class Tool:
    name: str
    title: str
    icon: str
    doc: str
    use: Callable[[Needs, QPointF | None], object]
    """At a point of the canvas; None where there is room."""

    def matches(self, text: str) -> bool:
        """A word with # asks for a tag, and these have none."""
        words = text.casefold().split()
        return all(word in f"{self.title} {self.doc}".casefold() for word in words)


def _add_source(window: Needs, at: QPointF | None) -> None:
    """Who provides it first? Ports come from there, and further providers can be added later."""
    window.canvas.setFocus()
    menu = source_menu(window, at)
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(QCursor.pos())


def source_menu(window: Needs, at: QPointF | None) -> QMenu:
    menu = QMenu(window.widget)
    menu.setToolTipsVisible(True)
    menu.addSection("Its data comes from")
    for spec in window.session.registry.specs():
        if spec.category != "sensor" and SIMULATOR not in spec.tags:
            continue
        entry = menu.addAction(spec.type)
        assert entry is not None
        entry.setIcon(icon(spec.icon or CATEGORY_ICONS[spec.category], window.theme.muted))
        entry.setToolTip(summary(spec.doc))
        entry.triggered.connect(lambda _=False, spec=spec: add_source(window, spec, at))
    return menu


def add_source(window: Needs, spec: ComponentSpec, at: QPointF | None) -> bool:
    """A source with this component behind it, in one step; without a place where nothing else stands."""
    name = window.session.system.free_name(spec.type)
    canvas = window.canvas
    size = size_of(canvas.canvas, name, spec.type)
    place = snapped(at - QPointF(104, 40)) if at is not None else canvas.free_corner(size)
    mode: SourceMode = "simulated" if SIMULATOR in spec.tags else "real"
    edits = (
        AddNode(Component(name, spec.type), (place.x(), place.y())),
        MakeSource(name, mode, spec.ports),
        BringGeometry(spec.assembly),
    )  # fmt: skip
    done = window.session.do(Compound(f"Add the source {name}", edits))
    if done:
        window.canvas.canvas.select([name])
        window.canvas.show_item(name)
    return done


TOOLS: tuple[Tool, ...] = (
    Tool("source", "source", "mdi6.swap-horizontal",
         "A place where data comes from, with a switch on it: real, logged or simulated. "
         "The rest of the system does not see which of them provides it.", _add_source),
    Tool("log_player", "log player", "fa6s.database",
         "Plays a log in place of the sensors, or alone.", lambda window, at: window.logs.ask_open()),
    Tool("recorder", "recorder", "mdi6.record-rec",
         "Writes topics of the running system into a log; a system that does not run is started.",
         lambda window, at: window.logs.ask_record()),
    Tool("note", "note", "mdi6.note-text-outline",
         "Text on the canvas, for the next reader of the system.",
         lambda window, at: window.canvas.commands.add_note(at)),
    Tool("frame", "frame", "mdi6.crop-square",
         "A titled rectangle behind cards that belong together. It moves with the cards inside.",
         lambda window, at: window.canvas.commands.add_frame(at)),
)  # fmt: skip


def use_tool(window: Needs, name: str, at: QPointF | None = None) -> None:
    tool = next(tool for tool in TOOLS if tool.name == name)
    if window.has_session:
        tool.use(window, at)
