"""How true are the maps? Gives the scans of a recorded drive to terrain_map, with more and more noise, and compares.

    studio run terrain_truth --mode simulated --for 22 --rate 0 --record drive.mcap
    python projects/terrain_truth/judge_maps.py drive.mcap --pictures maps

The noise is added to the right laser alone; the geometry that the maps are made with says so. Exit status: 0 fine,
1 the map without noise is worse than --max-rms or weighing does not help, 2 wrong use or a log without the topics.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plane_picture import save_png
from true_heights import NEAR_M, heights_of

from studio.editor.views.shared.map_colours import SCHEMES
from studio.errors import StudioError
from studio.messages import Map, PoseTransform, Range3d, decode
from studio.model.geometry.assembly import Model
from studio.model.geometry.library import load_model
from studio.paths import component_roots
from studio.runtime.host.profile import load_class
from studio.runtime.recording import LogReader
from studio.runtime.sim.worlds.worlds import load_world
from studio.runtime.trial import Trial

Floats = NDArray[np.float64]
POSE, LEFT, RIGHT = "/raptor/pose", "/raptor/left_laser", "/raptor/right_laser"
FUSIONS = ("variance", "mean")
NOISES_M = (0.0, 0.05, 0.1, 0.2, 0.4)
IDEAL = {"height_noise_m": 0.002, "certainty_m": 0.0002}
"""The poses of the drive are ideal and its ground is even: nothing but the ranges is uncertain."""
SHOWN_M = 0.1
"""Errors beyond this all have the same colour."""
SPREAD_OF_NOISE = 3.0
"""Points that lie farther off than this many standard deviations are too few to matter."""


@dataclass(frozen=True)
class Outcome:
    """Of one amount of noise: RMS in metres over all cells that were seen, and over those that both lasers saw."""

    noise_m: float
    cells: int
    rms_m: dict[str, float]
    shared_cells: int
    shared_rms_m: dict[str, float]

    def to_json(self) -> dict[str, Any]:
        return dict(vars(self))


def read_drive(log: LogReader) -> list[tuple[str, PoseTransform | Range3d]]:
    missing = [topic for topic in (POSE, LEFT, RIGHT) if topic not in log.topics]
    if missing:
        hint = "record one: studio run terrain_truth --mode simulated --for 22 --rate 0 --record drive.mcap"
        raise StudioError(f"the log has no {', '.join(missing)}", file=log.path, hint=hint)
    return [
        (event.topic, decode(PoseTransform if event.topic == POSE else Range3d, event.payload))
        for event in log.events([POSE, LEFT, RIGHT])
    ]


def with_noise(scan: Range3d, noise_m: float, random: np.random.Generator) -> Range3d:
    """Each point moved along its beam."""
    points = scan.points.astype(np.float64)
    measured = points[:, 3] + random.normal(0.0, noise_m, len(points))
    return scan.replace(points=np.column_stack([points[:, :3] * (measured / points[:, 3])[:, None], measured]))


def raptor(right_noise_m: float) -> Model:
    """The Raptor, with a right laser whose data tell how bad it is."""
    model = load_model("raptor")
    body = model.bodies["RightLaser"]
    worse = replace(body, sensors=[replace(sensor, noise_m=right_noise_m) for sensor in body.sensors])
    return replace(model, bodies={**model.bodies, "RightLaser": worse})


def mapped(drive: list[tuple[str, Any]], noise_m: float, fusion: str, lasers: tuple[str, ...] = (LEFT, RIGHT)) -> Map:
    random = np.random.default_rng(0)
    with Trial(_component("terrain_map"), geometry=raptor(noise_m), fusion=fusion, **IDEAL) as trial:
        for topic, message in drive:
            if topic == POSE:
                trial.send("pose", message)
            elif topic in lasers:
                trial.send("ranges", with_noise(message, noise_m, random) if topic == RIGHT and noise_m else message)
        trial.tick()
        (chart,) = trial.sent("terrain")
        assert isinstance(chart, Map)
        return chart


def judge(drive: list[tuple[str, Any]], world_name: str, noises_m: tuple[float, ...]) -> Iterator[Outcome]:
    world = load_world(world_name)
    seen = [np.isfinite(mapped(drive, 0.0, "mean", (laser,)).plane("height")) for laser in (LEFT, RIGHT)]
    for noise_m in noises_m:
        charts = {fusion: mapped(drive, noise_m, fusion) for fusion in FUSIONS}
        low, high = heights_of(world, charts["mean"], max(NEAR_M, SPREAD_OF_NOISE * noise_m))
        off = {fusion: _off(chart, low, high) for fusion, chart in charts.items()}
        shared = np.logical_and(*seen) & np.isfinite(off["mean"])
        yield Outcome(
            noise_m, int(np.isfinite(off["mean"]).sum()), {fusion: _rms(each) for fusion, each in off.items()},
            int(shared.sum()), {fusion: _rms(each[shared]) for fusion, each in off.items()},
        )  # fmt: skip


def save_pictures(drive: list[tuple[str, Any]], world_name: str, folder: Path, noise_m: float) -> Iterator[Path]:
    """The map without noise, where it can be driven, and with noise how far the two maps are off on open ground."""
    folder.mkdir(parents=True, exist_ok=True)
    path = np.array([message.position[:2] for topic, message in drive if topic == POSE])
    chart = mapped(drive, 0.0, "variance")
    with Trial(_component("traverse_map"), geometry="raptor") as trial:
        trial.send("terrain", chart)
        (traverse,) = trial.sent("traverse")
    pictures = [
        ("height", chart.plane("height"), SCHEMES["terrain"]),
        ("traversability", traverse.plane("traversability"), SCHEMES["traversability"]),
    ]
    for fusion in FUSIONS:
        chart = mapped(drive, noise_m, fusion)
        low, high = heights_of(load_world(world_name), chart, SPREAD_OF_NOISE * noise_m)
        off = np.where(high > low, np.nan, chart.plane("height") - low).astype(np.float32)
        pictures.append((f"error_{fusion}", off, SCHEMES["difference"].over(-SHOWN_M, SHOWN_M)))
    for name, plane, scheme in pictures:
        file = folder / f"{name}.png"
        save_png(plane, chart.origin_m, chart.resolution_m, scheme, file, path)
        yield file


def _component(name: str) -> Any:
    found = [root / name for root in component_roots() if (root / name).is_dir()]
    if not found:
        raise StudioError(f"there is no component {name}", hint="it ships with Studio, in components/")
    return load_class(found[0])


def _off(chart: Map, low: Floats, high: Floats) -> Floats:
    height = chart.plane("height").astype(np.float64)
    return np.maximum(np.maximum(low - height, height - high), 0.0)


def _rms(off: Floats) -> float:
    return float(np.sqrt(np.nanmean(off**2)))


def table(outcomes: list[Outcome]) -> str:
    lines = ["noise of the     RMS, all cells          RMS, cells of both lasers"]
    lines += ["right laser      weighted  plain mean    weighted  plain mean"]
    for each in outcomes:
        numbers = [part[fusion] * 1000 for part in (each.rms_m, each.shared_rms_m) for fusion in FUSIONS]
        one, two, three, four = (f"{number:6.2f} mm" for number in numbers)
        lines.append(f"{each.noise_m:5.2f} m        {one}   {two}   {three}   {four}")
    first = outcomes[0]
    return "\n".join([f"{first.cells} cells were seen, {first.shared_cells} of them by both lasers", *lines])


def main() -> int:
    parser = argparse.ArgumentParser(description="How true are the maps of a recorded drive?")
    parser.add_argument("log", type=Path)
    parser.add_argument("--world", default="blocks", help="the world that the drive was simulated in")
    parser.add_argument("--noise", type=float, nargs="+", default=NOISES_M, metavar="M", help="of the right laser")
    parser.add_argument("--max-rms", type=float, default=0.05, metavar="M", help="of the map without noise")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="save the maps there")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    try:
        with LogReader(options.log) as log:
            drive = read_drive(log)
        outcomes = list(judge(drive, options.world, (0.0, *(noise for noise in options.noise if noise))))
        pictures = (
            list(save_pictures(drive, options.world, options.pictures, max(options.noise))) if options.pictures else []
        )
    except StudioError as error:
        print(f"judge_maps: {error}", file=sys.stderr)
        return 2
    print(json.dumps([each.to_json() for each in outcomes], indent=2) if options.json else table(outcomes))
    for file in pictures:
        print(f"saved {file}", file=sys.stderr)
    true = outcomes[0].rms_m["variance"] <= options.max_rms
    helps = all(each.shared_rms_m["variance"] < each.shared_rms_m["mean"] for each in outcomes[1:])
    return 0 if true and helps else 1


if __name__ == "__main__":
    sys.exit(main())
