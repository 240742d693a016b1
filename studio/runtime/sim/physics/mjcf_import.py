"""MJCF files, as MuJoCo itself reads them, as bodies and constraints. What Studio cannot hold is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from studio.model.files import FileError
from studio.model.geometry.body import GivenMass
from studio.model.geometry.import_tree import Imported, Raw, RawJoint, RawLink, build
from studio.model.geometry.joints import Mimic
from studio.model.geometry.poses import Pose, inverse
from studio.model.geometry.rotations import Matrix, from_quaternion
from studio.model.geometry.shapes import Box, Cylinder, Mesh, Shape, Sphere, Use

WORLD = 0
LEFT_OUT = {"nu": "actuators", "ntendon": "tendons", "nsensor": "sensors", "ncam": "cameras",
            "nlight": "lights", "nkey": "keyframes", "nplugin": "plugins", "npair": "contact pairs"}  # fmt: skip


def is_mjcf(data: bytes) -> bool:
    return b"<mujoco" in data[:4096]


def import_mjcf(path: Path) -> Imported:
    import mujoco

    try:
        spec = mujoco.MjSpec.from_file(str(path))
        model = spec.compile()
    except Exception as error:  # MuJoCo raises ValueError, and others for files that it includes
        raise FileError(f"MuJoCo cannot read it: {error}", file=path) from None
    return build(_Reader(mujoco, spec, model, path).raw(), str(path))


class _Reader:
    def __init__(self, mujoco: Any, spec: Any, model: Any, path: Path) -> None:
        self.mujoco, self.spec, self.model, self.path = mujoco, spec, model, path
        self.notes: list[str] = []

    def raw(self) -> Raw:
        model = self.model
        raw = Raw(str(self.spec.modelname or self.path.stem), notes=self.notes)
        for body in range(1, model.nbody):
            raw.links.append(self._link(body))
            self._hold(raw, body)
        self._read_mimics(raw)
        shapes = int(model.body_geomnum[WORLD])
        if shapes:
            self._note(f"{shapes} shape{'s' * (shapes > 1)} of the world, such as the ground, left out")
        for count, words in LEFT_OUT.items():
            number = int(getattr(model, count))
            if number:
                self._note(f"{number} {words} left out")
        return raw

    def _note(self, words: str) -> None:
        if words not in self.notes:
            self.notes.append(words)

    def _name(self, kind: str, number: int, default: str) -> str:
        found = self.mujoco.mj_id2name(self.model, getattr(self.mujoco.mjtObj, f"mjOBJ_{kind}"), number)
        return str(found or default)

    def _body_name(self, body: int) -> str:
        return self._name("BODY", body, f"body_{body}")

    def _link(self, body: int) -> RawLink:
        model, link = self.model, RawLink(self._body_name(body))
        if model.body_mass[body] > 0:
            xx, yy, zz = (float(value) for value in model.body_inertia[body])
            pose = Pose.from_matrix(_pose(model.body_ipos[body], model.body_iquat[body]))
            link.mass = GivenMass(float(model.body_mass[body]), pose, (xx, yy, zz, 0.0, 0.0, 0.0), has_centre=True)
        first = int(model.body_geomadr[body])
        shapes = (self._shape(geom) for geom in range(first, first + int(model.body_geomnum[body])))
        link.shapes = [shape for shape in shapes if shape is not None]
        for site in range(model.nsite):
            if model.site_bodyid[site] == body:
                at = _pose(model.site_pos[site], model.site_quat[site])
                link.frames.append((self._name("SITE", site, f"site_{site}"), at))
        return link

    # ---- joints

    def _hold(self, raw: Raw, body: int) -> None:
        """A joint for each that the body has: several one after the other, with a link between them."""
        model = self.model
        at = _pose(model.body_pos[body], model.body_quat[body])
        parent, child = int(model.body_parentid[body]), self._body_name(body)
        first = int(model.body_jntadr[body])
        joints = list(range(first, first + int(model.body_jntnum[body])))
        kinds = [int(model.jnt_type[joint]) for joint in joints]
        types = self.mujoco.mjtJoint
        raw.places[child] = at if parent == WORLD else raw.places[self._body_name(parent)] @ at
        if int(types.mjJNT_FREE) in kinds:
            return
        if parent == WORLD and not joints:
            raw.static.add(child)
            return
        carrier = self._body_name(parent)
        if parent == WORLD:
            carrier = "world_frame"
            if carrier not in raw.places:
                raw.links.append(RawLink(carrier))
                raw.places[carrier] = np.eye(4)
                raw.static.add(carrier)
        if not joints:
            raw.joints.append(RawJoint(f"{child}_mount", "fixed", carrier, child, at, np.eye(4)))
        for number, joint in enumerate(joints):
            end = child if number == len(joints) - 1 else f"{child}_{number + 1}"
            if end != child:
                raw.links.append(RawLink(end))
                raw.places[end] = raw.places[child]
            raw.joints.append(self._joint(joint, kinds[number], carrier, end, at))
            carrier, at = end, np.eye(4)

    def _joint(self, joint: int, kind: int, parent: str, child: str, at: Matrix) -> RawJoint:
        model, types = self.model, self.mujoco.mjtJoint
        name = self._name("JOINT", joint, f"{child}_joint")
        offset = np.eye(4)
        offset[:3, 3] = model.jnt_pos[joint]
        made = RawJoint(name, "fixed", parent, child, at @ offset, inverse(offset))
        if kind == int(types.mjJNT_BALL):
            self._note(f"the joint {name} is a ball, which Studio does not know: taken as fixed")
            return made
        made.kind = "hinge" if kind == int(types.mjJNT_HINGE) else "slider"
        x, y, z = (float(value) for value in model.jnt_axis[joint])
        made.axis = (x, y, z)
        if model.jnt_limited[joint]:
            first = float(model.qpos0[model.jnt_qposadr[joint]])  # 0 of Studio is where the file draws it
            made.lower, made.upper = (float(value) - first for value in model.jnt_range[joint])
        return made

    def _read_mimics(self, raw: Raw) -> None:
        """Equalities of two joints, as far as they are straight lines."""
        model, mujoco = self.model, self.mujoco
        by_name = {joint.name: joint for joint in raw.joints}
        others = 0
        for number in range(model.neq):
            values = [float(value) for value in model.eq_data[number][:5]]
            one, other = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
            is_joint = int(model.eq_type[number]) == int(mujoco.mjtEq.mjEQ_JOINT) and other >= 0
            names = [self._name("JOINT", each, "") for each in (one, other)] if is_joint else ["", ""]
            if is_joint and all(name in by_name for name in names) and not any(values[2:]):
                by_name[names[0]].mimic = Mimic(names[1], values[1], values[0])
            else:
                others += 1
        if others:
            self._note(f"{others} {'equality' if others == 1 else 'equalities'} left out")

    # ---- shapes

    def _shape(self, geom: int) -> Shape | None:
        model, types = self.model, self.mujoco.mjtGeom
        name = self._name("GEOM", geom, "")
        is_solid = bool(model.geom_contype[geom] or model.geom_conaffinity[geom])
        use: Use = "both" if is_solid else "visual"
        colour = " ".join(f"{float(value):.4g}" for value in model.geom_rgba[geom])
        at = _pose(model.geom_pos[geom], model.geom_quat[geom])
        a, b, c = (float(value) for value in model.geom_size[geom])
        common: dict[str, Any] = {"name": name, "pose": Pose.from_matrix(at), "use": use, "colour": colour}
        kind = int(model.geom_type[geom])
        if kind == int(types.mjGEOM_BOX):
            return Box(size=(2 * a, 2 * b, 2 * c), **common)
        if kind == int(types.mjGEOM_SPHERE):
            return Sphere(radius=a, **common)
        if kind == int(types.mjGEOM_MESH):
            return self._mesh(geom, at, common)
        if kind in (int(types.mjGEOM_CYLINDER), int(types.mjGEOM_CAPSULE)):
            if kind == int(types.mjGEOM_CAPSULE):
                self._note("capsules become cylinders of the same length, without their round ends")
            return Cylinder(radius=a, length=2 * b, **common)
        self._note(f"a shape that Studio does not know left out: {name or f'number {geom}'}")
        return None

    def _mesh(self, geom: int, at: Matrix, common: dict[str, Any]) -> Shape | None:
        """Where the file has it: MuJoCo turns a mesh to its principal axes."""
        number = int(self.model.geom_dataid[geom])
        told = self.spec.mesh(self._name("MESH", number, ""))
        if told is None or not told.file:
            self._note("a mesh whose points are in the file itself left out")
            return None
        turned = _pose(self.model.mesh_pos[number], self.model.mesh_quat[number])
        file = self.path.parent / str(self.spec.meshdir or "") / str(told.file)
        x, y, z = (float(value) for value in told.scale)
        return Mesh(**common | {"pose": Pose.from_matrix(at @ inverse(turned))}, file=str(file), scale=(x, y, z))


def _pose(position: Any, quaternion: Any) -> Matrix:
    """Quaternions of MuJoCo begin with w."""
    made = np.eye(4)
    w, x, y, z = (float(value) for value in quaternion)
    made[:3, :3], made[:3, 3] = from_quaternion(x, y, z, w), position
    return made
