"""A URDF or SDF file as an edit of an open assembly: new body files, and one step that adds what they hold."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from studio.model.geometry.arrange import Arrangement, body_names, free_name
from studio.model.geometry.assembly import Assembly, FrameName, Member
from studio.model.geometry.assembly_edits import SetBody
from studio.model.geometry.body_xml import write_body
from studio.model.geometry.edits import AddBody, Bind
from studio.model.geometry.import_tree import Imported
from studio.model.geometry.poses import HERE
from studio.model.geometry.workspace import On


def import_edits(
    imported: Imported, assembly: Assembly, bodies: Path, others: Collection[Path] = ()
) -> tuple[dict[Path, bytes], Arrangement]:
    """The body files for the folder `bodies`, none of which is there yet or one of `others`, and the edits that use
    them."""
    taken, files = body_names(assembly), dict[Path, bytes]()
    members: dict[str, Member] = {}
    for name, body in imported.model.bodies.items():
        path = _free_file(bodies, name, {*files, *others})
        files[path] = write_body(replace(body, name=body.name or name, file=None))
        free = free_name(name, taken)
        taken.add(free)
        members[name] = Member(free, path.name, imported.model.placed.get(name))
    bound = {end.body for each in imported.model.constraints for end in (each.start, each.end)}
    if members and not any(member.pose for member in members.values()) and assembly.members:
        first = next(iter(members))
        members[first] = replace(members[first], pose=HERE)
    edits = [On(AddBody(member)) for member in members.values()]
    names = {each.name for each in assembly.constraints}
    renamed: dict[str, str] = {}
    for constraint in imported.model.constraints:
        renamed[constraint.name] = free_name(constraint.name, names)
        names.add(renamed[constraint.name])
    for constraint in imported.model.constraints:
        ends = [FrameName(members[end.body].name, end.frame) for end in (constraint.start, constraint.end)]
        joint = constraint.joint
        if joint is not None and joint.mimic is not None:
            owner, dot, inner = joint.mimic.joint.partition(".")
            other = f"{members[owner].name}.{inner}" if dot else renamed[owner]
            joint = replace(joint, mimic=replace(joint.mimic, joint=other))
        name = renamed[constraint.name]
        edits.append(On(Bind(replace(constraint, name=name, start=ends[0], end=ends[1], joint=joint, origin=None))))
    loose = [members[name] for name in members if name not in bound and members[name].pose is None]
    edits += [On(SetBody(each.name, replace(each, pose=HERE))) for each in loose if len(members) > 1]
    return files, Arrangement(f"Import {imported.model.name}", tuple(edits))


def _free_file(folder: Path, name: str, others: Collection[Path]) -> Path:
    stems = {path.stem for path in (*folder.glob("*.xml"), *others)}
    return folder / f"{free_name(name.lower(), stems)}.xml"


def bodies_folder(main: Path) -> Path:
    """Where the bodies of an assembly lie."""
    return main.parent.parent / "bodies" if main.parent.name == "assemblies" else main.parent
