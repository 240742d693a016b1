"""Named sets of values that a system gives a component: what they mean, what is done with them, how they are kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from studio.errors import StudioError
from studio.model.document import SystemDocument
from studio.model.loaded_project import open_project
from studio.model.parameter_sets import (
    DuplicateParameterSet,
    RemoveParameterSet,
    RenameParameterSet,
    SaveParameterSet,
    differing,
    free_set_name,
    set_names,
    texts_to_save,
)
from studio.model.parts import Component
from studio.model.quick_fixes import fixes
from studio.model.registry import Registry
from studio.model.spec import ComponentSpec
from studio.model.system import System
from studio.model.system_check import check
from studio.model.system_edits import SetParameters
from studio.model.system_xml import read_system, write_system
from studio.model.wiring import parameter_values
from studio.paths import component_roots

WRITTEN = b"""<?xml version="1.0" encoding="UTF-8"?>
<system name="smooth" version="1">
  <component name="filter" type="low_pass" parameters="careful">
    <!-- for the old sensor -->
    <parameter-set name="careful">
      <parameter name="cutoff_hz" value="0.50"/> <!-- tried for a week -->
    </parameter-set>
    <parameter-set name="bold">
      <parameter name="cutoff_hz" value="40"/>
    </parameter-set>
  </component>
</system>
"""


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry.scan(component_roots(), entry_points=False)


@pytest.fixture
def spec(registry: Registry) -> ComponentSpec:
    return registry.require("low_pass")


@pytest.fixture
def system() -> System:
    return read_system(WRITTEN)


def test_a_set_of_the_system_counts_before_one_of_the_type(system: System, spec: ComponentSpec) -> None:
    component = system.component("filter")
    assert set_names(component, spec) == ["slow", "fast", "careful", "bold"]
    assert parameter_values(component, spec)["cutoff_hz"] == 0.5
    own = replace(component, parameter_set="slow", parameter_sets={"slow": {"cutoff_hz": "7.0"}})
    assert parameter_values(own, spec)["cutoff_hz"] == 7.0
    assert parameter_values(replace(own, parameters={"cutoff_hz": "8"}), spec)["cutoff_hz"] == 8.0


def test_what_nobody_changed_is_not_rewritten(system: System) -> None:
    assert write_system(system, WRITTEN) == WRITTEN
    RenameParameterSet("filter", "bold", "brave").apply(system)
    changed = write_system(system, WRITTEN)
    assert changed == WRITTEN.replace(b'"bold"', b'"brave"')
    again = read_system(changed)
    assert again.component("filter") == system.component("filter")


def test_the_values_of_now_become_a_set(system: System, spec: ComponentSpec) -> None:
    SetParameters("filter", {"cutoff_hz": 3.5}).apply(system)
    component = system.component("filter")
    assert differing(component, spec) == ["cutoff_hz"]
    SaveParameterSet("filter", "tried", texts_to_save(component, spec)).apply(system)
    saved = system.component("filter")
    assert (saved.parameter_set, saved.parameters) == ("tried", {})
    assert saved.parameter_sets["tried"] == {"cutoff_hz": "3.5"}
    assert differing(saved, spec) == []
    assert parameter_values(saved, spec) == parameter_values(component, spec)


def test_a_value_that_cannot_be_read_is_left_where_it_is(spec: ComponentSpec) -> None:
    system = System("broken")
    system.add_node(Component("filter", "low_pass", parameters={"cutoff_hz": "much"}))
    component = system.component("filter")
    assert texts_to_save(component, spec) == {}
    SaveParameterSet("filter", "empty", texts_to_save(component, spec)).apply(system)
    assert system.component("filter").parameters == {"cutoff_hz": "much"}


def test_whoever_loses_the_set_keeps_its_values(system: System, spec: ComponentSpec) -> None:
    before = parameter_values(system.component("filter"), spec)
    RemoveParameterSet("filter", "careful").apply(system)
    component = system.component("filter")
    assert (component.parameter_set, list(component.parameter_sets)) == ("", ["bold"])
    assert parameter_values(component, spec) == before
    RemoveParameterSet("filter", "bold").apply(system)
    assert system.component("filter").parameters == {"cutoff_hz": "0.50"}


def test_a_set_of_the_type_is_duplicated_but_not_renamed(system: System, spec: ComponentSpec) -> None:
    with pytest.raises(StudioError, match="no parameter set slow of its own"):
        RenameParameterSet("filter", "slow", "slower").apply(system)
    name = free_set_name([(system.component("filter"), spec)], "slow")
    assert name == "slow_2"
    DuplicateParameterSet("filter", "slow", name, {"cutoff_hz": "0.2"}).apply(system)
    component = system.component("filter")
    assert (component.parameter_set, component.parameter_sets[name]) == ("slow_2", {"cutoff_hz": "0.2"})
    with pytest.raises(StudioError, match="has a parameter set bold already"):
        RenameParameterSet("filter", name, "bold").apply(system)


def test_each_of_them_is_undone_to_the_byte(tmp_path: Path, spec: ComponentSpec) -> None:
    (tmp_path / "system.xml").write_bytes(WRITTEN)
    document = SystemDocument.load(tmp_path)
    file = tmp_path / "system.xml"
    for edit in (
        SaveParameterSet("filter", "tried", {"cutoff_hz": "3"}),
        DuplicateParameterSet("filter", "bold", "bold_2", {"cutoff_hz": "40"}),
        RenameParameterSet("filter", "careful", "calm"),
        RemoveParameterSet("filter", "careful"),
    ):
        document.do(edit)
        assert document.texts()[file] != WRITTEN
        assert document.history.undo_label == edit.label
        document.undo()
        assert document.texts()[file] == WRITTEN


def test_the_check_tells_what_is_wrong_in_a_set_and_where(registry: Registry) -> None:
    wrong = WRITTEN.replace(b'value="40"', b'value="many"').replace(b'"careful"', b'"carefull"', 1)
    system = read_system(wrong)
    found = check(system, registry, ["Float64"])
    told = {problem.message: problem for problem in found}
    broken = told["filter: the parameter set bold: cutoff_hz: 'many' is not a float"]
    assert (broken.line, broken.subject) == (8, "filter")
    unknown = told["low_pass has no parameter set carefull"]
    assert "careful" in unknown.hint
    assert [fix.text for fix in fixes(unknown, system, registry)] == ["Take careful"]
    assert fixes(broken, read_system(WRITTEN), registry) == []


def test_a_system_runs_with_them(tmp_path: Path) -> None:
    (tmp_path / "system.xml").write_bytes(WRITTEN)
    assert not [problem for problem in open_project(tmp_path).problems if problem.severity == "error"]
