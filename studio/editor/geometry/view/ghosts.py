"""Another model beside the vehicle: its bodies, frames and fields of view, as far as they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from studio.editor.geometry.selection import Ghost
from studio.editor.geometry.view.description import BodyMarks, Description
from studio.editor.look.theme import Theme
from studio.editor.views.scene.batches import Batch, Floats, Lines, Triangles, all_of, colour_of
from studio.model.geometry.linkage import Part
from studio.model.geometry.poses import distance, inverse

FACES, EDGES = 0.10, 0.75
"""How much of a ghost is seen."""
SAME_M = SAME_RAD = 0.001


@dataclass(frozen=True)
class GhostMark:
    name: str
    """Written beside it; may be empty."""
    pose: Floats
    faces: Floats
    lines: Floats

    def batches(self, theme: Theme) -> tuple[Batch, ...]:
        made: list[Batch] = []
        if len(self.faces):
            made.append(Triangles(self.faces, all_of(colour_of(theme.warning, FACES), len(self.faces))))
        if len(self.lines):
            made.append(
                Lines(self.lines, all_of(colour_of(theme.warning, EDGES), len(self.lines)), 2.0, is_on_top=True)
            )
        return tuple(made)


def ghost_marks(
    ghost: Ghost,
    there: Description,
    here: Description,
    poses: Mapping[Part, Floats],
    positions: Mapping[str, float],
    frame_m: float,
) -> Iterator[GhostMark]:
    """Placed by the first body that both have, as the two are compared."""
    base = next((Part(name) for name in here.bodies if name in there.bodies), None)
    if base is None:
        return
    theirs = there.poses(positions)
    moved = poses[base] @ inverse(theirs[base])
    for name, marks in there.bodies.items():
        for on in ("", *(joint.name for joint in marks.body.joints)):
            part, pose = Part(name, on), moved @ theirs[Part(name, on)]
            own = poses.get(part)
            is_elsewhere = own is None or max(distance(own, pose)) > SAME_M
            if name in ghost.subjects or (is_elsewhere and _differs(marks, ghost)):
                yield from _body(marks, on, pose, f"{part} in {ghost.name}" if not on else "")
            elif not is_elsewhere:
                yield from _parts(marks, on, pose, ghost, frame_m)


def _differs(marks: BodyMarks, ghost: Ghost) -> bool:
    return any(str(mark.thing) in ghost.subjects for mark in marks.frames)


def _body(marks: BodyMarks, on: str, pose: Floats, name: str) -> Iterator[GhostMark]:
    solids = [solid for solid in marks.solids if solid.on == on and solid.is_visual]
    faces, lines = [solid.faces.points for solid in solids], [solid.edges.points for solid in solids]
    yield GhostMark(name, pose, _joined(faces, 3), _joined(lines, 2))


def _parts(marks: BodyMarks, on: str, pose: Floats, ghost: Ghost, frame_m: float) -> Iterator[GhostMark]:
    """What differs in a body that is where it should be."""
    for frame in marks.frames:
        if frame.on == on and str(frame.thing) in ghost.subjects:
            axes = np.stack([np.zeros((3, 3)), np.eye(3) * 1.5 * frame_m], axis=1)
            yield GhostMark(f"{frame.thing} in {ghost.name}", pose @ frame.pose, _joined([], 3), axes)
    for seen in marks.fields:
        if seen.on == on and str(seen.thing) in ghost.subjects:
            yield GhostMark(f"{seen.thing} in {ghost.name}", pose, seen.field.faces, seen.field.lines)


def _joined(points: list[Floats], corners: int) -> Floats:
    found: Floats = np.concatenate(points) if points else np.zeros((0, corners, 3))
    return found
