"""The project that Drive makes: the vehicle as it is in the window, with the ports of its sensors."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.editor.geometry.drive_place import is_drive_project
from studio.editor.geometry.driving import write_drive_project
from studio.editor.geometry.exporting import made_of
from studio.errors import StudioError
from studio.model.geometry.assembly import Constraint, FrameName, Member
from studio.model.geometry.edits import AddBody
from studio.model.geometry.library import load_model
from studio.model.geometry.workspace import Workspace
from studio.model.system_xml import read_system
from studio.paths import model_roots

RAPTOR = model_roots()[0] / "assemblies" / "raptor.xml"


@pytest.fixture
def raptor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """With a laser that is in no file; the user's cache is the test's."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    workspace = Workspace.load(RAPTOR)
    ends = FrameName("Raptor", "TopFrontRail"), FrameName("Hokuyo", "BottomCenter")
    workspace.do(AddBody(Member("Hokuyo", "hokuyo_urg.xml"), Constraint("hokuyo_mount", *ends)))
    return workspace


def test_it_has_the_vehicle_as_it_is_in_the_window(raptor: Workspace) -> None:
    component = write_drive_project(raptor.assembled.model, "raptor", "maze")
    project = component.parent.parent
    assert is_drive_project(project) and (component / f"{component.name}.py").is_file()
    system = read_system((project / "system.xml").read_bytes())
    assert system.component("simulator").parameters["world"] == "maze"
    assert system.geometry is not None
    driven = load_model(system.geometry.assembly, [project / "models"])
    assert list(driven.bodies) == list(raptor.assembled.model.bodies)


def test_what_does_not_drive_is_refused_with_what_to_do(raptor: Workspace) -> None:
    body = Workspace.load(raptor.file_of("Hokuyo"))
    with pytest.raises(StudioError, match="drives") as caught:
        write_drive_project(body.assembled.model, "hokuyo_urg", "maze")
    assert "drive" in caught.value.hint


@pytest.mark.parametrize("kind, begins", [("urdf", "<robot"), ("sdf", "<sdf"), ("mjcf", '<mujoco model="Raptor"')])
def test_exports_have_what_is_not_saved(raptor: Workspace, kind: str, begins: str) -> None:
    text, _ = made_of(raptor.assembled.model, kind)
    assert text.startswith(begins) and ("Hokuyo" in text or kind == "mjcf")
