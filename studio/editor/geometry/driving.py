"""Drive: a project with the vehicle as it is in the window, its simulator and sticks, in the user's cache."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject, QProcess
from PyQt6.QtWidgets import QInputDialog

from studio.editor.geometry.drive_place import drive_folder
from studio.editor.own_process import own_process
from studio.errors import StudioError
from studio.model.files import FileError, write_atomically
from studio.model.geometry.flat_model import content_of
from studio.model.geometry.rotations import GeometryError
from studio.model.geometry.shapes import Mesh
from studio.model.parts import as_name
from studio.model.worlds import world_names
from studio.paths import model_roots

if TYPE_CHECKING:
    from studio.editor.main_window import MainWindow
    from studio.model.geometry.assembly import Model
    from studio.model.geometry.body import Body

WORLD = "geometry/world"
"""The setting with the world that was chosen last."""
SIMULATOR = '''"""Made by Drive of the geometry editor."""

from typing import ClassVar

from studio.runtime.sim.simulator import Simulator


class VehicleSimulator(Simulator):
    """{name} in a simulated world, with all its sensors."""

    vehicles: ClassVar[dict[str, str]] = {{"": "{name}"}}
'''
SYSTEM = """<?xml version="1.0" encoding="UTF-8"?>
<system name="{name}" version="1">
  <doc>{name} in the embedded simulator, driven by the sticks of the viewer Drive.</doc>
  <geometry assembly="{name}" joints="simulator.joints"/>
  <component name="teleop" type="teleop"/>
  <component name="simulator" type="{type}">
    <parameter name="world" value="{world}"/>
  </component>
  <wire from="teleop.command" to="simulator.command"/>
</system>
"""


def write_drive_project(model: Model, stem: str, world: str) -> Path:
    """The folder of the component whose profile is still to be written."""
    if not any(body.drive is not None for body in model.bodies.values()):
        hint = "add a drive to the body with the wheels, in its properties"
        raise GeometryError(f"nothing in {model.name} drives", hint=hint)
    name = f"drive_{as_name(stem) or 'vehicle'}"
    folder = drive_folder() / name
    content = content_of(replace(model, bodies={key: _with_meshes(body) for key, body in model.bodies.items()}))
    component = folder / "components" / f"{name}_simulator"
    texts = {
        folder / "models" / "assemblies" / f"{name}.xml": content.assembly,
        **{folder / "models" / "bodies" / file: text for file, text in content.bodies.items()},
        component / f"{name}_simulator.py": SIMULATOR.format(name=name),
        folder / "system.xml": SYSTEM.format(name=name, type=f"{name}_simulator", world=world),
    }
    for path, text in texts.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"cannot be made: {error.strerror or error}", file=path.parent) from error
        write_atomically(path, text.encode())
    return component


def _with_meshes(body: Body) -> Body:
    """Meshes lie beside the body file that names them."""
    here = Path(body.file).resolve().parent if body.file else Path.cwd()
    shapes = [replace(each, file=str(here / each.file)) if isinstance(each, Mesh) else each for each in body.shapes]
    return replace(body, shapes=shapes)


class Driving(QObject):
    """Asks for a world, writes the project, has the profile of its simulator made, and runs it."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.window = window
        self._process: QProcess | None = None

    def ask(self, model: Model, stem: str) -> None:
        settings = self.window.settings
        worlds = [*world_names(model_roots()), "blocks:7", "maze:7"]
        last = settings.text(WORLD) or "blocks"
        chosen, fine = QInputDialog.getItem(
            self.window, f"Drive {model.name}", "World, or kind and number of a new one:",
            worlds, worlds.index(last) if last in worlds else 0, True,
        )  # fmt: skip
        if fine and chosen.strip():
            settings.set_text(WORLD, chosen.strip())
            self.start(model, stem, chosen.strip())

    def start(self, model: Model, stem: str, world: str) -> None:
        window = self.window
        if self._process is not None:
            window.status.say("The simulator is being prepared already")
            return
        if not window.files.may_go_on(lambda: self.start(model, stem, world)):
            return
        try:
            component = write_drive_project(model, stem, world)
        except StudioError as error:
            window.status.say(str(error), trouble=True)
            return
        project = component.parent.parent
        window.status.say(f"Preparing the simulator of {model.name}…", stays=True)
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
        from studio.runtime.trust import made_here

        made_here(project)
        self.window.files.open_and_run(project, self._show)

    def _show(self) -> None:
        """The sticks, and what the sensors see."""
        viewers = self.window.viewers
        if not any(each.KIND == "teleop" for each in viewers.open.values()):
            viewers.add("teleop")
        self.window.live.run_unless_attached()
