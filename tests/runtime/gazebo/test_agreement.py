"""What of a model on a server is not as its assembly says. Without a server: with one in test_real_classic."""

from __future__ import annotations

import pytest
from lxml import etree

from studio.model.geometry.library import load_model
from studio.runtime.gazebo.agreement import check, mismatches
from studio.runtime.gazebo.connections.spawning import sdf_of
from studio.runtime.gazebo.server import GazeboError
from studio.runtime.gazebo.vehicle_sdf import vehicle_sdf
from studio.runtime.sim.vehicles.vehicle import vehicle_of

SDF = vehicle_sdf(vehicle_of(load_model("raptor")), "raptor")


class World:
    """A server that says what its world is."""

    def __init__(self, model: str) -> None:
        self._model = model.partition("?>")[2] or model

    def world_sdf(self) -> str:
        state = "<state><model name='raptor'/></state>"
        inside = self._model.replace('<sdf version="1.7">', "").replace("</sdf>", "")
        return f"<sdf version='1.7'><world name='w'>{state}<model name='box'/>{inside}</world></sdf>"


def words(changed: str) -> list[str]:
    return [each.words for each in check(World(changed), "raptor", SDF)]  # type: ignore[arg-type]


def test_a_model_that_was_made_from_the_assembly_agrees() -> None:
    assert words(SDF) == []
    six_digits = SDF.replace("1e+16", "10000000000000000").replace("0.017453292519943295", "0.0174533")
    assert words(six_digits) == []


@pytest.mark.parametrize(("before", "after", "said"), [
    ("<max>15.0</max>", "<max>30.0</max>", "sensor left_laser: range_max_m is 30 on the server, 15 in the assembly"),
    ("<update_rate>37.6</update_rate>", "<update_rate>10</update_rate>", "rate_hz is 10 on the server, 37.6 in"),
    ("<samples>361</samples>", "<samples>91</samples>", "beams is 91 on the server, 361 in the assembly"),
    ('name="left_laser"', 'name="other"', "the sensor left_laser is missing on the server"),
    ('name="left_laser"', 'name="other"', "the sensor other is not in the assembly"),
    ("<lower>-0.4886921905584123", "<lower>-0.3", "lower is -0.3 on the server, -0.488692 in the assembly"),
    ("<mass>", "<mass>9", "mass_kg is 9"),
])  # fmt: skip
def test_each_difference_is_said_with_both_values(before: str, after: str, said: str) -> None:
    assert before in SDF
    assert any(said in each for each in words(SDF.replace(before, after))), words(SDF.replace(before, after))


def test_a_sensor_that_is_elsewhere_is_told_by_how_far() -> None:
    at = SDF.index('<sensor name="left_laser"')
    start, end = SDF.index("<pose>", at) + 6, SDF.index("</pose>", at)
    x, rest = SDF[start:end].split(" ", 1)
    moved = f"{SDF[:start]}{float(x) + 0.02!r} {rest}{SDF[end:]}"
    assert words(moved) == ["sensor left_laser is 20 mm and 0 degrees away from its pose in the assembly"]


def test_what_is_not_there_is_said() -> None:
    with pytest.raises(GazeboError, match="there is no model raptor"):
        check(World("<model name='x'/>"), "raptor", SDF)  # type: ignore[arg-type]
    with pytest.raises(GazeboError, match="cannot be read"):
        check(World("<model"), "raptor", SDF)  # type: ignore[arg-type]


def test_poses_agree_whatever_frame_they_are_written_in() -> None:
    """A server of Fortress writes other frames than those that it was given."""
    nested = """<model name="m"><link name="hull"><pose>1 0 0 0 0 0</pose></link>
      <link name="wheel"><pose relative_to="turn">0 0 0 0 0 0</pose></link>
      <joint name="turn" type="revolute"><pose relative_to="hull">0 2 0 0 0 0</pose><child>wheel</child></joint>
      </model>"""
    flat = """<model name="m"><link name="hull"><pose>1 0 0 0 0 0</pose></link>
      <link name="wheel"><pose>{} 2 0 0 0 0</pose></link>
      <joint name="turn" type="revolute"><child>wheel</child></joint></model>"""
    wanted = etree.fromstring(nested)
    assert mismatches(etree.fromstring(flat.format(1)), wanted) == []
    told = mismatches(etree.fromstring(flat.format(1.5)), wanted)
    assert {each.subject for each in told} == {"part wheel", "joint turn"}


def test_a_vehicle_for_fortress_has_joints_that_turn_and_noise_in_degrees() -> None:
    made = sdf_of("raptor", "raptor", None, is_classic=False)
    assert 'type="continuous"' not in made
    assert made.count("<lower>-1e16</lower>") == 4
    deviation = etree.fromstring(made).findtext(".//gps/position_sensing/horizontal/noise/stddev")
    assert 0 < float(deviation or 0) < 1e-4
