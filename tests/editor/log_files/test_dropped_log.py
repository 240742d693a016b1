"""The log of a real robot, dropped onto the window: imported, played as fast as it goes, and its map is there."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PyQt6.QtGui import QDragEnterEvent, QDropEvent
from PyQt6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from studio.editor.log_files.open_dialog import PROJECT, OpenLogDialog
from studio.editor.panels.map.map_viewer import MapViewer
from studio.editor.panels.player.player_viewer import PlayerViewer
from studio.editor.window.main_window import MainWindow
from tests.conftest import ROOT

INTEL = ROOT.parent / "shared/data/carmen/intel-corrected.log.gz"
PATIENCE_MS = 120_000
SCANS = 20


@pytest.fixture
def piece(tmp_path: Path) -> Path:
    """The beginning of the log, packed as the whole of it is."""
    if not INTEL.is_file():
        pytest.skip(f"{INTEL.name} is not in ../shared/data/carmen beside the project: nothing real to drop")
    seen = 0

    def is_early(line: str) -> bool:
        nonlocal seen
        seen += line.startswith("FLASER")
        return seen <= SCANS

    path = tmp_path / "intel.log.gz"
    with gzip.open(INTEL, "rt", encoding="ascii") as lines, gzip.open(path, "wt", encoding="ascii") as out:
        out.writelines(takewhile(is_early, lines))
    return path


@pytest.fixture
def mapping(one_window: MainWindow, tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    folder = tmp_path / "carmen_mapping"
    shutil.copytree(ROOT / "projects/carmen_mapping", folder, ignore=shutil.ignore_patterns("logs", "__pycache__"))
    one_window.show()
    assert one_window.files.open(folder)
    yield one_window
    one_window.live.control.stop()
    qtbot.waitUntil(lambda: one_window.live.control.phase == "stopped", timeout=PATIENCE_MS)
    one_window.hide()
    one_window.show_session(None)


def drop(path: Path, onto: QWidget) -> None:
    """As a file manager does: the widget under the pointer is asked first, then those around it."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    at, copy, button = QPoint(60, 60), Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    keys = Qt.KeyboardModifier.NoModifier
    enter, let_go = QDragEnterEvent(at, copy, data, button, keys), QDropEvent(QPointF(at), copy, data, button, keys)
    for event in (enter, let_go):
        QApplication.sendEvent(onto, event)
        assert event.isAccepted()


@pytest.mark.timeout(300)
def test_a_real_log_that_is_dropped_gives_a_map_flat_out(
    mapping: MainWindow, piece: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(OpenLogDialog, "exec", lambda dialog: (asked.append(dialog.project.text()), PROJECT)[1])
    canvas = mapping.canvas.viewport()
    assert canvas is not None
    drop(piece, canvas)
    controller = mapping.logs
    qtbot.waitUntil(
        lambda: controller.importing is not None and controller.importing.go_on.isVisible(), timeout=PATIENCE_MS
    )
    assert controller.importing is not None
    controller.importing.go_on.click()  # it has told that the log has words of others, which are not brought over
    qtbot.waitUntil(lambda: mapping.live.control.phase == "running", timeout=PATIENCE_MS)
    assert asked == ["Play it in carmen_mapping"]
    found: dict[type, list[QWidget]] = {}

    def are_open() -> bool:
        for kind in (PlayerViewer, MapViewer):
            found[kind] = [each for each in mapping.viewers.open.values() if isinstance(each, kind)]
        return all(found.values())

    qtbot.waitUntil(are_open, timeout=PATIENCE_MS)
    player, chart = found[PlayerViewer][0], found[MapViewer][0]
    assert isinstance(player, PlayerViewer) and isinstance(chart, MapViewer)
    qtbot.waitUntil(lambda: player.timeline.outline is not None and bool(player.state), timeout=PATIENCE_MS)
    player.bar.presets.chosen.emit(None)
    qtbot.waitUntil(lambda: player.state.get("rate", 0.0) is None, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: chart.shown is not None, timeout=PATIENCE_MS)
    assert chart.shown is not None
    occupied = chart.shown.plane("occupancy")
    assert (occupied[np.isfinite(occupied)] > 0.65).sum() > 100, "walls"
    assert (occupied[np.isfinite(occupied)] < 0.35).sum() > 1000, "and the room between them"
