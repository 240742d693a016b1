"""Random edits of the worlds that ship: what is written can be read and says the same, undoing all gives the bytes of
the file, and so does an edit followed by its opposite, made by hand."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from studio.errors import StudioError
from studio.model.geometry.obstacles import WallSize, new_obstacle, new_place, new_wall, wall_size, with_wall_size
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import Rotation
from studio.model.geometry.shapes import Box
from studio.model.geometry.tidy_poses import pose_like
from studio.model.geometry.workspace import Workspace
from studio.model.geometry.world import WorldModel
from studio.model.geometry.world_edits import AddToWorld, ChangeInWorld, DescribeWorld, RemoveFromWorld
from studio.model.geometry.world_xml import read_world
from studio.paths import model_roots

PICK = st.integers(0, 1000)
NUMBERS = st.integers(-2000, 2000).map(lambda value: value / 100)
SIZES = st.integers(1, 500).map(lambda value: value / 100)
WORLDS = model_roots()[0] / "worlds"


class WorldMachine(RuleBasedStateMachine):
    source = ""

    def __init__(self) -> None:
        super().__init__()
        self.home = tempfile.TemporaryDirectory()
        path = Path(self.home.name) / self.source
        path.write_bytes((WORLDS / self.source).read_bytes())
        self.workspace = Workspace.load(path, [])
        self.before = self.workspace.text()

    def do(self, edit: Any) -> bool:
        before = self.workspace.text()
        try:
            return self.workspace.do(edit)
        except StudioError:
            assert self.workspace.text() == before
            return False

    def there_and_back(self, edit: Any, opposite: Callable[[], Any]) -> None:
        before = self.workspace.text()
        if self.do(edit):
            self.workspace.do(opposite())
            assert self.workspace.text() == before, edit

    def part(self, pick: int) -> Any:
        parts = list(self.workspace.world().every())
        return parts[pick % len(parts)] if parts else None

    @rule(kind=st.sampled_from(["box", "cylinder", "sphere"]), x=NUMBERS, y=NUMBERS)
    def place(self, kind: str, x: float, y: float) -> None:
        made = new_obstacle(self.workspace.world(), kind, (x, y))
        self.there_and_back(AddToWorld(made), lambda: RemoveFromWorld(made.name))
        self.do(AddToWorld(made))

    @rule(corners=st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2, max_size=5, unique=True), height=SIZES)
    def draw_a_wall(self, corners: list[tuple[float, float]], height: float) -> None:
        made = new_wall(self.workspace.world(), corners, height, 0.1)
        assert self.do(AddToWorld(made))

    @rule(name=st.sampled_from(["start", "goal", "start_raptor"]), x=NUMBERS, y=NUMBERS)
    def add_a_place(self, name: str, x: float, y: float) -> None:
        made = new_place(self.workspace.world(), name, (x, y))
        self.there_and_back(AddToWorld(made), lambda: RemoveFromWorld(made.name))
        self.do(AddToWorld(made))

    @rule(pick=PICK, x=NUMBERS, yaw=NUMBERS)
    def move(self, pick: int, x: float, yaw: float) -> None:
        part = self.part(pick)
        if part is not None:
            there = Pose((x, 0.5, 1.0), Rotation("rpy", (0.0, 0.0, yaw), "degrees"))
            self.there_and_back(
                ChangeInWorld(part.name, replace(part, pose=there)), lambda: ChangeInWorld(part.name, part)
            )
            self.do(ChangeInWorld(part.name, replace(part, pose=there)))

    @rule(pick=PICK, degrees=st.integers(1, 179))
    def turn_by_hand_and_back(self, pick: int, degrees: int) -> None:
        """As the gizmo does it, by computed poses."""
        part = self.part(pick)
        if part is None:
            return
        turn = Pose(rotation=Rotation("rpy", (0.0, 0.0, float(degrees)), "degrees")).matrix
        turned = pose_like(part.pose, part.pose.matrix @ turn)
        there = replace(part, pose=turned)
        back = Pose(rotation=Rotation("rpy", (0.0, 0.0, -float(degrees)), "degrees")).matrix
        self.there_and_back(
            ChangeInWorld(part.name, there),
            lambda: ChangeInWorld(part.name, replace(part, pose=pose_like(turned, turned.matrix @ back))),
        )

    @rule(pick=PICK, name=st.sampled_from(["one", "two", "hall", "start"]))
    def rename(self, pick: int, name: str) -> None:
        part = self.part(pick)
        if part is not None:
            self.there_and_back(ChangeInWorld(part.name, replace(part, name=name)), lambda: ChangeInWorld(name, part))

    @rule(pick=PICK)
    def remove(self, pick: int) -> None:
        part = self.part(pick)
        if part is not None:
            self.do(RemoveFromWorld(part.name))

    @rule(pick=PICK, size=SIZES, friction=st.sampled_from([None, 0.1, 0.9]), colour=st.sampled_from(["", "1 0 0 1"]))
    def change_shapes(self, pick: int, size: float, friction: float | None, colour: str) -> None:
        part = self.part(pick)
        if not isinstance(part, WorldModel) or not part.shapes:
            return
        index = pick % len(part.shapes)
        old = part.shapes[index]
        shape = replace(old.shape, colour=colour or old.shape.colour)
        if isinstance(shape, Box):
            shape = replace(shape, size=(size, 1.0, 2.0))
        other = part.with_shape(index, replace(old, shape=shape, friction=friction))
        self.there_and_back(ChangeInWorld(part.name, other), lambda: ChangeInWorld(part.name, part))
        self.do(ChangeInWorld(part.name, other))

    @rule(pick=PICK, height=SIZES, thickness=SIZES)
    def change_walls(self, pick: int, height: float, thickness: float) -> None:
        part = self.part(pick)
        if isinstance(part, WorldModel) and wall_size(part) is not None:
            self.do(ChangeInWorld(part.name, with_wall_size(part, WallSize(height, thickness))))

    @rule(z=NUMBERS)
    def gravity(self, z: float) -> None:
        self.do(DescribeWorld(self.workspace.name, (0.0, 0.0, z)))

    @rule(pick=PICK)
    def type_in_the_text(self, pick: int) -> None:
        text = self.workspace.text().replace(b"  </world>", b"    <!-- typed -->\n  </world>", 1)
        assert self.workspace.write_text(text) == []

    @rule()
    def undo(self) -> None:
        self.workspace.undo()

    @rule()
    def redo(self) -> None:
        self.workspace.redo()

    @invariant()
    def the_text_says_what_the_world_says(self) -> None:
        text = self.workspace.text()
        read = read_world(text)
        now = self.workspace.world()
        assert [each.name for each in read.every()] == [each.name for each in now.every()]
        for one, other in zip(read.every(), now.every(), strict=True):
            assert abs(one.pose.matrix - other.pose.matrix).max() < 1e-9

    def teardown(self) -> None:
        while self.workspace.undo():
            pass
        assert self.workspace.text() == self.before
        self.home.cleanup()


def of(source: str) -> type[WorldMachine]:
    return type("Machine", (WorldMachine,), {"source": source})


WHERE = pytest.mark.parametrize("source", ["blocks.sdf", "maze.sdf", "slopes.sdf"])
QUICK = settings(max_examples=6, stateful_step_count=10, deadline=None, phases=[Phase.explicit, Phase.generate])
LONG = settings(max_examples=300, stateful_step_count=30, deadline=None)


@WHERE
def test_random_edits_of_a_world_lose_nothing(source: str) -> None:
    run_state_machine_as_test(of(source), settings=QUICK)


@pytest.mark.soak
@WHERE
def test_many_random_edits_of_a_world_lose_nothing(source: str) -> None:
    run_state_machine_as_test(of(source), settings=LONG)
