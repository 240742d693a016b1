"""From mouse and keys to gestures: which tool is in the hand, and what a press, a move, a release and a key do with it.

Shared by all canvases of one vehicle, so that a gesture that began in one goes on in another. No widgets in here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from studio.editor.geometry.selection import BodyThing, FrameThing, Pick, ShapeThing, Thing, VehicleThing
from studio.editor.geometry.view.gestures.camera import OrbitGesture, PanGesture
from studio.editor.geometry.view.gestures.drawing_in import Drawn, WallLine
from studio.editor.geometry.view.gestures.gesture import Gesture, Spot
from studio.editor.geometry.view.gestures.mounting import MountGesture, Offer, mountable
from studio.editor.geometry.view.gestures.moving import TransformGesture
from studio.editor.geometry.view.gestures.section import (
    SectionGesture,
    section_at,
    section_axis,
    section_gizmo,
)
from studio.editor.geometry.view.gizmo import Gizmo, Handle, Kind
from studio.editor.geometry.view.handled import Handled, handled, place_of
from studio.editor.geometry.view.picking import Hit
from studio.editor.geometry.view.size_entry import SizeEntry
from studio.editor.geometry.view.sized import sized
from studio.editor.geometry.view.stage import Stage

Tool = Literal["select", "move", "rotate", "size", "wall", "mount", "measure", "section"]
Axes = Literal["body", "world", "chosen"]
Button = Literal["left", "middle", "right"]
DRAG_PX = 4.0
WORDS: dict[Tool, str] = {
    "select": "Click selects, Ctrl adds · drag to orbit, Shift or the right button to pan, the wheel zooms",
    "move": "Drag an arrow, or press X, Y or Z and type a distance",
    "rotate": "Drag a ring, or press X, Y or Z and type an angle",
    "size": "Drag a handle, or press X, Y or Z and type a size",
    "wall": "Click where the wall begins",
    "mount": "Drag a frame onto a frame of another body",
    "measure": "Click two frames to measure between them",
    "section": "Drag the arrow to cut the vehicle open · X, Y, Z choose the axis, Esc closes it",
}


@dataclass
class Press:
    """A button that is down, and what may still become of it."""

    button: Button
    x: float
    y: float
    adds: bool
    pans: bool
    handle: Handle | None
    hit: Hit | None
    carried: FrameThing | None
    """With the tool that mounts: what would be dragged."""


@dataclass(frozen=True)
class FaceQuestion:
    """The next click on a face is for this."""

    words: str
    take: Callable[[Hit], object]


class Hands:
    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.tool: Tool = "select"
        self.axes: Axes = "body"
        self.chosen_axes: Thing | None = None
        self.origin: np.ndarray | None = None
        """Of the gizmo, chosen by a click; None for that of the thing."""
        self.handle: Handle | None = None
        """Below the mouse."""
        self.gesture: Gesture | None = None
        self.is_modal = False
        """The gesture follows the mouse without a button, until a click or Enter."""
        self.face_question: FaceQuestion | None = None
        self.drawn: Drawn | None = None
        """What clicks draw into a world just now."""
        self._entry: SizeEntry | None = None
        self.offered: Callable[[Offer, float, float], object] = lambda offer, x, y: None
        self.menu: Callable[[Hit | None, float, float], object] = lambda hit, x, y: None
        self._press: Press | None = None
        self._for: Thing | None = None

    # ---- what is said and shown

    @property
    def words(self) -> str:
        pick = self.stage.selection.pick
        if self.gesture is not None:
            return self.gesture.words
        if self.drawn is not None:
            return self.drawn.words
        if self.entry is not None:
            return self.entry.words
        if self.face_question is not None:
            return self.face_question.words
        return f"{pick.words} · Esc gives up" if pick is not None else WORDS[self.tool]

    def gizmo(self) -> Gizmo | None:
        """For what is selected, with a tool that moves things."""
        if isinstance(self.gesture, TransformGesture):
            return self.gesture.gizmo_now
        if self.tool == "section" and self.stage.look.section is not None:
            return section_gizmo(self.stage)
        if self.tool not in ("move", "rotate", "size") or self.gesture is not None:
            return None
        return self.gizmo_of((self.tool,))

    def held(self, kind: Kind) -> Handled | None:
        """What is selected, if it can be moved, turned or sized."""
        thing = self.stage.selection.current
        return sized(self.stage, thing) if kind == "size" else handled(self.stage, thing)

    def gizmo_of(self, kinds: tuple[Kind, ...]) -> Gizmo | None:
        thing = self.stage.selection.current
        if thing != self._for:
            self._for, self.origin = thing, None
        held = self.held(kinds[0])
        if held is None:
            return None
        is_own = held.sizes is not None
        frame = np.eye(4)
        frame[:3, :3] = held.pivot[:3, :3] if is_own else self._turn_of(held.pivot)
        frame[:3, 3] = held.pivot[:3, 3] if self.origin is None or is_own else self.origin
        return Gizmo(frame, kinds)

    def _turn_of(self, own: np.ndarray) -> np.ndarray:
        if self.axes == "world":
            return np.eye(3)
        chosen = place_of(self.stage, self.chosen_axes) if self.axes == "chosen" and self.chosen_axes else None
        return np.asarray((own if chosen is None else chosen)[:3, :3])

    # ---- tools

    def take_tool(self, tool: Tool) -> None:
        self.cancel()
        self.tool, self.handle = tool, None
        if tool == "wall":
            self.drawn = WallLine(self.stage)
        if tool == "section" and self.stage.look.section is None:
            self.stage.set_look(replace(self.stage.look, section=section_at(1, float(self.stage.centre[1]))))
        if tool == "measure":
            self.stage.context.show_panel("geometry_measure")
        self._changed()

    def draw(self, drawn: Drawn) -> None:
        """The next clicks are for this."""
        self.take_tool("select")
        self.drawn = drawn
        self._changed()

    @property
    def entry(self) -> SizeEntry | None:
        """Of a shape that was just added: numbers that are typed are its sizes."""
        if self._entry is not None and not self._entry.is_open:
            self._entry = None
        return self._entry

    def ask_sizes(self) -> None:
        """Of what is selected, if it has sizes."""
        self._entry = SizeEntry(self.stage, self.stage.selection.current) if self.stage.selection.current else None
        self._changed()

    def _drop_entry(self) -> None:
        if self.entry is not None:
            self.entry.cancel()
            self._entry = None

    def ask_face(self, words: str, take: Callable[[Hit], object]) -> None:
        self.cancel()
        self.face_question = FaceQuestion(words, take)
        self._changed()

    def choose_axes(self, axes: Axes) -> None:
        """`chosen` asks for the thing whose axes they are."""
        if axes == "chosen":
            self.stage.selection.ask(
                Pick("Click the frame whose axes to use", (FrameThing, BodyThing), self._take_axes)
            )
        else:
            self.axes = axes
        self._changed()

    def _take_axes(self, thing: Thing) -> None:
        self.axes, self.chosen_axes = "chosen", thing
        self._changed()

    def ask_origin(self) -> None:
        words = "Click the frame to move and turn about"
        self.stage.selection.ask(Pick(words, (FrameThing, BodyThing), self._take_origin))

    def _take_origin(self, thing: Thing) -> None:
        pose = place_of(self.stage, thing)
        self._for = self.stage.selection.current
        self.origin = None if pose is None else pose[:3, 3].copy()
        self._changed()

    def own_origin(self) -> None:
        self.origin = None
        self._changed()

    # ---- the mouse

    def press(self, spot: Spot, button: Button, *, adds: bool = False, pans: bool = False) -> None:
        if self.gesture is not None:
            return
        self._drop_entry()
        gizmo = self.gizmo()
        at = (spot.x, spot.y, spot.camera, *spot.size)
        handle = gizmo.at(*at) if gizmo is not None and button == "left" else None
        if handle is not None and self.tool == "section" and handle.axis != section_axis(self.stage):
            handle = None
        hit = spot.hit() if button != "middle" else None
        carried = mountable(self.stage, spot) if self.tool == "mount" and button == "left" else None
        self._press = Press(button, spot.x, spot.y, adds, pans, handle, hit, carried)

    def move(self, spot: Spot) -> None:
        if self.gesture is not None:
            self.gesture.move(spot)
            self._changed()
        elif self._press is None and self.drawn is not None:
            self.drawn.move(spot)
            self._changed()
        elif self._press is None:
            self._hover(spot)
        elif abs(spot.x - self._press.x) + abs(spot.y - self._press.y) >= DRAG_PX:
            self.gesture = self._begun(self._press, spot)
            self._changed()

    def release(self, spot: Spot) -> None:
        press, self._press = self._press, None
        if self.is_modal:
            if press is not None or self.gesture is not None:
                self.finish(spot)
        elif self.gesture is not None:
            self.gesture.move(spot)
            self.finish(spot)
        elif press is not None and self.drawn is not None and press.button == "left":
            self._draw_on(spot)
        elif press is not None:
            self._click(press)

    def _draw_on(self, spot: Spot) -> None:
        """A click for what is being drawn. A wall is followed by the next one, anything else by nothing."""
        drawn = self.drawn
        if drawn is not None and drawn.click(spot):
            self.drawn = WallLine(self.stage) if self.tool == "wall" else None
            if self.drawn is None:
                self.ask_sizes()
        self._changed()

    def _begun(self, press: Press, spot: Spot) -> Gesture:
        self.stage.selection.hover(None)
        if press.button == "left" and not press.pans:
            if press.handle is not None:
                made = self._with_handle(press.handle, spot)
                if made is not None:
                    return made
            elif self.tool == "mount" and press.carried is not None:
                return MountGesture(self.stage, press.carried)
            return OrbitGesture(self.stage, spot)
        return PanGesture(self.stage, spot)

    def _with_handle(self, handle: Handle, spot: Spot) -> Gesture | None:
        if self.tool == "section":
            return SectionGesture(self.stage, spot, section_axis(self.stage))
        held = self.held(handle.kind)
        gizmo = self.gizmo_of((handle.kind,))
        return (
            TransformGesture(self.stage, held, gizmo, handle, spot) if held is not None and gizmo is not None else None
        )

    def _hover(self, spot: Spot) -> None:
        gizmo = self.gizmo()
        handle = gizmo.at(spot.x, spot.y, spot.camera, *spot.size) if gizmo is not None else None
        hit = None if handle is not None else spot.hit()
        self.stage.selection.hover(self.meant(hit))
        if handle != self.handle:
            self.handle = handle
            self._changed()

    def _click(self, press: Press) -> None:
        if press.button == "right":
            self.menu(press.hit, press.x, press.y)
        elif press.button == "left" and press.handle is None:
            self._choose(press)

    def _choose(self, press: Press) -> None:
        selection = self.stage.selection
        if self.face_question is not None:
            self._answer_face(press.hit)
            return
        thing = self.meant(press.hit)
        if thing is None:
            if selection.pick is None and not press.adds:
                selection.choose()
        elif press.adds or (self.tool == "measure" and selection.pick is None and len(selection.selected) == 1):
            selection.toggle(thing)
        else:
            selection.choose(thing)

    def _answer_face(self, hit: Hit | None) -> None:
        if hit is None or hit.normal is None or self.face_question is None:
            self.stage.context.say("That is not a face: click the side of a shape")
            return
        question, self.face_question = self.face_question, None
        question.take(hit)
        self._changed()

    def meant(self, hit: Hit | None) -> Thing | None:
        """A face stands for its body; for itself when the body is selected already. A question decides for itself."""
        if hit is None:
            return None
        thing, selection = hit.thing, self.stage.selection
        if selection.pick is not None:
            return fitting(thing, selection.pick.kinds)
        if isinstance(thing, ShapeThing) and not self.stage.workspace.is_body:
            body = BodyThing(thing.body)
            if self._is_one(thing.body) or self._is_inner(thing):
                return body
            inside = selection.current in (body, thing) or (
                isinstance(selection.current, ShapeThing) and selection.current.body == thing.body
            )
            return thing if inside else body
        return thing

    def _is_one(self, body: str) -> bool:
        """In a world: an obstacle of one shape, or a vehicle where it starts."""
        workspace = self.stage.workspace
        part = workspace.world().parts().get(body) if workspace.is_world else None
        return part is not None and len(getattr(part, "shapes", ())) <= 1

    def _is_inner(self, thing: ShapeThing) -> bool:
        """In a world: of a model in a model, which is not edited by itself."""
        workspace = self.stage.workspace
        part = workspace.world().parts().get(thing.body) if workspace.is_world else None
        return part is not None and thing.index >= len(getattr(part, "shapes", ()))

    # ---- keys

    def begin(self, kind: Kind, axis: int | None = None) -> bool:
        """G, R or E: what is selected follows the mouse until a click; with an axis at once if there is one."""
        self._drop_entry()
        held = self.held(kind)
        gizmo = self.gizmo_of((kind,))
        if held is None or gizmo is None:
            sizeable = "a box, a cylinder or a sphere"
            movable = "an obstacle or a place" if self.stage.workspace.is_world else "a body or a part of one"
            self.stage.context.say(f"Select what to {kind}: {sizeable if kind == 'size' else movable}")
            return False
        self.tool = kind
        handle = Handle(kind, 2 if axis is None and kind != "move" else axis)
        self.gesture = TransformGesture(self.stage, held, gizmo, handle, None)
        self.is_modal = True
        self._changed()
        return True

    def choose_axis(self, axis: int) -> bool:
        if isinstance(self.gesture, TransformGesture):
            self.gesture.choose(Handle(self.gesture.handle.kind, axis))
        elif self.tool == "section" and self.gesture is None:
            at = float(self.stage.centre[axis])
            self.stage.set_look(replace(self.stage.look, section=section_at(axis, at)))
        elif self.tool in ("move", "rotate", "size") and self.gesture is None:
            return self.begin(self.tool, axis)
        else:
            return False
        self._changed()
        return True

    def type(self, text: str) -> bool:
        """A character of a number; a backspace takes one away, or the last corner of a wall."""
        if text == "\b" and self.drawn is not None:
            self.drawn.back()
            self._changed()
            return True
        if self.entry is not None and self.gesture is None:
            self.entry.type(text)
            self._changed()
            return True
        if not isinstance(self.gesture, TransformGesture):
            return False
        typed = self.gesture.typed
        self.gesture.type(typed[:-1] if text == "\b" else typed + text)
        self._changed()
        return True

    def nudge(self, right: int, up: int, deep: int, spot: Spot) -> bool:
        """Along the axes of the gizmo that lie best in these directions of the picture; one step of undo for each."""
        self._drop_entry()
        kind: Kind = self.tool if self.tool in ("rotate", "size") else "move"
        held = self.held(kind)
        gizmo = self.gizmo_of((kind,))
        if held is None or gizmo is None or self.gesture is not None:
            return False
        across, above, back = spot.camera.axes()
        axis, sign = self._nearest_axis(gizmo, across * right + above * up - back * deep)
        if kind == "rotate":  # to the right turns about what points up
            axis, sign = self._nearest_axis(gizmo, above * right - across * up - back * deep)
        gesture = TransformGesture(self.stage, held, gizmo, Handle(kind, axis), None)
        gesture.nudge(sign * (0.1 if spot.is_slow else 1.0))
        gesture.end()
        self._changed()
        return True

    def _nearest_axis(self, gizmo: Gizmo, way: np.ndarray) -> tuple[int, float]:
        facing = gizmo.frame[:3, :3].T @ way
        axis = int(np.argmax(np.abs(facing)))
        return axis, float(np.sign(facing[axis]))

    def finish(self, spot: Spot | None = None) -> bool:
        """Enter, or the release of the button."""
        if self.drawn is not None:
            self.drawn.end()
            self.drawn = WallLine(self.stage) if self.tool == "wall" else None
            self._changed()
            return True
        if self.entry is not None and self.gesture is None:
            if self.entry.end():
                self._entry = None
            self._changed()
            return True
        gesture, self.gesture, self.is_modal = self.gesture, None, False
        if gesture is None:
            return False
        if isinstance(gesture, MountGesture) and gesture.offer is not None:
            x, y = gesture.mouse or (0.0, 0.0)
            self.offered(gesture.offer, x, y)
        elif isinstance(gesture, MountGesture):
            gesture.cancel()
        else:
            gesture.end()
        self._changed()
        return True

    def cancel(self) -> bool:
        """Escape: the innermost of what is going on ends."""
        if self.gesture is not None:
            gesture, self.gesture, self.is_modal, self._press = self.gesture, None, False, None
            gesture.cancel()
        elif self.drawn is not None:
            self.drawn.cancel()
            self.drawn = None
            self.tool = "select" if self.tool == "wall" else self.tool
        elif self.entry is not None and self.entry.typed:
            self._drop_entry()
        elif self.face_question is not None:
            self.face_question = None
        elif self.stage.selection.pick is not None:
            self.stage.selection.give_up_pick()
        else:
            return False
        self._changed()
        return True

    def let_go(self) -> bool:
        """Escape when nothing is going on: back to the first tool, then nothing is selected."""
        if self.stage.look.section is not None and self.tool == "section":
            self.stage.set_look(replace(self.stage.look, section=None))
        if self.tool != "select":
            self.take_tool("select")
        elif self.stage.selection.selected:
            self.stage.selection.choose()
        else:
            return False
        return True

    def _changed(self) -> None:
        self.stage.changed()


def fitting(thing: Thing, kinds: tuple[type, ...]) -> Thing | None:
    """The thing itself, or its body, or the vehicle, whichever is asked for."""
    if isinstance(thing, kinds):
        return thing
    body = getattr(thing, "body", "")
    if body and BodyThing in kinds:
        return BodyThing(body)
    return VehicleThing() if VehicleThing in kinds else None
