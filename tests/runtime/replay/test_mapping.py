"""Logs of others, bound to the ports of sources by name and type."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.messages import Float64, Range3d, String, decode
from studio.model.loaded_project import LoadedProject, open_project
from studio.runtime.base.errors import ReplayError
from studio.runtime.recording import LogReader, LogWriter
from studio.runtime.recording.format.mcap_records import Schema
from studio.runtime.recording.importers import import_log
from studio.runtime.replay.lockstep import Result, replay_lockstep
from tests.runtime.replay.small_systems import events_of, write_foreign

MS = 1_000_000
START = 1_600_000_000_000_000_000
SYSTEM = """<system name="robot" version="1">
  <source name="platform" mode="{mode}">
    <port name="level" direction="out" type="{kind}"/>
    <port name="drive" direction="in" type="Float64"/>
    {providers}
  </source>
  <component name="filter" type="low_pass"/>
  <wire from="platform.level" to="filter.raw"/>
</system>"""
LOGGED = '<logged log="logs/a.mcap">{}</logged>'
VALUES = [(START + 10 * MS * at, Float64(float(at))) for at in range(20)]


def robot(
    folder: Path, mode: str = "logged", binds: str = "", *, providers: str = "", kind: str = "Float64"
) -> LoadedProject:
    folder.mkdir(exist_ok=True)
    (folder / "system.xml").write_text(SYSTEM.format(mode=mode, providers=providers or LOGGED.format(binds), kind=kind))
    return open_project(folder)


def replayed(opened: LoadedProject, log: Path, record: Path) -> Result:
    return replay_lockstep(
        opened.project, log, specs=opened.registry, types=opened.types, in_process=True, record=record
    )


def test_the_only_topic_of_the_type_is_taken_whatever_its_name(tmp_path: Path) -> None:
    log = write_foreign(tmp_path / "f.mcap", {"/tank/height": VALUES, "/words": [(START, String("x"))]})
    opened = robot(tmp_path / "robot")
    assert "error" not in {problem.severity for problem in opened.problems}, "nothing has to be bound by hand"
    result = replayed(opened, log, tmp_path / "out.mcap")
    assert (result.fed, result.start_ns, result.end_ns) == (("/platform/level",), VALUES[0][0], VALUES[-1][0])
    fed = events_of(tmp_path / "out.mcap", "/platform/level")
    assert [(sequence, stamp_ns) for sequence, stamp_ns, _ in fed] == [(at + 1, VALUES[at][0]) for at in range(20)]
    assert [decode(Float64, payload).data for _, _, payload in fed] == [float(at) for at in range(20)]
    assert len(events_of(tmp_path / "out.mcap", "/filter/smooth")) == 20


def test_of_several_the_one_with_the_name_of_the_port_is_taken(tmp_path: Path) -> None:
    others = [(time_ns, Float64(-1.0)) for time_ns, _ in VALUES]
    log = write_foreign(tmp_path / "f.mcap", {"/a/other": others, "/old/level": VALUES})
    replayed(robot(tmp_path / "robot"), log, tmp_path / "out.mcap")
    assert decode(Float64, events_of(tmp_path / "out.mcap", "/platform/level")[3][2]).data == 3.0


def test_a_mapping_in_the_file_decides(tmp_path: Path) -> None:
    others = [(time_ns, Float64(-1.0)) for time_ns, _ in VALUES]
    log = write_foreign(tmp_path / "f.mcap", {"/a/other": others, "/old/level": VALUES})
    opened = robot(tmp_path / "robot", binds='<bind port="level" topic="/a/other"/>')
    replayed(opened, log, tmp_path / "out.mcap")
    assert decode(Float64, events_of(tmp_path / "out.mcap", "/platform/level")[3][2]).data == -1.0


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    log = write_foreign(tmp_path / "f.mcap", {"/words": [(START, String("x"))]})
    with pytest.raises(ReplayError, match=r"no topic of the log matches platform.level, which is Float64") as told:
        replayed(robot(tmp_path / "robot"), log, tmp_path / "out.mcap")
    assert '<bind port="level" topic="..."/>; the log has /words (String)' in told.value.hint
    assert not (tmp_path / "out.mcap").exists()


def test_of_topics_that_fit_equally_well_none_is_taken(tmp_path: Path) -> None:
    log = write_foreign(tmp_path / "f.mcap", {"/left/level": VALUES, "/right/level": VALUES})
    with pytest.raises(ReplayError, match=r"no topic of the log matches platform.level") as told:
        replayed(robot(tmp_path / "robot"), log, tmp_path / "out.mcap")
    assert "the log has /left/level (Float64), /right/level (Float64)" in told.value.hint


def test_scans_of_ros_are_converted_first(tmp_path: Path) -> None:
    path = tmp_path / "scans.mcap"
    with LogWriter(path) as log:
        topic = log.add_channel("/scan", Schema(1, "sensor_msgs/msg/LaserScan", "ros2msg", b"float32 angle_min"))
        log.write(topic, bytes(8), log_time_ns=START, sequence=1, stamp_ns=START)
    for binds in ("", '<bind port="level" topic="/scan"/>'):
        opened = robot(tmp_path / "robot", binds=binds, kind="Range3d")
        with pytest.raises(ReplayError) as told:
            replayed(opened, path, tmp_path / "out.mcap")
        assert f"in place of the LaserScan of /scan: studio convert {path} scans_converted.mcap" in told.value.hint


def test_a_log_of_something_else_is_refused(tmp_path: Path) -> None:
    log = write_foreign(tmp_path / "f.mcap", {"/left/level": VALUES})
    opened = open_project(Path("projects/first_steps"))
    with pytest.raises(ReplayError, match=r"this log has no inputs for the system \(it has /left/level\)"):
        replayed(opened, log, tmp_path / "out.mcap")
    assert not (tmp_path / "out.mcap").exists()


def test_a_bound_topic_that_is_not_there_or_of_another_type(tmp_path: Path) -> None:
    log = write_foreign(tmp_path / "f.mcap", {"/words": [(START, String("x"))], "/level": VALUES})
    with pytest.raises(ReplayError, match=r"bound to /levle, which is missing .*did you mean /level"):
        bound = robot(tmp_path / "robot", binds='<bind port="level" topic="/levle"/>')
        replayed(bound, log, tmp_path / "out.mcap")
    with pytest.raises(ReplayError, match=r"platform.level is Float64, but /words is String"):
        bound = robot(tmp_path / "robot", binds='<bind port="level" topic="/words"/>')
        replayed(bound, log, tmp_path / "out.mcap")


@pytest.mark.parametrize("converted", [False, True])
def test_a_source_that_is_not_logged_is_taken_from_a_log_of_others(tmp_path: Path, converted: bool) -> None:
    """The robot's real driver must not be started to replay somebody's log, nor a copy that we made of it."""
    real = '<real><component name="driver" type="signal_source"/><bind port="level" to="driver.value"/></real>'
    log = write_foreign(tmp_path / "f.mcap", {"/tank/height": VALUES})
    if converted:
        log = import_log(log, tmp_path / "converted.mcap").output
    opened = robot(tmp_path / "robot", "real", providers=real)
    result = replayed(opened, log, tmp_path / "out.mcap")
    assert result.fed == ("/platform/level",)
    assert len(events_of(tmp_path / "out.mcap", "/filter/smooth")) == 20
    with LogReader(tmp_path / "out.mcap") as out:
        assert "/_studio/command/driver" not in out.topics


def test_topics_that_no_source_wants_are_left_alone(tmp_path: Path) -> None:
    log = write_foreign(tmp_path / "f.mcap", {"/tank/height": VALUES, "/scan": [(START, Range3d())]})
    result = replayed(robot(tmp_path / "robot"), log, tmp_path / "out.mcap")
    assert result.system_s == pytest.approx(0.19)
