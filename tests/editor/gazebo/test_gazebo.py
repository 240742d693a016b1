"""The layout Gazebo: with nothing there, with a server that is away, and with a real one."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.editor.docking.layouts import GAZEBO
from studio.editor.gazebo.controller import PAGE, PREVIEW, SERVERS, GazeboController
from studio.editor.gazebo.page import EMPTY_WORDS
from studio.editor.gazebo.topics_table import HOW, PORT, TopicsTable, rows_of
from studio.editor.look.theme import DARK, LIGHT
from studio.editor.window.main_window import MainWindow
from studio.runtime.gazebo import local_classic
from studio.runtime.gazebo.connections.link import Phase
from studio.runtime.gazebo.connections.mapping import Port, match
from studio.runtime.gazebo.server import Topic

PATIENCE_MS = 60_000
LEFT, RIGHT = (Port("platform", f"laser_{side}", "Range3d", is_command=False) for side in ("left", "right"))
TOPICS = [Topic(f"~/raptor/{side}_laser/scan", "gazebo.msgs.LaserScanStamped") for side in ("left", "right")]
STATISTICS = Topic("~/world_stats", "gazebo.msgs.WorldStatistics")


@pytest.fixture
def controller(
    window: MainWindow, rover: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[GazeboController]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("GZ_IP", "127.0.0.1")
    window.resize(1440, 900)
    window.files.open(rover)
    window.gazebo.open()
    yield window.gazebo
    window.gazebo.close()


def free_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"127.0.0.1:{free.getsockname()[1]}"


def test_the_layout_has_its_three_panels_and_says_what_to_do(window: MainWindow, controller: GazeboController) -> None:
    assert window.layouts.current == GAZEBO
    assert all(window.docks.is_in_front(name) for name in (SERVERS, PAGE, PREVIEW))
    assert window.docks.is_closed("palette")
    controller.refresh()
    assert controller.page.empty.words.text() == EMPTY_WORDS
    assert not controller.page.controls.pause.isEnabled()
    QTest.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    assert window.docks.is_closed(SERVERS), "another layout does not know them"
    QTest.keyClick(window, Qt.Key.Key_7, Qt.KeyboardModifier.ControlModifier)
    assert window.docks.is_in_front(PAGE)
    for theme in (DARK, LIGHT):
        window.choose_theme(theme.name)
        assert controller.servers.list.theme.name == theme.name


def test_an_address_without_a_server_says_why_and_is_kept(
    controller: GazeboController, qtbot: QtBot, tmp_path: Path
) -> None:
    servers = controller.servers
    servers.add.click()
    QTest.keyClicks(servers.entry, "host:what")
    QTest.keyClick(servers.entry, Qt.Key.Key_Return)
    assert servers.entry.property("wrong") is True
    servers.entry.clear()
    address = free_address()
    QTest.keyClicks(servers.entry, address)
    QTest.keyClick(servers.entry, Qt.Key.Key_Return)
    assert servers.entry.isHidden()
    qtbot.waitUntil(
        lambda: controller.link is not None and controller.link.state.phase is Phase.LOST, timeout=PATIENCE_MS
    )
    controller.refresh()
    row = servers.list.current()
    assert row is not None
    assert "no server listens there" in row.words
    assert controller.page.banner.text().startswith("Lost: no server listens there")
    assert servers.link_button.text() == "Disconnect"
    servers.keep_button.click()
    servers.name_entry.setText("night tests")
    servers.keep_button.click()
    kept = json.loads((tmp_path / "config" / "robot-systems-studio" / "gazebo_servers.json").read_text())
    assert [each["name"] for each in kept] == ["night tests"]
    QTest.keyClick(servers.list, Qt.Key.Key_Return)
    assert controller.link is None, "Return ends the connection"
    qtbot.waitUntil(lambda: "refused" in getattr(servers.list.current(), "words", ""), timeout=PATIENCE_MS)
    assert servers.keep_button.text() == "Forget"
    servers.keep_button.click()
    assert servers.list.current() is None or servers.list.current().name != "night tests"


def test_a_port_is_chosen_for_a_topic(qtbot: QtBot) -> None:
    table = TopicsTable(LIGHT)
    qtbot.addWidget(table)
    table.ports = lambda: [LEFT, RIGHT]
    rows = rows_of([*TOPICS, STATISTICS], match([LEFT, RIGHT], TOPICS, {}), {STATISTICS.name: "clock"})
    table.show_rows(rows, {TOPICS[0].name: 37.6})
    texts = [[table.item(place, column).text() for column in range(table.columnCount())] for place in range(3)]
    assert texts[0] == [TOPICS[0].name, "LaserScanStamped", "37.6", "", "platform.laser_left", "auto"]
    assert texts[2][PORT], texts[2][HOW] == ("clock", "fixed")
    wanted: list[tuple[str, str]] = []
    table.port_wanted.connect(lambda topic, port: wanted.append((topic, port)))
    delegate, index = table.itemDelegateForColumn(PORT), table.model().index(0, PORT)
    box = delegate.createEditor(table.viewport(), None, index)
    assert [box.itemText(place) for place in range(box.count())] == [
        "not used", "platform.laser_left", "platform.laser_right",
    ]  # fmt: skip
    box.setCurrentIndex(2)
    delegate.setModelData(box, table.model(), index)
    assert wanted == [(TOPICS[0].name, "platform.laser_right")]


@pytest.mark.gazebo
@pytest.mark.timeout(300)
def test_a_real_server_is_started_used_killed_and_found_again(controller: GazeboController, qtbot: QtBot) -> None:
    local_classic.install()
    servers, page = controller.servers, controller.page
    controller._look_for_programs()
    qtbot.waitUntil(lambda: servers.worlds.count() > 0, timeout=PATIENCE_MS)
    servers.worlds.setCurrentText("blocks")
    servers.start.click()
    qtbot.waitUntil(lambda: controller.link is not None and controller.link.is_connected, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: page.models.spawn.isEnabled(), timeout=PATIENCE_MS)
    page.controls.pause.click()
    qtbot.waitUntil(lambda: page.controls.step.isEnabled(), timeout=PATIENCE_MS)
    before = controller.link.statistics.iterations
    page.controls.step.click()
    qtbot.waitUntil(lambda: controller.link.statistics.iterations == before + 100, timeout=PATIENCE_MS)
    page.controls.pause.click()
    page.models.vehicles.setCurrentText("raptor")
    page.models.x_m.setValue(28.0)
    page.models.spawn.click()
    qtbot.waitUntil(lambda: page.models.current() == "raptor", timeout=PATIENCE_MS)
    scans = [each.name for each in controller.link.topics() if each.name.endswith("laser/scan")]
    assert len(scans) == 2
    place = next(place for place in range(page.topics.rowCount()) if page.topics.item(place, 0).text() == scans[0])
    page.topics.setCurrentCell(place, 0)
    qtbot.waitUntil(lambda: controller.preview._stack.currentWidget() is controller.preview.scan, timeout=PATIENCE_MS)
    controller.local.process.kill()
    qtbot.waitUntil(lambda: controller.link.state.phase is Phase.RECONNECTING, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: page.banner.isVisible() and not page.controls.pause.isEnabled(), timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: servers.start.text() == "Start server", timeout=PATIENCE_MS)
    servers.start.click()
    qtbot.waitUntil(lambda: controller.link.is_connected, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: page.banner.isHidden(), timeout=PATIENCE_MS)
    assert any(line.words.startswith("back after") for line in controller.connections.lines())
    process = controller.local.process
    controller.close()
    assert process.poll() is not None
