"""Files that are broken, gone or large: every panel stays usable and says what is wrong."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
import trimesh

from studio.editor.geometry.panels.changes import Changes
from studio.editor.geometry.panels.checks import Checks
from studio.editor.geometry.panels.library import LibraryPanel
from studio.editor.geometry.panels.measure import Measure
from studio.editor.geometry.panels.mesh_actions import add_collision, take_mass
from studio.editor.geometry.panels.part_forms import Parts
from studio.editor.geometry.panels.properties import Properties
from studio.editor.geometry.panels.tree import AssemblyTree
from studio.editor.geometry.panels.xml_panel import XmlPanel
from studio.editor.geometry.selection import ShapeThing
from studio.model.geometry.part_edits import AddShape
from studio.model.geometry.shapes import Box, Mesh

PANELS = (AssemblyTree, Properties, XmlPanel, Changes, Checks, Measure, LibraryPanel)


def with_mesh(context: Any, file: str) -> ShapeThing:
    context.do(AddShape(Mesh("shell", file=file)), body="Flea")
    thing = ShapeThing("Flea", len(context.workspace.assembled.model.bodies["Flea"].shapes) - 1)
    context.selection.choose(thing)
    return thing


def test_a_body_file_that_is_deleted_while_open_is_kept_and_saved_again(context: Any) -> None:
    for kind in PANELS:
        context.show(kind)
    file = context.workspace.file_of("Flea")
    file.unlink()
    context.do(AddShape(Box("lid", size=(0.1, 0.1, 0.01))), body="Flea")
    context.made[-1].fill()
    assert file in context.workspace.changed_on_disk()
    context.workspace.save(overwrite=True)
    assert b'name="lid"' in file.read_bytes()


def test_a_text_that_names_a_missing_body_leaves_all_panels_with_the_last_vehicle(context: Any) -> None:
    panels = [context.show(kind) for kind in PANELS]
    text = context.workspace.text().replace(b'file="flea.xml"', b'file="flee.xml"')
    assert context.workspace.write_text(text) == []
    assert context.workspace.trouble is not None
    tree, xml, checks = panels[0], panels[2], panels[4]
    checks.check()
    assert "Flea" in tree.names()
    assert "there is no body file flee.xml" in xml.words.text()
    assert any("flee.xml" in each.message for each in checks.problems)
    context.workspace.undo()
    assert context.workspace.trouble is None and "valid" in xml.words.text()


@pytest.mark.parametrize("kind", ["Box", "Convex hull"])
def test_a_missing_mesh_is_said_and_changes_nothing(context: Any, kind: str) -> None:
    page = context.show(Properties)
    thing = with_mesh(context, "gone.stl")
    before = context.workspace.texts()
    page.form.named[kind].click()
    assert "there is no mesh" in context.said[-1] and "gone.stl" in context.said[-1]
    assert not take_mass(Parts(context, "Flea"), thing.index, 1000.0)
    assert context.workspace.texts() == before


def test_a_mesh_gives_shapes_that_bump_and_a_mass_in_one_step_each(context: Any) -> None:
    page = context.show(Properties)
    made = trimesh.creation.box((0.1, 0.05, 0.04))
    file = context.workspace.file_of("Flea").with_name("shell.stl")
    file.write_bytes(made.export(file_type="stl"))
    thing = with_mesh(context, "shell.stl")
    page.form.named["Box"].click()
    shapes = context.workspace.assembled.model.bodies["Flea"].shapes
    assert shapes[thing.index].use == "visual" and shapes[thing.index + 1].name == "shell_bumps"
    context.workspace.undo()
    assert len(context.workspace.assembled.model.bodies["Flea"].shapes) == thing.index + 1
    assert take_mass(Parts(context, "Flea"), thing.index, 1000.0)
    inertia = context.workspace.assembled.model.bodies["Flea"].inertia_of()
    assert inertia is not None and inertia.mass_kg == pytest.approx(0.2)


def test_a_mesh_of_a_million_triangles_gets_a_box(context: Any) -> None:
    count = 708
    x, y = np.meshgrid(np.linspace(0, 1, count), np.linspace(0, 1, count))
    vertices = np.stack([x.ravel(), y.ravel(), 0.1 * np.sin(9 * x.ravel())], axis=1)
    corner = (np.arange(count - 1)[:, None] * count + np.arange(count - 1)).ravel()
    faces = np.concatenate([np.stack([corner, corner + 1, corner + count], 1),
                            np.stack([corner + 1, corner + count + 1, corner + count], 1)])  # fmt: skip
    mesh = trimesh.Trimesh(vertices, faces, process=False)
    assert len(mesh.faces) >= 999_000
    file = context.workspace.file_of("Flea").with_name("large.stl")
    file.write_bytes(mesh.export(file_type="stl"))
    thing = with_mesh(context, "large.stl")
    began = time.process_time()
    assert add_collision(Parts(context, "Flea"), thing.index, "Box"), context.said
    assert time.process_time() - began < 30
    box = context.workspace.assembled.model.bodies["Flea"].shapes[thing.index + 1]
    assert isinstance(box, Box) and max(box.size) == pytest.approx(1.0, abs=0.2)
