from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.running import STUDIO, Studio

LAMP = """\
<component type="lamp" category="sensor">
  <doc>Shines.</doc>
  <entry command="./lamp"/>
  <port name="light" direction="out" type="Float64"/>
  <parameter name="level" kind="float" default="1.0" minimum="0.0" unit="lx"/>
</component>
"""
EYE = """\
<component type="eye" category="processor">
  <entry command="./eye"/>
  <port name="light" direction="in" type="Float64" delivery="latest"/>
  <port name="picture" direction="in" type="Image" optional="true"/>
</component>
"""
GOOD = """\
<system name="robot" version="1">
  <doc>Looks at a lamp.</doc>
  <component name="lamp" type="lamp"><parameter name="level" value="2.5"/></component>
  <component name="eye" type="eye"/>
  <wire from="lamp.light" to="eye.light"/>
</system>
"""


def write_program(folder: Path, profile: str) -> None:
    """A component that could start, with a program that does nothing."""
    folder.mkdir(parents=True)
    (folder / "component.xml").write_text(profile)
    program = folder / folder.name
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "robot"
    for name, text in (("lamp", LAMP), ("eye", EYE)):
        write_program(folder / "components" / name, text)
    (folder / "system.xml").write_text(GOOD)
    return folder


def test_a_sound_project_is_fine(studio: Studio, project: Path) -> None:
    result = studio("check", project)
    assert (result.status, result.err) == (0, "")
    assert result.out == f"{project}: no problems, 2 components, 1 wire\n"
    assert studio("check", project / "system.xml", "--json").json == {
        "project": str(project), "ok": True, "problems": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "line", "told"),
    [
        ('to="eye.light"', 'to="eye.picture"', 5, "sends Float64, but eye.picture takes Image"),
        ('to="eye.light"', 'to="eye.lihgt"', 5, "did you mean light?"),
        ('to="eye.light"', 'to="ear.sound"', 5, "ear"),
        ('type="eye"', 'type="eyes"', 4, "unknown type eyes"),
        ('value="2.5"', 'value="-1"', 3, "below its minimum"),
        ('name="level"', 'name="levle"', 3, "no parameter levle"),
        ("</system>", "", None, ""),
        ("<doc>", "<doc><", None, ""),
        ('name="robot" ', "", 1, "name"),
    ],
)
def test_a_broken_project_fails_with_file_and_line(
    studio: Studio, project: Path, old: str, new: str, line: int | None, told: str
) -> None:
    (project / "system.xml").write_text(GOOD.replace(old, new))
    result = studio("check", project, "--json")
    assert (result.status, result.json["ok"]) == (1, False)
    problem = next(each for each in result.json["problems"] if each["severity"] == "error")
    assert set(problem) >= {"file", "line", "severity", "message", "hint"}
    assert problem["file"] == str(project / "system.xml")
    assert told in f"{problem['message']} {problem['hint']}"
    assert line in (None, problem["line"])
    text = studio("check", project)
    assert text.status == 1
    assert text.out.startswith(f"{project / 'system.xml'}:")


def test_all_that_is_wrong_with_the_structure_is_told_together(studio: Studio, project: Path) -> None:
    text = """<system name="robot" version="1">
  <component name="lamp"/>
  <component name="eye" type="eye" mode="often"/>
  <wire from="lamp.light"/>
</system>
"""
    (project / "system.xml").write_text(text)
    problems = studio("check", project, "--json").json["problems"]
    assert [(each["line"], each["severity"]) for each in problems] == [(2, "error"), (3, "error"), (4, "error")]
    complaint = studio("run", project).err.splitlines()
    assert (
        len(complaint) == 3 and complaint[0].startswith("studio: ") and "<wire> needs an attribute to" in complaint[2]
    )
    (project / "system.xml").write_text(GOOD.replace('name="eye"', 'name="lamp"').replace("</system>", TWICE))
    problems = studio("check", project, "--json").json["problems"]
    assert [each["line"] for each in problems] == [4, 6]


TWICE = """<wire from="lamp.light" to="eye.light"/>
</system>"""


def test_a_warning_fails_only_in_strict_mode(studio: Studio, project: Path) -> None:
    (project / "system.xml").write_text(GOOD.replace('type="eye"', 'type="eye" colour="blue"'))
    assert studio("check", project).status == 0
    strict = studio("check", project, "--strict")
    assert strict.status == 1
    assert "1 warning" in strict.out


def test_an_in_port_without_a_wire_is_a_warning(studio: Studio, project: Path) -> None:
    (project / "system.xml").write_text(GOOD.replace('<wire from="lamp.light" to="eye.light"/>', ""))
    result = studio("check", project)
    assert result.status == 0
    assert "system.xml:4: warning: nothing is wired to eye.light" in result.out
    assert "eye.picture" not in result.out  # it is optional


def test_a_broken_profile_of_the_project_is_told_where_it_is(studio: Studio, project: Path) -> None:
    profile = project / "components/eye/component.xml"
    profile.write_text(EYE.replace('direction="in"', 'direction="sideways"'))
    result = studio("check", project, "--json")
    assert result.status == 1
    first, also, second = result.json["problems"]
    assert (first["line"], also["line"]) == (3, 4)
    assert (first["file"], first["line"]) == (str(profile), 3)
    assert second["message"] == "eye is of type eye, whose profile is broken"
    assert second["hint"] == f"see above; correct {profile}"
    profile.with_name("eye.py").touch()
    second = studio("check", project, "--json").json["problems"][-1]
    assert second["hint"] == f"see above; write it again: studio profile {profile.parent}"


BLINKER = """\
<component type="blinker" category="sensor">
  <entry python="blinker:Blinker"/>
  <port name="light" direction="out" type="Float64"/>
</component>
"""


@pytest.mark.parametrize(
    ("code", "place", "told"),
    [
        (None, "component.xml:2", "error: there is no module blinker (write blinker.py"),
        ("class Blinker:\n    def on(self:\n", "blinker.py:2", "error: Syntax error: "),
        ("class Blinkr: pass\n", "component.xml:2", "error: blinker.py defines no Blinker (did you mean Blinkr?"),
        ("", "component.xml:2", "(write: class Blinker(Component)"),
    ],
    ids=["no module", "no Python", "other class", "empty"],
)
@pytest.mark.parametrize("root", ["robot", "elsewhere"])
def test_code_that_cannot_start_is_found_without_running_it(
    studio: Studio, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: str,
    code: str | None, place: str, told: str,
) -> None:  # fmt: skip
    folder = tmp_path / root / "components/blinker"
    folder.mkdir(parents=True)
    (folder / "component.xml").write_text(BLINKER)
    if code is not None:
        (folder / "blinker.py").write_text(code)
    monkeypatch.setenv("STUDIO_PATH", str(tmp_path / root))
    (project / "system.xml").write_text(GOOD.replace('name="lamp" type="lamp"', 'name="lamp" type="blinker"'))
    result = studio("check", project)
    assert result.status == 1
    assert result.out.startswith(f"{folder}/{place}: ")
    assert told in result.out.splitlines()[0]


def test_a_program_that_is_not_there_is_found(studio: Studio, project: Path) -> None:
    folder = project / "components/eye"
    (folder / "eye").chmod(0o644)
    assert f"component.xml:2: error: ./eye cannot be executed (chmod +x {folder}/eye)" in studio("check", project).out
    (folder / "eye").unlink()
    assert "component.xml:2: error: there is no program ./eye" in studio("check", project).out
    (folder / "Makefile").touch()
    result = studio("check", project)
    assert result.status == 0
    assert "component.xml:2: warning: ./eye is not built yet (build it: make components)" in result.out


def test_a_broken_profile_elsewhere_that_nobody_uses_is_not_this_projects_problem(
    studio: Studio, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stranger = tmp_path / "elsewhere/components/stranger"
    stranger.mkdir(parents=True)
    (stranger / "component.xml").write_text("<component")
    monkeypatch.setenv("STUDIO_PATH", str(tmp_path / "elsewhere"))
    assert studio("check", project, "--strict").status == 0
    (project / "system.xml").write_text(GOOD.replace('type="eye"', 'type="stranger"'))
    result = studio("check", project, "--json")
    assert str(stranger / "component.xml") in [problem["file"] for problem in result.json["problems"]]


def test_a_broken_message_file_is_a_finding(studio: Studio, project: Path) -> None:
    (project / "msg").mkdir()
    (project / "msg/Leg.msg").write_text("float64 angle angle angle\n!!\n")
    result = studio("check", project, "--json")
    assert result.status == 1
    assert result.json["problems"][0]["file"] == str(project / "msg/Leg.msg")


def test_a_project_goes_by_name_when_it_is_on_the_search_path(
    studio: Studio, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "projects").mkdir()
    project.rename(tmp_path / "projects/robot")
    monkeypatch.setenv("STUDIO_PATH", str(tmp_path))
    assert studio("check", "robot").status == 0
    typo = studio("check", "robto")
    assert typo.status == 2
    assert "did you mean robot?" in typo.err


def test_what_is_no_project_is_wrong_use(studio: Studio, tmp_path: Path) -> None:
    folder = studio("check", tmp_path)
    assert folder.status == 2
    assert "there is no system.xml in it" in folder.err
    assert studio("check", tmp_path / "nothing").status == 2


def test_a_real_process_gives_json_on_stdout_and_the_status(project: Path) -> None:
    (project / "system.xml").write_text(GOOD.replace('to="eye.light"', 'to="eye.picture"'))
    done = subprocess.run([*STUDIO, "check", str(project), "--json"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert [each["line"] for each in json.loads(done.stdout)["problems"]] == [4, 5]


def test_an_attack_file_is_refused_in_one_line(studio: Studio, project: Path) -> None:
    attack = '<!DOCTYPE system [<!ENTITY x SYSTEM "file:///etc/passwd">]><system name="a"><doc>&x;</doc></system>'
    (project / "system.xml").write_text(attack)
    assert studio("check", project).status == 1
    info = studio("info", project)
    assert (info.status, info.out, info.err.count("\n")) == (1, "", 1)


def test_a_folder_that_is_no_project_is_told_with_what_it_is(studio: Studio, tmp_path: Path) -> None:
    for name, file in (("robots/red", "system.xml"), ("part", "component.xml"), ("nothing", "x")):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / file).touch()
    for folder, hint in (
        ("robots", f"it holds projects: {tmp_path}/robots/red"),
        ("part", f"it is a component: studio info {tmp_path}/part"),
        ("nothing", f"make a project: studio new project {tmp_path}/nothing/my_robot"),
    ):
        result = studio("check", tmp_path / folder)
        assert (result.status, result.out) == (2, "")
        assert result.err.endswith(f"there is no system.xml in it ({hint})\n")
