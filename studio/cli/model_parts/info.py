"""`studio model info`: bodies, frames, joints and sensors."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from studio.cli.model_parts.named import add_model, load
from studio.cli.shared.columns import columns
from studio.cli.shared.outcome import FINE, add_json_option, print_json
from studio.model.geometry.assembly import Model
from studio.model.geometry.body import Body
from studio.model.geometry.linkage import Edge, Part, link

EXAMPLE = """\
  studio model info raptor
  studio model info models/bodies/flea.xml --json
"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    add_json_option(parser)


def run(options: argparse.Namespace) -> int:
    model = load(options.model)
    print_json(_json(model)) if options.json else print("\n".join(_text(model)))
    return FINE


def _json(model: Model) -> dict[str, Any]:
    linkage = link(model)
    return {
        "model": model.name,
        "file": model.file,
        "bodies": {name: _body_json(name, body) for name, body in model.bodies.items()},
        "constraints": [
            {
                "name": each.name,
                "from": str(each.start),
                "to": str(each.end),
                "moves": bool(each.joint and each.joint.moves),
            }
            for each in model.constraints
        ],
        "joints": {edge.name: _joint_json(edge) for edge in linkage.edges if edge.moves},
        "loops": [
            {"constraint": loop.edge.name, "error_m": loop.error_m, "error_rad": loop.error_rad}
            for loop in linkage.loops
        ],
    }


def _body_json(name: str, body: Body) -> dict[str, Any]:
    masses = {str(Part(name, part)): body.inertia_of(part) for part in body.parts()}
    return {
        "file": body.file,
        "doc": body.doc,
        "frames": [frame.name for frame in body.frames],
        "mass_kg": {part: inertia.mass_kg for part, inertia in masses.items() if inertia is not None},
        "sensors": {each.name: {"kind": each.KIND, "frame": each.frame, **each.values()} for each in body.sensors},
    }


def _joint_json(edge: Edge) -> dict[str, Any]:
    joint = edge.joint
    assert joint is not None
    return {
        "kind": joint.kind,
        "axis": list(joint.axis),
        "lower": joint.lower,
        "upper": joint.upper,
        "unit": joint.unit,
    }


def _text(model: Model) -> Iterator[str]:
    linkage = link(model)
    frames = sum(len(body.frames) for body in model.bodies.values())
    yield f"{model.name}: {len(model.bodies)} bodies, {frames} frames, {len(model.constraints)} constraints"
    for name, body in model.bodies.items():
        total = sum(inertia.mass_kg for part in body.parts() if (inertia := body.inertia_of(part)) is not None)
        yield f"{name}{f', {total:g} kg' if total else ''}{': ' + body.doc if body.doc else ''}"
        yield "  frames: " + ", ".join(frame.name for frame in body.frames)
        yield from columns([(each.KIND, each.name, each.frame, _values(each.values())) for each in body.sensors])
    joints = [edge for edge in linkage.edges if edge.moves]
    if joints:
        yield "joints"
        yield from columns([(edge.name, edge.joint.kind, _limits(edge)) for edge in joints if edge.joint is not None])
    for loop in linkage.loops:
        yield f"loop closed by {loop.edge.name}: off by {loop.error_m * 1000:.3g} mm, {loop.error_rad:.3g} rad"


def _values(values: dict[str, float | int]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in values.items())


def _limits(edge: Edge) -> str:
    joint = edge.joint
    if joint is None or (joint.lower is None and joint.upper is None):
        return ""
    low, high = ("" if value is None else f"{value:.4g}" for value in (joint.lower, joint.upper))
    return f"{low} to {high} {joint.unit}"
