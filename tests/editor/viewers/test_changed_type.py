"""A component whose code is changed while it runs, so that its topic carries another type: no viewer keeps silent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from studio.editor.panels.data.message_viewer import MessageViewer
from studio.editor.panels.map.map_viewer import MapViewer
from studio.editor.panels.parts.run_over import WORDS
from studio.editor.panels.parts.viewer import Viewer
from studio.editor.panels.plot.plot_viewer import PlotViewer
from studio.editor.views.shared.field_drag import Field
from studio.editor.window.main_window import MainWindow

PATIENCE_MS = 60_000
pytestmark = pytest.mark.timeout(240)
SYSTEM = """<system name="fickle" version="1">
  <component name="fickle" type="fickle" mode="periodic" period_s="0.05"/>
</system>"""
PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<component type="fickle" category="processor">
  <doc>What it publishes depends on its code.</doc>
  <entry python="fickle:Fickle"/>
  <activation modes="periodic" period_s="0.05"/>
  <port name="seen" direction="out" type="Map"/>
</component>
"""
CODE = """import numpy as np

from studio.messages import Float64, Map
from studio.runtime.component import Component, OutPort


class Fickle(Component):
    \"\"\"What it publishes depends on its code.\"\"\"

    activations = ("periodic",)
    period_s = 0.05
    seen = OutPort(Map)

    def on_timer(self) -> None:
        self.seen.publish(Map(resolution_m=0.5, plane_names=("height",), planes=np.ones((1, 4, 5))))
"""
OTHER_CODE = CODE.replace("OutPort(Map)", "OutPort(Float64)").replace(
    'Map(resolution_m=0.5, plane_names=("height",), planes=np.ones((1, 4, 5)))', "Float64(data=1.0)"
)
TOPIC = "/fickle/seen"


@pytest.fixture
def code(tmp_path: Path) -> Path:
    """Of the only component of a project."""
    component = tmp_path / "fickle" / "components" / "fickle"
    component.mkdir(parents=True)
    (tmp_path / "fickle" / "system.xml").write_text(SYSTEM)
    (component / "component.xml").write_text(PROFILE)
    (component / "fickle.py").write_text(CODE)
    return component / "fickle.py"


@pytest.fixture
def running(one_window: MainWindow, code: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    window = one_window
    window.show()
    assert window.files.open(code.parents[2])
    window.trigger("run.start")
    qtbot.waitUntil(lambda: window.live.control.phase == "running", timeout=PATIENCE_MS)
    yield window
    window.hide()
    if window.live.control.is_up:
        window.live.stop()
        qtbot.waitUntil(lambda: window.live.control.phase == "stopped", timeout=PATIENCE_MS)
    window.show_session(None)


def test_every_viewer_of_a_topic_whose_type_changes_says_so(running: MainWindow, code: Path, qtbot: QtBot) -> None:
    """The last map stayed as if nothing came, and nobody said why."""
    viewers: list[Viewer] = []
    for kind in (MapViewer, MessageViewer, PlotViewer):
        viewers.append(kind(running.live.feed, running.theme))
        qtbot.addWidget(viewers[-1])
        viewers[-1].resize(500, 300)
        viewers[-1].show()
        if isinstance(viewers[-1], PlotViewer):
            viewers[-1].add(Field(TOPIC, "rows"))
        else:
            viewers[-1].restore({"topic": TOPIC})
    map_viewer = viewers[0]
    assert isinstance(map_viewer, MapViewer)
    qtbot.waitUntil(lambda: map_viewer.shown is not None, timeout=PATIENCE_MS)
    assert all(viewer.over.isHidden() for viewer in viewers)
    code.write_text(OTHER_CODE)
    running.live.feed.ask("restart", name="fickle", timeout_s=70.0)
    told = f"{TOPIC} no longer carries a Map. Restart the system to see its new messages"
    qtbot.waitUntil(  # while it restarts, they may say that there is no news
        lambda: all(not viewer.over.isHidden() and viewer.over.text() == told for viewer in viewers),
        timeout=PATIENCE_MS,
    )
    late = MapViewer(running.live.feed, running.theme)
    qtbot.addWidget(late)
    late.restore({"topic": TOPIC})
    assert not late.over.isHidden(), "who looks later is told, too"
    code.write_text(CODE)
    running.live.feed.ask("restart", name="fickle", timeout_s=70.0)
    qtbot.waitUntil(lambda: all(viewer.over.isHidden() for viewer in viewers), timeout=PATIENCE_MS)
    running.live.stop()
    qtbot.waitUntil(lambda: running.live.control.phase == "stopped", timeout=PATIENCE_MS)
    plot = viewers[-1]
    assert not plot.over.isHidden() and plot.over.text() == WORDS
    for viewer in (*viewers, late):
        viewer.close_viewer()
