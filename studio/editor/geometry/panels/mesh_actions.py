"""What the form of a mesh offers: shapes that bump in its place, and mass from a material."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication

from studio.editor.geometry.panels.form import Form
from studio.editor.geometry.panels.part_forms import Parts
from studio.editor.geometry.protocols import Context
from studio.editor.geometry.selection import ShapeThing
from studio.errors import StudioError
from studio.model.geometry.materials import MATERIALS_KG_M3
from studio.model.geometry.mesh_solids import CONVEX, SIMPLE, collision_shapes, mass_from_mesh
from studio.model.geometry.part_edits import AddShape, SetMass, SetShape
from studio.model.geometry.shapes import Mesh
from studio.model.geometry.workspace import On


def mesh_fields(form: Form, context: Context, thing: ShapeThing) -> None:
    parts = Parts(context, thing.body)
    form.section("Shapes that bump")
    form.note(lambda: "The mesh is then only seen; the shapes take its place in collisions")
    for group in (tuple(SIMPLE), tuple(CONVEX)):
        form.buttons(*((kind, "", _tip(kind), partial(add_collision, parts, thing.index, kind)) for kind in group))
    form.section("Mass of the mesh")
    form.choice("Material", lambda: [("Choose…", None), *MATERIALS_KG_M3.items()], lambda: None,
                lambda density: take_mass(parts, thing.index, density),
                "Mass, centre and inertia of the solid that the mesh encloses")  # fmt: skip


def _tip(kind: str) -> str:
    if kind in SIMPLE:
        return f"The smallest {kind.lower()} around the mesh"
    return "Written as STL files beside the mesh"


def add_collision(parts: Parts, index: int, kind: str) -> bool:
    """In one step: the shapes come, and the mesh does not bump any more."""
    context, body = parts.context, parts.body
    shape = body.shapes[index]
    assert isinstance(shape, Mesh)
    QApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
    try:
        made = collision_shapes(kind, body, shape)
    except StudioError as error:
        context.say(str(error), trouble=True)
        return False
    finally:
        QApplication.restoreOverrideCursor()
    file = context.workspace.file_of(parts.name)
    edits = [On(SetShape(index, replace(shape, use="visual")), file)] if shape.use == "both" else []
    edits += [On(AddShape(each, index + 1 + place), file) for place, each in enumerate(made)]
    return context.do_all(f"Let a {kind.lower()} bump for {shape.name or 'the mesh'}", edits)


def take_mass(parts: Parts, index: int, density_kg_m3: float | None) -> bool:
    shape = parts.body.shapes[index]
    if density_kg_m3 is None or not isinstance(shape, Mesh):
        return False
    try:
        mass, is_closed = mass_from_mesh(parts.body, shape, density_kg_m3)
    except StudioError as error:
        parts.context.say(str(error), trouble=True)
        return False
    if not is_closed:
        parts.context.say("The mesh is not closed: its convex hull was taken as the solid")
    return parts.context.do(SetMass(mass), body=parts.name)
