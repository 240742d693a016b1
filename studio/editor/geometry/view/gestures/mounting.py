"""Mounting: a frame is dragged onto a frame of another body, which shows the vehicle as it would be.

On release one of six alternatives is chosen and confirmed; the edit is done by that, so Esc costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from studio.editor.geometry.selection import FrameThing, Thing
from studio.editor.geometry.view.gestures.gesture import Spot
from studio.editor.geometry.view.picking import pick_point, points_near
from studio.editor.geometry.view.stage import Stage
from studio.errors import StudioError
from studio.model.geometry.arrange import ALTERNATIVES, Alternative, hanging_on, mount
from studio.model.geometry.assembly import Assembly, Constraint, FrameName, Model
from studio.model.geometry.linkage import Part
from studio.model.geometry.what_if import with_constraint

NEAR_PX = 18.0


@dataclass(frozen=True)
class Offer:
    """A frame on a frame: what is left to choose is how it is turned."""

    carried: FrameThing
    carrier: FrameThing

    def would(self, model: Model, alternative: Alternative) -> Model:
        old = hanging_on(model, self.carried.body)
        name = old.name if old is not None else "mount"
        made = Constraint(name, FrameName(*_pair(self.carrier)), FrameName(*_pair(self.carried)), alternative.pose)
        placed = {body: pose for body, pose in model.placed.items() if old is not None or body != self.carried.body}
        return with_constraint(replace(model, placed=placed), made, name)


class MountGesture:
    def __init__(self, stage: Stage, carried: FrameThing) -> None:
        self.stage, self.carried = stage, carried
        self._model = stage.workspace.assembled.model
        self.fitting = fitting_frames(stage, carried)
        self.offer: Offer | None = None
        self.mouse: tuple[float, float] | None = None
        self._points = [each for each in stage.drawing.pickable.points if each.thing in self.fitting]

    @property
    def words(self) -> str:
        if self.offer is not None:
            return f"Mount {self.carried} on {self.offer.carrier} · release to choose how it is turned"
        if not self.fitting:
            return f"No frame is free for {self.carried}: each takes one constraint"
        return f"Drag {self.carried} onto a frame of another body · Esc cancels"

    def move(self, spot: Spot) -> None:
        self.mouse = spot.x, spot.y
        found = pick_point(self._points, spot.camera, spot.x, spot.y, *spot.size, NEAR_PX)
        carrier = found.thing if found is not None else None
        if carrier != (self.offer.carrier if self.offer is not None else None):
            self.offer = Offer(self.carried, carrier) if isinstance(carrier, FrameThing) else None
            self.stage.show_preview(self.offer.would(self._model, ALTERNATIVES[0]) if self.offer is not None else None)

    def end(self) -> bool:
        """The strip of alternatives does the edit."""
        return False

    def cancel(self) -> None:
        self.offer = None
        self.stage.show_preview(None)


def mountable(stage: Stage, spot: Spot) -> FrameThing | None:
    """The frame below the mouse that has somewhere to go; where several are in one place, that of what is selected."""
    near = points_near(stage.drawing.pickable.points, spot.camera, spot.x, spot.y, *spot.size)
    frames = [hit.thing for hit in near if isinstance(hit.thing, FrameThing)]
    chosen = getattr(stage.selection.current, "body", "")
    fitting = [each for each in frames if fitting_frames(stage, each)]
    return next((each for each in fitting if each.body == chosen), next(iter([*fitting, *frames]), None))


def fitting_frames(stage: Stage, carried: FrameThing) -> set[Thing]:
    """Frames of bodies that do not hang on this one, but for those by which these bodies hang themselves."""
    model = stage.workspace.assembled.model
    own = hanging_on(model, carried.body)
    bound = {end for each in model.constraints if each is not own for end in (each.start, each.end)}
    if FrameName(*_pair(carried)) in bound:
        return set()
    below = {part.body for part in stage.description.below(Part(carried.body))}
    hanging = {body: hanging_on(model, body, stage.description.linkage) for body in model.bodies}
    taken = {end for body, each in hanging.items() if each for end in (each.start, each.end) if end.body == body}
    return {
        FrameThing(name, frame.name)
        for name, body in model.bodies.items()
        if name not in below
        for frame in body.frames
        if FrameName(name, frame.name) not in taken
    }


def do_mount(stage: Stage, offer: Offer, alternative: Alternative) -> bool:
    """As one step of undo, in the file that was opened."""
    assembly = stage.workspace.value()
    stage.show_preview(None)
    if not isinstance(assembly, Assembly):
        stage.context.say("A single body has nothing to mount on: open an assembly", trouble=True)
        return False
    try:
        made = mount(
            stage.workspace.assembled.model,
            assembly,
            FrameName(*_pair(offer.carried)),
            FrameName(*_pair(offer.carrier)),
            alternative.pose,
        )
    except StudioError as error:
        stage.context.say(str(error), trouble=True)
        return False
    return stage.context.do_all(made.label, made.edits)


def _pair(thing: FrameThing) -> tuple[str, str]:
    return thing.body, thing.frame
