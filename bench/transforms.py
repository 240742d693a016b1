"""Where one frame is in another: ours against pytransform3d and ROS tf2's BufferCore, on the same graph.

60 bodies, 400 frames, every body on a moving joint. tf2 is C++ and keeps a history, as we do; it runs under the Python
for which Debian builds it, in a process that takes its turns like everybody else. pytransform3d has no stamps, so it
answers for one moment, without its checks. Before anything is timed, all have to agree.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import OURS, Report, installed, interleave, no_garbage_collection, per_call_us
from bench.transform_parts.workload import RATE_HZ, Query, Workload, workload
from studio.model.geometry.assembly import FrameName
from studio.model.geometry.linkage import link, part_of
from studio.model.geometry.poses import distance
from studio.model.geometry.rotations import from_quaternion, quaternion_of
from studio.model.geometry.transforms import SECOND_NS, Transforms

TF2, PYTRANSFORM3D, REBUILDING = "tf2", "pytransform3d", "rebuilding"
SYSTEM_PYTHON = "/usr/bin/python3"
PEER = Path(__file__).parent / "transform_parts" / "tf2_peer.py"
APART_M = 1e-6
"""tf2's stamps go through floats. Between two stamps it moves along the chord, and we along the arc of the joint, so
they are compared at recorded stamps."""
LATER_S = 1.0
"""tf2 takes the stamp 0 for "the latest"."""


def run(rounds: int = 5) -> Report:
    report = Report("transforms", rounds)
    work = workload()
    transforms = work.transforms()
    with Tf2(work) as tf2:
        if tf2.is_here:
            tf2.check(transforms, work)
        else:
            report.missing(TF2, "apt-get install python3-tf2")
        manager = _pytransform3d(transforms, work) if installed("pytransform3d") else None
        if manager is None:
            report.missing(PYTRANSFORM3D)
        contenders = {
            OURS: lambda: _each(work, lambda q: transforms.get_transformation(q.foi, q.reference, q.stamp_ns)),
            TF2: tf2.measure if tf2.is_here else None,
        }
        what = f"query at a stamp, mean depth {work.mean_depth:.0f}"
        report.add(what, "us", interleave(contenders, rounds), against=TF2, goal=0.5)
        latest = {
            OURS: lambda: _each(work, lambda q: transforms.get_transformation(q.foi, q.reference)),
            PYTRANSFORM3D: None if manager is None else lambda: _each(work, lambda q: manager(q.foi, q.reference)),
        }
        report.add("query of the latest", "us", interleave(latest, rounds), against=PYTRANSFORM3D, goal=1 / 15)
    first = work.queries[0]
    change = {
        OURS: lambda: per_call_us(lambda: _change(transforms, first)),
        REBUILDING: lambda: per_call_us(lambda: Transforms(work.model).get_transformation(first.foi, first.reference)),
    }
    report.add("change a joint, then query", "us", interleave(change, rounds), against=REBUILDING, goal=0.05)
    return report


def _each(work: Workload, ask: Callable[[Query], object]) -> float:
    """Microseconds per query, over all of them for 50 ms."""
    calls = 0
    with no_garbage_collection():
        began = time.perf_counter()
        while time.perf_counter() - began < 0.05:
            for query in work.queries:
                ask(query)
            calls += len(work.queries)
        return (time.perf_counter() - began) / calls * 1e6


def _change(transforms: Transforms, query: Query) -> object:
    span = transforms.joint_span("c1")
    transforms.set_joint("c1", 0.1, span[1] + 1 if span else 0)
    return transforms.get_transformation(query.foi, query.reference)


def _pytransform3d(transforms: Transforms, work: Workload) -> Callable[[str, str], Any]:
    from pytransform3d.transform_manager import TransformManager

    manager = TransformManager(check=False)
    for edge in link(work.model).edges:
        position = work.positions[edge.name][-1]
        manager.add_transform(str(edge.end), str(edge.start), edge.at(position))
    for name in transforms.frame_names():
        part, pose = part_of(work.model, FrameName.parse(name))
        manager.add_transform(name, str(part), pose)
    for query in work.queries:
        ours = transforms.get_transformation(query.foi, query.reference)
        if np.abs(ours - manager.get_transform(query.foi, query.reference)).max() > 1e-9:
            raise ValueError(f"pytransform3d disagrees about {query}")
    ask: Callable[[str, str], Any] = manager.get_transform
    return ask


class Tf2:
    """The peer's process; not here where Debian's package is not."""

    def __init__(self, work: Workload) -> None:
        probe = subprocess.run([SYSTEM_PYTHON, "-c", "import tf2_py"], capture_output=True, check=False)
        self.is_here = probe.returncode == 0
        self._graph = json.dumps(_graph(work)) if self.is_here else ""
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Tf2:
        if self.is_here:
            command = [SYSTEM_PYTHON, str(PEER)]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self._say(self._graph)
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            assert self._process.stdin is not None and self._process.stdout is not None
            self._process.stdin.close()
            self._process.wait(timeout=30)
            self._process.stdout.close()

    def measure(self) -> float:
        return float(self._ask("go"))

    def check(self, transforms: Transforms, work: Workload) -> None:
        for query, row in zip(_exact(work), json.loads(self._ask("check")), strict=True):
            theirs = np.eye(4)
            theirs[:3, 3] = row[:3]
            theirs[:3, :3] = from_quaternion(*row[3:])
            apart_m, _ = distance(transforms.get_transformation(query.foi, query.reference, query.stamp_ns), theirs)
            if apart_m > APART_M:
                raise ValueError(f"tf2 disagrees about {query} by {apart_m:g} m")

    def _ask(self, word: str) -> str:
        self._say(word)
        assert self._process is not None and self._process.stdout is not None
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError("the process of tf2 ended")
        return answer

    def _say(self, text: str) -> None:
        assert self._process is not None and self._process.stdin is not None
        self._process.stdin.write(text + "\n")
        self._process.stdin.flush()


def _graph(work: Workload) -> dict[str, Any]:
    def numbers(matrix: Any) -> tuple[list[float], list[float]]:
        return matrix[:3, 3].tolist(), list(quaternion_of(matrix[:3, :3]))

    static = []
    for body in work.model.bodies.values():
        static += [(body.name, f"{body.name}:{frame.name}", *numbers(frame.pose.matrix)) for frame in body.frames]
    moving = [
        (number / RATE_HZ + LATER_S, str(edge.start), str(edge.end), *numbers(edge.at(position)))
        for edge in link(work.model).edges
        for number, position in enumerate(work.positions[edge.name])
    ]
    queries, exact = (
        [(query.foi, query.reference, query.stamp_ns / SECOND_NS + LATER_S) for query in chosen]
        for chosen in (work.queries, _exact(work))
    )
    return {"static": static, "moving": moving, "queries": queries, "exact": exact}


def _exact(work: Workload) -> list[Query]:
    step_ns = SECOND_NS // RATE_HZ
    return [replace(query, stamp_ns=query.stamp_ns // step_ns * step_ns) for query in work.queries]
