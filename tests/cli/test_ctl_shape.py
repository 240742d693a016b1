"""`studio ctl reload` and `switch` on a system that goes on running."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from studio.messages import Float64, encode
from studio.runtime.recording import LogWriter
from tests.cli.running import Studio
from tests.cli.test_ctl import process
from tests.waiting import await_true

SYSTEM = """<system name="shapes" version="1">
  <source name="wave" mode="real">
    <port name="value" direction="out" type="Float64"/>
    <real>
      <component name="device" type="signal_source" period_s="0.01"/>
      <bind port="value" to="device.value"/>
    </real>
    <simulated>
      <component name="model" type="signal_source" period_s="0.01"/>
      <bind port="value" to="model.value"/>
    </simulated>
    <logged log="wave.mcap"> <bind port="value" topic="/wave/value"/> </logged>
  </source>
  <component name="sink" type="signal_sink"/>
  <wire from="wave.value" to="sink.value"/>
</system>"""
WITH_FILTER = SYSTEM.replace('<wire from="wave.value" to="sink.value"/>', (
    '<component name="filter" type="low_pass"/>'
    '<wire from="wave.value" to="filter.raw"/> <wire from="filter.smooth" to="sink.value"/>'
))  # fmt: skip


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    runs, folder = tmp_path / "r", tmp_path / "shapes"
    runs.mkdir()
    folder.mkdir()
    monkeypatch.setenv("STUDIO_RUNS", str(runs))
    (folder / "system.xml").write_text(SYSTEM)
    write_log(folder / "wave.mcap")
    started = process(runs, "run", folder, "--detach", "--json")
    assert started.status == 0, started.err
    yield folder
    assert process(runs, "stop").status == 0


def state(studio: Studio) -> dict[str, Any]:
    found: dict[str, Any] = studio("ctl", "list", "--json").json["systems"][0]
    return found


def flows(studio: Studio, topic: str) -> None:
    count = state(studio)["topics"].get(topic, {}).get("count", 0)
    await_true(lambda: state(studio)["topics"].get(topic, {}).get("count", 0) > count + 20, f"{topic} flows")


def flows_into(studio: Studio, component: str) -> None:
    """What a log plays is counted by those who get it."""
    count = state(studio)["components"][component]["handled"]
    await_true(lambda: state(studio)["components"][component]["handled"] > count + 20, f"{component} is fed")


def write_log(path: Path) -> None:
    """A minute of two waves."""
    with LogWriter(path) as log:
        channels = [log.add_topic(topic, Float64) for topic in ("/wave/value", "/other/value")]
        for number in range(1, 6001):
            at_ns = number * 10_000_000
            for channel in channels:
                content = encode(Float64(float(number)))
                log.write(channel, content, log_time_ns=at_ns, sequence=number, stamp_ns=at_ns, flags=1)


def test_a_filter_is_edited_in_and_out(studio: Studio, project: Path) -> None:
    pid = state(studio)["processes"]["sink"]["pid"]
    (project / "system.xml").write_text(WITH_FILTER)
    told = studio("ctl", "reload", "--json")
    assert told.status == 0, told.err
    assert told.json == {"added": ["filter"], "removed": [], "changed": ["sink"], "restarted": []}
    flows(studio, "/filter/smooth")
    (project / "system.xml").write_text(SYSTEM.replace('type="signal_sink"', 'type="no_such_type"'))
    refused = studio("ctl", "reload")
    assert refused.status == 1 and "no_such_type" in refused.err
    flows(studio, "/filter/smooth")
    (project / "system.xml").write_text(SYSTEM)
    assert studio("ctl", "reload").out == "removed: filter\nchanged: sink\n"
    assert studio("ctl", "reload").out == "nothing has changed\n"
    flows(studio, "/wave/value")
    assert state(studio)["processes"]["sink"]["pid"] == pid


def test_what_was_tuned_is_saved_into_the_file(studio: Studio, project: Path) -> None:
    assert studio("ctl", "save").out == "nothing has changed\n"
    assert (project / "system.xml").read_text() == SYSTEM
    assert studio("ctl", "set", "sink.log_every_s", "0.5").status == 0
    assert studio("ctl", "switch", "simulated").status == 0
    told = studio("ctl", "save", "--json").json
    assert told["edits"] == ["Switch wave to simulated", "Set log_every_s of sink"]
    text = (project / "system.xml").read_text()
    assert '<parameter name="log_every_s" value="0.5"/>' in text and '<source name="wave" mode="simulated">' in text


def test_a_source_is_switched_and_its_consumers_go_on(studio: Studio, project: Path) -> None:
    pid = state(studio)["processes"]["sink"]["pid"]
    refused = studio("ctl", "reset")
    assert refused.status == 1 and "no simulated source to restart" in refused.err
    told = studio("ctl", "switch", "simulated", "--json")
    assert told.status == 0, told.err
    assert told.json == {"sources": {"wave": "simulated"}, "epoch": 1}
    flows(studio, "/wave/value")
    now = state(studio)
    assert "model" in now["components"] and "device" not in now["components"]
    assert now["processes"]["sink"]["pid"] == pid and now["components"]["sink"]["state"] == "active"
    assert (now["mode"], now["sources"]) == ("simulated", {"wave": "simulated"})
    assert studio("ctl", "switch", "simulated").out == "nothing has changed\n"
    assert studio("ctl", "reset", "--json").json == {"components": ["model"], "epoch": 2}
    flows(studio, "/wave/value")
    assert studio("ctl", "switch", "real", "wave").out == "wave: real from now on\n"
    before = state(studio)["components"]["sink"]["handled"]
    assert studio("ctl", "switch", "logged").out == "wave: logged from now on\n"
    flows_into(studio, "sink")
    now = state(studio)
    assert not {"model", "device"} & now["components"].keys() and now["mode"] == "logged"
    assert now["components"]["sink"]["handled"] > before and now["processes"]["sink"]["pid"] == pid
    (project / "system.xml").write_text(SYSTEM.replace("/wave/value", "/nobody/value"))
    refused = studio("ctl", "reload")
    assert refused.status == 1 and "/nobody/value" in refused.err
    flows_into(studio, "sink")
    (project / "system.xml").write_text(SYSTEM.replace("/wave/value", "/other/value"))
    assert studio("ctl", "reload").status == 0
    flows_into(studio, "sink")
    assert studio("ctl", "switch", "simulated").status == 0
    flows(studio, "/wave/value")
    unknown = studio("ctl", "switch", "real", "wafe")
    assert unknown.status == 1 and "wave" in unknown.err


def test_only_what_can_be_armed_is_armed(studio: Studio, project: Path) -> None:
    refused = studio("ctl", "arm", "sink")
    assert refused.status == 1 and "sink has no parameter armed" in refused.err
