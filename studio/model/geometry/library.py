"""Finds body and assembly files, and puts an assembly with everything it names together into a Model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from studio.errors import Problem, StudioError
from studio.model.close_matches import did_you_mean
from studio.model.files import FileError, read_bytes
from studio.model.geometry.assembly import Assembly, Constraint, FrameName, Model
from studio.model.geometry.assembly_xml import build_assembly
from studio.model.geometry.body import Body
from studio.model.geometry.body_xml import build_body
from studio.model.geometry.joints import prefixed_mimic
from studio.model.geometry.rotations import GeometryError
from studio.model.origin import Origin
from studio.model.xml_file import parse_hardened, unknown_names, validate_xml
from studio.model.xml_tree import tree_of
from studio.paths import model_roots

FOLDERS = {"body": "bodies", "assembly": "assemblies"}
DEEPEST = 20
"""Assemblies in assemblies; beyond this somebody is going round in circles through links."""


class Library:
    """Reads each file once; `problems` collects what is odd in them."""

    def __init__(self, roots: Iterable[Path] | None = None) -> None:
        self.roots = list(model_roots() if roots is None else roots)
        self.problems: list[Problem] = []
        self._read: dict[Path, tuple[bytes, Body | Assembly]] = {}

    def names(self) -> list[str]:
        """What `find` knows by name."""
        return sorted({path.stem for root in self.roots for kind in FOLDERS.values() for path in _xml_in(root / kind)})

    def assemblies(self) -> list[str]:
        """Those that a system can have as its geometry, by name."""
        return sorted({path.stem for root in self.roots for path in _xml_in(root / FOLDERS["assembly"])})

    def find(self, name: str) -> Path:
        """A file by path, or an assembly or body of the models by name: `raptor`."""
        path = Path(name)
        if path.is_file():
            return path
        for kind in ("assembly", "body"):
            for root in self.roots:
                candidate = root / FOLDERS[kind] / f"{name}.xml"
                if candidate.is_file():
                    return candidate
        raise GeometryError(f"there is no model {name}", hint=did_you_mean(name, self.names()) or "name its file")

    def load(self, path: Path) -> Model:
        """Of an assembly file with all it names, or of a body file by itself."""
        read = self.read(path)
        if isinstance(read, Body):
            return Model.of_body(read)
        model = Model(read.name, {}, [], read.tolerance_m, read.tolerance_deg, str(path), read.pose)
        self._add(model, read, path, "", (path.resolve(),))
        return model

    def read(self, path: Path) -> Body | Assembly:
        """What the file holds, told by its root element."""
        key = path.resolve()
        if key not in self._read:
            data = read_bytes(path)
            self._read[key] = data, self._parse(data, path)
        return self._read[key][1]

    def changed(self) -> list[Path]:
        """Files that now hold other bytes than were read, or are gone; `forget` makes the next load read them."""
        return [path for path, (data, _) in self._read.items() if _bytes_now(path) != data]

    def forget(self, paths: Iterable[Path]) -> None:
        for path in paths:
            self._read.pop(path.resolve(), None)

    def files(self) -> list[Path]:
        return list(self._read)

    def place_of(self, file: str, kind: str, by: Path) -> Path:
        """Where the `body` or `assembly` file is that the file `by` names so."""
        return self._referred(file, kind, by, None)

    def _parse(self, data: bytes, path: Path) -> Body | Assembly:
        root = parse_hardened(data, path)
        kind = str(root.tag)
        if kind not in FOLDERS:
            hint = "a model starts with <body name=...> or <assembly name=...>"
            raise FileError(f"the root element is <{kind[:40]}>", file=path, line=1, hint=hint)
        validate_xml(root, kind, path)
        self.problems += unknown_names(root, kind, path)
        tree = tree_of(root)
        return build_body(tree, path) if kind == "body" else build_assembly(tree, path)

    def _add(self, model: Model, assembly: Assembly, path: Path, prefix: str, above: tuple[Path, ...]) -> None:
        bodies, places = model.bodies, model.places
        for member in assembly.members:
            found = self._referred(member.file, "body", path, member.origin)
            body = self.read(found)
            if not isinstance(body, Body):
                hint = f'use <include prefix="..." file="{member.file}"/>'
                raise _at(f"{member.file} is an assembly, not a body", path, member.origin, hint)
            name = prefix + member.name
            if name in bodies:
                raise _at(f"a second body {name}", path, member.origin, "choose another name or prefix")
            bodies[name] = body
            if member.pose is not None and not prefix:
                # What an included assembly says of its own axes is no place in this one.
                model.placed[name] = member.pose
            places[f"body {name}"] = str(path), _line(member.origin)
        for inclusion in assembly.inclusions:
            found = self._referred(inclusion.file, "assembly", path, inclusion.origin)
            if found.resolve() in above or len(above) > DEEPEST:
                raise _at(f"{inclusion.file} includes itself", path, inclusion.origin, "an assembly cannot hold itself")
            inner = self.read(found)
            if not isinstance(inner, Assembly):
                hint = f'use <body name="..." file="{inclusion.file}"/>'
                raise _at(f"{inclusion.file} is a body, not an assembly", path, inclusion.origin, hint)
            self._add(model, inner, found, prefix + inclusion.prefix, (*above, found.resolve()))
        for constraint in assembly.constraints:
            model.constraints.append(_prefixed(constraint, prefix))
            places[f"constraint {prefix}{constraint.name}"] = str(path), _line(constraint.origin)
        model.places = places

    def _referred(self, file: str, kind: str, by: Path, origin: Origin | None) -> Path:
        beside = (by.parent / file, by.parent.parent / FOLDERS[kind] / file)
        found = [path for path in (*beside, *self._in_roots(file, kind)) if self._is_there(path)]
        # An assembly and the body at its heart often have the same name, in folders beside each other.
        wanted = Body if kind == "body" else Assembly
        if found:
            return next((path for path in found if isinstance(self.read(path), wanted)), found[0])
        known = {path.name for root in self.roots for path in _xml_in(root / FOLDERS[kind])}
        hint = did_you_mean(file, sorted(known)) or f"put it beside this file or into models/{FOLDERS[kind]}/"
        raise _at(f"there is no {kind} file {file}", by, origin, hint)

    def _is_there(self, path: Path) -> bool:
        return path.is_file()

    def _in_roots(self, file: str, kind: str) -> Iterator[Path]:
        return (root / FOLDERS[kind] / file for root in self.roots)


def load_model(name: str | Path, roots: Iterable[Path] | None = None) -> Model:
    """By path, or by name in the models that ship and those of $STUDIO_PATH."""
    library = Library(roots)
    return library.load(library.find(str(name)))


def _prefixed(constraint: Constraint, prefix: str) -> Constraint:
    if not prefix:
        return constraint
    start, end = (FrameName(prefix + end.body, end.frame) for end in (constraint.start, constraint.end))
    joint = constraint.joint and replace(prefixed_mimic(constraint.joint, prefix), name=prefix + constraint.joint.name)
    return replace(constraint, name=prefix + constraint.name, start=start, end=end, joint=joint)


def _at(message: str, path: Path, origin: Origin | None, hint: str) -> StudioError:
    return GeometryError(message, file=path, line=_line(origin), hint=hint)


def _line(origin: Origin | None) -> int | None:
    return origin.line if origin is not None else None


def _xml_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.xml")) if folder.is_dir() else []


def _bytes_now(path: Path) -> bytes | None:
    try:
        return read_bytes(path)
    except FileError:
        return None
