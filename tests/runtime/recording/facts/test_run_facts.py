"""What a run was made of: as a log keeps it, and how two runs differ."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from studio.model.geometry.content import GeometryContent
from studio.model.loaded_project import open_project
from studio.runtime.plan.plan import Plan
from studio.runtime.plan.planning import plan_of
from studio.runtime.recording import LogReader, LogWriter
from studio.runtime.recording.facts.component_code import fingerprint
from studio.runtime.recording.facts.run_facts import RunFacts, facts_of, facts_of_plan, run_differences, store_run

PROJECTS = Path(__file__).resolve().parents[4] / "projects"


def plan_for(project: str, seed: int = 0) -> Plan:
    opened = open_project(PROJECTS / project)
    return plan_of(opened.system, opened.registry, project=opened.folder, seed=seed)


def stored(path: Path, plan: Plan) -> RunFacts:
    with LogWriter(path) as log:
        store_run(log, plan)
    with LogReader(path) as reader:
        return facts_of(reader)


def with_longer_bumper(geometry: GeometryContent) -> GeometryContent:
    bodies = {name: text.replace('xyz="2.45 0 0.55"', 'xyz="2.5 0 0.55"') for name, text in geometry.bodies.items()}
    return GeometryContent.of(geometry.name, geometry.assembly, bodies)


def test_a_log_tells_all_of_its_run(tmp_path: Path) -> None:
    plan = plan_for("raptor_blocks_world", seed=3)
    facts = stored(tmp_path / "a.mcap", plan)
    assert facts.parameters is not None and facts.parameters["terrain_map"]["beam_noise_deg"] == 0.1
    assert facts.code is not None and set(facts.code) == {component.name for component in plan.components}
    assert facts.seed == "3" and facts.geometry is not None and facts.wires
    assert run_differences(facts, facts) == run_differences(facts, facts_of_plan(plan)) == []


def test_everything_that_differs_is_named(tmp_path: Path) -> None:
    plan = plan_for("raptor_blocks_world")
    a = stored(tmp_path / "a.mcap", plan)
    assert a.parameters is not None and a.code is not None and a.wires is not None and a.geometry is not None
    changed = {name: dict(values) for name, values in a.parameters.items() if name != "judge"}
    changed["terrain_map"]["beam_noise_deg"] = 0.2
    b = replace(
        a, parameters=changed, code={**a.code, "terrain_map": "0123456789ab"}, wires=a.wires - {min(a.wires)},
        versions={**a.versions, "numpy": "9.9"}, seed="7",
        geometry=with_longer_bumper(a.geometry),
    )  # fmt: skip
    told = [str(each) for each in run_differences(a, b)]
    assert "FrontBumperCenter" in told.pop(4)
    assert told == [
        "terrain_map.beam_noise_deg 0.1 → 0.2",
        "component judge in it → not in it",
        f"code of terrain_map {a.code['terrain_map']} → 0123456789ab",
        f"wire {min(a.wires)} in it → not in it",
        f"numpy {a.versions['numpy']} → 9.9",
        "seed 0 → 7",
    ]
    assert run_differences(a, RunFacts()) == [], "a log of others says nothing of its run"


def test_the_fingerprint_is_that_of_the_code(tmp_path: Path) -> None:
    (tmp_path / "part.py").write_text("a = 1")
    before = fingerprint(tmp_path)
    (tmp_path / "README.md").write_text("words")
    (tmp_path / "test_part.py").write_text("assert 1")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "part.pyc").write_bytes(b"1")
    assert fingerprint(tmp_path) == before != ""
    (tmp_path / "part.py").write_text("a = 2")
    assert fingerprint(tmp_path) != before
    assert fingerprint(tmp_path / "nowhere") == ""
