"""What is found out about a log before it is opened."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcap.writer import Writer
from rosbags.typesys import Stores, get_typestore

from studio.editor.live.foreign_messages import read_message
from studio.editor.log_files import foreign_types, log_facts
from studio.editor.log_files.log_facts import (
    LogFacts,
    import_target,
    is_mcap,
    mapping_for,
    mcap_of,
    providers_for,
    read_facts,
    viewing_project,
    why_not,
)
from studio.editor.views.plots.logged_series import numbers_of, read_series
from studio.editor.views.shared.field_drag import Field
from studio.messages import decode
from studio.model.loaded_project import open_project
from studio.runtime.recording import LogReader
from studio.runtime.recording.format.compression import compress
from studio.runtime.recording.importers import import_log
from studio.runtime.replay.mapping import mapped_topics
from tests.editor.log_files.given_logs import LOGGED, SOME_FACTS, foreign_log, project
from tests.runtime.recording.importers import test_ros2_bags as bags
from tests.runtime.replay.played import write_rig


class TestFacts:
    def test_ports_are_found_by_name_and_type(self, tmp_path: Path) -> None:
        opened = open_project(project(tmp_path / "mapping", LOGGED))
        source = opened.system.source("robot")
        assert mapping_for(source, SOME_FACTS) == {"odom": "/carmen/odom", "laser": "/carmen/laser"}
        provider = providers_for(opened.system, opened.folder, SOME_FACTS)["robot"]
        assert provider.log == "/logs/intel.mcap" and SOME_FACTS.words == "44 min 51 s · 17\u2009271 events · 15.8 MB"
        poor = LogFacts(Path("x.mcap"), 1.0, 1, 1, {"/carmen/odom": "Odometry"})
        assert not providers_for(opened.system, opened.folder, poor)
        assert why_not(opened.system, poor) == "nothing in it fits robot.laser"

    def test_an_import_goes_where_the_project_waits_for_it(self, tmp_path: Path) -> None:
        opened = open_project(project(tmp_path / "mapping", LOGGED))
        source = tmp_path / "intel-corrected.log.gz"
        target = opened.folder.resolve() / "logs" / "intel.mcap"
        assert import_target(source, opened.system, opened.folder) == target
        target.parent.mkdir()
        target.touch()
        assert import_target(source, opened.system, opened.folder).name == "intel-corrected.mcap"
        assert import_target(source, None, None).name.startswith("intel-corrected")

    def test_a_log_alone_becomes_a_project_that_only_plays_it(self, tmp_path: Path) -> None:
        facts = read_facts(write_rig(tmp_path / "rig & co.mcap"))
        assert is_mcap(facts.path) and set(facts.kinds.values()) == {"Float64"}
        folder = viewing_project(facts, tmp_path / "viewed")
        opened = open_project(folder)
        assert not [problem for problem in opened.problems if problem.severity == "error"]
        source = opened.system.source("log")
        assert source.mode == "logged" and source.logged is not None
        assert dict(source.logged.topics) == {f"rig.{name}": f"/rig/{name}" for name in ("a", "b", "slow")}
        assert viewing_project(facts, tmp_path / "viewed") == folder, "the same again, so that its layout is kept"
        with pytest.raises(log_facts.NoLog, match="no topic"):
            viewing_project(LogFacts(Path("x.mcap"), 1.0, 1, 1, {}), tmp_path)

    def test_of_many_types_each_is_checked_by_itself_and_two_of_one_name_together(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        checked: list[int] = []
        can_be_read = foreign_types._can_be_read
        monkeypatch.setattr(
            foreign_types, "_can_be_read", lambda files: checked.append(len(files)) is None and can_be_read(files)
        )
        described = {f"/{number}": (f"many_msgs/msg/T{number}", "float64 x\n") for number in range(8)}
        rule = "=" * 80
        described["/odd"] = ("many_msgs/msg/Odd", f"T0 inner\n{rule}\nMSG: many_msgs/T0\nOdd inner\n")
        described["/worse"] = ("many_msgs/msg/Worse", "Nowhere inner\n")
        found = foreign_types.write_types(tmp_path, described, described)
        assert found == {f"/{number}": f"T{number}" for number in range(8)} | {"/odd": "Bytes", "/worse": "Bytes"}
        assert checked == [1] * 8 + [9, 1]

    def test_what_studio_does_not_know_is_read_as_the_log_describes_it_or_is_bytes(self, tmp_path: Path) -> None:
        facts = read_facts(foreign_log(tmp_path / "radar.mcap"))
        assert facts.kinds == {} and set(facts.unknown) == {"/radar/tracks", "/radar/image", "/radar/odd", "/grid"}
        opened = open_project(viewing_project(facts, tmp_path / "viewed"))
        assert not [problem for problem in opened.problems if problem.severity == "error"]
        kinds = {port.name: port.type for port in opened.system.source("log").ports}
        assert kinds == {
            "radar.tracks": "Tracks", "radar.image": "RadarMsgsImage", "radar.odd": "Bytes", "grid": "Bytes",
        }  # fmt: skip
        tracks = opened.types.find_schema("radar_msgs/msg/Tracks")
        with LogReader(facts.path) as log:
            assert tracks is not None
            assert mapped_topics(opened.system, log, opened.types)["/log/grid"] == "/grid"
            message = decode(tracks, next(iter(log.events(["/radar/tracks"]))).payload)
        assert [track.speed_m_s for track in message.tracks] == [1.5, 2.5]
        raw = opened.types.get("Bytes")
        assert read_message(raw, b"{not cdr}").data.tobytes() == b"{not cdr}"
        assert read_message(raw, b'{"a": {"b c": 1}}\n') == {"a": {"b c": 1}}, "JSON can be looked into"
        assert read_message(raw, b"[1, 2]") == {"value": [1, 2]}
        assert read_message(raw, b"all is well").text == "all is well"
        assert [read_message(raw, data).text for data in (b"\xff\xfe", b"a\0b")] == ["", ""]

    def test_what_services_send_is_read_as_the_log_describes_it(self, tmp_path: Path) -> None:
        topic = ("/add/_service_event", "cdr", bags.EVENT, "ros2msg", bags.EVENT_TEXT.encode(), [bags.EVENT_DATA] * 2)
        facts = read_facts(bags.mcap_log(tmp_path / "services.mcap", topic))
        opened = open_project(viewing_project(facts, tmp_path / "viewed"))
        (port,) = opened.system.source("log").ports
        assert port.type == "AddTwoIntsEvent"
        with LogReader(facts.path) as log:
            (played,) = mapped_topics(opened.system, log, opened.types).values()
            message = decode(opened.types.get("AddTwoIntsEvent"), next(log.events([played])).payload)
        assert (played, message.info.sequence_number) == ("/add/_service_event", 9)

    def test_numbers_of_types_that_studio_does_not_have_can_be_plotted(self, tmp_path: Path) -> None:
        data = bags.range_of(get_typestore(Stores.ROS2_HUMBLE))
        bag = bags.sqlite_bag(tmp_path / "old.db3", {"/sonar": ("sensor_msgs/msg/Range", [data] * 2)})
        import_log(bag, tmp_path / "new.mcap")
        folder = viewing_project(read_facts(tmp_path / "new.mcap"), tmp_path / "viewed")
        assert {"min_range", "max_range", "range"} <= set(numbers_of(tmp_path / "new.mcap", "/sonar", folder))

    def test_a_log_whose_messages_are_compressed_or_of_ros_1_is_imported(self, tmp_path: Path) -> None:
        packed = bags.mcap_log(tmp_path / "packed.mcap", bags.number_topic(compress("zstd", bags.NUMBER)))
        plain = bags.mcap_log(tmp_path / "plain.mcap", bags.number_topic(bags.NUMBER))
        old = tmp_path / "old.mcap"
        with old.open("wb") as stream:
            writer = Writer(stream)
            writer.start("ros1")
            writer.finish()
        assert [mcap_of(log) for log in (packed, old, plain)] == [None, None, plain]
        assert import_target(tmp_path / "bag_0.db3.zstd", None, None).name.startswith("bag_0.mcap")

    def test_numbers_in_json_can_be_plotted(self, tmp_path: Path) -> None:
        messages = [f'{{"battery": {{"volts": {volts}}}, "name": "front"}}'.encode() for volts in (24.5, 23.0)]
        log = bags.mcap_log(tmp_path / "json.mcap", ("/power", "json", "Power", "jsonschema", b"{}", messages))
        assert numbers_of(log, "/power", None) == ["battery.volts"]
        assert read_series(log, Field("/power", "battery.volts"), None).values.tolist() == [24.5, 23.0]
