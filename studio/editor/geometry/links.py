"""What vehicles have to do with the rest of the window: the open system, Go to, the library, Drive and exports."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QTimer

from studio.editor.docking.layouts import GEOMETRY
from studio.editor.look.command_palette import Choice
from studio.paths import model_roots

if TYPE_CHECKING:
    from studio.editor.geometry.controller import GeometryController
    from studio.editor.geometry.document import GeometryDocument
    from studio.editor.geometry.driving import Driving
    from studio.editor.geometry.selection import Thing


class VehicleLinks:
    def __init__(self, controller: GeometryController) -> None:
        self.controller, self.window = controller, controller.window
        self.driving: Driving | None = None

    def choose_layout(self) -> bool:
        """Ctrl+6 without a vehicle opens that of the system; False if there is none."""
        if self.controller.documents:
            return True
        path = self._vehicle_of_system()
        if path is None:
            self.window.status.say("Open a vehicle first: File, Open vehicle (Ctrl+Alt+O)")
            return False
        return self.controller.open(path)

    def open_vehicle_of_system(self) -> None:
        path = self._vehicle_of_system()
        if path is None:
            self.window.status.say("The system has no geometry: choose it in the inspector of the system", trouble=True)
        else:
            self.controller.open(path)

    def _vehicle_of_system(self) -> Path | None:
        if not self.window.has_session:
            return None
        found = self.window.session.opened.geometry()
        return Path(found.model.file) if found is not None and found.model is not None and found.model.file else None

    def open_named(self, assembly: str) -> None:
        """An assembly as a system or a simulator names it: by name or by file."""
        from studio.model.geometry_check import find_geometry
        from studio.model.parts import GeometryUse

        found = find_geometry(GeometryUse(assembly), self.window.session.folder if self.window.has_session else None)
        if found.model is not None and found.model.file:
            self.controller.open(Path(found.model.file))
        else:
            words = str(found.problems[0]) if found.problems else f"there is no model {assembly}"
            self.window.status.say(words, trouble=True)

    def open_world(self, name: str) -> None:
        """As the parameter of a simulator names it: by name, or by its path in the project."""
        from studio.model.worlds import why_no_world, world_file

        folder = self.window.session.folder if self.window.has_session else Path()
        roots = model_roots(folder)
        wrong, path = why_no_world(name, roots, folder), world_file(name, roots, folder)
        if path is not None:
            self.controller.open(path)
        else:
            words = f"{wrong[0]}: {wrong[1]}" if wrong else f"{name} is made by the simulator and has no file"
            self.window.status.say(words, trouble=True)

    def places(self) -> list[Choice]:
        """Of the vehicle in front for Go to: its bodies, frames and constraints; and all vehicles there are."""
        from studio.editor.geometry.selection import BodyThing, ConstraintThing, FrameThing

        found: list[Choice] = []
        document = self.controller.active
        if document is not None:
            model = document.workspace.assembled.model
            for name, body in model.bodies.items():
                found.append(Choice(name, "body", partial(self._go_to, document, BodyThing(name))))
                for frame in body.frames:
                    thing = FrameThing(name, frame.name)
                    found.append(Choice(str(thing), "frame", partial(self._go_to, document, thing)))
            for constraint in model.constraints:
                thing_of = ConstraintThing(constraint.name)
                found.append(Choice(constraint.name, "constraint", partial(self._go_to, document, thing_of)))
        for kind, folder in (("vehicle", "assemblies"), ("body file", "bodies"), ("world", "worlds")):
            found += [
                Choice(path.name, kind, partial(self.controller.open, path), path.stem)
                for path in self._files_in(folder)
            ]
        return found

    def _files_in(self, folder: str) -> list[Path]:
        """Of the vehicle in front or the open project, then those that came with Studio; each name once."""
        document, session = self.controller.active, self.window.session if self.window.has_session else None
        roots = document.workspace.roots if document is not None else model_roots(session.folder if session else None)
        found: dict[str, Path] = {}
        for root in roots:
            for path in sorted((root / folder).glob("*.sdf" if folder == "worlds" else "*.xml")):
                found.setdefault(path.name, path)
        return list(found.values())

    def add_body(self) -> None:
        """Chosen by name: it comes to the middle of the view, to be mounted from there."""
        document = self.controller.active
        if document is None or document.workspace.is_body:
            self.window.status.say("A single body cannot contain other bodies: open or make an assembly", trouble=True)
            return
        if document.workspace.is_world:
            document.view.commands.ask_robot()
            return
        files = self._files_in("bodies")
        choices = [Choice(path.stem, path.name, partial(document.view.place_body, path)) for path in files]
        self.window.commands.open(choices, f"Add a body to {document.workspace.name}")

    def _go_to(self, document: GeometryDocument, thing: Thing) -> None:
        document.selection.choose(thing)
        document.view.show_thing(thing)

    def pick_frame(self, take: Callable[[str], object]) -> None:
        """A click in the view of the system's vehicle answers; then the canvas is there again."""
        path, before = self._vehicle_of_system(), self.window.layouts.current
        if path is None or not self.controller.open(path):
            self.window.status.say("The system has no geometry: choose it in the inspector of the system", trouble=True)
            return
        from studio.editor.geometry.selection import BodyThing, FrameThing, Pick

        document = self.controller.documents[self.controller.name_of(path.resolve())]

        def back() -> None:
            if before != GEOMETRY:
                self.window.layouts.choose(before)
            self.window.docks.show("system")

        def taken(thing: Thing) -> None:
            take(str(thing))
            QTimer.singleShot(0, back)
            self.window.status.say(f"Took {thing}")

        words = "Click a frame in the view or the tree; Escape gives up"
        self.window.layouts.choose(GEOMETRY)
        document.selection.ask(Pick(words, (FrameThing, BodyThing), taken, back))
        self.window.status.say(words, stays=True)

    def files_saved(self, files: list[Path]) -> None:
        """The open project checks its geometry again; what runs reads the files itself."""
        window = self.window
        if not window.has_session or not files:
            return
        window.session.check()
        control = window.live.control
        if control.phase != "stopped" and self._simulates():
            window.notice.ask(
                "The running system follows the saved vehicle. Its simulator still has the earlier one.",
                {"Restart system": window.live.restart_all, "Keep running": lambda: None},
                "saved vehicle",
            )

    def _simulates(self) -> bool:
        opened = self.window.session.opened
        specs = (opened.registry.get(type_name) for type_name in opened.used_types())
        return any(spec is not None and spec.assembly for spec in specs)

    def export(self, kind: str) -> None:
        from studio.editor.geometry.exporting import export_vehicle

        document = self.controller.active
        if document is not None and document.workspace.is_world:
            self.window.status.say("A world is SDF already: save it with File, Save as", trouble=True)
        elif document is not None:
            export_vehicle(self.window, document, kind)

    def drive(self) -> None:
        document = self.controller.active
        if document is not None:
            from studio.editor.geometry.driving import Driving

            self.driving = self.driving or Driving(self.window)
            self.driving.ask(document.workspace)
