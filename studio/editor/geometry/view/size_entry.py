"""Numbers typed right after a shape was added are its sizes: `0.6 0.4 0.2` and Enter. Its middle stays where it is; an
obstacle of a world goes on standing on the ground."""

from __future__ import annotations

from dataclasses import replace

from studio.editor.geometry.selection import BodyThing, ShapeThing, Thing
from studio.editor.geometry.view.gestures.moving import number_of
from studio.editor.geometry.view.handled import shape_edit
from studio.editor.geometry.view.stage import Stage
from studio.model.geometry.assembly import Model
from studio.model.geometry.obstacles import with_new_shape, with_sizes
from studio.model.geometry.shapes import Box, Cylinder, Shape, Sphere
from studio.model.geometry.what_if import with_body_at, with_shape
from studio.model.geometry.workspace import On
from studio.model.geometry.world import WorldModel
from studio.model.geometry.world_edits import ChangeInWorld

NAMES: dict[type[Shape], tuple[str, ...]] = {
    Box: ("length", "width", "height"), Cylinder: ("radius", "length"), Sphere: ("radius",)
}  # fmt: skip


class SizeEntry:
    def __init__(self, stage: Stage, thing: Thing) -> None:
        self.stage, self.thing = stage, thing
        self.typed = ""

    @property
    def is_open(self) -> bool:
        """Until something else is selected."""
        return self.stage.selection.current == self.thing and self._shape() is not None

    @property
    def words(self) -> str:
        shape = self._shape()
        names = ", ".join(NAMES[type(shape)]) if shape is not None else ""
        if not self.typed:
            return f"Type {names} with spaces between, in metres, or go on"
        if self._made() is None:
            return f"{self.typed} is not {names}: type numbers above 0 with spaces between · Esc cancels"
        return f"{names[:1].upper()}{names[1:]}: {self.typed} · Enter takes them, Esc cancels"

    def type(self, text: str) -> None:
        """A character of a number, a space, or a backspace."""
        self.typed = self.typed[:-1] if text == "\b" else self.typed + text
        made = self._made()
        self.stage.show_preview(self._would(made) if made is not None else None)

    def end(self) -> bool:
        """False if what was typed cannot be taken."""
        made = self._made()
        if made is None and self.typed:
            return False
        self.stage.show_preview(None)
        if made is not None:
            self.stage.context.do_all("Size", [self._edit(made)])
        return True

    def cancel(self) -> None:
        self.stage.show_preview(None)

    # ---- inside

    def _obstacle(self) -> WorldModel | None:
        workspace, thing = self.stage.workspace, self.thing
        if not workspace.is_world or not isinstance(thing, BodyThing):
            return None
        part = workspace.world().parts().get(thing.body)
        return part if isinstance(part, WorldModel) and len(part.shapes) == 1 else None

    def _shape(self) -> Shape | None:
        obstacle, thing = self._obstacle(), self.thing
        shape: Shape | None = None
        if obstacle is not None:
            shape = obstacle.shapes[0].shape
        elif isinstance(thing, ShapeThing):
            body = self.stage.workspace.assembled.model.bodies.get(thing.body)
            shape = body.shapes[thing.index] if body is not None and thing.index < len(body.shapes) else None
        return shape if type(shape) in NAMES else None

    def _made(self) -> Shape | None:
        """Sizes that are not typed stay; None for what are no sizes."""
        shape, numbers = self._shape(), [number_of(word) for word in self.typed.split()]
        sizes = [each for each in numbers if each is not None and each > 0]
        if shape is None or not sizes or len(sizes) != len(numbers):
            return None
        return with_sizes(shape, sizes)

    def _would(self, made: Shape) -> Model:
        model, obstacle, thing = self.stage.workspace.assembled.model, self._obstacle(), self.thing
        if obstacle is not None:
            drawn = replace(made, pose=model.bodies[obstacle.name].shapes[0].pose)
            there = with_new_shape(obstacle, 0, made).pose
            return with_body_at(with_shape(model, obstacle.name, 0, drawn), obstacle.name, there)
        assert isinstance(thing, ShapeThing)
        return with_shape(model, thing.body, thing.index, made)

    def _edit(self, made: Shape) -> On:
        obstacle, thing = self._obstacle(), self.thing
        if obstacle is not None:
            return On(ChangeInWorld(obstacle.name, with_new_shape(obstacle, 0, made)))
        assert isinstance(thing, ShapeThing)
        return shape_edit(self.stage, thing, made, "size")
