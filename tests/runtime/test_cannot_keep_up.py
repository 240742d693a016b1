"""A component that receives more than it can handle: it says by itself how far behind it is."""

from __future__ import annotations

import shutil
from pathlib import Path

from studio.editor.live.problems import problems_of_run
from studio.editor.live.state import live_node
from studio.model.document import SystemDocument
from tests.conftest import ROOT
from tests.running_project import running
from tests.waiting import await_true

SYSTEM = """<system name="late" version="1">
  <component name="signal" type="signal_source"/>
  <component name="slow" type="slow"/>
  <component name="sink" type="signal_sink"/>
  <wire from="signal.value" to="slow.value"/>
  <wire from="signal.value" to="sink.value"/>
</system>"""


def test_a_component_that_cannot_keep_up_says_so_until_it_can(tmp_path: Path) -> None:
    folder = tmp_path / "late"
    shutil.copytree(ROOT / "tests/misbehaving/slow", folder / "components/slow")
    (folder / "system.xml").write_text(SYSTEM)
    system = SystemDocument.load(folder).system
    with running(folder) as project:
        await_true(lambda: project.state["components"]["slow"]["behind_s"] > 1, "events to wait for more than a second")
        state = project.state
        assert state["components"]["sink"]["behind_s"] == 0
        shown = live_node(system.node("slow"), state)
        assert (shown.look.word, shown.look.tone) == ("Behind", "warning")
        assert shown.right.endswith(" s behind")
        (problem,) = problems_of_run(system, state)
        assert problem.message.startswith("slow cannot keep up: it handles events that are more than ")
        assert (problem.severity, problem.subject) == ("warning", "slow")

        project.ask("command", component="signal", command={"do": "deactivate"})
        await_true(lambda: not project.state["components"]["slow"]["behind_s"], "it to catch up")
        assert live_node(system.node("slow"), project.state).look.word == "Active"
        assert problems_of_run(system, project.state) == []
