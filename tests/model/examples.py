"""A system file with everything in it that a person could have written, and the profiles that go with it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from studio.model.spec import (
    CommandEntry,
    ComponentSpec,
    Delivery,
    ParameterSpec,
    PortSpec,
    PythonEntry,
    ServicePortSpec,
)
from studio.model.system import System
from studio.model.system_xml import read_system

MESSAGE_TYPES = ("Float64", "String", "Range3d", "Image", "Velocity", "Map")

SYSTEM = b"""<?xml version="1.0" encoding="UTF-8"?>
<!-- Made by hand: quotes, order and blank lines are the author's. -->
<system name='rover'  version="1" xmlns:lab="urn:lab" lab:owner="kim">
  <doc>
    Drives &amp; maps.
  </doc>

  <host name="signals"/>  <!-- shared -->

  <!-- sensing -->
  <source name="platform" mode="simulated">
    <port name="laser" direction="out" type="Range3d"/>
    <port name="arm.joint" direction="out" type="Float64"/> <!-- a part of a part -->
    <port name="drive" direction="in" type="Velocity"/>
    <real>      <component name="sick" type="sick_lms200"/> <component name="vehicle" type="serial_vehicle"/>
                <bind port="laser" to="sick.ranges"/> <bind port="arm.joint" to="vehicle.angle"/>
                <bind port="drive" to="vehicle.command"/> </real>
    <simulated>
      <component name="sim" type="simulator" period_s="0.010" mode="periodic"/>
      <bind port="laser" to="sim.laser"/>
      <bind port="arm.joint" to="sim.angle"/>
      <bind port="drive" to="sim.drive"/>
    </simulated>
    <logged log="logs/a.mcap"> <bind port="laser" topic="/laser/scan"/> <bind port="arm.joint" topic="/arm"/> </logged>
  </source>

  <component name="filter" type="low_pass" host="signals" parameters="slow">
    <!-- tuned on the gravel road -->
    <parameter name="cutoff_hz" value="2.50"/>
    <lab:calibration by="kim">0.3</lab:calibration>
  </component>
  <component
      name="terrain"
      type='terrain_map' colour="green">
  </component>
  <component name="mystery" type="not_installed">
    <parameter name="anything" value=" 007 "/>
  </component>
  <component name="planner" type="planner"/>
  <component name="server" type="model_server"/>

  <experiment id="42"><nested attribute="kept"/></experiment>

  <!-- wiring -->
  <wire from="platform.laser" to="terrain.ranges" delivery="queue 5"/>
  <wire from="platform.arm.joint" to="filter.raw"/> <wire from="filter.smooth" to="mystery.input"/>
  <wire from="planner.drive" to="platform.drive"/>
  <service from="planner.model" to="server.model"/>
  <link from="filter.smooth" to="planner.gain"/>
  <record><topic pattern="/platform/*"/><exclude pattern="/platform/arm.joint"/></record>
</system>
<!-- the end -->
"""

LAYOUT = b"""<?xml version="1.0" encoding="UTF-8"?>
<layout version="1">
  <place of="filter" x="10.50" y="-3"/>
  <place of="platform" x="0" y="0"/>
  <note id="n1" x="1" y="2" width="100" height="40">Mind the &lt;gap&gt;</note>
  <frame id="f1" title="Sensing" x="-10" y="-10" width="300" height="200"/>
  <view x="0" y="0" zoom="1.0"/>
</layout>
"""


def spec(
    type: str, *ports: PortSpec, services: Iterable[ServicePortSpec] = (), parameters: Iterable[ParameterSpec] = ()
) -> ComponentSpec:
    return ComponentSpec(
        type,
        "processor",
        PythonEntry(type, "Thing"),
        ports,
        tuple(services),
        tuple(parameters),
        {"slow": {"cutoff_hz": 0.5}} if type == "low_pass" else {},
        ("event", "periodic"),
    )


def port(name: str, direction: str, type: str, delivery: Delivery = Delivery()) -> PortSpec:  # noqa: B008
    return PortSpec(name, direction, type, delivery)  # type: ignore[arg-type]


class Profiles:
    """What a registry offers to the model."""

    def __init__(self, *specs: ComponentSpec) -> None:
        self._specs = {spec.type: spec for spec in specs}

    def get(self, type_name: str) -> ComponentSpec | None:
        return self._specs.get(type_name)

    def types(self) -> Iterable[str]:
        return self._specs

    def profile(self, type_name: str) -> Path | None:
        """None of them comes from a file."""
        return None


PROFILES = Profiles(
    spec("sick_lms200", port("ranges", "out", "Range3d")),
    spec("serial_vehicle", port("command", "in", "Velocity", Delivery("latest")), port("angle", "out", "Float64")),
    spec(
        "simulator", port("laser", "out", "Range3d"), port("angle", "out", "Float64"), port("drive", "in", "Velocity")
    ),
    spec(
        "low_pass",
        port("raw", "in", "Float64", Delivery("queue", 3)),
        port("smooth", "out", "Float64"),
        parameters=[ParameterSpec("cutoff_hz", "float", 2.0, 0.01, 1000.0), ParameterSpec("window", "int", 3)],
    ),
    spec("terrain_map", port("ranges", "in", "Range3d"), port("terrain", "out", "Map")),
    spec(
        "planner",
        port("drive", "out", "Velocity"),
        services=[ServicePortSpec("model", "required", "String", "Map")],
        parameters=[ParameterSpec("gain", "float", 1.0), ParameterSpec("label", "string", "a")],
    ),
    spec("model_server", services=[ServicePortSpec("model", "provided", "String", "Map")]),
    ComponentSpec("c_filter", "processor", CommandEntry(("./c_filter",)), (port("raw", "in", "Float64"),)),
)


def example() -> System:
    return read_system(SYSTEM, "system.xml")


def big_system(components: int, wires: int) -> bytes:
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<system name="big" version="1">']
    for i in range(components):
        lines += [f'  <component name="c{i}" type="t{i % 20}">', '    <parameter name="gain" value="0.50"/>']
        lines += ["  </component>"]
    for i in range(wires):
        start, way = i % components, i // components
        lines.append(f'  <wire from="c{start}.o{way}" to="c{(start * 7 + way + 1) % components}.i{way}"/>')
    return "\n".join([*lines, "</system>", ""]).encode()


BIG_PROFILES = Profiles(
    *(
        spec(
            f"t{kind}",
            *(port(f"{direction[0]}{way}", direction, "Float64") for direction in ("in", "out") for way in range(3)),
            parameters=[ParameterSpec("gain", "float", 1.0)],
        )
        for kind in range(20)
    )
)
