from __future__ import annotations

from pathlib import Path

import pytest

from studio.messages import Range3d
from studio.messages.codec import encode
from studio.runtime.recording import LogWriter
from tests.cli.running import Studio

SECOND_NS = 1_000_000_000
WORKED_OUT = [-1.3375472, 0.0, 1.4330356]


def test_transform_prints_matrix_angles_quaternion_and_path(studio: Studio) -> None:
    shown = studio("model", "transform", "Flea:ImagePlane", "Raptor:FrontBumperCenter", "--model", "raptor")
    assert shown.status == 0
    assert "xyz         -1.3375472  0  1.43303563  m" in shown.out
    assert "rpy         -100  0  -90  degrees" in shown.out
    assert "Raptor:TopCenterRail -> Flea:BottomCenter  (constraint camera_mount)" in shown.out


def test_transform_for_scripts_with_a_joint_moved(studio: Studio) -> None:
    told = studio(
        "model", "transform", "Flea:ImagePlane", "Raptor:FrontBumperCenter", "--model", "raptor", "--json"
    ).json
    assert told["xyz_m"] == pytest.approx(WORKED_OUT, abs=1e-7)
    assert told["rpy_deg"] == pytest.approx([-100, 0, -90])
    assert len(told["path"]) == 3
    wheel = ["model", "transform", "Raptor:FrontLeftWheel", "Raptor", "--model", "raptor", "--json"]
    steered = studio(*wheel, "--joint", "Raptor.front_left_steering=0.2").json
    assert steered["rpy_rad"] == pytest.approx([0, 0, 0.2])


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["transform", "Flea:ImagePlan", "Raptor", "--model", "raptor"], 1, "did you mean ImagePlane"),
        (["transform", "Flea", "Raptor", "--model", "rapter"], 2, "did you mean raptor"),
        (["transform", "Flea", "Raptor", "--model", "raptor", "--joint", "x"], 2, "sets no joint"),
        (["tree", "raptor", "--root", "Fle"], 2, "did you mean Flea"),
        (["convert", "raptor", "raptor.step"], 2, "neither .sdf nor .urdf"),
        (["turn"], 2, "cannot be turn"),
    ],
)
def test_mistakes_are_told(studio: Studio, words: list[str], status: int, message: str) -> None:
    told = studio("model", *words)
    assert told.status == status
    assert message in told.err


def test_info_and_tree(studio: Studio) -> None:
    told = studio("model", "info", "raptor", "--json").json
    assert told["bodies"]["RightLaser"]["sensors"]["scan"]["range_max_m"] == 15
    assert told["joints"]["Raptor.front_left_steering"]["upper"] == pytest.approx(0.4886922)
    assert "laser  scan  ScanOrigin" in studio("model", "info", "raptor").out
    assert "└─ Imu  (imu_mount: Raptor:Cabin - Imu:BottomCenter)" in studio("model", "tree", "raptor").out
    hung = studio("model", "tree", "raptor", "--root", "Flea", "--json").json
    assert hung["roots"][0]["part"] == "Flea"


def test_check_tells_what_is_wrong_and_where(studio: Studio, tmp_path: Path) -> None:
    assert studio("model", "check", "raptor").status == 0
    path = tmp_path / "bad.xml"
    path.write_text('<body name="Bad">\n  <frame name="F" xyz="1200 0 0"/>\n</body>\n')
    told = studio("model", "check", path, "--json")
    assert told.status == 0
    (problem,) = told.json["problems"]
    assert (problem["line"], problem["severity"]) == (2, "warning")
    assert studio("model", "check", path, "--strict").status == 1


def test_check_against_a_simulators_file_tells_both_values(studio: Studio, tmp_path: Path) -> None:
    path = tmp_path / "raptor.sdf"
    assert studio("model", "convert", "raptor", path).status == 0
    assert studio("model", "check", "raptor", "--against", path).out == "raptor: no problems\n"
    text = path.read_text().replace("<max>15.0</max>", "<max>80.0</max>", 1).replace("37.6", "75.0", 1)
    text = text.replace("2.3 -0.45 1.0", "2.3 -0.40 1.0")
    path.write_text(text)
    told = studio("model", "check", "raptor", "--against", path)
    assert told.status == 1
    assert "RightLaser.scan: range_max_m is 15 in the first, 80 in the second" in told.out
    assert "RightLaser.scan: rate_hz is 37.6 in the first, 75 in the second" in told.out
    assert "RightLaser:ScanOrigin is 50 mm and 0 degrees apart" in told.out


def test_convert_does_not_overwrite_what_somebody_edited(studio: Studio, tmp_path: Path) -> None:
    path = tmp_path / "raptor.urdf"
    assert "URDF has no sensors" in studio("model", "convert", "raptor", path).out
    assert studio("model", "convert", "raptor", path).status == 0
    path.write_text(path.read_text().replace("Raptor", "Raptor2"))
    refused = studio("model", "convert", "raptor", path)
    assert refused.status == 1
    assert "edited by hand" in refused.err
    assert studio("model", "convert", "raptor", path, "--overwrite", "--json").json["files"] == [str(path)]


def test_a_urdf_becomes_xml_that_checks_out(studio: Studio, tmp_path: Path) -> None:
    path, folder = tmp_path / "p.urdf", tmp_path / "models"
    studio("model", "convert", "pioneer_2dx", path)
    assert studio("model", "convert", path, folder).status == 0
    assembly = folder / "assemblies" / "Pioneer2DX.xml"
    assert studio("model", "check", assembly).status == 0
    assert studio("model", "diff", assembly, path).status == 0
    again = studio("model", "convert", path, folder)
    assert (again.status, "the file exists already" in again.err) == (1, True)


def test_diff_of_a_model_with_itself(studio: Studio) -> None:
    assert studio("model", "diff", "raptor", "raptor").out.endswith("no difference\n")
    differing = studio("model", "diff", "raptor", "pioneer_3at", "--json")
    assert differing.status == 1
    assert differing.json["identical"] is False


def test_help_has_examples(studio: Studio) -> None:
    for verb in ("info", "check", "transform", "tree", "diff", "convert"):
        assert "examples:" in studio("model", verb, "--help").out


def test_check_against_a_log_tells_what_was_measured(studio: Studio, tmp_path: Path) -> None:
    path = tmp_path / "drive.mcap"
    with LogWriter(path) as log:
        for topic, frame, period_ns, reach_m in (
            ("/right/ranges", "RightLaser:ScanOrigin", SECOND_NS // 10, 30.0),
            ("/left/ranges", "LeftLaser:ScanOrigin", SECOND_NS * 2 // 75, 7.0),
            ("/odd/ranges", "RightLaser:ScanOrigni", SECOND_NS, 7.0),
        ):
            channel = log.add_topic(topic, Range3d)
            for number in range(1, 40):
                scan = Range3d.from_polar([1.0, reach_m], -1.7 if reach_m == 30.0 else -1.0, 3.4 / 2, frame=frame)
                at_ns = number * period_ns
                log.write(channel, encode(scan), log_time_ns=at_ns, sequence=number, stamp_ns=at_ns)
    told = studio("model", "check", "raptor", "--log", path, "--json")
    assert told.status == 1
    assert [problem["message"] for problem in told.json["problems"]] == [
        "RightLaser.scan: rate_hz is 37.6 in the model, 10 in the log (/right/ranges)",
        "RightLaser.scan: range_max_m is 15 in the model, 30 m were measured (/right/ranges)",
        "events of /odd/ranges are in the frame RightLaser:ScanOrigni: RightLaser has no such frame",
    ]
    assert "RightLaser:ScanOrigin" in told.json["problems"][2]["hint"]


def test_check_against_a_system_finds_frames_and_settings_that_do_not_agree(studio: Studio, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    folder.mkdir()

    def problems(frame: str, angle: int, steering: float, geometry: str = "raptor") -> list[str]:
        (folder / "system.xml").write_text(f"""<system name="s">
          <geometry assembly="{geometry}"/>
          <component name="laser" type="sick_lms200">
            <parameter name="frame" value="{frame}"/> <parameter name="angle_deg" value="{angle}"/>
          </component>
          <component name="car" type="serial_vehicle">
            <parameter name="most_steering_rad" value="{steering}"/> <parameter name="top_speed_m_s" value="5"/>
          </component>
        </system>""")
        told = studio("model", "check", "raptor", "--system", folder, "--json")
        assert told.status == (1 if any(each["severity"] == "error" for each in told.json["problems"]) else 0)
        return [problem["message"] for problem in told.json["problems"]]

    assert problems("RightLaser:ScanOrigin", 180, 0.4) == []
    assert problems("Laser:ScanOrigin", 100, 0.6, "pioneer_3at") == [
        "laser.frame is Laser:ScanOrigin, and the geometry Raptor has no such frame",
        "car: most_steering_rad is 0.6, steering_max_rad of Raptor is 0.4258",
        "the geometry of the system is another one: pioneer_3at",
    ]
    assert problems("RightLaser:ScanOrigin", 100, 0.4) == ["laser: angle_deg is 100, fov_deg of RightLaser.scan is 180"]


FINGER = """<robot name="finger"><link name="palm"/><link name="a"/><link name="b"/>
  <joint name="bend" type="continuous"><parent link="palm"/><child link="a"/><axis xyz="0 1 0"/></joint>
  <joint name="follow" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
    <dynamics damping="0.5"/></joint></robot>"""


def test_what_a_file_from_elsewhere_loses_is_told_whatever_is_made_of_it(studio: Studio, tmp_path: Path) -> None:
    path = tmp_path / "finger.urdf"
    path.write_text(FINGER)
    told = "<dynamics> of joints is left out"
    for output in ("finger.sdf", "again.urdf", "models"):
        assert told in studio("model", "convert", path, tmp_path / output).out
    assert told in studio("model", "convert", path, tmp_path / "more.sdf", "--json").json["notes"]
    assert f"`studio model check {path}` lists them" in studio("model", "info", path).err
    assert told in studio("model", "check", path).out


def test_a_model_of_one_link_becomes_a_body_with_the_name_of_the_model(studio: Studio, tmp_path: Path) -> None:
    path, folder = tmp_path / "model.sdf", tmp_path / "models"
    path.write_text(
        '<sdf version="1.6"><model name="oak tree"><static>1</static><pose>1 2 3 0 0 0</pose>'
        '<link name="link"/></model></sdf>'
    )
    made = studio("model", "convert", path, folder)
    assert [file.name for file in folder.rglob("*.xml")] == ["oak_tree.xml"]
    for note in (
        "the model oak tree is called oak_tree here",
        "the link link is called oak_tree here, as the model is",
        "the pose of the model is left out: a body alone has no place",
    ):
        assert note in made.out
    again = tmp_path / "again.sdf"
    studio("model", "convert", folder / "bodies" / "oak_tree.xml", again)
    assert '<model name="oak_tree">' in again.read_text() and "<static>true</static>" in again.read_text()
