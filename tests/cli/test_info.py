from __future__ import annotations

from pathlib import Path

import pytest

from studio.messages import Float64, encode
from studio.runtime.recording import LogWriter
from tests.cli.running import Studio
from tests.cli.test_check import EYE, GOOD, LAMP, write_program


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "robot"
    for name, text in (("lamp", LAMP), ("eye", EYE)):
        write_program(folder / "components" / name, text)
    (folder / "system.xml").write_text(GOOD)
    return folder


def test_a_project_is_described_for_people(studio: Studio, project: Path) -> None:
    result = studio("info", project)
    assert result.status == 0
    for told in ("robot: 2 components, 1 wire", "Looks at a lamp.", "lamp.light  →  eye.light  Float64  latest",
                 "/lamp/light  Float64", "level = 2.5", "no problems"):  # fmt: skip
        assert told in result.out


def test_a_project_is_described_for_scripts(studio: Studio, project: Path) -> None:
    told = studio("info", project, "--json").json
    assert (told["project"], told["doc"], told["folder"]) == ("robot", "Looks at a lamp.", str(project))
    assert [component["name"] for component in told["components"]] == ["lamp", "eye"]
    assert told["components"][0]["parameters"] == {"level": "2.5"}
    assert told["wires"] == [{"from": "lamp.light", "to": "eye.light", "type": "Float64", "delivery": "latest"}]
    assert told["topics"] == {"/lamp/light": {"type": "Float64", "producer": "lamp"}}
    assert told["problems"] == []


SOURCE = """\
<system name="robot" version="1">
  <component name="eye" type="eye"/>
  <source name="platform" mode="simulated">
    <port name="light" direction="out" type="Float64"/>
    <simulated><component name="sim" type="lamp"/><bind port="light" to="sim.light"/></simulated>
    <logged log="logs/a.mcap"><bind port="light" topic="/lamp/light"/></logged>
  </source>
  <wire from="platform.light" to="eye.light" delivery="queue 5"/>
  <record><topic pattern="/platform/*"/></record>
</system>
"""


def test_sources_and_their_providers_are_described(studio: Studio, project: Path) -> None:
    (project / "system.xml").write_text(SOURCE)
    (source,) = studio("info", project, "--json").json["sources"]
    assert (source["name"], source["mode"], sorted(source["providers"])) == (
        "platform", "simulated", ["logged", "simulated"],
    )  # fmt: skip
    assert source["providers"]["simulated"]["components"][0]["type"] == "lamp"
    assert source["providers"]["logged"] == {"log": "logs/a.mcap"}
    text = studio("info", project).out
    assert "simulated (chosen)" in text
    assert "queue 5" in text
    assert "/platform/*" in text


def test_a_component_of_an_unknown_type_is_shown_as_such(studio: Studio, project: Path) -> None:
    (project / "system.xml").write_text(GOOD.replace('type="eye"', 'type="nose"'))
    result = studio("info", project)
    assert result.status == 0
    assert "nose (unknown)" in result.out
    assert "1 error: studio check" in result.out


def test_a_component_is_described_by_folder_and_by_type(
    studio: Studio, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_folder = studio("info", project / "components/lamp")
    for told in (
        "lamp (sensor)",
        "Shines.",
        "light  out  Float64",
        "level  float  1.0 lx  at least 0",
        "command ./lamp",
    ):
        assert told in by_folder.out
    monkeypatch.chdir(project)
    assert studio("info", "lamp").out == by_folder.out
    told = studio("info", "lamp", "--json").json
    assert (told["component"], told["category"], told["entry"]) == ("lamp", "sensor", {"command": ["./lamp"]})
    assert told["parameters"][0]["minimum"] == 0.0


def test_one_missing_event_is_told_in_the_singular(studio: Studio, tmp_path: Path) -> None:
    with LogWriter(tmp_path / "a.mcap") as log:
        topic = log.add_topic("/a", Float64)
        for sequence in (1, 3, 6):
            log.write(topic, encode(Float64(0.0)), log_time_ns=sequence, sequence=sequence, stamp_ns=sequence)
    told = studio("info", tmp_path / "a.mcap").out
    assert "gap: 1 event of /a is missing after number 1" in told
    assert "gap: 2 events of /a are missing after number 3" in told


def test_a_broken_profile_is_one_line_and_a_failure(studio: Studio, project: Path) -> None:
    (project / "components/lamp/component.xml").write_text(LAMP.replace('"Float64"', '"Float 64"'))
    result = studio("info", project / "components/lamp")
    assert (result.status, result.out) == (1, "")
    assert "components/lamp/component.xml:4:" in result.err


def test_what_is_neither_is_wrong_use(studio: Studio, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    result = studio("info", "lmap")
    assert result.status == 2
    assert "did you mean lamp?" in result.err
