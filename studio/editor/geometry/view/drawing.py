"""A description with a look, as a scene that the painters draw and as what can be picked in it.

Faces and lines of a body are merged to one batch for each part that moves by itself, and kept: while the camera moves
or a part is dragged, only poses change, and the graphics driver has every corner already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np

from studio.editor.geometry.selection import (
    BodyThing,
    ConstraintThing,
    FrameThing,
    Ghost,
    JointThing,
    SensorThing,
    ShapeThing,
    Thing,
    VehicleThing,
)
from studio.editor.geometry.view.description import (
    BodyMarks,
    Description,
    JointMark,
    Solid,
    contact_radius,
)
from studio.editor.geometry.view.ghosts import ghost_marks
from studio.editor.geometry.view.look import GLASS, Look
from studio.editor.geometry.view.marks import axis_arcs, box_edges, cross_lines, diamond, joint_lines, tinted
from studio.editor.geometry.view.picking import Pickable, PickFaces, PickLine, PickPoint
from studio.editor.look.theme import Theme
from studio.editor.views.scene.batches import (
    Batch,
    Colours,
    Floats,
    Lines,
    Placed,
    Points,
    Scene,
    Triangles,
    all_of,
    colour_of,
    moved,
)
from studio.editor.views.scene.meshes import AXIS_COLOURS, ground_grid
from studio.model.geometry.linkage import Part
from studio.model.geometry.world import PLACES

GRID_LINES = 40
ARC_SIZE = 2.0
"""Of the axes of a frame."""
DARKEST = 44
"""Of 255, of a black face in the dark theme."""


@dataclass(frozen=True)
class Named:
    """What has a name on the picture."""

    thing: Thing
    name: str
    point: Floats
    is_wanted: bool


@dataclass(frozen=True)
class Drawing:
    scene: Scene
    names: tuple[Named, ...]
    poses: dict[Part, Floats]
    frames: dict[FrameThing, Floats]
    """Every frame that is not hidden, in the world."""
    make_pickable: Callable[[], Pickable]

    @cached_property
    def pickable(self) -> Pickable:
        """Made when it is asked for: most pictures of a drag or an orbit are never pointed at."""
        return self.make_pickable()


class Draughtsman:
    """Keeps the batches that did not change from one drawing to the next."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self._kept: dict[tuple[object, ...], tuple[object, tuple[Batch, ...]]] = {}
        self._used: dict[tuple[object, ...], tuple[object, tuple[Batch, ...]]] = {}
        self._faces: WeakKeyDictionary[Solid, PickFaces] = WeakKeyDictionary()

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self._kept.clear()

    def draw(
        self,
        shown: Description,
        positions: Mapping[str, float],
        look: Look,
        grid: tuple[Floats, float],
        scans: Mapping[str, Floats] | None = None,
        ghost: tuple[Ghost, Description] | None = None,
    ) -> Drawing:
        """`grid`: its middle and its step. `scans`: points by the frame that they are measured in. `ghost`: what
        another model has elsewhere."""
        self._used = {}
        poses = shown.poses(positions)
        bodies = [marks for name, marks in shown.bodies.items() if name not in look.hidden]
        frames = {mark.thing: poses[Part(mark.thing.body, mark.on)] @ mark.pose for b in bodies for mark in b.frames}
        things: list[Placed] = []
        if "grid" in look.layers:
            things.append(Placed(self._grid(*grid)))
        for marks in bodies:
            things += self._body(marks, poses, look)
        things += self._joints(shown, poses, positions, look)
        things += self._links(shown, frames, look)
        things += self._path(frames, poses, look)
        haunting = [] if ghost is None else list(ghost_marks(*ghost, shown, poses, positions, look.frame_m))
        things += [Placed(mark.batches(self.theme), mark.pose) for mark in haunting]
        things += self._lit_frames(frames, look)
        things += self._scans(frames, scans or {})
        self._kept = self._used
        pickable = partial(self._pickable, shown, bodies, poses, frames, look)
        elsewhere = (Named(VehicleThing(), mark.name, mark.pose[:3, 3], True) for mark in haunting if mark.name)
        names = (*self._distance(frames, poses, look), *self._names(shown, frames, look), *elsewhere)
        return Drawing(Scene(tuple(things), (), look.section), names, poses, frames, pickable)

    # ---- bodies

    def _body(self, marks: BodyMarks, poses: dict[Part, Floats], look: Look) -> Iterator[Placed]:
        for on in ("", *(joint.name for joint in marks.body.joints)):
            pose = poses[Part(marks.name, on)]
            batches = (*self._solids(marks, on, look), *self._frames(marks, on, look), *self._extras(marks, on, look))
            if batches:
                yield Placed(batches, pose)

    def _solids(self, marks: BodyMarks, on: str, look: Look) -> tuple[Batch, ...]:
        lit = tuple(
            (index, tone) for index, tone in self._lit(marks, look).items() if marks.body.shapes[index].on == on
        )
        layers = look.layers & {"solids", "collision"}
        glass, measured = marks.name in look.glass, marks.name in look.path_bodies
        key = ("solids", on, lit, glass, measured, layers)
        return self._keep(key, marks, lambda: self._merged(marks, on, dict(lit), glass, measured, layers))

    def _lit(self, marks: BodyMarks, look: Look) -> dict[int, str]:
        """Shapes that are shown in another tone, by their index."""
        lit: dict[int, str] = {}
        all_of_it = range(len(marks.body.shapes))
        for thing, tone in ((look.hovered, "focus"), *((each, "accent") for each in look.selected)):
            match thing:
                case BodyThing(marks.name):
                    lit.update(dict.fromkeys(all_of_it, tone))
                case ShapeThing(marks.name, index):
                    lit[index] = tone
        lit.update({index: "error" for body, index in look.touching if body == marks.name})
        return lit

    def _merged(
        self, marks: BodyMarks, on: str, lit: dict[int, str], glass: bool, measured: bool, layers: frozenset[str]
    ) -> tuple[Batch, ...]:
        here = [each for each in marks.solids if each.on == on]
        solid = [each for each in here if each.is_visual and "solids" in layers]
        wire = [each for each in here if each.is_collision and "collision" in layers]
        faces = [(each.faces.points, tinted(each.faces.colours, self._tone(lit, each))) for each in solid]
        outline = self.theme.accent if measured else ""
        edges = [(each.edges.points, self._edge(each, self._tone(lit, each) or outline)) for each in solid]
        made: list[Batch] = []
        if faces:
            colours = self._lifted(np.concatenate([colours for _, colours in faces]))
            if glass:
                colours[:, 3] = round(255 * GLASS)
            # What shines through by itself is a batch of its own: it is painted after the rest.
            points, clear = np.concatenate([points for points, _ in faces]), colours[:, 3] < 255
            made += [Triangles(points[at], colours[at]) for at in (~clear, clear) if at.any()]
            made.append(Lines(np.concatenate([p for p, _ in edges]), np.concatenate([c for _, c in edges])))
        if wire:
            points = np.concatenate([_wire(each) for each in wire])
            made.append(Lines(points, all_of(colour_of(self.theme.warning), len(points))))
        return tuple(batch for batch in made if len(batch.points))

    def _lifted(self, colours: Colours) -> Colours:
        """On a dark ground black tyres would not be seen."""
        if self.theme.name == "dark":
            colours = colours.copy()
            colours[:, :3] = DARKEST + colours[:, :3].astype(np.uint16) * (255 - DARKEST) // 255
        return colours

    def _tone(self, lit: dict[int, str], solid: Solid) -> str:
        name = lit.get(solid.thing.index)
        return self.theme.tone(name) if name else ""

    def _edge(self, solid: Solid, tone: str) -> np.ndarray:
        return all_of(colour_of(tone), len(solid.edges.points)) if tone else solid.edges.colours

    def _frames(self, marks: BodyMarks, on: str, look: Look) -> tuple[Batch, ...]:
        here = [mark.pose for mark in marks.frames if mark.on == on]
        if "frames" not in look.layers or not here:
            return ()
        key = ("frames", on, look.frame_m)
        return self._keep(key, marks, lambda: (_axes_of(np.array(here), look.frame_m, 2.0),))

    def _extras(self, marks: BodyMarks, on: str, look: Look) -> tuple[Batch, ...]:
        layers = look.layers & {"fields", "mass", "contacts"}
        lit = tuple(m.thing for m in marks.fields if m.thing in (*look.selected, look.hovered))
        whole = BodyThing(marks.name) in look.selected
        key = ("extras", on, layers, lit, whole)
        return self._keep(key, marks, lambda: self._extra(marks, on, layers, lit, whole))

    def _extra(
        self, marks: BodyMarks, on: str, layers: frozenset[str], lit: tuple[SensorThing, ...], whole: bool
    ) -> tuple[Batch, ...]:
        made: list[Batch] = []
        for mark in marks.fields if "fields" in layers else ():
            if mark.on == on:
                tone = self.theme.warning if whole or mark.thing in lit else self.theme.hue("Range3d")
                made.append(Triangles(mark.field.faces, all_of(colour_of(tone, 0.11), len(mark.field.faces))))
                made.append(Lines(mark.field.lines, all_of(colour_of(tone, 0.55), len(mark.field.lines))))
        for mass in marks.masses if "mass" in layers else ():
            if mass.on == on:
                lines = np.concatenate([moved(box_edges(mass.box), mass.pose), cross_lines(mass.pose[:3, 3], 0.06)])
                made.append(Lines(lines, all_of(colour_of(self.theme.warning), len(lines)), 1.5, is_on_top=True))
        return tuple(made)

    # ---- joints, links, the measured path

    def _joints(
        self, shown: Description, poses: dict[Part, Floats], positions: Mapping[str, float], look: Look
    ) -> Iterator[Placed]:
        if "contacts" in look.layers:
            yield from self._contacts(shown, poses, look)
        if "joints" not in look.layers:
            return
        for mark in shown.joints:
            if mark.carrier.body in look.hidden or not mark.joint.moves:
                continue
            lit = mark.thing == look.hovered or mark.thing in look.selected
            at = positions.get(mark.name, mark.joint.home)
            key = ("joint", lit, round(at, 3) if lit else None, look.frame_m)
            made = self._keep(key, mark.joint, partial(self._joint, mark, lit, at, look))
            yield Placed(made, poses[mark.carrier] @ mark.before)

    def _joint(self, mark: JointMark, lit: bool, at: float, look: Look) -> tuple[Batch, ...]:
        tone = colour_of(self.theme.accent if lit else self.theme.hue("Twist"))
        points = joint_lines(mark.joint, 2.2 * look.frame_m, at if lit else None)
        return (Lines(points, all_of(tone, len(points)), 3.0 if lit else 1.5, is_on_top=lit),)

    def _contacts(self, shown: Description, poses: dict[Part, Floats], look: Look) -> Iterator[Placed]:
        for mark in shown.joints:
            body = shown.model.bodies.get(mark.moved.body)
            if mark.joint.kind != "drive" or body is None or mark.moved.body in look.hidden:
                continue
            radius = contact_radius(body, mark.joint)
            if radius:
                at = poses[mark.moved][:3, 3] - (0.0, 0.0, radius)
                key = ("contact", look.frame_m)
                pose = np.eye(4)
                pose[:3, 3] = at
                yield Placed(self._keep(key, self.theme, lambda: self._contact(look.frame_m)), pose)

    def _contact(self, size: float) -> tuple[Batch, ...]:
        points = diamond(np.zeros(3), size * 0.8)
        return (Lines(points, all_of(colour_of(self.theme.fine), len(points)), 2.0),)

    def _links(self, shown: Description, frames: dict[FrameThing, Floats], look: Look) -> Iterator[Placed]:
        seen = _link_ends(shown, frames)
        if "links" not in look.layers or not seen:
            return
        lit = {look.hovered, *look.selected, *_measured_links(shown, look)}
        for is_lit in (False, True):
            points = [_link_lines(one, other, look.frame_m) for thing, one, other in seen if (thing in lit) == is_lit]
            if points:
                tone = colour_of(self.theme.accent if is_lit else self.theme.hue("PoseTransform"))
                merged = np.concatenate(points)
                yield Placed((Lines(merged, all_of(tone, len(merged)), 3.5 if is_lit else 2.0, is_on_top=True),))

    def _path(self, frames: dict[FrameThing, Floats], poses: dict[Part, Floats], look: Look) -> Iterator[Placed]:
        points = [pose[:3, 3] for pose in _path_poses(frames, poses, look)]
        if len(points) > 1:
            dashes = np.concatenate([_dashed(a, b, look.frame_m / 3) for a, b in pairwise(points)])
            yield Placed((Lines(dashes, all_of(colour_of(self.theme.accent), len(dashes)), 3.0, is_on_top=True),))
            straight = np.stack([points[0], points[-1]])[None]
            yield Placed((Lines(straight, all_of(colour_of(self.theme.text), 1), 1.5, is_on_top=True),))
            yield from self._angles(_path_poses(frames, poses, look), look)

    def _angles(self, way: list[Floats], look: Look) -> Iterator[Placed]:
        """At the frame of interest, from each axis of the frame of reference to its own."""
        for arc in axis_arcs(way[0], way[-1], ARC_SIZE * look.frame_m):
            tone = all_of(colour_of(AXIS_COLOURS[arc.axis]), len(arc.lines))
            yield Placed((Lines(arc.lines, tone, 2.0, is_on_top=True),))

    def _distance(self, frames: dict[FrameThing, Floats], poses: dict[Part, Floats], look: Look) -> Iterator[Named]:
        """In the middle of the straight line between the two frames that are measured; and the angles at its end."""
        way = _path_poses(frames, poses, look)
        if len(way) > 1:
            start, end = way[0][:3, 3], way[-1][:3, 3]
            yield Named(VehicleThing(), f"{float(np.linalg.norm(end - start)):.4g} m", (start + end) / 2, True)
            for arc in axis_arcs(way[0], way[-1], ARC_SIZE * look.frame_m):
                yield Named(VehicleThing(), f"{'xyz'[arc.axis]} {arc.angle_deg:.4g}°", arc.middle, True)

    def _lit_frames(self, frames: dict[FrameThing, Floats], look: Look) -> Iterator[Placed]:
        for thing in dict.fromkeys((*look.selected, look.hovered)):
            if isinstance(thing, FrameThing) and thing in frames:
                yield Placed((_axes_of(np.eye(4)[None], 1.7 * look.frame_m, 4.0),), frames[thing])

    def _scans(self, frames: dict[FrameThing, Floats], scans: Mapping[str, Floats]) -> Iterator[Placed]:
        tone = colour_of(self.theme.hue("Range3d"))
        for name, points in scans.items():
            pose = frames.get(FrameThing(*name.partition(":")[::2]))
            if pose is not None and len(points):
                yield Placed((Points(points, all_of(tone, len(points)), 3.0),), pose)

    def _grid(self, middle: Floats, step: float) -> tuple[Batch, ...]:
        key = ("grid", tuple(np.round(middle[:2] / step)), step)
        colour = colour_of(self.theme.control_border, 0.28)
        return self._keep(key, self.theme, lambda: (_on_ground(ground_grid(middle, step, GRID_LINES, colour)),))

    # ---- picking and names

    def _pickable(
        self,
        shown: Description,
        bodies: list[BodyMarks],
        poses: dict[Part, Floats],
        frames: dict[FrameThing, Floats],
        look: Look,
    ) -> Pickable:
        made = Pickable(section=look.section)
        layers = look.layers
        for marks in bodies:
            for solid in marks.solids:
                is_seen = ("solids" in layers and solid.is_visual) or ("collision" in layers and solid.is_collision)
                if is_seen and len(solid.faces.points):
                    made.faces.append((self._pick_faces(solid), poses[Part(marks.name, solid.on)]))
        if "frames" in layers:
            made.points = [PickPoint(thing, pose[:3, 3]) for thing, pose in frames.items()]
        if "links" in layers:
            ends = _link_ends(shown, frames)
            made.lines += [PickLine(thing, np.stack([one, other])) for thing, one, other in ends]
        if "joints" in layers:
            made.lines += [
                _joint_pick(m, poses, look) for m in shown.joints if m.joint.moves and m.carrier.body not in look.hidden
            ]
        return made

    def _pick_faces(self, solid: Solid) -> PickFaces:
        """Kept with its solid: `ball` is computed once."""
        known = self._faces.get(solid)
        if known is None:
            known = self._faces[solid] = PickFaces(solid.thing, solid.faces.points)
        return known

    def _names(self, shown: Description, frames: dict[FrameThing, Floats], look: Look) -> Iterator[Named]:
        wanted = {look.hovered, *look.selected}
        all_names = "names" in look.layers and "frames" in look.layers
        named = self._named_at_first(shown, look)
        for thing, pose in frames.items():
            name = thing.frame if thing.body == PLACES else str(thing)
            is_measured = str(thing) in look.path
            if thing in wanted or is_measured:
                yield Named(thing, name, pose[:3, 3], True)
            elif all_names and thing in named:
                yield Named(thing, name, pose[:3, 3], False)
        yield from self._other_names(shown, frames, wanted)

    def _named_at_first(self, shown: Description, look: Look) -> set[FrameThing]:
        """Frames of sensors, and all of what is selected: the rest is named below the mouse."""
        bodies = {PLACES, *(getattr(each, "body", "") for each in look.selected)}
        if len(shown.bodies) == 1:
            bodies = set(shown.bodies)
        marks = (mark for body in shown.bodies.values() for mark in body.frames)
        return {mark.thing for mark in marks if mark.is_sensor or mark.thing.body in bodies}

    def _other_names(
        self, shown: Description, frames: dict[FrameThing, Floats], wanted: set[Thing | None]
    ) -> Iterator[Named]:
        for mark in shown.links:
            end = frames.get(FrameThing(*mark.constraint.end))
            if mark.thing in wanted and end is not None:
                yield Named(mark.thing, mark.constraint.name, end[:3, 3], True)

    # ---- what is kept

    def _keep(self, key: tuple[object, ...], of: object, make: Callable[[], tuple[Batch, ...]]) -> tuple[Batch, ...]:
        """`of`: the value that it is made from, told apart by identity."""
        whole = (id(of), *key)
        known = self._kept.get(whole)
        if known is None or known[0] is not of:
            known = of, make()
        self._used[whole] = known
        return known[1]


def _axes_of(poses: Floats, length_m: float, width: float) -> Lines:
    """Of all poses (N, 4, 4) at once."""
    start = np.repeat(poses[:, None, :3, 3], 3, axis=1)
    ends = start + length_m * poses[:, :3, :3].transpose(0, 2, 1)
    colours = np.array([colour_of(text) for text in AXIS_COLOURS], np.uint8)
    points = np.stack([start, ends], axis=2).reshape(-1, 2, 3)
    return Lines(points, np.tile(colours, (len(poses), 1)), width, is_on_top=True)


def _wire(solid: Solid) -> Floats:
    if len(solid.edges.points):
        return solid.edges.points
    corners = solid.faces.points
    return np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])


def _link_lines(one: Floats, other: Floats, size: float) -> Floats:
    line = np.stack([one, other])[None]
    return np.concatenate([line, diamond(one, size * 0.3), diamond(other, size * 0.3)])


def _pose_of(name: str, frames: dict[FrameThing, Floats], poses: dict[Part, Floats]) -> Floats | None:
    body, _, frame = name.partition(":")
    return frames.get(FrameThing(body, frame)) if frame else poses.get(Part(body))


def _path_poses(frames: dict[FrameThing, Floats], poses: dict[Part, Floats], look: Look) -> list[Floats]:
    return [pose for name in look.path if (pose := _pose_of(name, frames, poses)) is not None]


def _measured_links(shown: Description, look: Look) -> set[ConstraintThing]:
    """Those that the measured path crosses."""
    if not look.path:
        return set()
    crossed = {frozenset(pair) for pair in pairwise(look.path)}
    ends = {mark.thing: frozenset((str(mark.constraint.start), str(mark.constraint.end))) for mark in shown.links}
    return {thing for thing, both in ends.items() if both in crossed}


def _dashed(one: Floats, other: Floats, dash_m: float) -> Floats:
    count = min(max(int(np.linalg.norm(other - one) / dash_m / 2), 1), 200)
    shares = (np.arange(count)[:, None] + np.array([0.0, 0.6])) / count
    found: Floats = one + (other - one) * shares[..., None]
    return found


def _link_ends(shown: Description, frames: dict[FrameThing, Floats]) -> list[tuple[ConstraintThing, Floats, Floats]]:
    """Of those that show both frames."""
    found = []
    for mark in shown.links:
        one, other = frames.get(FrameThing(*mark.constraint.start)), frames.get(FrameThing(*mark.constraint.end))
        if one is not None and other is not None:
            found.append((mark.thing, one[:3, 3], other[:3, 3]))
    return found


def _joint_pick(mark: JointMark, poses: dict[Part, Floats], look: Look) -> PickLine:
    ends = joint_lines(mark.joint, 2.2 * look.frame_m, None)[0]
    return PickLine(JointThing(mark.thing.body, mark.thing.joint), moved(ends, poses[mark.carrier] @ mark.before))


def _on_ground(grid: Lines) -> Lines:
    points = grid.points.copy()
    points[..., 2] = 0.0
    return Lines(points, grid.colours, grid.width)
