"""Logs in the window: recorded from a system that runs, brought in from elsewhere, opened in a project or alone."""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mcap.writer import Writer
from PyQt6.QtCore import QMimeData, QPointF, Qt, QUrl
from PyQt6.QtGui import QDropEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QFileDialog, QInputDialog, QMessageBox, QToolBar
from pytestqt.qtbot import QtBot

from studio.editor.live_link import _message
from studio.editor.log_files import desk as desk_module
from studio.editor.log_files import foreign_types, log_facts
from studio.editor.log_files.import_dialog import ImportDialog
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
from studio.editor.log_files.open_dialog import PROJECT, OpenLogDialog
from studio.editor.log_files.record import RecordButton, RecordDialog, new_log, recording_words, time_words
from studio.editor.main_window import MainWindow
from studio.editor.panels.topic_mapping import MappingDialog
from studio.editor.theme import DARK, LIGHT
from studio.messages import decode
from studio.model.opened import open_project
from studio.runtime.recording import LogReader
from studio.runtime.replay.mapping import mapped_topics
from tests.runtime.recording.logs import story, write_log
from tests.runtime.replay.played import write_rig

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


class TestFacts:
    FACTS = LogFacts(
        Path("/logs/intel.mcap"), 2691.3, 17271, 15_786_228,
        {"/carmen/odom": "Odometry", "/carmen/scan_odom": "Odometry", "/carmen/laser": "Range3d"},
    )  # fmt: skip

    def test_ports_are_found_by_name_and_type(self, tmp_path: Path) -> None:
        opened = open_project(project(tmp_path / "mapping", LOGGED))
        source = opened.system.source("robot")
        assert mapping_for(source, self.FACTS) == {"odom": "/carmen/odom", "laser": "/carmen/laser"}
        provider = providers_for(opened.system, opened.folder, self.FACTS)["robot"]
        assert provider.log == "/logs/intel.mcap" and self.FACTS.words == "44 min 51 s · 17\u2009271 events · 15.8 MB"
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
        assert _message(opened.types.get("Bytes"), b"{not cdr}").data.tobytes() == b"{not cdr}"


class TestImport:
    def test_a_foreign_log_is_brought_in_beside_the_window(self, tmp_path: Path, qtbot: QtBot) -> None:
        output = tmp_path / "logs" / "intel.mcap"
        dialog = ImportDialog(None, DARK, carmen(tmp_path), output)  # type: ignore[arg-type]
        qtbot.addWidget(dialog)
        with qtbot.waitSignal(dialog.imported, timeout=PATIENCE_MS) as told:
            dialog.start()
            assert dialog.is_under_way
        assert told.args == [output] and not dialog.isVisible()
        assert set(read_facts(output).kinds.values()) >= {"Odometry", "Range3d"}

    def test_what_was_left_out_is_told_before_it_is_opened(self, tmp_path: Path, qtbot: QtBot) -> None:
        source = carmen(tmp_path)
        source.write_text(CARMEN + "NEFF 12.0 100.9 host 1.0\n")
        dialog = ImportDialog(None, DARK, source, tmp_path / "intel.mcap")  # type: ignore[arg-type]
        qtbot.addWidget(dialog)
        dialog.start()
        qtbot.waitUntil(lambda: not dialog.is_under_way and dialog.report is not None, timeout=PATIENCE_MS)
        assert dialog.isVisible() and "Not brought over: 1 NEFF" in dialog.words.text()
        with qtbot.waitSignal(dialog.imported, timeout=1000):
            dialog.go_on.click()

    def test_all_that_an_import_tells_can_be_read(self, tmp_path: Path, qtbot: QtBot) -> None:
        dialog = ImportDialog(None, LIGHT, tmp_path / "long.log", tmp_path / "long.mcap")  # type: ignore[arg-type]
        qtbot.addWidget(dialog)
        dialog.show()
        dialog.words.setText(
            " ".join(["Lines that repeat the pose of the scan before them are left as they are."] * 12)
        )
        dialog._fit()
        layout = dialog.layout()
        assert layout is not None
        layout.activate()
        assert dialog.words.height() >= dialog.words.heightForWidth(dialog.words.width())

    def test_what_is_no_log_is_told_and_leaves_nothing(self, tmp_path: Path, qtbot: QtBot) -> None:
        wrong = tmp_path / "novel.txt"
        wrong.write_text("It was a dark and stormy night.\n")
        output = tmp_path / "logs" / "novel.mcap"
        dialog = ImportDialog(None, LIGHT, wrong, output)  # type: ignore[arg-type]
        qtbot.addWidget(dialog)
        dialog.start()
        qtbot.waitUntil(
            lambda: not dialog.is_under_way and "was not imported" in dialog.title.text(), timeout=PATIENCE_MS
        )
        assert "no log that Studio can read" in dialog.words.text() and not output.exists()

    def test_giving_up_leaves_nothing(self, tmp_path: Path, qtbot: QtBot) -> None:
        long = tmp_path / "long.log"
        long.write_text(CARMEN + "ODOM 0.1 0.0 0.0 0.5 0.0 0.0 100.8 host 0.9\n" * 400_000)
        output = tmp_path / "long.mcap"
        dialog = ImportDialog(None, LIGHT, long, output)  # type: ignore[arg-type]
        qtbot.addWidget(dialog)
        dialog.start()
        qtbot.waitUntil(lambda: dialog.bar.value() > 0 or not dialog.is_under_way, timeout=PATIENCE_MS)
        assert dialog.is_under_way, "it was cancelled on its way"
        dialog.close()
        assert not dialog.is_under_way and not output.exists()


class TestWindow:
    @pytest.fixture
    def mapping(self, one_window: MainWindow, tmp_path: Path) -> Iterator[MainWindow]:
        one_window.show()
        assert one_window.files.open(project(tmp_path / "mapping", LOGGED))
        yield one_window
        one_window.hide()
        one_window.show_session(None)

    def test_only_logs_can_be_dropped(self, mapping: MainWindow, tmp_path: Path) -> None:
        log = carmen(tmp_path)
        desk = mapping.logs
        assert desk.dropped(mime(log)) == log
        assert (
            desk.dropped(mime(log, log)) is None and desk.dropped(mime(tmp_path)) is None and desk.dropped(None) is None
        )
        assert desk.dropped(mime(tmp_path / "mapping")) is None, "a project is no log"
        (tmp_path / "bag").mkdir()
        (tmp_path / "bag" / "metadata.yaml").touch()
        assert desk.dropped(mime(tmp_path / "bag")) == tmp_path / "bag"

    def test_a_dropped_foreign_log_plays_in_the_project(
        self, mapping: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[str] = []
        monkeypatch.setattr(OpenLogDialog, "exec", lambda dialog: (asked.append(dialog.project.text()), PROJECT)[1])
        runs: list[bool] = []
        monkeypatch.setattr(mapping.live, "run", lambda *_: runs.append(True))
        mapping.logs.open(carmen(tmp_path))
        qtbot.waitUntil(lambda: bool(runs), timeout=PATIENCE_MS)
        assert asked == ["Play it in mapping"]
        logged = mapping.session.system.source("robot").logged
        assert logged is not None and logged.log == "logs/intel.mcap"
        assert set(logged.topics) == {"odom", "laser"}
        dialog = MappingDialog(mapping, LIGHT, mapping.session, read_facts(mapping.session.folder / logged.log))
        box = dialog.boxes["robot", "odom"]
        other = next(row for row in range(box.count()) if box.itemData(row) not in ("", logged.topics["odom"]))
        box.setCurrentIndex(other)
        dialog._apply()
        changed = mapping.session.system.source("robot").logged
        assert changed is not None and changed.topics["odom"] == box.itemData(other)
        dialog.boxes["robot", "laser"].setCurrentIndex(0)
        assert dialog.words.text() == "Nothing feeds robot.laser"
        box.setCurrentIndex(0)
        assert dialog.apply.isEnabled() and dialog.words.text() == "robot plays this log no more"
        dialog._apply()
        assert mapping.session.system.source("robot").logged is None

    def test_a_project_that_is_closed_while_its_log_is_read_plays_nothing(
        self, mapping: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        read: list[Callable[[LogFacts], None]] = []
        monkeypatch.setattr(mapping.logs, "_read_facts", lambda _, then: read.append(then))
        mapping.logs.play_here(tmp_path / "drive.mcap")
        mapping.show_session(None)
        read[0](TestFacts.FACTS)

    def test_a_foreign_log_chosen_for_a_source_is_mapped_and_starts_nothing(
        self, mapping: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        log = str(carmen(tmp_path))
        monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (log, ""))
        asked: list[str] = []
        monkeypatch.setattr(OpenLogDialog, "exec", lambda _: (asked.append("where"), 0)[1])
        monkeypatch.setattr(MappingDialog, "open", lambda _: asked.append("mapping"))
        mapping.logs.ask_provider()
        qtbot.waitUntil(lambda: bool(asked), timeout=PATIENCE_MS)
        assert asked == ["mapping"] and not mapping.session.document.is_modified

    def test_of_a_bag_the_file_that_describes_it_can_be_chosen_for_a_source(
        self, mapping: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bag = tmp_path / "bag"
        bag.mkdir()
        (bag / "metadata.yaml").write_text("rosbag2_bagfile_information: {}\n")
        file = write_rig(bag / "bag_0.mcap")
        monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(bag / "metadata.yaml"), ""))
        asked: list[Path] = []
        monkeypatch.setattr(mapping.logs, "ask_mapping", asked.append)
        mapping.logs.ask_provider()
        assert asked == [file]

    def test_without_a_project_it_opens_by_itself(
        self, one_window: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        at_work: list[threading.Thread] = []

        def make(facts: LogFacts) -> Path:
            at_work.append(threading.current_thread())
            return viewing_project(facts, tmp_path / "viewed")

        monkeypatch.setattr(desk_module, "viewing_project", make)
        runs: list[bool] = []
        monkeypatch.setattr(one_window.live, "run_unless_attached", lambda: runs.append(True))
        one_window.logs.open(write_rig(tmp_path / "rig.mcap"))
        qtbot.waitUntil(lambda: bool(runs), timeout=PATIENCE_MS)
        assert one_window.session.system.source("log").mode == "logged"
        assert at_work and threading.main_thread() not in at_work, "many foreign types take a while"
        one_window.show_session(None)

    def test_a_bag_of_one_mcap_file_opens_without_an_import(self, tmp_path: Path) -> None:
        bag = tmp_path / "bag"
        bag.mkdir()
        (bag / "metadata.yaml").write_text("rosbag2_bagfile_information: {}\n")
        file = write_rig(bag / "bag_0.mcap")
        assert mcap_of(bag) == file == mcap_of(file)
        write_rig(bag / "bag_1.mcap")
        assert mcap_of(bag) is None and mcap_of(carmen(tmp_path)) is None

    def test_a_damaged_log_is_offered_to_be_saved(
        self, mapping: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(OpenLogDialog, "exec", lambda dialog: 0)
        log = tmp_path / "drive.mcap"
        write_log(log, story(300), close=False)
        content = bytearray(log.read_bytes())
        content[len(content) // 2] ^= 4
        log.write_bytes(content)
        mapping.logs.open(log)

        def told() -> list[QMessageBox]:
            """Others may have been left by tests before."""
            boxes = mapping.findChildren(QMessageBox)
            return [box for box in boxes if "drive.mcap is damaged: " in box.informativeText()]

        qtbot.waitUntil(lambda: bool(told()), timeout=PATIENCE_MS)
        box = told()[0]
        save = next(button for button in box.buttons() if button.text() == "Save what is intact")
        save.click()
        importing = mapping.logs.importing
        assert importing is not None
        qtbot.waitUntil(lambda: importing.report is not None and not importing.is_under_way, timeout=PATIENCE_MS)
        assert "are intact" in importing.words.text()
        assert 100 < read_facts(importing.output).events < 300
        importing.close()


def _is_whole(bar: QToolBar) -> bool:
    """Nothing is behind the arrow at its end."""
    seen = [bar.widgetForAction(action) for action in bar.actions() if action.isVisible()]
    return all(widget is None or widget.isVisible() for widget in seen)


def test_who_drops_a_log_keeps_it(one_window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """File managers propose to move, and delete what was moved."""
    log, opened = tmp_path / "drive.mcap", []
    log.touch()
    monkeypatch.setattr(one_window.logs, "open", opened.append)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(log))])
    either = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
    drop = QDropEvent(QPointF(50, 50), either, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    drop.setDropAction(Qt.DropAction.MoveAction)
    one_window.dropEvent(drop)
    assert drop.isAccepted() and drop.dropAction() is Qt.DropAction.CopyAction
    QTest.qWait(10)
    assert opened == [log]


def recording(log: Path) -> dict[str, object]:
    """What a system that is being recorded tells of itself."""
    return {"recording": str(log), "components": {}, "topics": {}, "sources": {}, "processes": {}, "gate": "run"}


class TestRecord:
    def test_what_is_recorded_was_chosen_for_one_project(
        self, one_window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first, second = (project(tmp_path / name, TICKING) for name in ("first", "second"))
        monkeypatch.setattr(RecordDialog, "exec", lambda _: 1)
        monkeypatch.setattr(RecordDialog, "topics", ["/signal/value"])
        monkeypatch.setattr(one_window.logs, "begin", lambda _: None)
        assert one_window.files.open(first)
        one_window.logs.ask_record()
        assert one_window.logs.topics == ["/signal/value"]
        assert one_window.files.open(second)
        assert one_window.logs.topics == [], "of another project"
        assert one_window.files.open(first)
        assert one_window.logs.topics == ["/signal/value"], "it is kept"
        one_window.show_session(None)

    def test_a_recording_that_goes_on_is_not_announced_in_another_project(
        self, one_window: MainWindow, tmp_path: Path
    ) -> None:
        first, second = (project(tmp_path / name, TICKING) for name in ("first", "second"))
        log = tmp_path / "a.mcap"
        log.write_bytes(b"being written")
        assert one_window.files.open(first)
        one_window.live.feed.state = recording(log)
        one_window.logs._look()
        assert one_window.files.open(second)  # and the system is left running
        assert not one_window.notice.asks("recorded") and one_window.logs.report is None
        one_window.show_session(None)

    def test_a_recording_that_goes_on_is_announced_after_its_project_was_read_again(
        self, one_window: MainWindow, tmp_path: Path
    ) -> None:
        log = tmp_path / "a.mcap"
        log.write_bytes(b"being written")
        assert one_window.files.open(project(tmp_path / "first", TICKING))
        feed = one_window.live.feed
        feed.state = recording(log)
        one_window.logs._look()
        assert one_window.files.open(tmp_path / "first")
        feed._forget_state()
        assert one_window.notice.asks("recorded")
        one_window.show_session(None)

    def test_a_bookmark_is_of_the_moment_at_which_it_was_asked_for(
        self, one_window: MainWindow, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        feed, asked = one_window.live.feed, []
        monkeypatch.setattr(feed, "state", {"clock": {"kind": "wall", "base_ns": 5, "at_ns": 0, "rate": 0.0}})

        def typed(*_: object) -> tuple[str, bool]:
            feed.state["clock"]["base_ns"] = 9  # words take their time
            return "the dog", True

        monkeypatch.setattr(QInputDialog, "getText", typed)
        monkeypatch.setattr(feed, "ask", lambda do, *_, **fields: asked.append((do, fields)))
        one_window.logs.ask_bookmark()
        assert asked == [("bookmark", {"text": "the dog", "time_ns": 5})]

    def test_the_dialog_tells_what_keeps_it(self, tmp_path: Path, qtbot: QtBot) -> None:
        file = tmp_path / "new.mcap"
        dialog = RecordDialog(None, DARK, {"/a": "Map", "/b": "Vote"}, [], file)  # type: ignore[arg-type]
        qtbot.addWidget(dialog)
        assert dialog.go.isEnabled() and "free" in dialog.words.text() and dialog.topics == []
        item = dialog.list.item(0)
        assert item is not None
        item.setCheckState(Qt.CheckState.Unchecked)
        assert dialog.topics == ["/b"]
        dialog._check(Qt.CheckState.Unchecked)
        assert not dialog.go.isEnabled() and dialog.words.text() == "Choose a topic"
        dialog._check(Qt.CheckState.Checked)
        file.touch()
        dialog._look()
        assert not dialog.go.isEnabled() and "never overwritten" in dialog.words.text()

    def test_the_button_follows_the_theme_also_while_nothing_happens(self, qtbot: QtBot) -> None:
        button = RecordButton(LIGHT)
        qtbot.addWidget(button)
        button.show_state("paused", {"seconds": 38.4}, None)
        button.show_theme(DARK)
        assert DARK.selection in button.styleSheet() and button.text() == " REC 00:38 held"

    def test_words(self, tmp_path: Path) -> None:
        assert [time_words(seconds) for seconds in (38.4, 3725.0)] == ["00:38", "1:02:05"]
        told = recording_words({"file": "/l/x.mcap", "events": 5, "bytes": 2_500_000, "free_bytes": 9e9, "full": True})
        assert "/l/x.mcap" in told and "2.5 MB" in told and "9.00 GB free" in told and "DISK IS FULL" in told
        assert new_log(tmp_path, "rover").parent == tmp_path / "logs"

    def test_a_running_system_is_recorded(self, one_window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
        window = one_window
        window.show()
        assert window.files.open(project(tmp_path / "ticking", TICKING))
        window.trigger("run.start")
        try:
            qtbot.waitUntil(lambda: window.live.control.phase == "running", timeout=PATIENCE_MS)
            window.trigger("run.record")
            qtbot.waitUntil(lambda: bool((window.logs.report or {}).get("events")), timeout=PATIENCE_MS)
            assert window.toolbar.record.text().startswith(" REC 00:")
            size = window.size()
            for width in (1280, 1400, 1500, 1600, 1920):
                window.resize(width, 800)
                QTest.qWait(20)
                assert _is_whole(window.toolbar), f"something of the toolbar is out of sight at {width}"
            window.resize(size)
            window.trigger("run.record")
            qtbot.waitUntil(lambda: window.notice.asks("recorded"), timeout=PATIENCE_MS)
            log = next((tmp_path / "ticking" / "logs").glob("*.mcap"))
            with LogReader(log) as reader:
                assert reader.is_finished and reader.topics["/signal/value"].count > 0
            assert window.live.control.phase == "running" and window.toolbar.record.text() == " Record"
        finally:
            window.live.control.stop()
            qtbot.waitUntil(lambda: window.live.control.phase == "stopped", timeout=PATIENCE_MS)
            window.hide()
            window.show_session(None)
