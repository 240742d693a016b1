"""`studio model transform`: where one frame is in another."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import Any

from studio.cli.model_parts.named import HELP, load
from studio.cli.shared.outcome import FINE, UsageError, add_json_option, print_json
from studio.model.geometry.rotations import Matrix, quaternion_of, rpy_of
from studio.model.geometry.transforms import Transforms

EXAMPLE = """\
  studio model transform Flea:ImagePlane Raptor:FrontBumperCenter --model raptor
  studio model transform RightLaser:ScanOrigin Raptor --model raptor --json
  studio model transform Raptor:FrontLeftWheel Raptor --model raptor --joint Raptor.front_left_steering=0.2
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("foi", metavar="FOI", help="the frame of interest, Body:Frame; a body alone is its origin")
    parser.add_argument("reference", metavar="FOR", help="the frame of reference in whose axes the answer is given")
    parser.add_argument("--model", required=True, metavar="MODEL", help=HELP)
    parser.add_argument(
        "--joint", action="append", default=[], metavar="NAME=POSITION", help="of a joint, in radians or metres"
    )
    add_json_option(parser)


def run(options: argparse.Namespace) -> int:
    transforms = Transforms(load(options.model), compiled=False)
    for text in options.joint:
        name, _, value = text.partition("=")
        try:
            position = float(value)
        except ValueError:
            raise UsageError(f"{text!r} sets no joint", hint="e.g. --joint Raptor.front_left_steering=0.2") from None
        transforms.set_joint(name, position)
    matrix = transforms.get_transformation(options.foi, options.reference)
    path = [str(step) for step in transforms.path(options.foi, options.reference)]
    if options.json:
        print_json(_json(options.foi, options.reference, matrix, path))
    else:
        print("\n".join(_text(options.foi, options.reference, matrix, path)))
    return FINE


def _json(foi: str, reference: str, matrix: Matrix, path: list[str]) -> dict[str, Any]:
    rpy = rpy_of(matrix)
    return {
        "foi": foi,
        "for": reference,
        "matrix": matrix.tolist(),
        "xyz_m": matrix[:3, 3].tolist(),
        "rpy_rad": list(rpy),
        "rpy_deg": [math.degrees(angle) for angle in rpy],
        "quaternion_xyzw": list(quaternion_of(matrix)),
        "path": path,
    }


def _text(foi: str, reference: str, matrix: Matrix, path: list[str]) -> Iterator[str]:
    yield f"{foi} in {reference}"
    yield from ("  " + " ".join(f"{value + 0.0:12.9f}" for value in row) for row in matrix.round(12))
    yield "xyz         " + _numbers(matrix[:3, 3]) + "  m"
    yield "rpy         " + _numbers([math.degrees(angle) for angle in rpy_of(matrix)]) + "  degrees"
    yield "quaternion  " + _numbers(quaternion_of(matrix)) + "  x y z w"
    yield "path"
    yield from (f"  {step}" for step in path or ["the same frame"])


def _numbers(values: Any) -> str:
    return "  ".join(f"{round(float(value), 12) + 0.0:.9g}" for value in values)
