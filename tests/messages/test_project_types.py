from __future__ import annotations

from pathlib import Path

import pytest

from studio.messages import Float64, MessageError, decode, encode, project_types


@pytest.fixture
def walker(tmp_path: Path) -> Path:
    """A project with a type of its own and a component in it."""
    folder = tmp_path / "walker"
    write(folder / "msg/Leg.msg", "float64[2] angles_rad\n")
    write(folder / "components/gait/gait.py", "")
    return folder


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_a_file_of_a_project_finds_its_types(walker: Path) -> None:
    types = project_types(str(walker / "components/gait/gait.py"))
    leg = types.get("Leg")
    assert leg.SCHEMA_NAME == "walker/msg/Leg"
    assert types.get("Float64") is Float64
    message = leg(angles_rad=[0.5, 1.0])  # type: ignore[call-arg]
    assert decode(leg, encode(message)) == message


def test_all_files_and_all_ways_to_them_give_the_same_class(
    walker: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(walker)
    monkeypatch.chdir(walker / "components")
    places = [walker, walker / "components/gait/gait.py", walker / "components/gait/not_written_yet.py",
              tmp_path / "link/components/gait/gait.py", Path("gait/gait.py"), Path("../msg")]  # fmt: skip
    assert len({project_types(place).get("Leg") for place in places}) == 1


def test_a_component_that_is_linked_into_a_project_sees_the_types_of_that_project(walker: Path, tmp_path: Path) -> None:
    write(tmp_path / "library/scan/scan.py", "")
    (walker / "components/scan").symlink_to(tmp_path / "library/scan")
    assert "Leg" in project_types(walker / "components/scan/scan.py")


def test_the_nearest_folder_with_types_counts_and_an_empty_one_does_not(walker: Path) -> None:
    inner = walker / "examples/crawler"
    (inner / "msg").mkdir(parents=True)
    assert "Leg" in project_types(inner)
    write(inner / "msg/Belly.msg", "float64 height_m\n")
    assert "Leg" not in project_types(inner)
    assert "Belly" in project_types(inner / "components/sensor/sensor.py")


def test_two_projects_have_two_types_of_one_name(walker: Path, tmp_path: Path) -> None:
    write(tmp_path / "runner/msg/Leg.msg", "float64 knee_rad\n")
    assert project_types(tmp_path / "runner").get("Leg").SCHEMA_NAME == "runner/msg/Leg"
    assert project_types(walker).get("Leg").SCHEMA_NAME == "walker/msg/Leg"


def test_where_there_are_none_it_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(MessageError, match=r"gait\.py has message types \(put them into msg/"):
        project_types(tmp_path / "gait.py")


def test_a_mistake_in_a_type_is_told_each_time_and_gone_once_corrected(walker: Path) -> None:
    write(walker / "msg/Toe.msg", "float65 length_m\n")
    for _ in range(2):
        with pytest.raises(MessageError, match=r"Toe\.msg:1: "):
            project_types(walker)
    write(walker / "msg/Toe.msg", "float64 length_m\n")
    assert "Toe" in project_types(walker)
