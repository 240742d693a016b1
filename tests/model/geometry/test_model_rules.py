"""The four rules of the Modelserver report, and what else is wrong with a model; each message names the element."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.errors import Problem, StudioError
from studio.model.geometry.library import Library
from studio.model.geometry.rules import check_file

BOX = '<body name="Box"><frame name="Top" xyz="0 0 1"/><frame name="Bottom"/><frame name="Side" xyz="0 1 0"/></body>'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bodies").mkdir()
    (tmp_path / "assemblies").mkdir()
    write(tmp_path, "bodies/box.xml", BOX)
    return tmp_path


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def problems(path: Path) -> list[Problem]:
    return check_file(path, Library([path.parent.parent]))[1]


def assembly(folder: Path, inside: str) -> Path:
    bodies = '<body name="A" file="box.xml"/>\n<body name="B" file="box.xml"/>\n<body name="C" file="box.xml"/>\n'
    return write(folder, "assemblies/a.xml", f'<assembly name="a">\n{bodies}{inside}</assembly>')


BOUND = '<constraint name="ab" from="A:Top" to="B:Bottom"/>\n<constraint name="bc" from="B:Top" to="C:Bottom"/>\n'


def test_a_sound_assembly_has_no_problems(folder: Path) -> None:
    assert problems(assembly(folder, BOUND)) == []


def test_rule_1_two_bodies(folder: Path) -> None:
    (problem,) = problems(
        write(folder, "assemblies/a.xml", '<assembly name="a"><body name="A" file="box.xml"/></assembly>')
    )
    assert "the assembly a has one body only" in problem.message
    assert problem.hint.startswith("rule 1")


def test_rule_2_a_frame_each(folder: Path) -> None:
    write(folder, "bodies/bare.xml", '<body name="Bare"/>')
    found = problems(assembly(folder, BOUND + '<body name="D" file="bare.xml"/>'))
    assert [problem.message for problem in found] == ["the body Bare has no frame"]
    assert found[0].file is not None and found[0].file.endswith("bare.xml")


@pytest.mark.parametrize(
    ("end", "message", "hint"),
    [
        ("D:Top", "there is no body D", "known: A, B, C"),
        ("C:Tip", "C has no frame Tip", "did you mean Top?"),
    ],
)
def test_rule_3_both_ends_exist(folder: Path, end: str, message: str, hint: str) -> None:
    (problem,) = problems(assembly(folder, BOUND + f'<constraint name="x" from="{end}" to="A:Side"/>'))
    assert message in problem.message
    assert hint in problem.hint
    assert (problem.subject, problem.line) == ("x", 7)


def test_rule_4_one_constraint_per_frame(folder: Path) -> None:
    (problem,) = problems(assembly(folder, BOUND + '<constraint name="x" from="A:Top" to="C:Side"/>'))
    assert problem.message == "A:Top is bound a second time, by x"
    assert "ab has it" in problem.hint


def test_a_loop_that_closes_is_fine(folder: Path) -> None:
    assert problems(assembly(folder, BOUND + '<constraint name="x" from="A:Side" to="C:Side" xyz="0 0 2.0005"/>')) == []


def test_a_loop_that_does_not_close_is_told_with_its_error(folder: Path) -> None:
    crooked = '<constraint name="x" from="A:Side" to="C:Side" xyz="0 0.003 2" rpy="0 0 1" angles="degrees"/>'
    (problem,) = problems(assembly(folder, BOUND + crooked))
    assert problem.message.startswith("the loop that x closes is off by")
    assert "1 degrees" in problem.message
    assert "ab -> bc" in problem.hint


def test_what_hangs_in_the_air_is_a_warning(folder: Path) -> None:
    (problem,) = problems(assembly(folder, BOUND.splitlines()[0]))
    assert (problem.severity, problem.message) == ("warning", "C is not connected with A")


def test_included_assemblies_get_their_prefix(folder: Path) -> None:
    assembly(folder, BOUND)
    outer = write(
        folder,
        "assemblies/outer.xml",
        '<assembly name="o"><include prefix="l_" file="a.xml"/><include prefix="r_" file="a.xml"/>'
        '<constraint name="both" from="l_A:Side" to="r_A:Side"/></assembly>',
    )
    model, found = check_file(outer, Library([folder]))
    assert found == []
    assert model is not None
    assert list(model.bodies) == ["l_A", "l_B", "l_C", "r_A", "r_B", "r_C"]
    assert [constraint.name for constraint in model.constraints] == ["l_ab", "l_bc", "r_ab", "r_bc", "both"]


def test_an_assembly_that_includes_itself_is_refused(folder: Path) -> None:
    assembly(folder, '<include prefix="x_" file="b.xml"/>')
    other = write(folder, "assemblies/b.xml", '<assembly name="b"><include prefix="y_" file="a.xml"/></assembly>')
    (problem,) = problems(other)
    assert "includes itself" in problem.message


def test_a_body_that_is_missing_is_named_with_what_was_meant(folder: Path) -> None:
    (problem,) = problems(assembly(folder, '<body name="D" file="bx.xml"/>'))
    assert problem.message == "there is no body file bx.xml"
    assert "box.xml" in problem.hint
    assert problem.line == 5


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ('<frame name="F" xyz="1200 0 0"/>', "was it millimetres?"),
        ('<frame name="F" rpy="90 0 0" angles="radians"/>', "turned by 90 radians"),
        ('<frame name="F"/><box size="400 300 200"/>', "400 m long"),
        ('<frame name="F"/><box size="1 1 1" density_kg_m3="100000"/>', "density of 100000"),
        ('<frame name="F"/><mass kg="99999"/>', "weighs 99999 kg"),
        (
            '<frame name="F"/><joint name="j" kind="hinge" at="F" lower="-90" upper="90" angles="radians"/>',
            "90 radians",
        ),
        ('<frame name="F"/><joint name="j" kind="hinge" at="G"/>', "sits at the frame G"),
        ('<frame name="F" on="j"/><joint name="j" kind="hinge" at="F"/>', "depends on itself"),
        ('<frame name="F" on="k"/>', "on the joint k, which does not exist"),
        ('<frame name="F"/><imu name="i" frame="G"/>', "the imu i is in the frame G"),
        ('<frame name="F"/><bumper name="b" frame="F" shape="s"/>', "feels with the shape s"),
    ],
)
def test_suspicions_and_faults_of_a_body(folder: Path, inside: str, words: str) -> None:
    (problem,) = problems(write(folder, "bodies/b.xml", f'<body name="B">{inside}</body>'))
    assert words in str(problem)
    assert problem.line == 1


def test_a_library_tells_which_files_changed(folder: Path) -> None:
    path = assembly(folder, BOUND)
    library = Library([folder])
    assert library.load(path).bodies["A"].frame("Top").pose.xyz == (0.0, 0.0, 1.0)
    assert library.changed() == []
    write(folder, "bodies/box.xml", BOX.replace("0 0 1", "0 0 2"))
    changed = library.changed()
    assert [file.name for file in changed] == ["box.xml"]
    library.forget(changed)
    model = library.load(path)
    assert {body.frame("Top").pose.xyz for body in model.bodies.values()} == {(0.0, 0.0, 2.0)}


def test_a_library_knows_its_models_by_name(folder: Path) -> None:
    assembly(folder, BOUND)
    library = Library([folder])
    assert library.names() == ["a", "box"]
    assert library.find("a").parent.name == "assemblies"
    with pytest.raises(StudioError, match="did you mean box"):
        library.find("bx")
