"""Every way to record compresses alike unless it is asked for something else."""

from __future__ import annotations

from pathlib import Path

from studio.model.loaded_project import open_project
from studio.runtime.base.log_compression import WHEN_RECORDING
from studio.runtime.control_plane.of_runtime import Record
from studio.runtime.plan.plan import Plan, RecordingPlan
from studio.runtime.plan.planning import plan_of

PROJECT = Path(__file__).resolve().parents[2] / "projects" / "first_steps"


def test_a_plan_from_the_library_compresses_as_the_commands_do(tmp_path: Path) -> None:
    opened = open_project(PROJECT)
    plan = plan_of(opened.system, opened.registry, record=tmp_path / "run.mcap")
    assert plan.recording is not None and plan.recording.compression == WHEN_RECORDING != "none"


def test_who_asks_for_a_log_and_names_no_compression_gets_the_same() -> None:
    assert Record(file="run.mcap").compression == RecordingPlan("run.mcap", ()).compression == WHEN_RECORDING


def test_a_plan_keeps_the_compression_it_was_given(tmp_path: Path) -> None:
    plan = Plan((), recording=RecordingPlan("run.mcap", (), "none"))
    plan.save(tmp_path / "plan.json")
    assert Plan.load(tmp_path / "plan.json").recording == plan.recording
