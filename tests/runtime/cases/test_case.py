"""Files of test cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.runtime.cases.case import CaseError, cases_of, read_cases

WHOLE = """
[reaches_the_goal]
doc = "It arrives."
for_s = 60
seed = 3
expect = ["goal within 60 s", "no collision"]
set = { "planner.goal_x_m" = -28.0, "planner.names" = ["a", "b"], "planner.quick" = true }

[the_filter_smooths]
log = "../logs/drive.mcap"
golden = ["/filter/*"]
tolerance = 1e-6
over_processes = true
"""


def written(folder: Path, text: str, name: str = "drive.toml") -> Path:
    file = folder / "tests" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return file


def test_cases_are_read_with_all_that_they_say(tmp_path: Path) -> None:
    written(tmp_path, WHOLE)
    goal, smooths = cases_of(tmp_path)
    assert (goal.name, goal.doc, goal.for_s, goal.seed, goal.log) == ("reaches_the_goal", "It arrives.", 60, 3, None)
    assert [each.text for each in goal.expect] == ["goal within 60 s", "no collision"]
    assert goal.given == ("planner.goal_x_m=-28.0", "planner.names=a b", "planner.quick=true")
    assert smooths.log == (tmp_path / "logs" / "drive.mcap").resolve()
    assert (smooths.golden, smooths.tolerance, smooths.over_processes) == (("/filter/*",), 1e-6, True)
    assert smooths.golden_log == tmp_path / "tests" / "golden" / "the_filter_smooths.mcap"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[a", "not a valid TOML file"),
        ("for_s = 1", "for_s is outside of a case"),
        ('["a/b"]\nfor_s = 1\nexpect = ["true"]', "a case cannot be called 'a/b'"),
        ('[a]\nexpect = ["true"]', "a: for how long"),
        ('[a]\nlog = "x.mcap"\nfor_s = 2\nexpect = ["true"]', "a log is replayed to its end"),
        ("[a]\nfor_s = 1", "nothing is expected"),
        ('[a]\nfor_s = 1\nexpects = ["true"]\ngolden = ["/*"]', r"there is no expects \(did you mean expect"),
        ('[a]\nfor_s = "1"\nexpect = ["true"]', "for_s takes a number, not '1'"),
        ('[a]\nfor_s = true\nexpect = ["true"]', "for_s takes a number, not True"),
        ('[a]\nfor_s = -1\nexpect = ["true"]', "for_s = -1 is not in its range"),
        ('[a]\nfor_s = 1\nexpect = "true"', "expect takes a list of texts"),
        ("[a]\nfor_s = 1\nexpect = [1]", "expect takes a list of texts"),
        ('[a]\nfor_s = 1\nexpect = ["max("]', "a: 'max\\('"),
        ('[a]\nfor_s = 1\nexpect = ["true"]\nset = { filter.cutoff_hz = 1 }', "a name with a dot needs quotes"),
    ],
)
def test_a_file_with_a_fault_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    file = written(tmp_path, text)
    with pytest.raises(CaseError, match=message) as caught:
        read_cases(file)
    assert str(file) in str(caught.value)


def test_two_cases_of_one_name_are_refused(tmp_path: Path) -> None:
    for name in ("a.toml", "b.toml"):
        written(tmp_path, '[same]\nfor_s = 1\nexpect = ["true"]', name)
    with pytest.raises(CaseError, match=r"two cases are called same.*the other: a.toml"):
        cases_of(tmp_path)


def test_a_project_without_cases_has_none(tmp_path: Path) -> None:
    assert cases_of(tmp_path) == []
