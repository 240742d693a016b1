"""A project with a geometry, as it really runs: the Modelserver, files that change meanwhile, its log, its replay."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from studio.model.loaded_project import open_project
from studio.runtime.client.attach import Attachment
from studio.runtime.host.profile import write_profile_of
from studio.runtime.recording import LogReader
from studio.runtime.recording.facts.logged_geometry import geometries_of
from studio.runtime.replay.as_recorded import replay_as_recorded
from tests.cli.running import STUDIO, Result
from tests.runtime.systems import PARTS
from tests.runtime.test_geometry import CAMERA_UP

SYSTEM = """<system name="geometric" version="1">
  <geometry assembly="raptor" joints="steerer.joints"/>
  <component name="signal" type="signal_source" period_s="0.02" host="one"/>
  <component name="steerer" type="steerer" period_s="0.02" host="one"/>
  <component name="asker" type="asker"/>
  <component name="modelserver" type="modelserver" host="one"/>
  <host name="one"/>
  <wire from="signal.value" to="asker.raw"/>
</system>"""


class Running(NamedTuple):
    folder: Path
    log: Path
    run: Path
    studio: Callable[..., Result]

    @property
    def assembly(self) -> Path:
        return self.folder / "models/assemblies/raptor.xml"


QUERY = {"frame": "Raptor:FrontBumperCenter", "child_frame": "Flea:ImagePlane"}


def camera_up(reply: dict[str, Any]) -> float:
    return float(np.array(reply["reply"]["matrix"]).reshape(4, 4)[2, 3])


def make_project(folder: Path, models: Path) -> None:
    (folder / "models/assemblies").mkdir(parents=True)
    shutil.copy(models / "assemblies/raptor.xml", folder / "models/assemblies")
    (folder / "system.xml").write_text(SYSTEM)
    for name in ("asker", "steerer"):
        component = folder / "components" / name
        component.mkdir(parents=True)
        source = (PARTS / "geometry_parts.py").read_text()
        other = "class Steerer" if name == "asker" else "class Asker"
        head, _, rest = source.partition(other)
        tail = rest.partition("\n\n\nclass ")[2]
        (component / f"{name}.py").write_text(head + ("class " + tail if tail else ""))
        write_profile_of(component)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, checkout: Path) -> Iterator[Running]:
    runs, folder = tmp_path_factory.mktemp("r"), tmp_path_factory.mktemp("p") / "geometric"
    make_project(folder, checkout / "models")

    def studio(*words: object) -> Result:
        done = subprocess.run(
            [*STUDIO, *map(str, words)], capture_output=True, text=True, check=False, timeout=150,
            env={**os.environ, "STUDIO_RUNS": str(runs)},
        )  # fmt: skip
        return Result(done.returncode, done.stdout, done.stderr)

    log = folder.parent / "run.mcap"
    started = studio("run", folder, "--gate", "run", "--detach", "--json", "--record", log)
    assert started.status == 0, started.err
    yield Running(folder, log, runs / started.json["run"], studio)
    for note in runs.glob("*/runtime.json"):  # a test that failed leaves nothing running
        os.kill(json.loads(note.read_text())["pid"], signal.SIGKILL)


@pytest.mark.timeout(180)
def test_the_modelserver_answers_and_files_that_change_are_followed_while_it_runs(running: Running) -> None:
    told = running.studio(
        "ctl", "call", "modelserver.get_transformation", json.dumps(QUERY), "--json", "--deadline", 20
    )
    assert told.status == 0, told.err
    assert camera_up(told.json) == pytest.approx(CAMERA_UP)
    written = running.assembly.read_text()
    raised = written.replace('xyz="0 0 0.02"', 'xyz="0 0 0.52"')
    with Attachment(running.run, "test") as attached:
        call = {"component": "modelserver", "service": "get_transformation", "request": QUERY, "deadline_s": 20.0}
        ask = partial(attached.ask, "call", timeout_s=30.0, **call)
        before = attached.ask("snapshot")["snapshot"]["geometry"]["digest"]
        running.assembly.write_text(raised)
        assert attached.wait_for(lambda: attached.state.get("geometry", {}).get("digest") != before, 20.0)
        assert camera_up(ask()) == pytest.approx(CAMERA_UP + 0.5)
        # The system names another assembly: the same way, without a restart.
        other = running.assembly.with_name("higher.xml")
        other.write_text(written.replace('xyz="0 0 0.02"', 'xyz="0 0 1.02"'))
        (running.folder / "system.xml").write_text(SYSTEM.replace('assembly="raptor"', 'assembly="higher"'))
        attached.ask("reload")
        assert camera_up(ask()) == pytest.approx(CAMERA_UP + 1.0)
        other.write_text(written.replace("Flea:BottomCenter", "Flea:BottomCentre"))
        assert attached.wait_for(lambda: said(attached, "the previous geometry stays"), 20.0)
        assert said(attached, "raptor has changed (first: before, second: now): Flea")
        assert camera_up(ask()) == pytest.approx(CAMERA_UP + 1.0)
        other.write_text(written.replace('xyz="0 0 0.02"', 'xyz="0 0 1.02"'))
        attached.ask("stop")
        assert attached.ended.wait(20.0)
    # Every component gets what it got, where it got it: the change of the geometry and the joints too.
    with LogReader(running.log) as log:
        assert len(geometries_of(log)) == 3
    opened = open_project(running.folder)
    replay = replay_as_recorded(opened.project, running.log, specs=opened.registry, types=opened.types)
    assert replay.identical and not replay.warnings
    assert replay.components["asker"].compared > 50


def said(attached: Attachment, words: str) -> bool:
    return any(words in line["text"] for line in list(attached.lines))
