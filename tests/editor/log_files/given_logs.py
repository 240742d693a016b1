"""Logs and projects that the tests of logs are given."""

from __future__ import annotations

import struct
from pathlib import Path

from mcap.writer import Writer
from PyQt6.QtCore import QMimeData, QUrl

from studio.editor.log_files.log_facts import LogFacts

PATIENCE_MS = 60_000
CARMEN = """# message_name [message contents] ipc_timestamp ipc_hostname logger_timestamp
PARAM robot_frontlaser_offset 0.0 0 host 0
ODOM 0.0 0.0 0.0 0.5 0.0 0.0 100.0 host 0.1
FLASER 3 1.0 1.1 1.2 0.0 0.0 0.0 0.0 0.0 0.0 100.2 host 0.3
ODOM 0.1 0.0 0.0 0.5 0.0 0.0 100.5 host 0.6
FLASER 3 1.0 1.1 1.2 0.1 0.0 0.0 0.1 0.0 0.0 100.7 host 0.8
"""
LOGGED = """<system name="mapping" version="1">
  <source name="robot" mode="logged">
    <port name="odom" direction="out" type="Odometry"/>
    <port name="laser" direction="out" type="Range3d"/>
    <logged log="logs/intel.mcap"/>
  </source>
</system>"""
TICKING = """<system name="ticking" version="1">
  <component name="signal" type="signal_source" mode="periodic" period_s="0.02"/>
  <component name="sink" type="signal_sink"/>
  <wire from="signal.value" to="sink.value"/>
</system>"""

SOME_FACTS = LogFacts(
    Path("/logs/intel.mcap"), 2691.3, 17271, 15_786_228,
    {"/carmen/odom": "Odometry", "/carmen/scan_odom": "Odometry", "/carmen/laser": "Range3d"},
)  # fmt: skip


def project(folder: Path, system: str) -> Path:
    folder.mkdir()
    (folder / "system.xml").write_text(system)
    return folder


def carmen(folder: Path) -> Path:
    path = folder / "intel.log"
    path.write_text(CARMEN)
    return path


TRACKS = """std_msgs/Header header
radar_msgs/Track[] tracks
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
================================================================================
MSG: radar_msgs/Track
float64 speed_m_s
"""


def foreign_log(path: Path) -> Path:
    """Of types that Studio does not have: two that the log describes, one described badly, one in another way."""
    tracks = bytes((0, 1, 0, 0)) + struct.pack("<iII4xI4xdd", 3, 0, 1, 2, 1.5, 2.5)
    with path.open("wb") as file:
        writer = Writer(file)
        writer.start()
        for number, (topic, name, encoding, text, payload) in enumerate((
            ("/radar/tracks", "radar_msgs/msg/Tracks", "ros2msg", TRACKS, tracks),
            ("/radar/image", "radar_msgs/msg/Image", "ros2msg", "float64 level\n", bytes((0, 1, 0, 0)) + bytes(8)),
            ("/radar/odd", "radar_msgs/msg/Odd", "ros2msg", "wstring name\n", b"odd"),
            ("/grid", "foxglove.Grid", "protobuf", "", b"{not cdr}"),
        )):  # fmt: skip
            schema = writer.register_schema(name, encoding, text.encode())
            channel = writer.register_channel(topic, "cdr", schema)
            for at_ns in (10**9, 2 * 10**9):
                writer.add_message(channel, at_ns + number, payload, at_ns + number)
        writer.finish()
    return path


def mime(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data
