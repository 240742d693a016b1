"""A robot whose level comes from a driver, or from a log of it."""

from __future__ import annotations

from pathlib import Path


def write_robot(folder: Path, *, log: str, topic: str, mode: str) -> Path:
    """A project with a source that has both, and is in `mode`."""
    folder.mkdir()
    (folder / "system.xml").write_text(f"""<system name="robot" version="1">
  <source name="platform" mode="{mode}">
    <port name="level" direction="out" type="Float64"/>
    <real><component name="driver" type="signal_source" mode="periodic" period_s="0.01"/>
      <bind port="level" to="driver.value"/></real>
    <logged log="{log}"><bind port="level" topic="{topic}"/></logged>
  </source>
  <component name="filter" type="low_pass"/>
  <wire from="platform.level" to="filter.raw"/>
</system>""")
    return folder
