from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from studio.model.component_xml import read_profile
from studio.model.spec import Delivery
from studio.runtime.host.profile import stale
from tests.cli.running import Studio


@pytest.fixture
def project(studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "my_robot"
    assert studio("new", "project", folder).status == 0
    monkeypatch.chdir(folder)
    return folder


LOW_PASS = ("low_pass", "--in", "raw:Float64", "--out", "smooth:Float64", "--parameter", "cutoff_hz=2.0:Hz")


def test_a_new_project_checks_without_problems(studio: Studio, project: Path) -> None:
    result = studio("check", project, "--json", "--strict")
    assert (result.status, result.json["problems"]) == (0, [])
    assert studio("info", project, "--json").json["project"] == "my_robot"


def test_a_new_component_gets_everything_its_description_says(studio: Studio, project: Path) -> None:
    result = studio("new", "component", *LOW_PASS, "--category", "actuator", "--doc", "smooths a signal")
    assert result.status == 0
    folder = project / "components/low_pass"
    assert sorted(file.name for file in folder.iterdir()) == [
        "README.md", "component.xml", "low_pass.py", "test_low_pass.py",
    ]  # fmt: skip
    spec = read_profile(folder / "component.xml")
    assert (spec.type, spec.category, spec.doc) == ("low_pass", "actuator", "smooths a signal.")
    assert "class LowPass(Actuator):" in (folder / "low_pass.py").read_text()
    assert spec.parameter("armed") is not None, "a person has to arm it"
    assert [(port.name, port.direction, port.type) for port in spec.ports] == [
        ("raw", "in", "Float64"),
        ("smooth", "out", "Float64"),
    ]
    *_, parameter = spec.parameters
    assert (parameter.name, parameter.kind, parameter.default, parameter.unit) == ("cutoff_hz", "float", 2.0, "Hz")
    assert stale(folder) is None


DESCRIPTIONS = {
    "filter": LOW_PASS,
    "two_inputs": ("terrain", "--in", "ranges:Range3d", "--in", "pose:PoseTransform:latest", "--out", "terrain:Map"),
    "timed": ("beacon", "--category", "sensor", "--period", "0.5", "--out", "position:NavSatFix"),
    "timed_with_input": ("pilot", "--period", "0.05", "--in", "goal:Vote:3", "--out", "drive:Velocity"),
    "sink": ("brake", "--category", "actuator", "--in", "drive:Velocity"),
    "source_without_period": ("lamp", "--out", "light:Float64", "--parameter", "brightness=3"),
    "nothing_at_all": ("idle",),
    "awkward_texts": ("quoted", "--doc", 'a "b" \\ c """d"""', "--parameter", 'title=say "hi"\\now: | ok'),
}


@pytest.mark.timeout(180)
def test_the_tests_of_new_components_pass_and_their_code_is_clean(studio: Studio, project: Path) -> None:
    """In a process of its own, as a user would run them: outside the checkout, with warnings as errors."""
    for description in DESCRIPTIONS.values():
        result = studio("new", "component", *description)
        assert (result.status, result.err) == (0, "")
    names = [description[0] for description in DESCRIPTIONS.values()]
    pytest_run = [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:xvfb", "-p", "no:cacheprovider"]
    done = subprocess.run([*pytest_run, "components"], capture_output=True, text=True, check=False, cwd=project)
    assert f"{2 * len(names)} passed" in done.stdout, done.stdout + done.stderr
    for tool in (["ruff", "check", "-q"], ["ruff", "format", "--check", "-q"]):
        options = ["--isolated", "--line-length", "120"]
        done = subprocess.run([sys.executable, "-m", *tool, *options, "components"], capture_output=True, text=True,
                              check=False, cwd=project)  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_generated_test_can_fail(studio: Studio, project: Path) -> None:
    studio("new", "component", *LOW_PASS)
    code = project / "components/low_pass/low_pass.py"
    code.write_text(code.read_text().replace("self.smooth.publish(message)", "pass"))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:xvfb", "components"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "test_every_message_is_handled" in done.stdout


def test_a_new_component_can_be_wired_at_once(studio: Studio, project: Path) -> None:
    studio("new", "component", "lamp", "--out", "light:Float64")
    studio("new", "component", *LOW_PASS)
    (project / "system.xml").write_text(
        '<system name="my_robot" version="1"><component name="lamp" type="lamp"/>'
        '<component name="filter" type="low_pass"/><wire from="lamp.light" to="filter.raw"/></system>'
    )
    assert studio("check", project).status == 0


def test_it_goes_into_the_project_that_is_named(studio: Studio, project: Path, tmp_path: Path) -> None:
    studio("new", "project", tmp_path / "other")
    assert studio("new", "component", "idle", "--project", tmp_path / "other").status == 0
    assert (tmp_path / "other/components/idle/component.xml").is_file()
    assert not (project / "components/idle").exists()


def test_it_goes_into_the_project_around_the_current_folder(
    studio: Studio, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "components")
    studio("new", "component", "idle")
    assert (project / "components/idle/idle.py").is_file()


@pytest.mark.parametrize(
    ("text", "kind", "default", "unit"),
    [
        ("a=2.0:Hz", "float", 2.0, "Hz"),
        ("a=2:m/s", "int", 2, "m/s"),
        ("a=true", "bool", True, ""),
        ("a=1,2.5:m", "floats", (1.0, 2.5), "m"),
        ("a=odom", "string", "odom", ""),
        ("a=tcp://host:80", "string", "tcp://host:80", ""),
        ("a=", "string", "", ""),
        ("a=x=y", "string", "x=y", ""),
        ("a=-1e3:Pa", "float", -1000.0, "Pa"),
    ],
)
def test_the_default_decides_the_kind(
    studio: Studio, project: Path, text: str, kind: str, default: object, unit: str
) -> None:
    assert studio("new", "component", "probe", "--parameter", text).status == 0
    (parameter,) = read_profile(project / "components/probe/component.xml").parameters
    assert (parameter.kind, parameter.default, parameter.unit) == (kind, default, unit)


def test_what_to_keep_becomes_the_delivery(studio: Studio, project: Path) -> None:
    studio("new", "component", "probe", "--in", "a:Map:latest", "--in", "b:Map:7", "--in", "c:Map:all")
    spec = read_profile(project / "components/probe/component.xml")
    assert [port.delivery for port in spec.ports] == [Delivery("latest"), Delivery("queue", 7), Delivery()]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["LowPass"], "low_pass"),
        (
            ["a_filter", "--in", "raw:Flot64"],
            "--in raw:Flot64: there is no message type 'Flot64'",
        ),
        (["a_filter", "--in", "class:Float64"], "class is a keyword of Python"),
        (["signal"], "would hide it"),
        (["class"], "would hide it"),
        (["probe", "--in", "raw"], "name:type"),
        (["probe", "--out", "a:Map:latest"], "name:type"),
        (["probe", "--in", "a:Map:newest"], "all, latest"),
        (["probe", "--in", "a:Map:0"], "all, latest"),
        (["probe", "--parameter", "gain"], "gain=1.0"),
        (["probe", "--parameter", "Gain=1"], "snake_case"),
        (["probe", "--in", "now:Map"], "is a name that every component has"),
        (["probe", "--in", "name:Map"], "is a name that every component has"),
        (["probe", "--in", "a:Map", "--out", "a:Map"], "two ports or parameters named a"),
        (["probe", "--period", "0"], "not a period"),
        (["probe", "--period", "nan"], "not a period"),
        (["probe", "--project", "no_such_folder"], "not a project"),
    ],
)
def test_a_wrong_description_is_refused_and_leaves_nothing(
    studio: Studio, project: Path, words: list[str], told: str
) -> None:
    result = studio("new", "component", *words)
    assert result.status == 2
    assert told in result.err
    assert list((project / "components").iterdir()) == []


def test_an_unknown_message_type_is_told_with_the_nearest_one(studio: Studio, project: Path) -> None:
    result = studio("new", "component", "probe", "--in", "a:Range3")
    assert result.status != 0
    assert "did you mean Range3d?" in result.err
    assert list((project / "components").iterdir()) == []


def test_nothing_is_overwritten(studio: Studio, project: Path) -> None:
    studio("new", "component", "idle")
    code = project / "components/idle/idle.py"
    code.write_text("mine = 1\n")
    assert studio("new", "component", "idle").status == 2
    assert studio("new", "project", project).status == 2
    assert code.read_text() == "mine = 1\n"


@pytest.mark.parametrize("name", ["my robot", "1st", "ro-bot"])
def test_a_project_needs_a_proper_name(studio: Studio, tmp_path: Path, name: str) -> None:
    result = studio("new", "project", tmp_path / name)
    assert result.status == 2
    assert not (tmp_path / name).exists()


def test_a_folder_that_cannot_be_made_is_told_in_one_line(studio: Studio, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = studio("new", "project", tmp_path / "file/robot")
    assert result.status == 2
    assert result.err.count("\n") == 1


def test_the_example_of_contributing_is_python_and_works(studio: Studio, project: Path, checkout: Path) -> None:
    """What newcomers copy must run: the code blocks of CONTRIBUTING become the component and its test."""
    blocks = (checkout / "CONTRIBUTING.md").read_text().split("```python\n")[1:]
    code, test = (block.partition("```")[0] for block in blocks)
    assert ast.parse(code)
    studio(
        "new",
        "component",
        "threshold",
        "--in",
        "value:Float64",
        "--out",
        "above:Float64",
        "--parameter",
        "limit_v=1.0:V",
    )
    folder = project / "components/threshold"
    (folder / "threshold.py").write_text(code)
    skeleton = folder / "test_threshold.py"
    before, _, rest = skeleton.read_text().partition("def test_every_message_is_handled")
    skeleton.write_text(f"{before}{test}\n\n{rest[rest.index('def test_the_profile') :]}")
    assert studio("profile", "--check", folder).status == 1
    assert studio("profile", folder).status == 0
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:xvfb", "components"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "2 passed" in done.stdout, done.stdout
