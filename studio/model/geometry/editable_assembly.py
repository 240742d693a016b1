"""An assembly as a model that is edited with undo."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import cast

from studio.errors import StudioError
from studio.model.changes import Assigned, Model, ModelError, Table
from studio.model.close_matches import did_you_mean
from studio.model.geometry.assembly import Assembly, Constraint, FrameName, Inclusion, Member
from studio.model.geometry.assembly_xml import read_assembly, write_assembly
from studio.model.geometry.editable_body import NAME
from studio.model.geometry.joints import Joint
from studio.model.geometry.poses import Pose, is_here
from studio.model.geometry.turned_joints import swapped
from studio.model.parts import check_name


class EditableAssembly(Model):
    def __init__(self, assembly: Assembly) -> None:
        super().__init__()
        self.written = b""
        """As of a body."""
        self._swapped: dict[tuple[str, Pose, Joint | None], tuple[Pose, Joint | None]] = {}
        """Pose and joint before the ends of a constraint were swapped: computing them back rounds them."""
        self._without_place: set[str] = set()
        """Bodies that had no place before they were moved."""
        self._fill(assembly)

    def _fill(self, assembly: Assembly) -> None:
        self._file = assembly.file
        self.name = assembly.name
        self.doc = assembly.doc
        self.tolerance_m = assembly.tolerance_m
        self.tolerance_deg = assembly.tolerance_deg
        self.pose = assembly.pose
        self.members: Table[str, Member] = Table("body", lambda member: member.name)
        self.inclusions: Table[str, Inclusion] = Table("included assembly with prefix", lambda each: each.prefix)
        self.constraints: Table[str, Constraint] = Table("constraint", lambda constraint: constraint.name)
        self._tables = {"members": self.members, "inclusions": self.inclusions, "constraints": self.constraints}
        for name, table in self._tables.items():
            for value in getattr(assembly, name):
                table.insert(len(table), value)

    def take_text(self, assembly: Assembly, written: bytes) -> None:
        """Everything that a new text of the file says: `assembly` was read from `written`."""
        self.perform(Assigned("text", (self.written, self.assembly()), (written, assembly)))

    def _assign(self, field: str, value: object) -> None:
        if field == "text":
            self.written, assembly = cast("tuple[bytes, Assembly]", value)
            self._fill(assembly)
        else:
            super()._assign(field, value)

    def assembly(self) -> Assembly:
        """As it is now."""
        return Assembly(
            self.name, self.doc, list(self.members), list(self.inclusions), list(self.constraints),
            self.tolerance_m, self.tolerance_deg, self.pose, self._file,
        )  # fmt: skip

    def describe(self, name: str, doc: str) -> None:
        check_name(name, "name of an assembly", NAME)
        self._set("name", name)
        self._set("doc", doc.strip())

    def set_tolerance(self, tolerance_m: float, tolerance_deg: float) -> None:
        """How well loops have to close."""
        if not (0 < tolerance_m < 1e9 and 0 < tolerance_deg < 1e9):
            raise ModelError("a tolerance must be more than 0", hint="the usual ones are 1 mm and 0.1 degrees")
        self._set("tolerance_m", tolerance_m)
        self._set("tolerance_deg", tolerance_deg)

    def set_pose(self, pose: Pose) -> None:
        """Where a world has it at first."""
        self._set("pose", pose)

    # ---- bodies

    def add_body(self, member: Member, index: int | None = None) -> None:
        check_name(member.name, "name of a body", NAME)
        self._sound(Assembly("assembly", members=[member]))
        self._add("members", member, index)

    def set_body(self, name: str, member: Member) -> None:
        """Another file or pose, or another name, which its constraints follow."""
        if member.name != name:
            self.rename_body(name, member.name)
        self._sound(Assembly("assembly", members=[member]))
        self._swap("members", member.name, self._placed_as_before(self.members[member.name].pose, member))

    def _placed_as_before(self, old: Pose | None, member: Member) -> Member:
        """One that had no place has none again when it is moved back to where it was."""
        if old is None and member.pose is not None:
            self._without_place.add(member.name)
        elif old is not None and member.pose is not None and member.name in self._without_place:
            is_back = is_here(member.pose.matrix) and not is_here(old.matrix)
            return replace(member, pose=None) if is_back else member
        return member

    def remove_body(self, name: str) -> None:
        """With what binds it."""
        self._member(name)
        for constraint in list(self.constraints):
            if name in (constraint.start.body, constraint.end.body):
                self.unbind(constraint.name)
        self._follow_joints(lambda joint: None if joint.startswith(f"{name}.") else joint)
        self._drop("members", name)

    def rename_body(self, old: str, new: str) -> None:
        check_name(new, "name of a body", NAME)
        self._swap("members", old, replace(self._member(old), name=new))
        self._follow(lambda end: end._replace(body=new) if end.body == old else end)
        self._follow_joints(lambda joint: re.sub(rf"^{re.escape(old)}\.", f"{new}.", joint))

    def root_at(self, name: str) -> None:
        """Make it the first body, from which all others are placed. Where the old one was is where it will be."""
        member, first = self._member(name), next(iter(self.members))
        if member.name == first.name:
            return
        if first.pose is not None:
            self._swap("members", first.name, replace(first, pose=None))
            self._swap("members", name, replace(member, pose=first.pose))
        self._shift("members", name, 0)

    def follow_frame(self, body: str, old: str, new: str) -> None:
        """A frame of one of its bodies has another name: constraints follow."""
        self._follow(lambda end: end._replace(frame=new) if end == (body, old) else end)

    # ---- included assemblies

    def include(self, inclusion: Inclusion, index: int | None = None) -> None:
        self._sound(Assembly("assembly", inclusions=[inclusion]))
        self._add("inclusions", inclusion, index)

    def set_inclusion(self, prefix: str, inclusion: Inclusion) -> None:
        """Constraints follow another prefix."""
        self._sound(Assembly("assembly", inclusions=[inclusion]))
        self._swap("inclusions", prefix, inclusion)
        if inclusion.prefix != prefix:
            self._follow(lambda end: self._with_prefix(end, prefix, inclusion.prefix))
            self._follow_joints(
                lambda joint: inclusion.prefix + joint.removeprefix(prefix) if self._comes_in(joint, prefix) else joint
            )

    def remove_inclusion(self, prefix: str) -> None:
        """With what binds its bodies."""
        self.inclusions[prefix]
        for constraint in list(self.constraints):
            ends = (constraint.start, constraint.end)
            if any(end.body.startswith(prefix) and end.body not in self.members for end in ends):
                self.unbind(constraint.name)
        self._follow_joints(lambda joint: None if self._comes_in(joint, prefix) else joint)
        self._drop("inclusions", prefix)

    # ---- constraints

    def bind(self, constraint: Constraint, index: int | None = None) -> None:
        self._check_constraint(constraint)
        self._add("constraints", constraint, index)

    def set_constraint(self, name: str, constraint: Constraint) -> None:
        """Other ends, pose, joint or name."""
        old = self.constraints[name]
        if replace(old, pose=constraint.pose) != constraint:
            self._check_constraint(constraint, name)
        self._swap("constraints", name, constraint)
        if constraint.name != name or constraint.joint is None:
            now = constraint.name if constraint.joint is not None else None
            self._follow_joints(lambda joint: now if joint == name else joint)

    def move(self, name: str, pose: Pose) -> None:
        """Another pose of the constraint's end in its start."""
        self._swap("constraints", name, replace(self.constraints[name], pose=pose))

    def swap_ends(self, name: str) -> None:
        """Written from the other side, with everything where it is; the second time as it was before the first one,
        to the last decimal."""
        old = self.constraints[name]
        made = swapped(old)
        pose, joint = self._swapped.get((name, old.pose, old.joint), (made.pose, made.joint))
        self._swapped[name, pose, joint] = old.pose, old.joint
        self._swap("constraints", name, replace(made, pose=pose, joint=joint))

    def unbind(self, name: str) -> None:
        """Joints that mimic its joint stop."""
        self._follow_joints(lambda joint: None if joint == name else joint)
        self._drop("constraints", name)

    # ---- what the mutators need

    def _check_constraint(self, constraint: Constraint, name: str | None = None) -> None:
        """`name`: of the one whose place it takes."""
        check_name(constraint.name, "name of a constraint", NAME)
        ends = (constraint.start, constraint.end)
        for end in ends:
            if not any(end.body.startswith(each.prefix) for each in self.inclusions):
                self._member(end.body)
        if ends[0].body == ends[1].body:
            raise ModelError(f"both ends of {constraint.name} are at {ends[0].body}", hint="bind two different bodies")
        for other in self.constraints:
            for end in ends:
                if other.name != name and end in (other.start, other.end):
                    hint = "a frame takes one constraint: add a frame"
                    raise ModelError(f"{end} is bound by {other.name}", hint=hint)
        self._sound(Assembly("assembly", constraints=[constraint]))

    def _sound(self, alone: Assembly) -> None:
        """Refuse what no file could say: one part, written by itself, has to be readable."""
        try:
            read_assembly(write_assembly(alone))
        except StudioError as error:
            raise ModelError(error.message, hint=error.hint) from error

    def _with_prefix(self, end: FrameName, old: str, new: str) -> FrameName:
        is_included = end.body.startswith(old) and end.body not in self.members
        return end._replace(body=new + end.body.removeprefix(old)) if is_included else end

    def _follow(self, moved: Callable[[FrameName], FrameName]) -> None:
        for constraint in list(self.constraints):
            renamed = replace(constraint, start=moved(constraint.start), end=moved(constraint.end))
            self._swap("constraints", constraint.name, renamed)

    def _comes_in(self, joint: str, prefix: str) -> bool:
        """Whether a joint is one of the assembly that is included with `prefix`."""
        return joint.startswith(prefix) and not any(
            joint.partition(".")[0] in table for table in (self.members, self.constraints)
        )

    def _follow_joints(self, renamed: Callable[[str], str | None]) -> None:
        """Joints have other names, or go (None): what mimics them."""
        for constraint in list(self.constraints):
            joint = constraint.joint
            if joint is None or joint.mimic is None:
                continue
            now = renamed(joint.mimic.joint)
            if now != joint.mimic.joint:
                mimic = None if now is None else replace(joint.mimic, joint=now)
                made = replace(constraint, joint=replace(joint, mimic=mimic))
                self._swap("constraints", constraint.name, made)

    def _member(self, name: str) -> Member:
        found = self.members.get(name)
        if found is None:
            raise ModelError(f"{self.name} has no body {name}", hint=did_you_mean(name, self.members.keys()))
        return found
