"""The registry: finds components in folders and distributions, reads profiles, runs nothing."""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path

import pytest

from studio.errors import Problem, StudioError
from studio.model.registry import Registry

PROFILE = """<component type="{type}" category="{category}" tags="{tags}">
  <doc>{doc}</doc>
  <entry python="{type}:Thing"/>
  <port name="ranges" direction="in" type="Range3d"/>
  <port name="terrain" direction="out" type="{out}"/>
  <service name="query" role="provided" request="String" reply="Map"/>
</component>
"""


def component(
    root: Path,
    type: str,
    *,
    category: str = "processor",
    tags: str = "",
    doc: str = "Does something.",
    out: str = "Map",
) -> Path:
    folder = root / type
    folder.mkdir(parents=True)
    text = PROFILE.format(type=type, category=category, tags=tags, doc=doc, out=out)
    (folder / "component.xml").write_text(text)
    return folder


def scan(*roots: Path) -> Registry:
    return Registry.scan(roots, entry_points=False)


def test_components_of_all_roots_are_found(tmp_path: Path) -> None:
    component(tmp_path / "a", "terrain_map")
    component(tmp_path / "b", "laser", category="sensor")
    (tmp_path / "b" / "notes").mkdir()
    (tmp_path / "b" / "README.md").touch()
    registry = scan(tmp_path / "a", tmp_path / "b")
    assert registry.types() == ["laser", "terrain_map"]
    assert registry.problems == []
    laser = registry.get("laser")
    assert laser is not None
    assert (laser.category, laser.folder) == ("sensor", tmp_path / "b" / "laser")
    assert registry.profile("laser") == tmp_path / "b" / "laser" / "component.xml"


def test_scanning_runs_no_component_code(tmp_path: Path) -> None:
    folder = component(tmp_path / "root", "spy")
    (folder / "spy.py").write_text(f"open({str(tmp_path / 'was_here')!r}, 'w').close()\n")
    (folder / "__init__.py").write_text((folder / "spy.py").read_text())
    before = set(sys.modules)
    registry = scan(tmp_path / "root")
    assert registry.types() == ["spy"]
    assert registry.search("spy")
    assert registry.check_types(["Range3d", "Map", "String"]) == []
    assert not (tmp_path / "was_here").exists()
    assert set(sys.modules) == before


def test_a_broken_profile_is_a_problem_and_the_others_are_there(tmp_path: Path) -> None:
    component(tmp_path, "good")
    broken = component(tmp_path, "broken") / "component.xml"
    broken.write_text(broken.read_text().replace('direction="in"', 'direction="inn"'))
    registry = scan(tmp_path)
    (problem,) = registry.problems
    assert (problem.file, problem.line, problem.severity) == (str(broken), 4, "error")
    assert "in" in problem.hint
    assert registry.types() == ["good"]
    assert registry.get("broken") is None


def test_what_is_not_xml_at_all_is_a_problem_too(tmp_path: Path) -> None:
    component(tmp_path, "good")
    (component(tmp_path, "noise") / "component.xml").write_bytes(bytes(range(256)))
    (component(tmp_path, "bomb") / "component.xml").write_text(
        '<!DOCTYPE x [<!ENTITY a "b">]><component>&a;</component>'
    )
    registry = scan(tmp_path)
    assert registry.types() == ["good"]
    assert [Path(str(problem.file)).parent.name for problem in registry.problems] == ["bomb", "noise"]


def test_the_first_root_wins_and_both_files_are_named(tmp_path: Path) -> None:
    mine = component(tmp_path / "project", "laser", doc="Mine.")
    theirs = component(tmp_path / "share", "laser", doc="Theirs.")
    registry = scan(tmp_path / "project", tmp_path / "share")
    (problem,) = registry.problems
    assert registry.require("laser").doc == "Mine."
    assert problem.severity == "warning"
    assert problem.file == str(theirs / "component.xml")
    assert str(mine / "component.xml") in problem.hint


def test_a_root_reached_by_two_ways_makes_no_duplicates(tmp_path: Path) -> None:
    component(tmp_path / "root", "laser")
    (tmp_path / "alias").symlink_to(tmp_path / "root")
    assert scan(tmp_path / "root", tmp_path / "alias").problems == []


def test_a_root_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    component(tmp_path / "there", "laser")
    registry = scan(tmp_path / "gone", tmp_path / "there")
    assert registry.types() == ["laser"]
    (problem,) = registry.problems
    assert problem.file == str(tmp_path / "gone")


def test_code_without_a_profile_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "laser").mkdir()
    (tmp_path / "laser" / "laser.py").touch()
    (problem,) = scan(tmp_path).problems
    assert problem.subject == "laser"
    assert "studio profile" in problem.hint


def test_a_misspelt_attribute_is_a_warning(tmp_path: Path) -> None:
    path = component(tmp_path, "laser") / "component.xml"
    path.write_text(path.read_text().replace('type="Range3d"', 'type="Range3d" delivry="latest"'))
    registry = scan(tmp_path)
    assert registry.types() == ["laser"]
    (problem,) = registry.problems
    assert (problem.severity, problem.line) == ("warning", 4)
    assert "delivery" in problem.hint


def test_require_says_what_was_meant_or_what_is_broken(tmp_path: Path) -> None:
    component(tmp_path, "terrain_map")
    (component(tmp_path, "broken") / "component.xml").write_text("<component")
    registry = scan(tmp_path)
    with pytest.raises(StudioError, match="did you mean terrain_map"):
        registry.require("terain_map")
    with pytest.raises(StudioError, match=r"broken.component\.xml"):
        registry.require("broken")


def test_a_profile_is_read_only_when_asked_for(tmp_path: Path) -> None:
    component(tmp_path, "laser")
    late = component(tmp_path, "late") / "component.xml"
    registry = scan(tmp_path)
    assert registry.get("laser") is not None
    late.write_text("<component")
    assert registry.get("late") is None


def test_components_by_category(tmp_path: Path) -> None:
    component(tmp_path, "laser", category="sensor")
    component(tmp_path, "terrain_map")
    groups = {name: [spec.type for spec in specs] for name, specs in scan(tmp_path).by_category().items()}
    assert groups == {"sensor": ["laser"], "processor": ["terrain_map"], "actuator": [], "judge": []}


def test_search_needs_every_word_and_puts_names_first(tmp_path: Path) -> None:
    component(tmp_path, "planner", doc="Finds a way.\n\nUses a terrain map if there is one.")
    component(tmp_path, "terrain_map", doc="Builds a height map.")
    component(tmp_path, "view", tags="Terrain display", doc="Shows things.")
    component(tmp_path, "laser", category="sensor")
    registry = scan(tmp_path)

    def found(text: str) -> list[str]:
        return [spec.type for spec in registry.search(text)]

    assert found("terrain") == ["terrain_map", "view", "planner"]
    assert found("TERRAIN map") == ["terrain_map", "view", "planner"]
    assert found("terrain_map height") == ["terrain_map"]
    assert found("sensor") == ["laser"]
    assert found("range3d laser") == ["laser"]
    assert found("submarine") == []
    assert len(found("")) == 4


def test_message_types_are_checked_with_line_and_close_match(tmp_path: Path) -> None:
    path = component(tmp_path, "terrain_map", out="Mapp") / "component.xml"
    component(tmp_path, "other", out="Odd")
    registry = scan(tmp_path)
    (problem,) = registry.check_types({"Range3d", "Map", "String"}, only={"terrain_map"})
    assert (problem.file, problem.line, problem.subject) == (str(path), 5, "terrain_map.terrain")
    assert problem.hint == "did you mean Map?"
    assert len(registry.check_types({"Range3d", "Map"})) == 4


def test_five_hundred_profiles_are_read_in_under_a_second(tmp_path: Path) -> None:
    for number in range(500):
        component(tmp_path, f"component_{number}")
    start = time.process_time()
    assert len(scan(tmp_path).types()) == 500
    # CPU time; the median of seven runs on two cores was 0.2 s, and 0.44 s for profiles three times as long.
    assert time.process_time() - start < 1.0


# Distributions: real ones, as pip leaves them, in a folder on sys.path.


def distribution(site: Path, name: str, entry_points: str) -> None:
    info = site / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entry_points)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    return folder


def installed(site: Path) -> tuple[list[str], list[Problem]]:
    """Types and problems that come from `site`, whatever else is installed here."""
    importlib.invalidate_caches()
    registry = Registry.scan([])
    types = [spec.type for spec in registry.specs() if spec.folder is not None and site in spec.folder.parents]
    return types, registry.problems


def test_an_installed_distribution_brings_components_without_being_imported(site: Path, tmp_path: Path) -> None:
    package = site / "swamp_robot"
    component(package / "parts", "swamp_laser")
    component(package / "parts", "swamp_drive", category="actuator")
    trap = f"open({str(tmp_path / 'was_here')!r}, 'w').close()\n"
    for file in (
        package / "__init__.py",
        package / "parts" / "__init__.py",
        package / "parts" / "swamp_laser" / "swamp_laser.py",
    ):
        file.write_text(trap)
    distribution(site, "swamp-robot", "[studio.components]\nswamp = swamp_robot.parts\n")
    assert installed(site) == (["swamp_drive", "swamp_laser"], [])
    assert not (tmp_path / "was_here").exists()
    assert "swamp_robot" not in sys.modules


def test_an_entry_point_may_name_one_component(site: Path) -> None:
    component(site, "swamp_laser")
    distribution(site, "swamp-laser", "[studio.components]\nlaser = swamp_laser\n")
    assert installed(site) == (["swamp_laser"], [])


def test_a_namespace_package_is_found(site: Path) -> None:
    component(site / "swamp_space" / "parts", "swamp_laser")
    distribution(site, "swamp-space", "[studio.components]\nlaser = swamp_space.parts:anything\n")
    assert installed(site) == (["swamp_laser"], [])


@pytest.mark.parametrize("value", ["no_such_package_at_all.parts", "swamp_robot.nothing", "swamp_file", "../etc", ""])
def test_an_entry_point_that_leads_nowhere_is_a_problem(value: str, site: Path) -> None:
    (site / "swamp_robot").mkdir()
    (site / "swamp_file.py").touch()
    distribution(site, "swamp-robot", f"[studio.components]\nswamp = {value}\n")
    types, problems = installed(site)
    assert types == []
    (problem,) = problems
    assert "swamp-robot" in problem.message
    assert problem.hint


def test_a_damaged_distribution_does_not_hide_the_others(site: Path) -> None:
    component(site, "swamp_laser")
    distribution(site, "swamp-laser", "[studio.components]\nlaser = swamp_laser\n")
    distribution(site, "aaa-damaged", "[studio.components]\nthis is no pair\n")
    types, problems = installed(site)
    assert types == ["swamp_laser"]
    assert [problem.severity for problem in problems] == ["warning"]
    assert "aaa-damaged" in problems[0].message


def test_the_search_path_comes_before_what_is_installed(site: Path, tmp_path: Path) -> None:
    component(site / "swamp_robot", "swamp_laser", doc="Installed.")
    distribution(site, "swamp-robot", "[studio.components]\nswamp = swamp_robot\n")
    component(tmp_path / "mine", "swamp_laser", doc="Mine.")
    importlib.invalidate_caches()
    registry = Registry.scan([tmp_path / "mine"])
    assert registry.require("swamp_laser").doc == "Mine."
    assert any(problem.subject == "swamp_laser" for problem in registry.problems)
