"""`studio sim`: worlds of the embedded simulator: what is in them, new ones from a seed, pictures of them."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

from studio.cli.shared.help_text import HelpText
from studio.cli.shared.outcome import FAILED, FINE, UsageError, add_json_option, print_json
from studio.model.geometry.library import load_model
from studio.runtime.sim.physics.physics import Physics
from studio.runtime.sim.physics.picture import View, picture, save_picture
from studio.runtime.sim.vehicles.vehicle import Vehicle, vehicle_of
from studio.runtime.sim.worlds.errors import SimError
from studio.runtime.sim.worlds.free_space import FreeSpace, clearance_at, refuse_blocked
from studio.runtime.sim.worlds.world import Place, World
from studio.runtime.sim.worlds.world_writing import save_world
from studio.runtime.sim.worlds.worlds import MADE, load_world

EXAMPLE = """\
  studio sim info blocks                            obstacles, places, shortest path to the goal
  studio sim info maze --vehicle pioneer_2dx        exit status 1 if the vehicle does not fit at the start
  studio sim new-world blocks my_world.sdf --seed 7   others: maze, slopes
  studio sim picture blocks blocks.png --vehicle raptor
"""
PLURALS = {"box": "boxes", "cylinder": "cylinders", "sphere": "spheres", "mesh": "meshes"}
SIZE_PX = (960, 600)


def configure(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="info|new-world|picture")
    info = _verb(verbs, "info", "list the contents of a world", "  studio sim info blocks --vehicle raptor --json")
    info.add_argument("world", help="a name in models/worlds, an .sdf file, or one from a seed: blocks:7")
    info.add_argument("--vehicle", default="raptor", help="the assembly that drives there (default: %(default)s)")
    add_json_option(info)
    info.set_defaults(act=_info)
    new = _verb(verbs, "new-world", "make a world from a seed", "  studio sim new-world slopes hills.sdf --seed 3")
    new.add_argument("kind", choices=sorted(MADE))
    new.add_argument("file", type=Path, help="the .sdf file to write; terrain also gets an image beside it")
    new.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the world (default: 0)")
    new.set_defaults(act=_new)
    drawn = _verb(verbs, "picture", "draw a world", "  studio sim picture blocks:7 seven.png --above --vehicle raptor")
    drawn.add_argument("world", help="as for info")
    drawn.add_argument("file", type=Path, help="the picture to write: .png, .jpg")
    drawn.add_argument("--vehicle", help="put this assembly at the start")
    drawn.add_argument("--above", action="store_true", help="view from above")
    drawn.set_defaults(act=_picture)


def _verb(verbs: Any, name: str, summary: str, example: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = verbs.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=f"examples:\n{example}",
        formatter_class=HelpText,
        allow_abbrev=False,
    )
    return parser


def run(options: argparse.Namespace) -> int:
    status: int = options.act(options)
    return status


def _info(options: argparse.Namespace) -> int:
    world, vehicle = load_world(options.world), vehicle_of(load_model(options.vehicle))
    told = _described(world, vehicle)
    if options.json:
        print_json(told)
    else:
        print("\n".join(_lines(told)))
    return FAILED if told["problems"] else FINE


def _described(world: World, vehicle: Vehicle) -> dict[str, Any]:
    half_m = half_width_m(vehicle)
    problems: list[str] = []
    start = world.places.get("start")
    try:
        Physics(world, [(vehicle.name, vehicle)], [start or Place(0.0, 0.0)])
    except SimError as error:
        problems.append(str(error))
    shortest = None
    if goal := world.places.get("goal"):
        try:
            refuse_blocked(world, "goal", goal, half_m)
        except SimError as error:
            problems.append(str(error))
        if start is not None:
            shortest = FreeSpace.of(world, half_m, max(0.25, half_m / 2)).shortest_m(start, goal)
            if math.isinf(shortest):
                problems.append(f"no path from start to goal is wide enough for {vehicle.name}")
                shortest = None
    x0, y0, x1, y1 = world.bounds_m()
    return {
        "world": world.name,
        "file": world.file,
        "bounds_m": [x0, y0, x1, y1],
        "solids": {solid.name: solid.kind for solid in world.solids},
        "terrains": {each.name: [float(each.heights_m.min()), float(each.heights_m.max())] for each in world.terrains},
        "places": {
            name: {
                "x_m": place.x_m,
                "y_m": place.y_m,
                "heading_rad": place.heading_rad,
                "clearance_m": _finite(clearance_at(world, place.x_m, place.y_m)[0]),
            }
            for name, place in world.places.items()
        },
        "shortest_m": shortest,
        "problems": problems,
    }


def _lines(told: dict[str, Any]) -> list[str]:
    x0, y0, x1, y1 = told["bounds_m"]
    kinds = list(told["solids"].values())
    counted = [f"{kinds.count(kind)} {PLURALS.get(kind, kind)}" for kind in dict.fromkeys(kinds)]
    counted += [f"terrain {name} from {low:.2f} to {high:.2f} m" for name, (low, high) in told["terrains"].items()]
    lines = [f"{told['world']}: {', '.join(counted)}; {x1 - x0:.1f} by {y1 - y0:.1f} m"]
    for name, place in told["places"].items():
        free = "" if place["clearance_m"] is None else f", {place['clearance_m']:.2f} m from the nearest obstacle"
        lines.append(f"  {name}: ({place['x_m']:.2f}, {place['y_m']:.2f}) m, {place['heading_rad']:.2f} rad{free}")
    if told["shortest_m"] is not None:
        lines.append(f"  from start to goal: {told['shortest_m']:.1f} m")
    return [*lines, *told["problems"]]


def half_width_m(vehicle: Vehicle) -> float:
    """How far from its middle line a vehicle reaches, by its wheels."""
    wheels = [abs(vehicle.place_of(piece)[1, 3]) for piece in vehicle.drive_joints]
    return float(max(wheels)) + 0.15


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _new(options: argparse.Namespace) -> int:
    if options.file.suffix != ".sdf":
        raise UsageError(f"{options.file} is not an .sdf file", hint=f"e.g. {options.kind}_{options.seed}.sdf")
    if options.seed < 0:
        raise UsageError("a seed is 0 or more")
    if options.file.exists():
        raise UsageError(f"{options.file} exists", hint="choose another name, or remove it first")
    for path in save_world(MADE[options.kind](options.seed), options.file):
        print(f"wrote {path}")
    return FINE


def _picture(options: argparse.Namespace) -> int:
    if options.file.suffix.lower() not in (".png", ".jpg", ".jpeg"):
        raise UsageError(f"{options.file} is not a picture", hint="e.g. world.png")
    world = load_world(options.world)
    vehicles = [(options.vehicle, vehicle_of(load_model(options.vehicle)))] if options.vehicle else []
    physics = Physics(world, vehicles, [world.place("start")] if vehicles else [])
    width, height = SIZE_PX
    save_picture(picture(physics, View.of(physics, above=options.above), width, height), options.file)
    print(f"wrote {options.file}")
    return FINE
