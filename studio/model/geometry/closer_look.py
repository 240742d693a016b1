"""What a vehicle should not be, although its files are sound: shapes in each other, sensors that see their own vehicle,
frames that nothing uses."""

from __future__ import annotations

from collections.abc import Iterator

from studio.errors import Problem
from studio.model.geometry.arrange import root_poses
from studio.model.geometry.assembly import Model
from studio.model.geometry.linkage import link
from studio.model.geometry.overlaps import Overlap, Solid, overlaps
from studio.model.geometry.part_edits import shape_text
from studio.model.geometry.rotations import GeometryError
from studio.model.geometry.sensors import Laser
from studio.model.geometry.sight_lines import Blocked, blocked


def look_closer(model: Model) -> list[Problem]:
    """With every joint at home. Nothing, where the model is too wrong to put it together: the rules say why."""
    try:
        linkage = link(model)
    except GeometryError:
        return []
    poses = root_poses(model, linkage)
    return [
        *(_overlap(model, each) for each in overlaps(model, linkage, poses)),
        *(_blocked(model, each) for each in blocked(model, poses)),
    ]


def _overlap(model: Model, found: Overlap) -> Problem:
    one, other = found.one, found.other
    message = f"{_named(one)} and {_named(other)} overlap"
    hint = 'move one of them, or make one of them visual only: use="visual"'
    return Problem(message, "warning", *_place(model, other), hint, f"{other.body}#{other.index}")


def _blocked(model: Model, found: Blocked) -> Problem:
    sensor = found.sensor
    what = f"{found.beams} beams" if isinstance(sensor, Laser) else f"{found.share:.0%} of its view"
    message = f"{found.body}.{sensor.name} sees its own vehicle: {_named(found.by)}, {what}"
    line = sensor.origin.line if sensor.origin else None
    hint = "move or turn the sensor, or narrow its field of view"
    return Problem(message, "warning", model.bodies[found.body].file, line, hint, f"{found.body}.{sensor.name}")


def _named(solid: Solid) -> str:
    return f"{shape_text(solid.shape)} of {solid.body}"


def _place(model: Model, solid: Solid) -> tuple[str | None, int | None]:
    origin = solid.shape.origin
    return model.bodies[solid.body].file, origin.line if origin else None


def unused_frames(model: Model) -> list[Problem]:
    """Frames that no constraint, joint or sensor uses. Programs may still ask for them: a hint, not a fault."""
    bound = {end for constraint in model.constraints for end in (constraint.start, constraint.end)}
    return [
        Problem(
            f"nothing uses the frame {name}:{frame}", "warning", model.bodies[name].file, line,
            "remove it, unless a component or a person needs it", f"{name}:{frame}",
        )
        for name, frame, line in _own_frames(model)
        if not any(end == (name, frame) for end in bound)
    ]  # fmt: skip


def _own_frames(model: Model) -> Iterator[tuple[str, str, int | None]]:
    """Not used inside their bodies. Of a file that several bodies have, a frame counts once, where all leave it."""
    bound = {(end.body, end.frame) for each in model.constraints for end in (each.start, each.end)}
    told: set[tuple[int, str]] = set()
    for name, body in model.bodies.items():
        twins = [other for other, each in model.bodies.items() if each is body]
        used = {joint.at for joint in body.joints} | {sensor.frame for sensor in body.sensors}
        for frame in body.frames:
            if frame.name in used or (id(body), frame.name) in told:
                continue
            if not any((twin, frame.name) in bound for twin in twins):
                told.add((id(body), frame.name))
                yield name, frame.name, frame.origin.line if frame.origin else None
