"""Looks at what a replay of this project recorded: how good are the poses, and what do the maps look like?

    studio replay carmen_mapping --log intel.mcap --lockstep --in-process --record out.mcap
    python projects/carmen_mapping/evaluate.py out.mcap --pictures maps

Exit status: 0 fine, 1 the error is larger than --max-rmse, 2 wrong use or a log without the topics.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from map_picture import save_pgm, save_png
from trajectory_errors import Floats, TrajectoryError, compare, path_m

from studio.errors import StudioError
from studio.messages import Map, Odometry, PoseTransform, decode
from studio.runtime.recording import LogReader

REFERENCE = "/robot/corrected_pose"
MATCHED, WHEELS = "/matcher/pose", "/wheels/at_restart"
MAPS = {"/mapper/map": MATCHED, "/reference/map": REFERENCE}
"""Each with the poses that it was made from."""


@dataclass(frozen=True)
class Trajectory:
    stamps_ns: list[int]
    poses: Floats
    """(N, 3): x, y in metres, yaw in radians."""


def read_trajectory(log: LogReader, topic: str) -> Trajectory:
    is_odometry = log.topics[topic].schema.name == Odometry.SCHEMA_NAME
    kind: type[Odometry] | type[PoseTransform] = Odometry if is_odometry else PoseTransform
    messages = [decode(kind, event.payload) for event in log.events([topic])]
    rows = [(float(each.position[0]), float(each.position[1]), each.yaw_rad) for each in messages]
    return Trajectory([each.stamp_ns for each in messages], np.array(rows).reshape(-1, 3))


def paired(estimate: Trajectory, reference: Trajectory) -> tuple[Floats, Floats]:
    """The poses that both have, by their stamps; of equal stamps the first belongs to the first."""
    found = dict(zip(_numbered(estimate.stamps_ns), estimate.poses, strict=True))
    sought = zip(_numbered(reference.stamps_ns), reference.poses, strict=True)
    both = [(found[stamp], pose) for stamp, pose in sought if stamp in found]
    if len(both) < 2:
        raise StudioError("the two trajectories share fewer than two stamps", hint="were they made from one log?")
    mine, theirs = zip(*both, strict=True)
    return np.array(mine), np.array(theirs)


def _numbered(stamps_ns: list[int]) -> Iterator[tuple[int, int]]:
    counts = Counter[int]()
    for stamp_ns in stamps_ns:
        counts[stamp_ns] += 1
        yield stamp_ns, counts[stamp_ns]


def judge(log: LogReader) -> dict[str, TrajectoryError]:
    missing = [topic for topic in (REFERENCE, MATCHED, WHEELS) if topic not in log.topics]
    if missing:
        hint = "record one: studio replay carmen_mapping --log intel.mcap --lockstep --in-process --record out.mcap"
        raise StudioError(f"the log has no {', '.join(missing)}", file=log.path, hint=hint)
    reference = read_trajectory(log, REFERENCE)
    return {topic: compare(*paired(read_trajectory(log, topic), reference)) for topic in (WHEELS, MATCHED)}


def save_pictures(log: LogReader, folder: Path) -> Iterator[Path]:
    """The last map of each mapper, as <mapper>.png, .pgm and .yaml."""
    folder.mkdir(parents=True, exist_ok=True)
    for topic, poses in MAPS.items():
        last = next(log.events([topic], reverse=True), None) if topic in log.topics else None
        if last is None:
            continue
        chart = decode(Map, last.payload)
        name = topic.split("/")[1]
        save_png(chart, folder / f"{name}.png", read_trajectory(log, poses).poses)
        save_pgm(chart, folder / f"{name}.pgm")
        yield from (folder / f"{name}{suffix}" for suffix in (".png", ".pgm", ".yaml"))


def report(errors: dict[str, TrajectoryError], log: LogReader) -> Iterator[str]:
    wheels, matched = errors[WHEELS], errors[MATCHED]
    length_m = path_m(read_trajectory(log, REFERENCE).poses)[-1]
    yield f"{matched.poses} poses along {length_m:.1f} m, against the poses that the log was corrected to"
    yield f"{'':32}{'odometry alone':>16}{'scan matching':>16}"
    yield f"{'absolute error, RMSE':32}{wheels.rmse_m:14.3f} m{matched.rmse_m:14.3f} m"
    yield f"{'absolute error, largest':32}{wheels.largest_m:14.3f} m{matched.largest_m:14.3f} m"
    for one, other in zip(wheels.relative, matched.relative, strict=True):
        over = f"relative error over {one.distance_m:g} m"
        yield f"{over:32}{one.translation_m:14.3f} m{other.translation_m:14.3f} m"
        yield f"{'  per metre':32}{100 * one.per_metre:14.2f} %{100 * other.per_metre:14.2f} %"
        angles = np.degrees([one.rotation_rad, other.rotation_rad])
        yield f"{'  of the direction':32}{angles[0]:14.2f} °{angles[1]:14.2f} °"


def options_of(words: list[str] | None) -> argparse.Namespace:
    about, _, example = (__doc__ or "").partition("\n\n")
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=about, epilog=f"example:\n{example}", formatter_class=raw)
    parser.add_argument("log", type=Path, help="what `studio replay carmen_mapping --record` wrote")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="save the last maps there as PNG and PGM")
    parser.add_argument(
        "--max-rmse", type=float, metavar="M", help="exit status 1 if scan matching is worse, in metres"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, for scripts")
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> int:
    options = options_of(words)
    try:
        with LogReader(options.log) as log:
            errors = judge(log)
            saved = list(save_pictures(log, options.pictures)) if options.pictures else []
            text = "\n".join(report(errors, log))
    except (StudioError, OSError) as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return 2
    if options.json:
        told = {topic: error.json() for topic, error in errors.items()}
        print(json.dumps({"trajectories": told, "pictures": [str(file) for file in saved]}, indent=2))
    else:
        print(text)
        if saved:
            print(f"saved {', '.join(str(file) for file in saved)}")
    too_bad = options.max_rmse is not None and errors[MATCHED].rmse_m > options.max_rmse
    return 1 if too_bad else 0


if __name__ == "__main__":
    sys.exit(main())
