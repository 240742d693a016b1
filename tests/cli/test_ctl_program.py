"""`studio ctl` on a component that is no Python: the wire protocol is enough for all that is done by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.cli import main
from tests.cli.running import Studio
from tests.cli.test_ctl import process
from tests.components.c_filter_program import build
from tests.waiting import await_true

SYSTEM = """<system name="mixed" version="1">
  <component name="filter" type="c_filter"/>
  <component name="reader" type="reader"/>
  <service from="reader.level" to="filter.get_smooth"/>
</system>
"""
READER = '''
from studio.messages import Float64
from studio.runtime.component import Component, InPort, OutPort, RequiredValue


class Reader(Component):
    """Adds what it gets to what the filter says when it is asked."""

    raw = InPort(Float64, optional=True)
    sum = OutPort(Float64)
    level = RequiredValue(Float64)

    def on_raw(self, message: Float64) -> None:
        self.sum.publish(Float64(message.data + self.level(deadline_s=5.0).data))
'''


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    build()
    base = tmp_path_factory.mktemp("m")
    runs, folder = base / "r", base / "mixed"
    runs.mkdir()
    (folder / "components" / "reader").mkdir(parents=True)
    (folder / "components" / "reader" / "reader.py").write_text(READER)
    (folder / "system.xml").write_text(SYSTEM)
    assert main(["profile", str(folder / "components" / "reader")]) == 0
    started = process(runs, "run", folder, "--detach")
    assert started.status == 0, started.err
    yield folder
    process(runs, "stop")


def test_a_program_is_used_by_hand_like_any_other(mixed: Path, studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_RUNS", str(mixed.parent / "r"))
    silent = studio("ctl", "call", "filter.get_smooth")
    assert silent.status == 1 and "published nothing on smooth yet" in silent.err
    sent = studio("ctl", "send", "filter.raw", "2", "--json").json
    assert (sent["effect"], sent["simulated"]) == ("now", ["filter", "reader"])
    assert studio("ctl", "call", "filter.get_smooth").out == "2.0\n"
    assert studio("ctl", "get", "filter.smooth").out == "2.0\n"
    assert studio("ctl", "send", "/filter/smooth", "7").status == 0
    # In the handler of another component.
    assert studio("ctl", "send", "reader.raw", "1").status == 0
    assert studio("ctl", "call", "reader.get_sum").out == "8.0\n"
    # What it cannot do is said, by itself or before it is asked.
    assert "did you mean get_smooth?" in studio("ctl", "call", "filter.get_smoth").err
    assert studio("ctl", "pause", "filter").status == 0
    refused = studio("ctl", "send", "filter.raw", "3")
    assert refused.status == 1 and "filter is paused and handles nothing" in refused.err
    assert studio("ctl", "wakeup", "filter").status == 0
    # A parameter in the file needs no restart, and a new epoch begins with a clean slate.
    file = mixed / "system.xml"
    file.write_text(SYSTEM.replace('"c_filter"/>', '"c_filter"><parameter name="gain" value="1.0"/></component>'))
    assert studio("ctl", "reload").out == "changed: filter\n"
    assert studio("ctl", "switch", "real").status == 0
    await_true(lambda: studio("ctl", "send", "filter.raw", "5", "--real").status == 0, "a new epoch")
    assert studio("ctl", "call", "filter.get_smooth").out == "5.0\n"
