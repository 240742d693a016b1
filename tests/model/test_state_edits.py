"""What was changed while a system ran is written into its file, and nothing else of it changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.model.document import SystemDocument
from studio.model.registry import Registry
from studio.model.state_edits import RunningComponent, RunningState, edits_to
from studio.paths import component_roots

SYSTEM = """<system name="bench" version="1">
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
  </source>
  <!-- smooths -->
  <component name="filter" type="low_pass"/>
  <component name="second" type="low_pass"/>
  <link from="filter.cutoff_hz" to="second.cutoff_hz"/>
</system>
"""


@pytest.fixture
def document(tmp_path: Path) -> SystemDocument:
    (tmp_path / "system.xml").write_text(SYSTEM)
    return SystemDocument.load(tmp_path)


def saved(document: SystemDocument, state: RunningState) -> str:
    for edit in edits_to(document.system, Registry.scan(component_roots(document.folder)), state):
        document.do(edit)
    document.save()
    return (document.folder / "system.xml").read_text()


def filtering(cutoff_hz: float) -> RunningComponent:
    return RunningComponent({"cutoff_hz": cutoff_hz}, "event")


def test_what_is_as_written_stays_as_written(document: SystemDocument) -> None:
    state = RunningState({"filter": filtering(2.0), "device": RunningComponent({}, "periodic", 0.01)}, {"wave": "real"})
    assert saved(document, state) == SYSTEM


def test_a_parameter_is_written_and_one_that_follows_a_link_is_not(document: SystemDocument) -> None:
    text = saved(document, RunningState({"filter": filtering(3.5), "second": filtering(3.5)}))
    changed = [line.strip() for line in text.splitlines() if line not in SYSTEM.splitlines()]
    assert changed == ['<component name="filter" type="low_pass">', '<parameter name="cutoff_hz" value="3.5"/>',
                       "</component>"]  # fmt: skip


def test_providers_modes_and_periods(document: SystemDocument) -> None:
    model = RunningComponent({"frequency_hz": 2.0}, "periodic", 0.05)
    text = saved(document, RunningState({"model": model}, {"wave": "simulated"}))
    again = SystemDocument.load(document.folder).system.source("wave")
    assert again.mode == "simulated" and "<!-- smooths -->" in text
    provider = again.provider("simulated")
    assert provider is not None and [(c.parameters, c.period_s) for c in again.inner_components()][1] == (
        {"frequency_hz": "2.0"},
        0.05,
    )


def test_nobody_is_armed_by_a_file(tmp_path: Path) -> None:
    (tmp_path / "system.xml").write_text(
        '<system name="b" version="1"><component name="car" type="serial_vehicle"/></system>'
    )
    document = SystemDocument.load(tmp_path)
    now = RunningComponent({"armed": True, "top_speed_m_s": 0.25}, "event")
    text = saved(document, RunningState({"car": now}))
    assert "top_speed_m_s" in text and "armed" not in text
