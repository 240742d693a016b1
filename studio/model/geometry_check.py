"""What is wrong between a system and its geometry: the model itself, the port of the joints, and the frames that the
components' parameters name; and that there is a geometry where a component needs one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from studio.errors import Problem, Severity, StudioError
from studio.model.close_matches import did_you_mean
from studio.model.geometry.assembly import Model
from studio.model.geometry.library import Library
from studio.model.geometry.rules import check_file
from studio.model.geometry.settings import Disagreement, drive_disagreements, sensor_disagreements, sensors_in
from studio.model.parts import Component, GeometryUse
from studio.model.sources import Specs
from studio.model.spec import ComponentSpec, ParameterSpec, SpecError, Value
from studio.model.system import System
from studio.model.wiring import parameter_values, port_at
from studio.paths import model_roots

JOINTS_TYPE = "JointState"
GEOMETRY = "geometry"
"""The subject of findings about the geometry as a whole."""


@dataclass(frozen=True)
class FoundGeometry:
    """The model that a system names, as far as it can be had."""

    model: Model | None
    library: Library
    problems: list[Problem]
    """With the files of the model itself."""


def find_geometry(use: GeometryUse, folder: Path | None) -> FoundGeometry:
    """By name among the models, those of the project first, or by file, from the project's folder on."""
    library = Library(model_roots(folder))
    beside = folder / use.assembly if folder is not None else None
    try:
        path = beside if beside is not None and beside.is_file() else library.find(use.assembly)
    except StudioError as error:
        return FoundGeometry(None, library, [Problem(error.message, "error", hint=error.hint)])
    model, problems = check_file(path, library)
    if any(problem.severity == "error" for problem in problems):
        model = None
    return FoundGeometry(model, library, problems)


def check_geometry(
    system: System, specs: Specs, folder: Path | None = None, found: FoundGeometry | None = None
) -> list[Problem]:
    """`found`: what `find_geometry` said about the geometry of this system, where it has been asked already."""
    if system.geometry is None:
        return list(_missing(system, specs))
    return list(_Checker(system, system.geometry, specs).run(found or find_geometry(system.geometry, folder)))


def _missing(system: System, specs: Specs) -> Iterator[Problem]:
    """One finding for all components that cannot work without a geometry."""
    in_need = [
        component.name for component in _all_components(system) if _spec_says(component, specs, "needs_geometry")
    ]
    if not in_need:
        return
    names = ", ".join(in_need[:3]) + (f" and {len(in_need) - 3} more" if len(in_need) > 3 else "")
    offered = suggested_assemblies(system, specs)
    example = offered[0] if offered else "raptor"
    hint = f"choose the vehicle in the inspector of the system, for example {example}"
    message = f"the system has no geometry, but {names} {'needs' if len(in_need) == 1 else 'need'} one"
    yield Problem(message, "error", system.file, None, hint, GEOMETRY, f'<geometry assembly="{example}"/>')


def suggested_assemblies(system: System, specs: Specs) -> list[str]:
    """The vehicles of its simulators: what its geometry most likely is."""
    found = (_spec_says(component, specs, "assembly") for component in _all_components(system))
    return [name for name in dict.fromkeys(found) if name]


def _spec_says(component: Component, specs: Specs, field: str) -> str:
    spec = specs.get(component.type)
    return getattr(spec, field) if spec is not None else ""


def _all_components(system: System) -> Iterator[Component]:
    """With those inside sources."""
    yield from system.components
    for source in system.sources:
        yield from source.inner_components()


def check_system_against(model: Model, system: System, specs: Specs) -> list[Problem]:
    """What the components of a system say that `model` says otherwise: frames, and settings of sensors and vehicle."""
    return list(_Checker(system, GeometryUse(model.name), specs).components_with(model, "error"))


class _Checker:
    def __init__(self, system: System, use: GeometryUse, specs: Specs) -> None:
        self.system = system
        self.use = use
        self.specs = specs

    def run(self, found: FoundGeometry) -> Iterator[Problem]:
        yield from self.joints()
        errors = [problem for problem in found.problems if problem.severity == "error"]
        for problem in errors:
            yield problem if problem.file else self.here(problem.message, problem.hint)
        if errors and all(problem.file for problem in errors):
            count = f"{len(errors)} errors" if len(errors) > 1 else "an error"
            yield self.here(f"the geometry {self.use.assembly} has {count}", "see above")
        if found.model is not None:
            yield from self.components_with(found.model, "warning")

    def joints(self) -> Iterator[Problem]:
        joints = self.use.joints
        if joints is None:
            return
        what = f"the joints of the geometry come from {joints}"
        if joints.node not in self.system.nodes:
            yield self.here(f"{what}: there is no {joints.node}", did_you_mean(joints.node, self.system.nodes.keys()))
            return
        port = port_at(self.system, self.specs, joints)
        if port is None:
            node = self.system.nodes.get(joints.node)
            if isinstance(node, Component) and self.specs.get(node.type) is None:
                return  # of an unknown type: told already
            yield self.here(f"{what}: {joints.node} has no port {joints.port}", f"an out port of type {JOINTS_TYPE}")
        elif port.direction != "out" or port.type != JOINTS_TYPE:
            has = f"an {port.direction} port of type {port.type}"
            yield self.here(f"{what}, which is {has}", f"it must be an out port of type {JOINTS_TYPE}")

    def components_with(self, model: Model, severity: Severity) -> Iterator[Problem]:
        """`severity`: of settings that are other ones in the model."""
        for component, subject in self.components():
            spec = self.specs.get(component.type)
            try:
                values = parameter_values(component, spec) if spec is not None else {}
            except SpecError:
                continue  # told already
            if spec is not None:
                yield from self.frames_of(component, spec, values, subject, model)
                yield from self.vehicles_of(component, spec, values, subject, model)
                for found in self.disagreements(component, spec, values, model):
                    line = component.origin.line_in("parameter", found.parameter) if component.origin else None
                    hint = "correct the component's settings or the body, or use self.geometry"
                    message = f"{subject}: {found.message}"
                    yield self.at(line, message, hint, f"{subject}.{found.parameter}", severity)

    def disagreements(
        self, component: Component, spec: ComponentSpec, values: Mapping[str, Value], model: Model
    ) -> Iterator[Disagreement]:
        yield from drive_disagreements(model, values)
        if spec.category != "sensor":
            return
        periodic = (component.mode or spec.activations[0]) == "periodic"
        period_s = component.period_s if component.period_s is not None else spec.period_s
        frames = [values[parameter.name] for parameter in spec.parameters if names_a_frame(parameter)]
        for frame in frames:
            yield from sensor_disagreements(sensors_in(model, str(frame)), values, period_s if periodic else None)

    def frames_of(
        self, component: Component, spec: ComponentSpec, values: Mapping[str, Value], subject: str, model: Model
    ) -> Iterator[Problem]:
        known = known_frames(model)
        for parameter in spec.parameters:
            value = values[parameter.name]
            if not names_a_frame(parameter) or not isinstance(value, str) or not value or value in known:
                continue
            # Frames without a body are of the world (map, odom); only what a sensor measures in has to be on a body.
            named = ":" in value
            if not named and spec.category != "sensor":
                continue
            line = component.origin.line_in("parameter", parameter.name) if component.origin else None
            message = f"{subject}.{parameter.name} is {value}, and the geometry {model.name} has no such frame"
            hint = did_you_mean(value, known) if named else f"sensors measure in {', '.join(_of_sensors(model))}"
            yield self.at(line, message, hint, f"{subject}.{parameter.name}", "error" if named else "warning")

    def vehicles_of(
        self, component: Component, spec: ComponentSpec, values: Mapping[str, Value], subject: str, model: Model
    ) -> Iterator[Problem]:
        known = vehicles_in(model)
        for parameter in spec.parameters:
            value = values[parameter.name]
            if parameter.kind == "vehicle" and value and value not in known:
                line = component.origin.line_in("parameter", parameter.name) if component.origin else None
                message = f"{subject}.{parameter.name} is {value}, and nothing of that name drives in {model.name}"
                yield self.at(line, message, did_you_mean(str(value), known), f"{subject}.{parameter.name}", "error")

    def components(self) -> Iterator[tuple[Component, str]]:
        yield from ((component, component.name) for component in self.system.components)
        for source in self.system.sources:
            for component in source.inner_components():
                yield component, f"{source.name}.{component.name}"

    def here(self, message: str, hint: str, severity: Severity = "error") -> Problem:
        return self.at(self.use.origin.line if self.use.origin else None, message, hint, GEOMETRY, severity)

    def at(self, line: int | None, message: str, hint: str, subject: str, severity: Severity) -> Problem:
        return Problem(message, severity, self.system.file, line, hint, subject)


def _of_sensors(model: Model) -> list[str]:
    frames = (f"{name}:{sensor.frame}" for name, body in model.bodies.items() for sensor in body.sensors)
    return list(dict.fromkeys(frames)) or ["no frame of it"]


def names_a_frame(parameter: ParameterSpec) -> bool:
    return parameter.kind == "frame" or (parameter.kind == "string" and parameter.name.endswith("frame"))


def known_frames(model: Model) -> list[str]:
    """Everything that a frame parameter may name: `Body:Frame`, and bodies, whose names stand for their origins."""
    return [*model.bodies, *(f"{name}:{frame.name}" for name, body in model.bodies.items() for frame in body.frames)]


def vehicles_in(model: Model) -> list[str]:
    """Bodies that drive."""
    return [name for name, body in model.bodies.items() if body.drive is not None]
