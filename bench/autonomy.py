"""The simulated Raptor among blocks of twenty seeds: who arrives, who collides, and how long the way is.

The whole system of projects/raptor_blocks_world, in one process and flat out, with another start, goal and layout for
each seed. The way is compared with the shortest one over the true map, which the vehicle does not have.
"""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.autonomy_parts.shortest_way import shortest_m
from bench.harness import OURS, Report
from studio.model.geometry.library import load_model
from studio.model.geometry.outline import outline_of
from studio.model.loaded_project import open_project
from studio.model.spec import Value
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.host.host import create
from studio.runtime.host.in_process import InProcess
from studio.runtime.plan.plan import Plan
from studio.runtime.plan.planning import plan_of
from studio.runtime.sim.worlds.worlds import load_world
from studio.runtime.wire.frames import Event

PROJECT = Path(__file__).resolve().parent.parent / "projects" / "raptor_blocks_world"
SEEDS_PER_ROUND = 4
SECONDS = 150.0
SEEDS, SHORTEST = "seeds", "shortest way"


@dataclass(frozen=True)
class Drive:
    seed: int
    outcome: dict[str, Any]
    shortest_m: float
    failures: dict[str, str]

    @property
    def arrived(self) -> bool:
        return bool(self.outcome.get("goal_reached")) and not self.failures

    @property
    def collisions(self) -> int:
        return int(self.outcome.get("collisions", 0))


def run(rounds: int = 5) -> Report:
    report = Report("autonomy", rounds)
    drives = [drive(seed, SECONDS) for seed in range(1, rounds * SEEDS_PER_ROUND + 1)]
    count = float(len(drives))
    arrived = [each for each in drives if each.arrived]
    clean = sum(not each.collisions for each in drives)
    report.add("drives that arrive", "drives", {OURS: float(len(arrived)), SEEDS: count}, against=SEEDS, goal=0.95,
               better="higher")  # fmt: skip
    report.add("drives without a collision", "drives", {OURS: float(clean), SEEDS: count}, against=SEEDS, goal=1.0,
               better="higher")  # fmt: skip
    report.add("collisions", "contacts", {OURS: float(sum(each.collisions for each in drives))})
    if arrived:
        ways = {OURS: statistics.median(each.outcome["path_m"] for each in arrived),
                SHORTEST: statistics.median(each.shortest_m for each in arrived)}  # fmt: skip
        report.add("length of the way, median", "m", ways, against=SHORTEST, goal=1.3)
        seconds = statistics.median(each.outcome["seconds_to_goal"] for each in arrived)
        report.add("time to the goal, median", "s", {OURS: seconds})
    return report


def drive(seed: int, seconds: float = SECONDS) -> Drive:
    """One drive in the world of that seed, until the judge has seen enough or the time is over."""
    name = f"blocks:{seed}"
    world = load_world(name)
    start, goal = world.places["start"], world.places["goal"]
    target: dict[str, Value] = {"goal_x_m": goal.x_m, "goal_y_m": goal.y_m}
    plan = with_parameters(planned(seed), simulator={"world": name}, path_planner=target, judge=target)
    outcome, failures = driven(plan, seconds)
    half_width_m = outline_of(load_model("raptor"), "Raptor").left_m
    return Drive(seed, outcome, shortest_m(world, start, goal, half_width_m), failures)


def planned(seed: int = 0) -> Plan:
    opened = open_project(PROJECT)
    return plan_of(opened.system, opened.registry, project=opened.folder, seed=seed)


def with_parameters(plan: Plan, **changes: dict[str, Value]) -> Plan:
    """Component=parameters: the plan with these values instead of those of the system file."""
    components = tuple(
        replace(each, parameters={**each.parameters, **changes.get(each.name, {})}) for each in plan.components
    )
    return replace(plan, components=components)


def driven(plan: Plan, seconds: float) -> tuple[dict[str, Any], dict[str, str]]:
    """What the judge said last, and which components failed."""
    outcome: dict[str, Any] = {}

    def hear(event: Event) -> None:
        if event.topic == "/judge/outcome":
            outcome.update(json.loads(event.message.data))

    twin = InProcess(plan, create, tap=hear)
    twin.start()
    end_ns, at_ns = round(seconds * SECOND_NS), 0
    while at_ns < min(end_ns, outcome.get("over_at_ns") or end_ns):
        at_ns += SECOND_NS
        twin.lockstep(until_ns=at_ns)
    twin.stop()
    return outcome, {name: runner.error for name, runner in twin.runners.items() if runner.error}
