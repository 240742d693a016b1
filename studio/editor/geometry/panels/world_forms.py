"""Forms for a world: the world itself, its obstacles and their shapes, and its places."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from studio.editor.geometry.panels.form import Form
from studio.editor.geometry.panels.part_forms import size_fields, use_words
from studio.editor.geometry.protocols import Context
from studio.editor.geometry.selection import ShapeThing, Thing
from studio.editor.geometry.world_things import HEIGHT, THICKNESS, model_of, part_of
from studio.errors import StudioError
from studio.model.geometry.obstacles import WallSize, wall_size, with_new_shape, with_wall_size
from studio.model.geometry.shapes import USES
from studio.model.geometry.world import Heightmap, WorldFrame, WorldInclude, WorldModel, WorldPart, WorldShape
from studio.model.geometry.world_edits import ChangeInWorld, DescribeWorld

EARTH_M_S2 = (0.0, 0.0, -9.81)
USUAL_FRICTION = "Rubber on dry ground has 0.9, wet grass 0.4, ice 0.1. Empty: as the simulator has it"
Rename = Callable[[str], object]


def world_form(form: Form, context: Context, rename: Rename) -> None:
    workspace = context.workspace
    form.title("mdi6.earth", lambda: workspace.name, lambda: f"world {workspace.main.name}")
    form.text("Name", lambda: workspace.name, rename)
    form.three("Gravity in m/s²", "", lambda: workspace.world().gravity_m_s2 or EARTH_M_S2,
               lambda gravity: context.do(DescribeWorld(workspace.name, gravity)))  # fmt: skip
    form.section("Contents")
    form.note(lambda: _count_words(context))
    form.note(lambda: "Add with + in the view, or with W for walls. A vehicle starts at a place that is called start.")


def part_form(form: Form, context: Context, thing: Thing, rename: Rename) -> None:
    """Of an obstacle, a place or an include."""
    part = part_of(context.workspace, thing)
    match part:
        case WorldModel():
            _obstacle_form(form, context, part.name, rename)
        case WorldFrame():
            _place_form(form, context, part.name, rename)
        case WorldInclude():
            _include_form(form, context, part.name, rename)
        case None:
            form.title("mdi6.flag-outline", lambda: "Places", lambda: f"of the world {context.workspace.name}")
            form.note(lambda: "Named places: where vehicles start, where they are to go.")


def world_shape_form(form: Form, context: Context, thing: ShapeThing, rename: Rename) -> None:
    def shape() -> WorldShape:
        return model_of(context.workspace, thing.body).shapes[thing.index]

    form.title("mdi6.shape-outline", lambda: shape().shape.name or _kind(shape()),
               lambda: f"{_kind(shape())} of {thing.body}")  # fmt: skip
    form.text("Name", lambda: shape().shape.name, rename)
    _shape_fields(form, context, thing.body, thing.index)
    form.section("Pose of its centre")
    form.pose(lambda: shape().shape.pose, lambda pose: _take(context, thing.body, thing.index, pose=pose))


def shape_of_form(context: Context, thing: Thing) -> object:
    """What decides about the rows of the form of a part."""
    part = part_of(context.workspace, thing)
    if not isinstance(part, WorldModel):
        return type(part), getattr(part, "relative_to", "")
    if isinstance(thing, ShapeThing):
        return type(part.shapes[thing.index].shape), part.shapes[thing.index].shape.use
    shapes = tuple((type(each.shape), each.shape.use, each.shape.name) for each in part.shapes)
    return shapes, wall_size(part) is not None, part.relative_to


def _count_words(context: Context) -> str:
    world = context.workspace.world()
    counts = [(len(world.models), "obstacle"), (len(world.frames), "place"), (len(world.includes), "include")]
    return ", ".join(f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts if count) or "nothing yet"


def _kind(shape: WorldShape) -> str:
    return type(shape.shape).__name__.lower()


# ---- obstacles


def _obstacle_form(form: Form, context: Context, name: str, rename: Rename) -> None:
    def model() -> WorldModel:
        return model_of(context.workspace, name)

    def take(**values: Any) -> None:
        context.do(ChangeInWorld(name, replace(model(), **values)))

    form.title("mdi6.cube-outline", lambda: name, lambda: _about(model()))
    form.text("Name", lambda: name, rename)
    form.check("Does not move", lambda: model().is_static, lambda on: take(is_static=bool(on)),
               "The embedded simulator moves vehicles only; in Gazebo all other models can move")  # fmt: skip
    _pose_fields(form, context, model)
    if wall_size(model()) is not None and len(model().shapes) > 1:
        _wall_fields(form, context, model)
    elif len(model().shapes) == 1:
        _shape_fields(form, context, name, 0)
        return
    _surface_of_all(form, context, model)
    form.section("Shapes")
    for index, each in enumerate(model().shapes):
        show = partial(context.selection.choose, ShapeThing(name, index))
        form.buttons((each.shape.name or _kind(each), "mdi6.shape-outline", f"Show this {_kind(each)}", show))


def _about(model: WorldModel) -> str:
    shapes = model.shapes
    if len(shapes) == 1:
        return _kind(shapes[0])
    return "wall of " + str(len(shapes)) + " sides" if wall_size(model) and len(shapes) > 1 else f"{len(shapes)} shapes"


def _wall_fields(form: Form, context: Context, model: Callable[[], WorldModel]) -> None:
    """Also what the next wall has at first."""

    def size() -> WallSize:
        return wall_size(model()) or WallSize(0.0, 0.0)

    def take(setting: str, made: WallSize) -> None:
        if context.do(ChangeInWorld(model().name, with_wall_size(model(), made))):
            value = made.height_m if setting == HEIGHT else made.thickness_m
            context.settings.set_text(setting, repr(value))

    form.section("Wall")
    form.number("Height", "length", lambda: size().height_m,
                lambda value: take(HEIGHT, replace(size(), height_m=value)))  # fmt: skip
    form.number("Thickness", "length", lambda: size().thickness_m,
                lambda value: take(THICKNESS, replace(size(), thickness_m=value)))  # fmt: skip


def _surface_of_all(form: Form, context: Context, model: Callable[[], WorldModel]) -> None:
    """One number and one colour for all shapes; empty where they differ."""

    def change(of_shape: Callable[[WorldShape], WorldShape]) -> None:
        made = replace(model(), shapes=tuple(of_shape(each) for each in model().shapes))
        context.do(ChangeInWorld(model().name, made))

    def friction() -> float | None:
        found = {each.friction for each in model().shapes if each.shape.is_collision}
        return next(iter(found)) if len(found) == 1 else None

    def colour() -> str:
        found = {each.shape.colour for each in model().shapes if each.shape.is_visual}
        return next(iter(found)) if len(found) == 1 else ""

    form.section("Surface")
    form.number("Friction", "", friction, lambda value: change(lambda each: replace(each, friction=value)),
                may_be_empty=True, tip=USUAL_FRICTION)  # fmt: skip
    form.colour("Colour", colour,
                lambda text: change(lambda each: replace(each, shape=replace(each.shape, colour=text))))  # fmt: skip


def _shape_fields(form: Form, context: Context, name: str, index: int) -> None:
    def each() -> WorldShape:
        return model_of(context.workspace, name).shapes[index]

    take = partial(_take, context, name, index)
    if isinstance(each().shape, Heightmap):
        form.section("Terrain")
        form.text("Image", lambda: each().shape.file, lambda file: take(file=file),  # type: ignore[attr-defined]
                  tip="A PNG with one grey channel, relative to the file of the world")  # fmt: skip
        form.three("Length, width, height", "length", lambda: each().shape.size,  # type: ignore[attr-defined]
                   lambda size: take(size=size))  # fmt: skip
    else:
        form.section("Size")
        size_fields(form, lambda: each().shape, take)
    form.section("Surface")
    form.choice("Use", lambda: [(use_words(use), use) for use in USES], lambda: each().shape.use,
                lambda use: take(use=use), "Purpose: visible, for collisions, or both")  # fmt: skip
    if each().shape.is_collision:
        form.number("Friction", "", lambda: each().friction,
                    lambda value: _take_shape(context, name, index, replace(each(), friction=value)),
                    may_be_empty=True, tip=USUAL_FRICTION)  # fmt: skip
    if each().shape.is_visual:
        form.colour("Colour", lambda: each().shape.colour, lambda text: take(colour=text))


def _take(context: Context, name: str, index: int, **values: Any) -> None:
    """Of the shape itself."""
    model = model_of(context.workspace, name)
    context.do(ChangeInWorld(name, with_new_shape(model, index, replace(model.shapes[index].shape, **values))))


def _take_shape(context: Context, name: str, index: int, shape: WorldShape) -> None:
    context.do(ChangeInWorld(name, model_of(context.workspace, name).with_shape(index, shape)))


# ---- places and includes


def _place_form(form: Form, context: Context, name: str, rename: Rename) -> None:
    def place() -> WorldPart:
        return context.workspace.world().parts()[name]

    vehicle = context.workspace.vehicles.vehicle_at(name)
    form.title("mdi6.flag-outline", lambda: name, lambda: f"{vehicle} starts here" if vehicle else "place of the world")
    form.text("Name", lambda: name, rename)
    _pose_fields(form, context, place)
    words = "A vehicle that starts here is put on the ground: only x, y and yaw count."
    form.note(lambda: words if vehicle or name.startswith("start") else "")


def _include_form(form: Form, context: Context, name: str, rename: Rename) -> None:
    def include() -> Any:
        return context.workspace.world().parts()[name]

    form.title("mdi6.package-variant-closed", lambda: name, lambda: f"model of {include().uri}")
    form.text("Name", lambda: name, rename)
    form.text("Address", lambda: include().uri,
              lambda uri: context.do(ChangeInWorld(name, replace(include(), uri=uri))))  # fmt: skip
    _pose_fields(form, context, include)
    form.note(lambda: _included_words(context, include()))


def _included_words(context: Context, include: WorldInclude) -> str:
    workspace = context.workspace
    found = workspace.included.model_of(include, workspace.world().file)
    if found is None:
        return "It is not on this machine, so the view does not draw it. Gazebo's folders of models are searched, too."
    if isinstance(found, StudioError):
        return f"It cannot be read, so the view does not draw it: {found.message}"
    return f"It is drawn as {Path(found.file or '').name} has it, and kept as it is written."


def _pose_fields(form: Form, context: Context, part: Callable[[], Any]) -> None:
    origin = part().relative_to
    form.section(f"Pose in {origin}" if origin else "Pose")
    form.pose(lambda: part().pose, lambda pose: context.do(ChangeInWorld(part().name, replace(part(), pose=pose))))
