"""Each quick fix removes the finding that it belongs to, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.model.document import SystemDocument
from studio.model.loaded_project import open_project
from studio.model.project import Project
from studio.model.quick_fixes import fixes
from studio.model.registry import Registry
from studio.model.system_check import check
from studio.paths import component_roots

TYPES = ["Float64", "String", "Range3d", "PoseTransform"]
ENDS = '<component name="a" type="signal_source"/><component name="b" type="signal_sink"/>'
SOURCE = (
    '<source name="rig" mode="simulated"><port name="wave" direction="out" type="Float64"/>'
    '<simulated><component name="gen" type="signal_source"/>'
)
SEEN = '<component name="b" type="signal_sink"/><wire from="rig.wave" to="b.value"/>'
WIRED = '<wire from="a.value" to="b.value"/>'


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry.scan(component_roots())


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        (f'{ENDS}<wire from="a.valeu" to="b.value"/>', "Wire it to a.value"),
        (f'{ENDS}{WIRED}<wire from="a.value" to="nobody.value"/>', "Remove it"),
        (ENDS, "Wire it from a.value"),
        (f"{SOURCE}</simulated></source>{SEEN}", "Bind wave to gen.value"),
        (
            (
                f'{SOURCE}<component name="gen2" type="signal_source"/><bind port="wave" to="gen.value"/>'
                f'<bind port="other" to="gen2.value"/></simulated></source>{SEEN}'
            ),
            "Take other away",
        ),
        (f'{ENDS}<component name="f" type="low_pas"/>{WIRED}<wire from="a.value" to="f.raw"/>', "Make it a low_pass"),
        (
            (
                '<component name="a" type="signal_source"><parameter name="amplitud" value="2"/></component>'
                f'<component name="b" type="signal_sink"/>{WIRED}'
            ),
            "Rename it to amplitude",
        ),
        (
            (
                '<component name="a" type="signal_source"><parameter name="amplitude" value="many"/></component>'
                f'<component name="b" type="signal_sink"/>{WIRED}'
            ),
            "Use the default",
        ),
        (
            f'<component name="a" type="signal_source"/><component name="b" type="signal_sink" host="h"/>{WIRED}',
            "Make the host h",
        ),
        (
            f'<component name="a" type="signal_source"/><component name="b" type="signal_sink" mode="trigger"/>{WIRED}',
            "Let it act on event",
        ),
        (
            f'<component name="a" type="signal_source"/><component name="b" type="signal_sink" period_s="1"/>{WIRED}',
            "Remove the period",
        ),
        (
            (
                '<component name="a" type="signal_source"/><component name="b" type="signal_sink"/>'
                f'<component name="f" type="low_pass" parameters="slo"/>{WIRED}<wire from="a.value" to="f.raw"/>'
            ),
            "Take slow",
        ),
    ],
)
def test_a_fix_removes_its_finding_and_can_be_undone(
    tmp_path: Path, registry: Registry, inside: str, text: str
) -> None:
    (tmp_path / "system.xml").write_text(f'<system name="s" version="1">{inside}</system>')
    document = SystemDocument.load(tmp_path)
    before = document.texts()
    problems = check(document.system, registry, TYPES)
    found = [(problem, fix) for problem in problems for fix in fixes(problem, document.system, registry)[:1]]
    problem, fix = next(((p, f) for p, f in found if f.text == text), (None, None))
    assert problem is not None and fix is not None, [(p.message, f.text) for p, f in found] or problems
    document.do(fix.edit)
    after = check(document.system, registry, TYPES)
    assert problem.message not in [each.message for each in after]
    assert len(after) == len(problems) - 1
    document.undo()
    assert document.texts() == before


def test_where_only_the_user_can_know_there_is_none(tmp_path: Path, registry: Registry) -> None:
    two = ENDS + '<component name="c" type="signal_source"/>'
    (tmp_path / "system.xml").write_text(f'<system name="s" version="1">{two}</system>')
    system = SystemDocument.load(tmp_path).system
    (problem,) = check(system, registry, TYPES)
    assert fixes(problem, system, registry) == []


SIMULATED = '<component name="sim" type="pioneer_2dx_simulator">{}</component>'
DRIVEN = (
    '<component name="avoid" type="laser_obstacle_avoid"/><wire from="sim.laser" to="avoid.scan"/>'
    '<wire from="avoid.motion" to="sim.twist"/>'
)
INSIDE = (
    '<source name="rig" mode="simulated"><port name="laser" direction="out" type="Range3d"/><simulated>'
    '<component name="sim" type="pioneer_2dx_simulator"><parameter name="world" value="mase"/></component>'
    '<bind port="laser" to="sim.laser"/></simulated></source>'
)
MASE = '<parameter name="world" value="mase"/>'


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        (SIMULATED.format("") + DRIVEN, "Use pioneer_2dx"),
        ('<geometry assembly="pionier_2dx"/>' + SIMULATED.format("") + DRIVEN, "Use pioneer_2dx"),
        (SIMULATED.format(MASE), "Use maze"),
        (INSIDE, "Use maze"),
    ],
)
def test_what_a_simulated_robot_lacks_is_found_before_it_runs_and_one_click_mends_it(
    inside: str, text: str, tmp_path: Path
) -> None:
    project = Project.create(tmp_path / "robot", "robot")
    (project.folder / "system.xml").write_text(f'<system name="robot">{inside}</system>')
    opened = open_project(project.folder)
    (problem,) = opened.problems
    fix = fixes(problem, opened.system, opened.registry, opened.folder)[0]
    assert fix.text == text
    before = opened.project.document.texts()
    opened.project.document.do(fix.edit)
    assert opened.find_problems() == []
    opened.project.document.undo()
    assert opened.project.document.texts() == before


def test_a_world_that_is_not_there_is_told_with_the_one_that_was_meant(tmp_path: Path) -> None:
    project = Project.create(tmp_path / "robot", "robot")
    (project.folder / "system.xml").write_text(f'<system name="robot">{SIMULATED.format(MASE)}</system>')
    (problem,) = open_project(project.folder).problems
    assert (problem.message, problem.hint) == ("sim.world: there is no world mase", "did you mean maze?")
    assert problem.severity == "error" and problem.line == 1
