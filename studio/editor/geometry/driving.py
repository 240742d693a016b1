"""Drive: a project with the vehicle as it is in the window, its simulator and sticks, in the user's cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PyQt6.QtCore import QObject, QProcess
from PyQt6.QtWidgets import QInputDialog

from studio.editor.base.own_process import own_process
from studio.editor.geometry.drive_place import drive_folder
from studio.editor.ports import WithSettings, WithStatus, WithWidget
from studio.editor.project.ports import WithFiles, WithLive, WithProject
from studio.errors import StudioError
from studio.model.files import FileError, write_atomically
from studio.model.geometry.assembly import Model
from studio.model.geometry.flat_model import content_of
from studio.model.geometry.library import load_model
from studio.model.geometry.rotations import GeometryError, Matrix, rpy_of
from studio.model.geometry.shapes import Mesh, Shape
from studio.model.geometry.world import Heightmap, world_poses
from studio.model.geometry.world_vehicles import START
from studio.model.geometry.world_xml import write_world
from studio.model.parts import as_name
from studio.model.worlds import world_names

if TYPE_CHECKING:
    from studio.editor.geometry.controller import GeometryController
    from studio.editor.viewers.viewers import Viewers
    from studio.model.geometry.body import Body
    from studio.model.geometry.workspace import Workspace
    from studio.model.spec import ComponentSpec

WORLD = "geometry/world"
"""The setting with the world that was chosen last."""
SIMULATOR = '''"""Made by Drive of the geometry editor."""

from typing import ClassVar

from studio.runtime.sim.simulator import Simulator


class VehicleSimulator(Simulator):
    """{about} in a simulated world, with all sensors."""

    vehicles: ClassVar[dict[str, str]] = {vehicles!r}
'''
MOST_SCANS = 4
"""Viewers of lasers that open by themselves."""
SYSTEM = """<?xml version="1.0" encoding="UTF-8"?>
<system name="{name}" version="1">
  <doc>{about} in the embedded simulator, driven by the sticks of the viewer Drive.</doc>
  <geometry assembly="{name}"{joints}/>
{sticks}  <component name="simulator" type="{name}_simulator">
{parameters}  </component>
{wires}</system>
"""


@dataclass(frozen=True)
class Start:
    """A vehicle in a world that is open in the window."""

    name: str
    """Before its ports; empty for the only one."""
    model: Model
    place: tuple[float, float, float]
    """x, y and heading."""


@dataclass(frozen=True)
class OpenWorld:
    """As it is in the window, saved or not."""

    name: str
    text: bytes


def write_drive_project(
    vehicles: Model | Sequence[Start], stem: str, world: str, open_world: OpenWorld | None = None
) -> Path:
    """The folder of the component whose profile is still to be written. `open_world`: the one that `world` names, if it
    is open in the window."""
    starts = [Start("", vehicles, (0.0, 0.0, 0.0))] if isinstance(vehicles, Model) else list(vehicles)
    for each in starts:
        if not any(body.drive is not None for body in each.model.bodies.values()):
            hint = "add a drive to the body with the wheels, in its properties"
            raise GeometryError(f"nothing in {each.model.name} drives", hint=hint)
    name = f"drive_{as_name(stem) or 'vehicle'}"
    folder = drive_folder() / name
    component = folder / "components" / f"{name}_simulator"
    assemblies = {each.name: f"{name}_{each.name}" if each.name else name for each in starts}
    texts = {
        component / f"{name}_simulator.py": SIMULATOR.format(about=_about(starts), vehicles=assemblies),
        folder / "system.xml": _system(name, starts, world, with_places=not isinstance(vehicles, Model)),
    }
    for each in starts:
        texts |= _model_files(each.model, folder / "models", assemblies[each.name])
    if len(starts) > 1:
        lines = [f'  <include prefix="{each.name}_" file="{assemblies[each.name]}.xml"/>' for each in starts]
        made = "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', f'<assembly name="{name}" version="1">', *lines])
        texts[folder / "models" / "assemblies" / f"{name}.xml"] = f"{made}\n</assembly>\n"
    if open_world is not None:
        texts[folder / "models" / "worlds" / f"{open_world.name}.sdf"] = open_world.text.decode()
    for path, text in texts.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"cannot be made: {error.strerror or error}", file=path.parent) from error
        write_atomically(path, text.encode())
    return component


def _about(starts: Sequence[Start]) -> str:
    return " and ".join(each.name or each.model.name for each in starts)


def _model_files(model: Model, folder: Path, name: str) -> dict[Path, str]:
    """Bodies get the name of their vehicle, since another one may have a file of the same name."""
    content = content_of(replace(model, bodies={key: _with_meshes(body) for key, body in model.bodies.items()}))
    assembly = content.assembly
    for file in content.bodies:
        assembly = assembly.replace(f'file="{file}"', f'file="{name}_{file}"')
    bodies = {folder / "bodies" / f"{name}_{file}": text for file, text in content.bodies.items()}
    return {folder / "assemblies" / f"{name}.xml": assembly, **bodies}


def _system(name: str, starts: Sequence[Start], world: str, *, with_places: bool) -> str:
    """A pair of sticks for each vehicle."""
    sticks, wires = "", ""
    for each in starts:
        stick = f"teleop_{each.name}" if each.name else "teleop"
        port = f"{each.name}_command" if each.name else "command"
        sticks += f'  <component name="{stick}" type="teleop"/>\n'
        wires += f'  <wire from="{stick}.command" to="simulator.{port}"/>\n'
    parameters = f'    <parameter name="world" value="{world}"/>\n'
    if with_places:
        numbers = " ".join(repr(number) for each in starts for number in each.place)
        parameters += f'    <parameter name="start" value="{numbers}"/>\n'
    joints = ' joints="simulator.joints"' if len(starts) == 1 and not starts[0].name else ""
    return SYSTEM.format(
        name=name, about=_about(starts), joints=joints, sticks=sticks, parameters=parameters, wires=wires
    )


def _with_meshes(body: Body) -> Body:
    """Meshes lie beside the body file that names them."""
    here = Path(body.file).resolve().parent if body.file else Path.cwd()
    shapes = [replace(each, file=str(here / each.file)) if isinstance(each, Mesh) else each for each in body.shapes]
    return replace(body, shapes=shapes)


def open_world(workspace: Workspace) -> OpenWorld:
    """With the images and meshes that it names found from anywhere."""
    world = workspace.world()
    folder = workspace.main.parent
    models = []
    for model in world.models:
        shapes = [replace(each, shape=_found_from_anywhere(each.shape, folder)) for each in model.shapes]
        models.append(replace(model, shapes=tuple(shapes)))
    text = workspace.text()
    moved = replace(world, models=models)
    return OpenWorld(as_name(workspace.main.stem) or "world", text if moved == world else write_world(moved, text))


def _found_from_anywhere(shape: Shape, folder: Path) -> Shape:
    if isinstance(shape, Mesh | Heightmap) and not shape.file.startswith("data:"):
        return replace(shape, file=str(folder / shape.file.removeprefix("file://")))
    return shape


def starts_of(workspace: Workspace, chosen: Model | None = None) -> list[Start]:
    """The vehicles of a world, each where it starts; with `chosen` this one alone, at `start`."""
    world = workspace.world()
    poses = world_poses(world)
    at = {each.name: poses.get(each.name, each.pose.matrix) for each in world.frames}
    if chosen is not None:
        return [Start("", chosen, _place(at[START]) if START in at else (0.0, 0.0, 0.0))]
    found = []
    for name, pose in at.items():
        vehicle = workspace.vehicles.vehicle_at(name)
        if vehicle is not None:
            called = as_name(name.removeprefix(f"{START}_")) or vehicle
            found.append(Start(called, load_model(vehicle, workspace.roots), _place(pose)))
    return [replace(found[0], name="")] if len(found) == 1 else found


def _place(pose: Matrix) -> tuple[float, float, float]:
    x, y = (round(float(value), 6) for value in pose[:2, 3])
    return x, y, round(rpy_of(pose[:3, :3])[2], 9)


def scan_topics(simulator: ComponentSpec) -> list[str]:
    """Of the lasers of the vehicles, those that were added last first."""
    scans = [each.name for each in simulator.ports if each.direction == "out" and each.type == "Range3d"]
    return [f"/simulator/{name}" for name in reversed(scans[-MOST_SCANS:])]


class Needs(WithFiles, WithLive, WithProject, WithSettings, WithStatus, WithWidget, Protocol):
    """What is taken from the window."""

    @property
    def vehicles(self) -> GeometryController: ...
    @property
    def viewers(self) -> Viewers: ...


class Driving(QObject):
    """Asks for a world, writes the project, has the profile of its simulator made, and runs it."""

    def __init__(self, window: Needs) -> None:
        super().__init__(window.widget)
        self.window = window
        self._process: QProcess | None = None

    def ask(self, workspace: Workspace) -> None:
        """A vehicle asks for a world, a world for a vehicle, unless it has some."""
        if workspace.is_world:
            self._ask_vehicle(workspace)
        else:
            self._ask_world(workspace.assembled.model, workspace.main.stem, workspace.roots)

    def _ask_world(self, model: Model, stem: str, roots: list[Path]) -> None:
        settings = self.window.settings
        drawn = {each.main.stem: each for each in self._open_workspaces() if each.is_world}
        named = [name for name in world_names(roots) if name not in drawn]
        worlds = [*drawn, *named, "blocks:7", "maze:7"]
        last = settings.text(WORLD) or "blocks"
        at = 0 if drawn or last not in worlds else worlds.index(last)
        chosen, fine = QInputDialog.getItem(
            self.window.widget, f"Drive {model.name}", "World, or kind and number of a new one:", worlds, at, True
        )
        if not fine or not chosen.strip():
            return
        settings.set_text(WORLD, chosen.strip())
        if chosen in drawn:
            world = drawn[chosen]
            self._try(lambda: self.start(starts_of(world, model), stem, as_name(chosen), open_world(world)))
        else:
            self.start(model, stem, chosen.strip())

    def _ask_vehicle(self, world: Workspace) -> None:
        def go_on() -> None:
            starts = starts_of(world) or self._one_start(world)
            if starts:
                made = open_world(world)
                self.start(starts, world.main.stem, made.name, made)

        self._try(go_on)

    def _one_start(self, world: Workspace) -> list[Start]:
        """The vehicle that is open is offered first."""
        drawn = {each.main.stem: each for each in self._open_workspaces() if not each.is_world}
        named = [name for name in world.vehicles.drivable() if name not in drawn]
        chosen, fine = QInputDialog.getItem(
            self.window.widget, f"Simulate {world.name}", "Vehicle:", [*drawn, *named], 0, False
        )  # fmt: skip
        if not fine:
            return []
        model = drawn[chosen].assembled.model if chosen in drawn else load_model(chosen, world.roots)
        return starts_of(world, model)

    def _open_workspaces(self) -> list[Workspace]:
        return [each.workspace for each in self.window.vehicles.documents.values()]

    def _try(self, do: Callable[[], object]) -> None:
        try:
            do()
        except StudioError as error:
            self.window.status.say(str(error), trouble=True)

    def start(
        self, vehicles: Model | Sequence[Start], stem: str, world: str, drawn: OpenWorld | None = None
    ) -> None:  # fmt: skip
        window = self.window
        if self._process is not None:
            window.status.say("The simulator is being prepared already")
            return
        if not window.files.may_go_on(lambda: self.start(vehicles, stem, world, drawn)):
            return
        try:
            component = write_drive_project(vehicles, stem, world, drawn)
        except StudioError as error:
            window.status.say(str(error), trouble=True)
            return
        project = component.parent.parent
        window.status.say(f"Preparing the simulator of {stem}…", stays=True)
        self._make_profile(component, lambda: self._open(project))

    def _make_profile(self, component: Path, then: Callable[[], object]) -> None:
        """In a process of its own: to look at the class of a simulator imports MuJoCo, which halts a window."""
        process = self._process = own_process(self, "studio", "profile", "--trust", str(component))
        process.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)

        def finished(code: int) -> None:
            self._process = None
            said = bytes(process.readAll().data()).decode(errors="replace").strip()
            process.deleteLater()
            if code == 0:
                then()
            else:
                self.window.status.say(f"The simulator cannot be made: {said.splitlines()[-1]}", trouble=True)

        process.finished.connect(lambda code, _: finished(code))
        process.start()

    def _open(self, project: Path) -> None:
        from studio.runtime.client.trust import made_here

        made_here(project)
        self.window.files.open_and_run(project, self._show)

    def _show(self) -> None:
        """The sticks, and what the lasers see, the newest one first."""
        viewers, session = self.window.viewers, self.window.session
        if not any(each.KIND == "teleop" for each in viewers.open.values()):
            viewers.add("teleop")
        if not any(each.KIND == "scan" for each in viewers.open.values()):
            for topic in scan_topics(session.registry.require(session.system.component("simulator").type)):
                viewers.open_soon("scan", {"topic": topic})
        self.window.live.run_unless_attached()
