"""A project with all that the canvas can show: a source, services, feedback, a frame, a component that is gone."""

from __future__ import annotations

from pathlib import Path

from studio.model.component_xml import write_profile
from studio.model.spec import ComponentSpec, ParameterSpec, PortSpec, PythonEntry, ServicePortSpec

SYSTEM = """<?xml version="1.0" encoding="UTF-8"?>
<system name="rover" version="1">
  <doc>Finds its way through blocks.</doc>
  <source name="platform" mode="simulated">
    <port name="laser_left.ranges" direction="out" type="Range3d"/>
    <port name="laser_right.ranges" direction="out" type="Range3d"/>
    <port name="ins.pose" direction="out" type="PoseTransform"/>
    <port name="vehicle.command" direction="in" type="Velocity"/>
    <simulated>
      <component name="sim" type="rover_sim"/>
      <bind port="laser_left.ranges" to="sim.left"/>
      <bind port="laser_right.ranges" to="sim.right"/>
      <bind port="ins.pose" to="sim.pose"/>
      <bind port="vehicle.command" to="sim.command"/>
    </simulated>
    <logged log="logs/blocks.mcap">
      <bind port="laser_left.ranges" topic="/l"/>
      <bind port="laser_right.ranges" topic="/r"/>
      <bind port="ins.pose" topic="/p"/>
    </logged>
  </source>
  <component name="modelserver" type="model_server"/>
  <component name="terrain_map" type="terrain_map"/> <!-- the heart -->
  <component name="traverse_map" type="traverse_map"/>
  <component name="hazard_detection" type="behaviour"/>
  <component name="path_planner" type="planner"/>
  <component name="arc_arbiter" type="arbiter" mode="periodic" period_s="0.1"/>
  <component name="mystery" type="not_installed"/>
  <wire from="platform.laser_left.ranges" to="terrain_map.ranges"/>
  <wire from="platform.laser_right.ranges" to="terrain_map.ranges"/>
  <wire from="platform.ins.pose" to="terrain_map.pose"/>
  <wire from="platform.ins.pose" to="path_planner.pose" delivery="latest"/>
  <wire from="terrain_map.terrain" to="traverse_map.terrain"/>
  <wire from="terrain_map.terrain" to="hazard_detection.terrain"/>
  <wire from="traverse_map.traverse" to="path_planner.traverse"/>
  <wire from="hazard_detection.votes" to="arc_arbiter.votes"/>
  <wire from="path_planner.votes" to="arc_arbiter.votes"/>
  <wire from="arc_arbiter.command" to="platform.vehicle.command"/>
  <wire from="terrain_map.terrain" to="mystery.terrain"/>
  <service from="terrain_map.model" to="modelserver.model"/>
</system>
"""

LAYOUT = """<?xml version="1.0" encoding="UTF-8"?>
<layout version="1">
  <place of="platform" x="0" y="176"/>
  <place of="modelserver" x="288" y="32"/>
  <place of="terrain_map" x="288" y="192"/>
  <place of="traverse_map" x="576" y="192"/>
  <place of="hazard_detection" x="864" y="32"/>
  <place of="path_planner" x="864" y="192"/>
  <place of="arc_arbiter" x="1152" y="128"/>
  <place of="mystery" x="576" y="368"/>
  <note id="n1" x="0" y="16" width="208" height="80">Everything from the platform's sensors to its command.</note>
  <frame id="f1" title="Behaviours" x="840" y="-16" width="256" height="336"/>
</layout>
"""


def _in(name: str, kind: str) -> PortSpec:
    return PortSpec(name, "in", kind, doc=f"takes {kind}")


def _out(name: str, kind: str) -> PortSpec:
    return PortSpec(name, "out", kind)


def _spec(
    name: str,
    *ports: PortSpec,
    services: tuple[ServicePortSpec, ...] = (),
    parameters: tuple[ParameterSpec, ...] = (),
    category: str = "processor",
    icon: str = "",
) -> ComponentSpec:
    return ComponentSpec(
        name, category, PythonEntry(name, "Thing"), ports, services, parameters,  # type: ignore[arg-type]
        parameter_sets={"coarse": {"cell_m": 1.0}} if name == "terrain_map" else {},
        activations=("event", "periodic"), icon=icon, doc=f"The {name} of the rover.",
    )  # fmt: skip


SPECS = (
    _spec(
        "rover_sim", _out("left", "Range3d"), _out("right", "Range3d"), _out("pose", "PoseTransform"),
        _in("command", "Velocity"),
    ),
    _spec("model_server", services=(ServicePortSpec("model", "provided", "String", "String"),), icon="mdi6.axis-arrow"),
    _spec(
        "terrain_map", _in("ranges", "Range3d"), _in("pose", "PoseTransform"), _out("terrain", "Map"),
        services=(ServicePortSpec("model", "required", "String", "String"),), icon="mdi6.terrain",
        parameters=(
            ParameterSpec("cell_m", "float", 0.25, 0.05, 5.0, unit="m", doc="cell size"),
            ParameterSpec("window", "int", 40, 1, 400),
            ParameterSpec("fusion", "string", "mean", choices=("mean", "variance weighted")),
            ParameterSpec("keep_walls", "bool", True),
            ParameterSpec("label", "string", "map"),
            ParameterSpec("corner", "floats", (0.0, 1.0), unit="m"),
        ),
    ),
    _spec("traverse_map", _in("terrain", "Map"), _out("traverse", "Map"), icon="mdi6.checkerboard"),
    _spec("behaviour", _in("terrain", "Map"), _out("votes", "Vote"), icon="fa6s.triangle-exclamation"),
    _spec("planner", _in("traverse", "Map"), _in("pose", "PoseTransform"), _out("votes", "Vote"), icon="fa6s.route"),
    _spec("arbiter", _in("votes", "Vote"), _out("command", "Velocity"), icon="fa6s.scale-balanced"),
)  # fmt: skip


def write_rover(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "system.xml").write_text(SYSTEM, encoding="utf-8")
    (folder / "layout.xml").write_text(LAYOUT, encoding="utf-8")
    for spec in SPECS:
        home = folder / "components" / spec.type
        home.mkdir(parents=True)
        (home / f"{spec.type}.py").write_text("class Thing:\n    pass\n", encoding="utf-8")
        (home / "component.xml").write_bytes(write_profile(spec))
    return folder
