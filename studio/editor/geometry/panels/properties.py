"""Properties of what is selected: a form for the vehicle, or for a body, a constraint or a part of a body."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QScrollArea, QSpinBox, QVBoxLayout, QWidget

from studio.editor.geometry import thing_edits
from studio.editor.geometry.panels.form import Form
from studio.editor.geometry.panels.mesh_actions import mesh_fields
from studio.editor.geometry.panels.part_forms import frame_form, joint_form, sensor_form, shape_form
from studio.editor.geometry.panels.vehicle_forms import body_form, constraint_form, vehicle_form
from studio.editor.geometry.panels.world_forms import part_form, shape_of_form, world_form, world_shape_form
from studio.editor.geometry.protocols import Context
from studio.editor.geometry.selection import (
    BodyThing,
    ConstraintThing,
    FrameThing,
    JointThing,
    SensorThing,
    ShapeThing,
    Thing,
    VehicleThing,
    is_in,
)
from studio.editor.geometry.units import Units, load_units, save_units
from studio.editor.geometry.world_things import part_of
from studio.editor.look.theme import Theme
from studio.model.geometry.arrange import hanging_on
from studio.model.geometry.joints import Joint
from studio.model.geometry.shapes import Mesh
from studio.model.geometry.world import WorldModel


class Properties(QWidget):
    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context
        self.form: Form | None = None
        self._built: object = None
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.units = _UnitsBar(load_units(context.settings))
        self.units.changed = self._units_changed
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.area, 1)
        layout.addWidget(self.units)
        self._ends = [context.workspace.listen(lambda _: self._show()), context.selection.listen(self._show)]
        self._show()

    def show_theme(self, theme: Theme) -> None:
        self._built = None
        self._show()

    def close_panel(self) -> None:
        for end in self._ends:
            end()
        self._ends = []

    @property
    def thing(self) -> Thing:
        """What is shown: what was selected last, else the vehicle."""
        workspace, current = self.context.workspace, self.context.selection.current
        if current is not None and is_in(workspace.assembled.model, current):
            return current
        return BodyThing(workspace.name) if workspace.is_body else VehicleThing()

    # ---- building

    def _show(self) -> None:
        """Another form only where it would have other rows; otherwise its fields show the values as they are now."""
        thing = self.thing
        if isinstance(thing, VehicleThing) and self.context.workspace.is_body:
            thing = BodyThing(self.context.workspace.name)
        wanted = (thing, self._shape_of(thing), self.context.theme.look, self.units.units)
        if wanted == self._built and self.form is not None:
            self.form.refresh()
            return
        self._built = wanted
        form = Form(self.context.theme, self.units.units)
        self._fill(form, thing)
        form.end()
        if self.form is not None:
            self.area.takeWidget()
            self.form.retire()
        self.form = form
        self.area.setWidget(form)

    def _fill(self, form: Form, thing: Thing) -> None:
        context, rename = self.context, self._renamer(thing)
        if context.workspace.is_world:
            self._fill_of_world(form, thing, rename)
            return
        match thing:
            case VehicleThing():
                vehicle_form(form, context, rename)
            case BodyThing():
                body_form(form, context, thing, rename)
            case FrameThing():
                frame_form(form, context, thing, rename)
            case ConstraintThing():
                constraint_form(form, context, thing, rename)
            case JointThing("", name):
                constraint_form(form, context, ConstraintThing(name), self._renamer(ConstraintThing(name)))
            case JointThing():
                joint_form(form, context, thing, rename)
            case SensorThing():
                sensor_form(form, context, thing, rename)
            case ShapeThing(body, index):
                shape_form(form, context, thing, rename)
                if isinstance(context.workspace.assembled.model.bodies[body].shapes[index], Mesh):
                    mesh_fields(form, context, thing)

    def _fill_of_world(self, form: Form, thing: Thing, rename: Callable[[str], object]) -> None:
        match thing:
            case VehicleThing():
                world_form(form, self.context, rename)
            case ShapeThing() if isinstance(part_of(self.context.workspace, thing), WorldModel):
                world_shape_form(form, self.context, thing, rename)
            case _:
                part_form(form, self.context, thing, rename)

    def _shape_of(self, thing: Thing) -> object:
        """What decides about the rows of its form."""
        if self.context.workspace.is_world:
            return shape_of_form(self.context, thing)
        model = self.context.workspace.assembled.model
        match thing:
            case BodyThing(body):
                found = model.bodies[body]
                mount = None if self.context.workspace.is_body else hanging_on(model, body)
                sensors = tuple((sensor.KIND, sensor.name) for sensor in found.sensors)
                placed = body in model.placed
                return mount and (mount.name, mount.start, mount.end), sensors, found.drive is None, found.file, placed
            case ConstraintThing(name) | JointThing("", name):
                joint = next(each.joint for each in model.constraints if each.name == name)
                return _rows_of(joint)
            case JointThing(body, name):
                return _rows_of(model.bodies[body].joint(name))
            case ShapeThing(body, index):
                return type(model.bodies[body].shapes[index])
            case SensorThing(body, name):
                return next(type(each) for each in model.bodies[body].sensors if each.name == name)
        return None

    def _renamer(self, thing: Thing) -> Callable[[str], object]:
        """After it the thing has another name, and stays selected."""

        def rename(new: str) -> None:
            context = self.context
            make = lambda: thing_edits.rename(context.workspace, thing, new)  # noqa: E731
            if thing_edits.do_arranged(context.do_all, context.say, make):
                context.selection.choose(*_renamed(thing, new))

        return rename

    def _units_changed(self, units: Units) -> None:
        save_units(self.context.settings, units)
        self._show()


def _renamed(thing: Thing, new: str) -> tuple[Thing, ...]:
    match thing:
        case BodyThing():
            return (BodyThing(new),)
        case FrameThing(body):
            return (FrameThing(body, new),)
        case ConstraintThing():
            return (ConstraintThing(new),)
        case JointThing(body):
            return (JointThing(body, new),)
        case SensorThing(body):
            return (SensorThing(body, new),)
    return (thing,)


class _UnitsBar(QWidget):
    """Which units and decimals are shown; what is written stays SI."""

    def __init__(self, units: Units) -> None:
        super().__init__()
        self.units = units
        self.changed: Callable[[Units], Any] = lambda _: None
        self.length, self.angle, self.decimals = QComboBox(), QComboBox(), QSpinBox()
        self.length.addItems(["m", "cm", "mm", "in"])
        self.angle.addItems(["deg", "rad"])
        self.decimals.setRange(0, 9)
        self.length.setCurrentText(units.length)
        self.angle.setCurrentText(units.angle)
        self.decimals.setValue(units.decimals)
        self.length.activated.connect(lambda _: self._take())
        self.angle.activated.connect(lambda _: self._take())
        self.decimals.valueChanged.connect(lambda _: self._take())
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 4, 10, 4)
        label = QLabel("Units")
        label.setProperty("role", "muted")
        row.addWidget(label)
        for widget, tip in (
            (self.length, "Unit of lengths in this window. Files keep metres"),
            (self.angle, "Unit of angles in this window. Files stay as they are written"),
            (self.decimals, "Decimals that are shown; the file has all digits"),
        ):
            widget.setToolTip(tip)
            widget.setAccessibleName(tip.partition(".")[0])
            row.addWidget(widget)
        row.addStretch(1)

    def _take(self) -> None:
        self.units = Units(self.length.currentText(), self.angle.currentText(), self.decimals.value())
        self.changed(self.units)


def _rows_of(joint: Joint | None) -> object:
    return joint and (joint.kind == "slider", joint.mimic is None)
