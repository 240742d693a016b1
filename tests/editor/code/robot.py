"""A system for tests of the debugger in the window: a log is played into a component whose code is the project's."""

from __future__ import annotations

from pathlib import Path

from tests.runtime.replay.played import write_rig

SYSTEM = """<system name="robot" version="1">
  <source name="platform" mode="logged">
    <port name="level" direction="out" type="Float64"/>
    <logged log="rig.mcap"><bind port="level" topic="/rig/a"/></logged>
  </source>
  <component name="filter" type="low_pass"/>
  <component name="adder" type="adder"/>
  <wire from="platform.level" to="adder.raw"/>
  <wire from="adder.sum" to="filter.raw"/>
</system>"""
PROFILE = """<component type="adder" category="processor">
  <entry python="adder:Adder"/>
  <activation modes="event"/>
  <port name="raw" direction="in" type="Float64" delivery="lossless"/>
  <port name="sum" direction="out" type="Float64"/>
</component>"""
CODE = """import numpy as np

from studio.messages import Float64
from studio.runtime.component import Component, InPort, OutPort

FACTOR = 1.0


class Adder(Component):
    raw = InPort(Float64)
    sum = OutPort(Float64)

    def on_initialize(self):
        self.grid = np.arange(12.0).reshape(3, 4)

    def on_activate(self):
        self.total = 0.0
        self.seen = 0

    def on_raw(self, message):
        value = message.data * FACTOR
        self.seen += 1
        self.total = value
        self.sum.publish(Float64(self.total))
"""
STOP = next(number for number, text in enumerate(CODE.splitlines(), 1) if "self.seen += 1" in text)


def write_robot(folder: Path, events: int = 12_000) -> Path:
    """Returns the file of the code; at 100 events a second the log ends after two minutes."""
    own = folder / "components" / "adder"
    own.mkdir(parents=True)
    (own / "component.xml").write_text(PROFILE)
    (own / "adder.py").write_text(CODE)
    (folder / "system.xml").write_text(SYSTEM)
    write_rig(folder / "rig.mcap", events)
    return own / "adder.py"
