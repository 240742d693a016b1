from __future__ import annotations

from pathlib import Path

import pytest

from studio.cli import profile
from tests.cli.running import Studio


@pytest.fixture
def components(studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two components of a project, and nothing else on the search path."""
    studio("new", "project", tmp_path / "robot")
    monkeypatch.chdir(tmp_path / "robot")
    monkeypatch.setattr(profile, "component_roots", lambda project: [tmp_path / "robot/components"])
    monkeypatch.setattr(profile, "project_roots", list)
    for name in ("lamp", "torch_light"):
        studio("new", "component", name, "--out", "light:Float64", "--parameter", "level=1.0")
    return tmp_path / "robot/components"


def change(components: Path, name: str) -> None:
    code = components / name / f"{name}.py"
    code.write_text(code.read_text().replace("Parameter(1.0", "Parameter(37.5"))


def test_current_profiles_are_left_alone(studio: Studio, components: Path) -> None:
    file = components / "lamp/component.xml"
    before = file.stat().st_mtime_ns
    result = studio("profile")
    assert (result.status, result.out) == (0, "2 profiles are current\n")
    assert file.stat().st_mtime_ns == before


def test_a_changed_class_makes_its_profile_stale_until_it_is_written(studio: Studio, components: Path) -> None:
    change(components, "lamp")
    stale = studio("profile", "--check")
    assert stale.status == 1
    assert "lamp/component.xml" in stale.out
    assert "torch_light" not in stale.out
    assert 'default="1.0"' in (components / "lamp/component.xml").read_text()
    written = studio("profile", components / "lamp")
    assert written.status == 0
    assert 'default="37.5"' in (components / "lamp/component.xml").read_text()
    assert studio("profile", "--check").status == 0


def test_a_missing_profile_is_written(studio: Studio, components: Path) -> None:
    (components / "lamp/component.xml").unlink()
    assert studio("profile", "--check").status == 1
    assert studio("profile", "components/lamp").status == 0
    assert (components / "lamp/component.xml").is_file()


def test_one_broken_component_does_not_hide_the_others(studio: Studio, components: Path) -> None:
    (components / "lamp/lamp.py").write_text("this is not Python\n")
    change(components, "torch_light")
    result = studio("profile")
    assert result.status == 1
    assert "lamp/lamp.py" in result.err
    assert "Traceback" not in result.err
    assert 'default="37.5"' in (components / "torch_light/component.xml").read_text()


def test_profiles_of_programs_are_written_by_hand_and_passed_over(studio: Studio, components: Path) -> None:
    text = '<component type="engine" category="actuator">\n  <entry command="./engine"/>\n</component>\n'
    (components / "engine").mkdir()
    (components / "engine/component.xml").write_text(text)
    assert studio("profile").out == "2 profiles are current\n"
    assert (components / "engine/component.xml").read_text() == text


def test_an_unknown_component_is_wrong_use(studio: Studio, components: Path) -> None:
    assert studio("profile", "no_such_thing").status == 2


def test_without_a_name_the_components_of_the_projects_are_looked_at_too(
    studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert studio("new", "project", "projects/lab").status == 0
    assert studio("new", "component", "idle", "--project", "projects/lab").status == 0
    profile = tmp_path / "projects/lab/components/idle/component.xml"
    profile.write_text(profile.read_text().replace('category="processor"', 'category="sensor"'))
    result = studio("profile", "--check")
    assert result.status == 1
    assert "projects/lab/components/idle/component.xml is stale" in result.out
