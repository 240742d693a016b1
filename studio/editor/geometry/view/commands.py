"""What can be done in the view besides dragging: actions for menus, keys and palette, and the context menu."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from PyQt6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PyQt6.QtGui import QAction, QDropEvent
from PyQt6.QtWidgets import QMenu, QWidget

from studio.editor.geometry import thing_edits
from studio.editor.geometry.panels.array_dialog import ask_for_array
from studio.editor.geometry.panels.mirror_dialog import mirror_body
from studio.editor.geometry.panels.new_parts import NEW_PARTS, NewPart, add_new_part
from studio.editor.geometry.panels.wheels_dialog import ask_for_wheels
from studio.editor.geometry.protocols import Context
from studio.editor.geometry.selection import BodyThing, ConstraintThing, FrameThing, Thing, VehicleThing
from studio.editor.geometry.view.canvas import Canvas
from studio.editor.geometry.view.face_frames import FaceFrame, NameField
from studio.editor.geometry.view.gestures.drawing_in import Placing, add_part
from studio.editor.geometry.view.hands import Hands
from studio.editor.geometry.view.picking import Hit
from studio.editor.geometry.view.stage import Stage
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.views.scene.camera import PRESETS, Preset
from studio.errors import StudioError
from studio.model.geometry.arrange import Arrangement, free_name, mount_new
from studio.model.geometry.assembly import FrameName, Member
from studio.model.geometry.body_xml import read_body
from studio.model.geometry.edits import AddBody
from studio.model.geometry.library import Library
from studio.model.geometry.obstacles import OBSTACLES, new_ground, new_obstacle, new_place
from studio.model.geometry.tidy_poses import tidy
from studio.model.geometry.workspace import On
from studio.model.geometry.world_vehicles import START, place_of_vehicle


class Owner(Protocol):
    """Of the view."""

    context: Context
    stage: Stage
    hands: Hands
    canvases: list[Canvas]

    @property
    def canvas(self) -> Canvas: ...
    def fit(self) -> None: ...
    def show_joints(self, on: bool) -> None: ...


TABLE: tuple[tuple[str, str, str, str, str], ...] = (
    # name, text, tooltip, icon, key
    ("fit", "Fit", "Show all of the vehicle", "mdi6.fit-to-page-outline", "F"),
    ("iso", "From behind, above and right", "Look from behind, above and right", "mdi6.cube-outline", "I"),
    ("top", "From above", "Look from above, x to the right", "mdi6.arrow-down-bold-box-outline", "T"),
    ("side", "From the right", "Look from the right side", "mdi6.arrow-left-bold-box-outline", "S"),
    ("ahead", "From the front", "Look from ahead", "mdi6.arrow-right-bold-box-outline", "A"),
    ("flat", "Orthographic", "Switch between perspective and orthographic", "mdi6.perspective-less", "P"),
    ("mount", "Mount by dragging", "Drag a frame onto a frame of another body", "mdi6.vector-link", "M"),
    ("measure", "Measure", "Measure between two frames", "mdi6.ruler", "Shift+M"),
    ("section", "Section plane", "Cut the vehicle open to look inside", "mdi6.scissors-cutting", "C"),
    ("hide", "Hide", "Hide the selected bodies", "mdi6.eye-off-outline", "H"),
    ("isolate", "Isolate", "Hide all bodies but the selected ones", "mdi6.image-filter-center-focus", "Shift+H"),
    ("show", "Show all", "Show all bodies, none transparent", "mdi6.eye-outline", "Alt+H"),
    ("glass", "Transparent", "See through the selected bodies", "mdi6.circle-opacity", "B"),
    ("joints", "Joint sliders", "Move joints within their limits", "mdi6.tune", "J"),
    ("face", "Frame on a face", "Click a face: a frame with +Z along its normal", "mdi6.axis-arrow", "Shift+A"),
    ("detach", "Detach", "Remove the mount of the selected body; it stays where it is", "mdi6.link-off", ""),
    ("root", "Make root", "All other bodies hang on the selected one", "mdi6.anchor", ""),
    ("mirror", "Mirror", "Copy the body to the other side: left and right, or front and rear",
     "mdi6.flip-horizontal", "Ctrl+Shift+M"),
    ("across", "Mirror across…", "Choose the plane of the mirror", "mdi6.flip-horizontal", ""),
    ("duplicate", "Duplicate", "Copy selection", "mdi6.content-duplicate", "Ctrl+D"),
    ("array", "Array…", "Repeat the selected body in a line or circle", "mdi6.dots-grid", ""),
)  # fmt: skip
WORLD_TABLE: tuple[tuple[str, str, str, str, str], ...] = (
    ("box", "Add box", "Click to place a box", "mdi6.cube-outline", "Shift+B"),
    ("cylinder", "Add cylinder", "Click to place a cylinder", "mdi6.cylinder", "Shift+C"),
    ("sphere", "Add sphere", "Click to place a sphere", "mdi6.sphere", "Shift+O"),
    ("wall", "Draw wall", "Click its corners, Enter ends it", "mdi6.wall", "W"),
    ("start", "Add start", "Click where a vehicle starts", "mdi6.flag-outline", "Shift+S"),
    ("robot", "Add robot…", "Choose a vehicle, and click where it starts", "mdi6.car-outline", "Shift+V"),
    ("ground", "Add ground", "A plane without an end", "mdi6.grid", ""),
)
"""Only in worlds."""
BODY_TABLE: tuple[tuple[str, str, str, str, str], ...] = (
    ("box", "Add box", "Add a box to the selected body", "mdi6.cube-outline", "Shift+B"),
    ("cylinder", "Add cylinder", "Add a cylinder to the selected body", "mdi6.cylinder", "Shift+C"),
    ("sphere", "Add sphere", "Add a sphere to the selected body", "mdi6.sphere", "Shift+O"),
    ("wheels", "Add four wheels…", "With joints, tyres and drive", "mdi6.tire", "Shift+W"),
    ("laser", "Add laser", "Add a laser to the selected body, on top of it", "mdi6.radar", "Shift+L"),
)
"""Not in worlds."""
OF_VEHICLES = ("mount", "joints", "face", "detach", "root", "mirror", "across", "array")
VIEWS = ("iso", "top", "side", "ahead")


class Commands:
    def __init__(self, view: Owner) -> None:
        self.view = view
        self.stage, self.context, self.hands = view.stage, view.context, view.hands
        self.by_name: dict[str, QAction] = {}
        self.is_world = self.context.workspace.is_world
        vehicle = tuple(each for each in TABLE if not self.is_world or each[0] not in OF_VEHICLES)
        self._rows = (*(WORLD_TABLE if self.is_world else BODY_TABLE), *vehicle)
        does = self._table()
        for name, text, words, _, key in self._rows:
            action = QAction(text)
            action.setToolTip(f"{words}: {key}" if key else words)
            action.setStatusTip(words)
            if key:
                action.setShortcut(key)
                action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            action.setCheckable(name in ("joints", "flat"))
            action.triggered.connect(does[name])
            self.by_name[name] = action
        self.name_field: NameField | None = None
        self.show_theme(self.context.theme)

    @property
    def all(self) -> list[QAction]:
        return list(self.by_name.values())

    def show_theme(self, theme: Theme) -> None:
        for name, _, _, picture, _ in self._rows:
            self.by_name[name].setIcon(icon(picture, theme.muted))

    def _table(self) -> Mapping[str, Callable[[bool], object]]:
        view, hands = self.view, self.hands
        of_kind = self._table_of_world() if self.is_world else self._table_of_bodies()
        made: dict[str, Callable[[bool], object]] = of_kind | {
            name: partial(self._look, preset) for name, preset in zip(VIEWS, PRESETS, strict=True)
        }
        return made | {
            "fit": lambda _: view.fit(),
            "flat": self.set_flat,
            "mount": lambda _: hands.take_tool("mount"),
            "measure": lambda _: hands.take_tool("measure"),
            "section": lambda _: self.section(),
            "hide": lambda _: self.hide(),
            "isolate": lambda _: self.isolate(),
            "show": lambda _: self.show_all(),
            "glass": lambda _: self.glass(),
            "joints": view.show_joints,
            "face": lambda _: self.ask_face(),
            "detach": lambda _: self._to_body(thing_edits.detach),
            "root": lambda _: self._to_body(thing_edits.root_at),
            "mirror": lambda _: self._mirror(ask=False),
            "across": lambda _: self._mirror(ask=True),
            "duplicate": lambda _: self._duplicate(),
            "array": lambda _: self._array(),
        }

    def _table_of_world(self) -> dict[str, Callable[[bool], object]]:
        return {
            **{kind: partial(self._add_obstacle, kind) for kind in OBSTACLES},
            "wall": lambda _: self.hands.take_tool("wall"),
            "start": lambda _: self._add_place(START),
            "robot": lambda _: self.ask_robot(),
            "ground": lambda _: add_part(self.stage, new_ground(self.context.workspace.world())),
        }

    def _table_of_bodies(self) -> dict[str, Callable[[bool], object]]:
        parts = {"box": "Box", "cylinder": "Cylinder", "sphere": "Sphere", "laser": "Laser"}
        made: dict[str, Callable[[bool], object]] = {"wheels": lambda _: self._add_wheels()}
        return made | {name: partial(self._add_to_body, NEW_PARTS[words]) for name, words in parts.items()}

    # ---- what is seen

    def _look(self, preset: Preset, _on: bool) -> None:
        self.view.canvas.look_from(preset)

    def set_flat(self, on: bool) -> None:
        self.view.canvas.camera.is_flat = on
        self.view.canvas.changed()

    def section(self) -> None:
        if self.stage.look.section is None:
            self.hands.take_tool("section")
        else:
            self.stage.set_look(replace(self.stage.look, section=None))
            self.hands.take_tool("select")

    def bodies(self) -> set[str]:
        """Of what is selected."""
        return {body for body in map(_body_of, self.stage.selection.selected) if body}

    def hide(self) -> None:
        if self._needs_body():
            self.stage.selection.hide(self.stage.selection.hidden | self.bodies())

    def isolate(self) -> None:
        if self._needs_body():
            self.stage.selection.hide(set(self.stage.model.bodies) - self.bodies())

    def show_all(self) -> None:
        self.stage.selection.hide(())
        self.stage.set_look(replace(self.stage.look, glass=frozenset()))

    def glass(self) -> None:
        if self._needs_body():
            self.stage.set_look(replace(self.stage.look, glass=self.stage.look.glass ^ self.bodies()))

    def _needs_body(self) -> bool:
        if not self.bodies():
            self.context.say("Select a body first")
        return bool(self.bodies())

    # ---- edits

    def _to_body(self, edits: Callable[[Any, str], Arrangement]) -> None:
        if self._needs_body():
            body = sorted(self.bodies())[0]
            thing_edits.do_arranged(self.context.do_all, self.context.say, lambda: edits(self.context.workspace, body))

    def _duplicate(self) -> None:
        thing = self.stage.selection.current
        if thing is None:
            self.context.say("Select what to duplicate: a body, a frame, a sensor or a shape")
            return
        workspace = self.context.workspace
        thing_edits.do_arranged(self.context.do_all, self.context.say, lambda: thing_edits.duplicate(workspace, thing))

    def _mirror(self, *, ask: bool) -> None:
        if self._needs_body() and not self.context.workspace.is_body:
            mirror_body(self.view.canvas, self.context, sorted(self.bodies())[0], ask=ask)

    def _array(self) -> None:
        if self._needs_body():
            ask_for_array(self.view.canvas, self.context, sorted(self.bodies())[0])

    # ---- parts of a world

    def fill_adding(self, menu: QMenu) -> None:
        """What can be added: to the world, or to the selected body."""
        table = WORLD_TABLE if self.is_world else BODY_TABLE
        menu.addActions([self.by_name[row[0]] for row in table])
        if self.is_world:
            return
        menu.addSeparator()
        shown = {"Box", "Cylinder", "Sphere", "Laser"}
        for words, make in NEW_PARTS.items():
            if words not in shown:
                action = menu.addAction(f"Add {words if words.isupper() else words.lower()}")
                assert action is not None
                action.triggered.connect(partial(self._add_to_body, make))

    def _add_to_body(self, make: NewPart, _on: bool = False) -> None:
        body = self._body_to_add_to()
        if body:
            add_new_part(self.context, body, make)
            self.hands.ask_sizes()
            self.view.canvas.setFocus()

    def _add_wheels(self) -> None:
        body = self._body_to_add_to()
        if body:
            ask_for_wheels(self.view.canvas, self.context, body)

    def _body_to_add_to(self) -> str:
        """The selected one, or the only one."""
        chosen = sorted(self.bodies()) or list(self.stage.model.bodies)
        if len(chosen) == 1:
            return chosen[0]
        self.context.say("Select the body that gets it")
        return ""

    def _add_obstacle(self, kind: str, _on: bool) -> None:
        self.hands.draw(Placing(self.stage, kind, lambda world, at: new_obstacle(world, kind, at)))
        self.view.canvas.setFocus()

    def _add_place(self, name: str) -> None:
        self.hands.draw(Placing(self.stage, "start", lambda world, at: new_place(world, name, at)))
        self.view.canvas.setFocus()

    def ask_robot(self) -> None:
        """Which vehicle it is, is in the name of its place."""
        names = self.context.workspace.vehicles.drivable()
        menu = QMenu(self.view.canvas)
        for name in names:
            action = menu.addAction(icon("mdi6.car-outline", self.context.theme.muted), name)
            assert action is not None
            action.triggered.connect(lambda _=False, name=name: self._add_place(place_of_vehicle(name)))
        canvas = self.view.canvas
        menu.popup(canvas.mapToGlobal(QPoint(canvas.width() // 2, canvas.height() // 3)))

    # ---- a frame on a face

    def ask_face(self) -> None:
        self.hands.ask_face("Click the face where the frame goes: +Z points out of it · Esc cancels", self._take_face)

    def _take_face(self, hit: Hit) -> None:
        """The name is asked for where the frame will be."""
        canvas = self.view.canvas
        made = FaceFrame.on_face(self.stage, hit)
        places, _ = canvas.camera.project(hit.point[None], canvas.width(), canvas.height())
        self.name_field = NameField(canvas, made.name, lambda name: self._add_face_frame(replace(made, name=name)))
        self.name_field.place(QPointF(*places[0]))

    def _add_face_frame(self, made: FaceFrame) -> None:
        if self.context.do(made.edit(), body=made.body):
            self.stage.selection.choose(FrameThing(made.body, made.name))
        self.view.canvas.setFocus()

    # ---- a body from the library

    def place_body(self, file: Path, at: Any = None) -> None:
        """On the free frame below the mouse, else at the point on the ground; `at`: a point of the view."""
        try:
            body, reference = read_body(file), self._reference(file)
            arrangement = self._placed(body.name, [f.name for f in body.frames], reference, at)
        except StudioError as error:
            self.context.say(str(error), trouble=True)
            return
        if self.context.do_all(arrangement.label, arrangement.edits):
            added = next(each.edit for each in arrangement.edits if isinstance(each.edit, AddBody))
            self.stage.selection.choose(BodyThing(added.member.name))

    def _reference(self, file: Path) -> str:
        """As an assembly names it: by its name where the folders of models have it, else by its path."""
        workspace = self.context.workspace
        beside = workspace.main.parent
        for name in (file.name, str(file)):
            try:
                if Library(workspace.roots)._referred(name, "body", workspace.main, None).resolve() == file.resolve():
                    return name
            except StudioError:
                continue
        return str(file.relative_to(beside)) if file.is_relative_to(beside) else str(file)

    def _placed(self, wanted: str, frames: list[str], file: str, at: Any) -> Arrangement:
        assembly = thing_edits.own_assembly(self.context.workspace)
        name = free_name(wanted, {member.name for member in assembly.members})
        carrier = self._carrier(at)
        if carrier is not None and frames:
            edit = mount_new(assembly, name, file, frames[0], FrameName(carrier.body, carrier.frame))
        else:
            pose = np.eye(4)
            if at is not None and not isinstance(at, FrameThing):
                pose[:3, 3] = np.round(np.asarray(at, float), 3)
            edit = AddBody(Member(name, file, tidy(pose)))
        return Arrangement(f"Add {name}", (On(edit),))

    def _carrier(self, at: Any) -> FrameThing | None:
        """The frame that it is dropped on, or that is selected."""
        thing = at if isinstance(at, FrameThing) else self.stage.selection.current if at is None else None
        if not isinstance(thing, FrameThing):
            return None
        used = {end for each in self.stage.model.constraints for end in (each.start, each.end)}
        return thing if FrameName(thing.body, thing.frame) not in used else None

    def dropped(self, canvas: QObject | None, event: QEvent) -> bool:
        """A body file from the library or from a file manager."""
        if not isinstance(canvas, Canvas) or not isinstance(event, QDropEvent):
            return False
        data = event.mimeData()
        urls = data.urls() if data is not None else []
        files = [Path(url.toLocalFile()) for url in urls if url.isLocalFile() and url.toLocalFile().endswith(".xml")]
        if not files or self.context.workspace.is_body or self.is_world:
            return False
        event.acceptProposedAction()
        if event.type() == QEvent.Type.Drop:
            self.place_body(files[0], canvas.under(event.position()))
        return True

    # ---- the menu of a right click

    def menu_at(self, hit: Hit | None, x: float, y: float) -> None:
        thing = self.hands.meant(hit)
        if thing is not None and thing not in self.stage.selection.selected:
            self.stage.selection.choose(thing)
        canvas = self.view.canvas
        menu = self.menu(thing, canvas)
        menu.popup(canvas.mapToGlobal(QPoint(round(x), round(y))))

    def menu(self, thing: Thing | None, parent: QWidget) -> QMenu:
        menu = QMenu(parent)
        groups: list[tuple[str, ...]] = [("fit", *VIEWS, "flat"), ("show", "joints", "section", "face")]
        if self.is_world:
            groups = [tuple(row[0] for row in WORLD_TABLE), *groups]
        if thing is not None and _body_of(thing):
            of_body = ("duplicate", "mirror", "array", "detach", "root")
            own = ("duplicate",) if self.context.workspace.is_body else of_body
            groups = [("hide", "isolate", "glass"), own, *groups]
        for group in groups:
            for name in group:
                if name in self.by_name:
                    menu.addAction(self.by_name[name])
            menu.addSeparator()
        return menu


def _body_of(thing: Thing) -> str:
    return "" if isinstance(thing, VehicleThing | ConstraintThing) else thing.body
