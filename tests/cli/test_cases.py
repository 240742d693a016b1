"""`studio test` with real runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from lxml import etree

from tests.cli.running import Studio

FIRST_STEPS = Path(__file__).resolve().parents[2] / "projects" / "first_steps"
CASES = """
[smooths]
doc = "The filter takes the noise away."
for_s = 1
expect = ["max(|/filter/smooth.data|) < 1.1", "count(/filter/smooth.data) == 100"]
golden = ["/filter/*"]

[too_loud]
for_s = 1
set = { "filter.cutoff_hz" = 8.0 }
expect = ["max(|/filter/smooth.data|) < 1.05"]

[does_not_start]
for_s = 1
set = { "filter.cutoff_hz" = -8.0 }
expect = ["duration > 0"]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "first_steps"
    shutil.copytree(FIRST_STEPS, folder, ignore=shutil.ignore_patterns("tests"))
    (folder / "tests").mkdir()
    (folder / "tests" / "cases.toml").write_text(CASES)
    return folder


@pytest.mark.timeout(180)  # five processes on a busy machine
def test_golden_logs_expectations_and_reports(studio: Studio, project: Path, tmp_path: Path) -> None:
    accepted = studio("test", project, "--accept", "smooths")
    assert accepted.status == 0 and "its golden log is new" in accepted.out, accepted.out + accepted.err

    system = project / "system.xml"
    system.write_text(system.read_text().replace('name="cutoff_hz" value="2.0"', 'name="cutoff_hz" value="2.2"'))
    junit, markdown, logs = tmp_path / "report.xml", tmp_path / "report.md", tmp_path / "logs"
    done = studio("test", project, "--junit", junit, "--markdown", markdown, "--keep", logs, "--json")
    assert done.status == 1
    assert {name: each["passed"] for name, each in done.json["cases"].items()} == {
        "smooths": False, "too_loud": False, "does_not_start": False,
    }  # fmt: skip
    golden, loud = done.json["cases"]["smooths"], done.json["cases"]["too_loud"]
    assert [each["expected"] for each in golden["failures"]] == ["the golden log smooths.mcap"], "the others hold"
    assert golden["causes"][0].startswith("/_studio/timer/signal:")
    assert golden["causes"][-1].startswith("/filter/smooth:")
    assert "it is 1.18" in loud["failures"][0]["found"] and "/filter/smooth:48" in loud["failures"][0]["event"]
    assert Path(golden["log"]).is_file()

    suite = etree.parse(junit).getroot()
    assert dict(suite.attrib) | {"time": ""} == {
        "name": "first_steps", "tests": "3", "failures": "2", "errors": "1", "time": "",
    }  # fmt: skip
    assert [(each.get("name"), [child.tag for child in each]) for each in suite] == [
        ("smooths", ["failure"]), ("too_loud", ["failure"]), ("does_not_start", ["error"]),
    ]  # fmt: skip
    assert "below its minimum" in suite[2][0].text
    text = markdown.read_text()
    assert "## first_steps: 0 of 3 cases passed" in text
    assert "- the runs differ in filter.cutoff_hz 2.0 → 2.2" in text and "| /filter/smooth | 100 | 100 | 9" in text


@pytest.mark.timeout(180)
def test_a_log_as_a_case_and_a_golden_log_that_is_missing(studio: Studio, project: Path) -> None:
    log = project / "logs" / "drive.mcap"
    log.parent.mkdir()
    assert studio("run", project, "--in-process", "--for", 1, "--record", log).status == 0
    (project / "tests" / "cases.toml").write_text(
        '[fed]\nlog = "../logs/drive.mcap"\nexpect = ["count(/filter/smooth.data) == 100"]\n'
        '[new]\nfor_s = 1\ngolden = ["/filter/*"]\n'
        '[over]\nfor_s = 1\nover_processes = true\nexpect = ["count(/filter/smooth.data) == 100"]\n'
    )
    done = studio("test", project, "--jobs", 2)
    assert done.status == 1
    assert "2 of 3 cases passed" in done.out and "there is none yet: studio test --accept new" in done.out, done.out
    listed = studio("test", project, "--list").out
    assert "fed" in listed and "tests/cases.toml" in listed


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["smoths"], "there is no case smoths (did you mean smooths?)"),
        (["too_loud", "--accept"], "none of these cases has a golden log"),
        (["--jobs", 0], "--jobs must be at least 1"),
    ],
)
def test_wrong_use_is_refused(studio: Studio, project: Path, words: list[object], told: str) -> None:
    result = studio("test", project, *words)
    assert result.status == 2 and told in result.err


def test_a_project_without_cases_says_how_to_write_them(studio: Studio, project: Path) -> None:
    shutil.rmtree(project / "tests")
    result = studio("test", project)
    assert result.status == 2 and "has no test cases" in result.err and "docs/guide/testing.md" in result.err
