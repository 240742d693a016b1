"""Takes the guide's pictures of the geometry editor: a laser is added to the Raptor, mounted, pitched and measured."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from studio.editor.geometry.document import GeometryDocument
from studio.editor.geometry.selection import BodyThing
from studio.model.geometry.arrange import mount
from studio.model.geometry.assembly import Assembly, FrameName
from studio.model.geometry.edits import MoveConstraint
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import Rotation
from tools.screen_places import dock_area
from tools.stage import LARGE, ROOT, Stage, perform

LASER, RAIL = FrameName("HokuyoUrg", "BottomCenter"), FrameName("Raptor", "TopFrontRail")
DOWN = Pose(rotation=Rotation("rpy", (0.0, 15.0, 0.0), "degrees"))


def laser_on_the_rail(stage: Stage) -> None:
    hand, window = stage.hand, stage.window
    stage.resize(LARGE)
    models = stage.robots / "models"
    shutil.copytree(ROOT / "models", models)
    hand.see(lambda: window.files.open_any(models / "assemblies" / "raptor.xml"))
    document = hand.until(lambda: window.vehicles.active, "the vehicle")
    hand.rest(3.0)
    hand.key("ctrl+shift+b")
    hand.write("hokuyo")
    hand.key("Return")
    hand.until(lambda: "HokuyoUrg" in document.workspace.assembled.model.bodies or None, "the laser")
    hand.see(lambda: _mount(document))
    measure = hand.see(lambda: document.show_panel("geometry_measure"))
    hand.see(lambda: measure.set_frame("foi", "HokuyoUrg:ScanOrigin"))
    hand.see(lambda: measure.set_frame("reference", "Raptor:FrontBumperCenter"))
    hand.see(document.view.fit)
    hand.rest(2.0)
    stage.whole("geometry_editor")
    stage.part("geometry_editor_lines", lambda: dock_area(window, "geometry_xml"))


def _mount(document: GeometryDocument) -> None:
    workspace = document.workspace
    assembly = workspace.value()
    assert isinstance(assembly, Assembly)
    made = mount(workspace.assembled.model, assembly, LASER, RAIL)
    document.do_all(made.label, made.edits)
    document.do(MoveConstraint("hokuyourg_mount", DOWN))
    document.selection.choose(BodyThing(LASER.body))


STEPS = (laser_on_the_rail,)


if __name__ == "__main__":
    sys.exit(perform(STEPS, Path(sys.argv[1])))
