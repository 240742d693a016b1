"""One open vehicle: an assembly and the body files that it uses, or one body by itself, as one document with undo.
A world is such a document, too: its model has a body for each obstacle.

    workspace = Workspace.load(Path("models/assemblies/raptor.xml"))
    workspace.do(MoveConstraint("camera_mount", pose))                 # an edit of the file that was opened
    workspace.do(MoveFrame("ScanOrigin", pose), body="LeftLaser")  # of the file of this body
    workspace.do_all("Rename frame A to B", [On(edit), On(other, file)])  # several files, one step of undo
    workspace.undo()

All edits of all files are one history, in the order in which the user made them. An edit that would break the vehicle
is refused with a StudioError and changes nothing.

What the vehicle is now: `workspace.assembled.model` (plain values: bodies by full name, constraints) and
`workspace.assembled.transforms` (where everything is). A body that no edit has touched is the same object as before,
so `is` tells what to draw again. Where a text names a body file that cannot be read, `assembled` stays what was valid
last and `workspace.trouble` says why; otherwise `trouble` is None.

Listeners hear of every edit, undo and redo after it happened:

    end = workspace.listen(lambda changed: redraw(changed.files))      # `end()` ends it

Text: `text(file)` is what saving would write, `saved_text(file)` what is on disk; `write_text(text, file)` makes a text
that the user typed the content of the file as one edit, or returns what is wrong with it and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from studio.errors import Problem, StudioError
from studio.model.changes import Change, Model, Within
from studio.model.document import Document, OpenFile
from studio.model.files import FileError, read_bytes, write_atomically
from studio.model.geometry import assembly as assemblies
from studio.model.geometry.assembly import Assembly
from studio.model.geometry.assembly_xml import read_assembly
from studio.model.geometry.body import Body
from studio.model.geometry.body_xml import read_body
from studio.model.geometry.editable import (
    EditableAssembly,
    EditableBody,
    write_editable_assembly,
    write_editable_body,
)
from studio.model.geometry.editable_world import EditableWorld, write_editable_world
from studio.model.geometry.edits import FollowFrame, RenameFrame
from studio.model.geometry.library import FOLDERS, Library
from studio.model.geometry.rotations import GeometryError
from studio.model.geometry.rules import check_model
from studio.model.geometry.shapes import Mesh
from studio.model.geometry.transforms import Transforms
from studio.model.geometry.world import Heightmap, World, world_model
from studio.model.geometry.world_includes import WorldIncludes
from studio.model.geometry.world_vehicles import WorldVehicles
from studio.model.geometry.world_xml import read_world
from studio.model.history import Edit
from studio.model.text_changes import lines_now
from studio.model.xml_file import parse_hardened
from studio.paths import model_roots

Editable = EditableBody | EditableAssembly | EditableWorld
Written = Body | Assembly | World
WorldCheck = Callable[[bytes, Path], list[Problem]]
"""What a simulator says about the text of a world."""


@dataclass(frozen=True)
class Assembled:
    """The vehicle with everything that its files name."""

    model: assemblies.Model
    transforms: Transforms


@dataclass(frozen=True)
class Changed:
    """What an edit, an undo, a redo or a save has changed."""

    files: frozenset[Path]
    changes: tuple[Change, ...] = ()
    """Each is a `Within`; its part is the key of a file."""


@dataclass(frozen=True)
class On:
    """An edit and the file that it is for; None is the file that was opened."""

    edit: Edit[Any]
    file: Path | None = None


@dataclass(frozen=True)
class Home:
    """Where a body or a constraint of the vehicle is written."""

    file: Path
    """The assembly file with its element."""
    name: str
    """Its name there, without the prefixes of what includes that file."""


class _Part:
    """One file and its model."""

    def __init__(self, path: Path, model: Editable) -> None:
        self.path = path
        self.model = model
        self._value: Written | None = None
        self._text: tuple[bytes, bytes] | None = None
        """What was written from which text."""

    def value(self) -> Written:
        """As it is now; the same object until it changes."""
        if self._value is None:
            self._value = replace(self._made(), file=str(self.path))
        return self._value

    def _made(self) -> Written:
        match self.model:
            case EditableBody() as body:
                return body.body()
            case EditableWorld() as world:
                return world.world()
            case EditableAssembly() as assembly:
                return assembly.assembly()

    def forget_value(self) -> None:
        self._value = self._text = None

    def write(self, base: bytes) -> bytes:
        """Several panels ask after each edit: it is made once."""
        if self._text is None or self._text[0] != base:
            self._text = base, self._write(base)
        return self._text[1]

    def _write(self, base: bytes) -> bytes:
        match self.model:
            case EditableBody() as body:
                return write_editable_body(body, base)
            case EditableWorld() as world:
                return write_editable_world(world, base)
            case EditableAssembly() as assembly:
                return write_editable_assembly(assembly, base)


class _Files(Model):
    """The models of all files as one, so that one history does them all."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: dict[Hashable, _Part] = {}

    def perform(self, change: Change) -> None:
        if not isinstance(change, Within):
            raise TypeError(f"{change} belongs to no file")
        part = self.parts[change.part]
        part.forget_value()
        part.model.perform(change.change)
        self._note(change)

    def edit(self, key: Hashable, edit: Edit[Any]) -> None:
        part = self.parts[key]
        with part.model.transaction() as journal:
            edit.apply(part.model)
        part.forget_value()
        for change in journal:
            self._note(Within(key, change))

    def _note(self, change: Change) -> None:
        if self._journal is not None:
            self._journal.append(change)


@dataclass(frozen=True)
class _Steps:
    """Edits of several files as one; `check` raises what must not be."""

    label: str
    merge_key: Hashable | None
    steps: tuple[tuple[Hashable, Edit[Any]], ...]
    check: Callable[[], object]

    def apply(self, files: _Files, /) -> None:
        for key, edit in self.steps:
            files.edit(key, edit)
        self.check()


@dataclass(frozen=True)
class WriteText:
    """A file becomes what the user has typed."""

    name: str
    text: bytes
    value: Written
    """What was read from the text."""

    merge_key = None

    @property
    def label(self) -> str:
        return f"Edit {self.name}"

    def apply(self, model: Any, /) -> None:
        model.take_text(self.value, self.text)


class _OpenLibrary(Library):
    """Reads files that are open as they are now, and opens each other one that it reads."""

    def __init__(self, workspace: Workspace, roots: Iterable[Path]) -> None:
        super().__init__(roots)
        self.workspace = workspace
        self.homes: dict[tuple[str, str], Home] = {}

    def read(self, path: Path) -> Body | Assembly:
        part = self.workspace._part_at(path)
        if part is None:
            data = read_bytes(path)
            part = self.workspace._open(path, self._parse(data, path), data)
        value = part.value()
        assert not isinstance(value, World)  # nothing names a world
        return value

    def _is_there(self, path: Path) -> bool:
        """Also a file that is open and was deleted on disk meanwhile: saving writes it again."""
        return super()._is_there(path) or self.workspace._part_at(path) is not None

    def _add(
        self, model: assemblies.Model, assembly: Assembly, path: Path, prefix: str, above: tuple[Path, ...]
    ) -> None:
        for member in assembly.members:
            self.homes["body", prefix + member.name] = Home(path.resolve(), member.name)
        for inclusion in assembly.inclusions:
            self.homes["include", prefix + inclusion.prefix] = Home(path.resolve(), inclusion.prefix)
        for constraint in assembly.constraints:
            self.homes["constraint", prefix + constraint.name] = Home(path.resolve(), constraint.name)
        super()._add(model, assembly, path, prefix, above)


class Workspace:
    def __init__(self, main: Path, value: Written, data: bytes, on_disk: bytes | None, roots: list[Path]) -> None:
        """Use `load` or `new`."""
        self._files = _Files()
        self._open_files: dict[Hashable, OpenFile[_Files]] = {}
        self._document: Document[_Files] = Document(self._files, main.parent, [])
        self._roots = roots
        self._vehicles, self._included = WorldVehicles(roots), WorldIncludes()
        self.check_world: WorldCheck = lambda text, file: []
        """Set by who knows a simulator."""
        self._listeners: list[Callable[[Changed], object]] = []
        self._checked: tuple[Assembled, dict[tuple[str, str], Home]] | None = None
        """What the edit that is being done makes of the vehicle."""
        self.trouble: StudioError | None = None
        """Why the files as they are now make no vehicle; `assembled` is what was valid last then."""
        self._main = self._open(main, value, data, on_disk=on_disk)
        self.assembled, self._homes = self._assemble()
        self.history.listen(self._changed)

    @classmethod
    def load(cls, path: Path, roots: Iterable[Path] | None = None) -> Workspace:
        """An assembly or body file with all that it names, or a world. `roots`: folders of models, as of the open
        project."""
        library = Library(roots)
        data = read_bytes(path)
        value = read_world(data, path) if parse_hardened(data, path).tag == "sdf" else library.read(path)
        return cls(path.resolve(), value, data, data, library.roots)

    @classmethod
    def new(cls, path: Path, text: bytes, roots: Iterable[Path] | None = None) -> Workspace:
        """A file that is not on disk before it is saved; `text` is what it says at first."""
        value = _read_text(text, path)
        return cls(path.resolve(), value, text, None, list(model_roots() if roots is None else roots))

    # ---- editing

    def do(self, edit: Edit[Any], *, body: str = "", file: Path | None = None) -> bool:
        """On the file that was opened, on that of the body with this name in the vehicle, or on any open file.

        False if it changes nothing. StudioError if the model or the vehicle does not allow it.
        """
        return self.do_all(edit.label, [On(edit, self.file_of(body) if body else file)], merge_key=edit.merge_key)

    def do_all(
        self,
        label: str,
        edits: Sequence[On],
        *,
        merge_key: Hashable | None = None,
        new_files: Mapping[Path, bytes] | None = None,
    ) -> bool:
        """Several edits, also of several files, as one step of undo. `new_files`: those that the edits name and that
        are not on disk: saving writes them, unless the step was undone."""
        made = [self._create(path, data) for path, data in (new_files or {}).items()]
        steps = tuple((self._key(each.file), each.edit) for each in edits)
        key = None if merge_key is None else (merge_key, tuple(key for key, _ in steps))
        is_done = False
        try:
            is_done = bool(self.history.do(_Steps(label, key, steps, self._check)))
        finally:
            for part in made if not is_done else ():
                self._forget(part)
        return is_done

    def create(self, path: Path, data: bytes) -> None:
        """A file that is not on disk, for texts that name it already, as after a crash."""
        self._create(path, data)
        self._settle()
        self._tell(Changed(frozenset((path.resolve(),))))

    def rename_frame(self, body: str, old: str, new: str) -> bool:
        """In the body file and in every open assembly that binds this frame, in one step."""
        file = self.file_of(body)
        edits = [On(RenameFrame(old, new), file)]
        for path in self.files():
            value = self.value(path)
            members = value.members if isinstance(value, Assembly) else []
            edits += [On(FollowFrame(each.name, old, new), path) for each in members if self._uses(path, each, file)]
        return self.do_all(f"Rename frame {old} to {new}", edits)

    def undo(self) -> bool:
        return self._document.undo()

    def redo(self) -> bool:
        return self._document.redo()

    @property
    def history(self) -> Any:
        """`undo_label`, `redo_label`, `labels`."""
        return self._document.history

    def listen(self, listener: Callable[[Changed], object]) -> Callable[[], None]:
        """Hears of every edit, undo, redo and save, after it happened. The result ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    # ---- what it holds

    @property
    def main(self) -> Path:
        """The file that was opened."""
        return self._main.path

    @property
    def name(self) -> str:
        """Of the vehicle or body."""
        return self._main.model.name

    @property
    def is_body(self) -> bool:
        """Whether a body was opened by itself. Its name in the vehicle is then its own."""
        return isinstance(self._main.model, EditableBody)

    @property
    def is_world(self) -> bool:
        return isinstance(self._main.model, EditableWorld)

    def world(self) -> World:
        """What the file says, if it is a world."""
        value = self._main.value()
        if not isinstance(value, World):
            raise GeometryError(f"{self.name} is not a world", hint="open an SDF file with <world>")
        return value

    @property
    def vehicles(self) -> WorldVehicles:
        """What starts at the places of a world."""
        return self._vehicles

    @property
    def included(self) -> WorldIncludes:
        """Models of other files in a world."""
        return self._included

    @property
    def roots(self) -> list[Path]:
        """Folders of models in which files are looked for."""
        return list(self._roots)

    def files(self) -> list[Path]:
        """Those that make up the vehicle now, the one that was opened first."""
        used = [home.file for home in self._homes.values()]
        used += [Path(body.file).resolve() for body in self.assembled.model.bodies.values() if body.file]
        return list(dict.fromkeys([self.main, *used]))

    def value(self, file: Path | None = None) -> Written:
        """What one file says now: an Assembly or a Body."""
        return self._files.parts[self._key(file)].value()

    def file_of(self, body: str) -> Path:
        """The file of a body, by its name in the vehicle."""
        if self.is_world:
            return self.main
        found = self.assembled.model.bodies.get(body)
        if found is None or found.file is None:
            raise GeometryError(f"there is no body {body} in {self.name}")
        return Path(found.file).resolve()

    def home(self, kind: str, name: str) -> Home:
        """Where a `body`, an `include` or a `constraint` with this full name is written."""
        if self.is_world:
            return Home(self.main, name)
        found = self._homes.get((kind, name))
        if found is None:
            raise GeometryError(f"there is no {kind} {name} in {self.name}")
        return found

    def bodies_of(self, file: Path) -> list[str]:
        """The bodies of the vehicle that a body file describes: editing it changes all of them."""
        place, bodies = file.resolve(), self.assembled.model.bodies
        return [name for name, body in bodies.items() if body.file and Path(body.file).resolve() == place]

    def problems(self) -> list[Problem]:
        """What the rules say about the vehicle as it is now."""
        trouble = [] if self.trouble is None else Problem.all_from(self.trouble)
        if self.is_world:
            return [*trouble, *self.check_world(self.text(), self.main)]
        return [*trouble, *check_model(self.assembled.model, is_assembly=not self.is_body)]

    # ---- text and files

    def text(self, file: Path | None = None) -> bytes:
        """What saving would write."""
        return self._open_files[self._key(file)].text(self._files)

    def saved_text(self, file: Path | None = None) -> bytes | None:
        """What was read from disk or written to it last; None if there is no such file yet."""
        return self._open_files[self._key(file)].on_disk

    def line_now(self, line: int, file: Path | None = None) -> int | None:
        """Where a line is in `text`, by the number that the parts of the model remember; None if it is not the same
        any more."""
        key = self._key(file)
        read = self._files.parts[key].model.written or self._open_files[key].base
        return lines_now(read, self.text(file)).get(line)

    def texts(self) -> dict[Path, bytes]:
        """Of all files that were opened, also those that an undone edit has brought, if they are on disk."""
        files = self._open_files.items()
        return {self._files.parts[key].path: text for key, file in files if (text := file.text(self._files))}

    def text_errors(self, text: bytes, file: Path | None = None) -> list[Problem]:
        """Why the file cannot become `text`."""
        part = self._files.parts[self._key(file)]
        try:
            _read_text(text, part.path, part.model)
        except StudioError as error:
            return Problem.all_from(error)
        return []

    def write_text(self, text: bytes, file: Path | None = None) -> list[Problem]:
        """The file becomes `text` in one edit. What cannot be read changes nothing: then what is wrong is returned."""
        key = self._key(file)
        part = self._files.parts[key]
        try:
            value = _read_text(text, part.path, part.model)
            self.history.do(
                _Steps(f"Edit {part.path.name}", None, ((key, WriteText(part.path.name, text, value)),), _ok)
            )
        except StudioError as error:
            return Problem.all_from(error)
        return []

    @property
    def is_modified(self) -> bool:
        return self._document.is_modified

    def modified_files(self) -> list[Path]:
        """Those that saving would write."""
        opened = self._open_files.items()
        return [self._files.parts[key].path for key, file in opened if file.is_needed(file.text(self._files))]

    def changed_on_disk(self) -> list[Path]:
        return self._document.changed_on_disk()

    def save(self, *, overwrite: bool = False) -> list[Path]:
        """Write what changed; refuses to overwrite what other programs wrote meanwhile, unless told to."""
        written = self.modified_files()
        for path in written:
            _make_folder(path.parent)
        self._document.save(overwrite=overwrite)
        self._tell(Changed(frozenset(written)))
        return written

    def save_as(self, path: Path) -> list[Path]:
        """To another file, and go on there. Body files that have changed, or that the new file would not find, are
        written beside it; the old files stay as they are on disk."""
        places = self._places_beside(path.resolve())
        for place in places.values():
            if place != path.resolve() and place.exists():
                raise FileError("the file exists already", file=place, hint="choose another folder")
        beside = self._images_and_meshes()
        for key, place in places.items():
            _make_folder(place.parent)
            text = self._open_files[key].text(self._files)
            write_atomically(place, text)
        for name, data in beside.items():
            if not (path.resolve().parent / name).exists():
                _make_folder((path.resolve().parent / name).parent)
                write_atomically(path.resolve().parent / name, data)
        for key, place in places.items():
            file, part = self._open_files[key], self._files.parts[key]
            file.name, file.on_disk, part.path = str(place), file.text(self._files), place
            part.forget_value()
        self._document.folder = self.main.parent
        self.history.mark_clean()
        self._settle()
        self._tell(Changed(frozenset(places.values())))
        return list(places.values())

    def _images_and_meshes(self) -> dict[str, bytes]:
        """What a world names beside its file, by the names that it has there: they go along to another folder."""
        value = self._main.value()
        shapes = [each.shape for model in value.models for each in model.shapes] if isinstance(value, World) else []
        names = {each.file for each in shapes if isinstance(each, Mesh | Heightmap)}
        inside = [name for name in names if "://" not in name and not Path(name).is_absolute() and ".." not in name]
        return {name: read_bytes(file) for name in inside if (file := self.main.parent / name).is_file()}

    # ---- inside

    def _part_at(self, path: Path) -> _Part | None:
        place = path.resolve()
        return next((part for part in self._files.parts.values() if part.path == place), None)

    def _open(self, path: Path, value: Written, data: bytes, on_disk: bytes | None = b"") -> _Part:
        """`on_disk`: another text than `data`; None if there is no file yet."""
        place = path.resolve()
        model = _editable(value)
        part = _Part(place, model)
        key = str(place)
        self._files.parts[key] = part
        file = OpenFile[_Files](str(place), lambda _, base: part.write(base), data, data if on_disk == b"" else on_disk)
        self._open_files[key] = file
        self._document.add_file(file)
        return part

    def _create(self, path: Path, data: bytes) -> _Part:
        """It says nothing, and is not written, while the vehicle does not use it."""
        part = self._open(path, _read_text(data, path), data, on_disk=None)
        file = self._open_files[str(part.path)]

        def write(_: _Files, base: bytes) -> bytes:
            return part.write(base) if file.on_disk is not None or part.path in self.files() else b""

        file.write, file.empty = write, b""
        return part

    def _forget(self, part: _Part) -> None:
        key = next(key for key, each in self._files.parts.items() if each is part)
        del self._files.parts[key]
        self._document.remove_file(self._open_files.pop(key))

    def _key(self, file: Path | None) -> Hashable:
        place = self.main if file is None else file.resolve()
        for key, part in self._files.parts.items():
            if part.path == place:
                return key
        raise GeometryError(f"{place.name} is not a file of {self.name}", file=place)

    def _assemble(self) -> tuple[Assembled, dict[tuple[str, str], Home]]:
        library = _OpenLibrary(self, self._roots)
        value = self._main.value()
        if isinstance(value, World):
            model = world_model(value, self._vehicles, self._included)
        else:
            model = library.load(self.main)
        return Assembled(model, Transforms(model, remembered=1, compiled=False)), library.homes

    def _check(self) -> None:
        """Inside of an edit: what makes no vehicle is refused, unless it made none before."""
        try:
            self._checked = self._assemble()
        except StudioError:
            if self.trouble is None:
                raise

    def _settle(self) -> None:
        checked, self._checked = self._checked, None
        try:
            self.assembled, self._homes = checked or self._assemble()
            self.trouble = None
        except StudioError as error:
            self.trouble = error

    def _changed(self, changes: tuple[Change, ...]) -> None:
        self._settle()
        keys = {change.part for change in changes if isinstance(change, Within)}
        self._tell(Changed(frozenset(self._files.parts[key].path for key in keys), changes))

    def _tell(self, changed: Changed) -> None:
        for listener in list(self._listeners):
            listener(changed)

    def _uses(self, by: Path, member: assemblies.Member, file: Path) -> bool:
        found = _OpenLibrary(self, self._roots)._referred(member.file, "body", by, member.origin)
        return found.resolve() == file.resolve()

    def _places_beside(self, main: Path) -> dict[Hashable, Path]:
        """Where each file goes that has to come along when the main one is written to `main`."""
        places = {self._key(None): main}
        changed = set(self.modified_files())
        library = _OpenLibrary(self, self._roots)
        value = self._main.value()
        if not isinstance(value, Assembly):
            return places
        referred = [("body", each.file, each.origin) for each in value.members]
        referred += [("assembly", each.file, each.origin) for each in value.inclusions]
        for kind, name, origin in referred:
            used = library._referred(name, kind, self.main, origin).resolve()
            try:
                found = library._referred(name, kind, main, origin).resolve()
            except StudioError:
                found = None
            if found != used or used in changed:
                folder = main.parent.parent / FOLDERS[kind] if main.parent.name == "assemblies" else main.parent
                places[self._key(used)] = folder / name
        return places


def _read_text(text: bytes, path: Path, like: Editable | None = None) -> Written:
    kinds = {EditableBody: "body", EditableWorld: "sdf"}
    kind = kinds.get(type(like), "") if like is not None else parse_hardened(text, path).tag
    if kind == "sdf":
        return read_world(text, path)
    return read_body(text, path) if kind == "body" else read_assembly(text, path)


def _editable(value: Written) -> Editable:
    match value:
        case Body():
            return EditableBody(value)
        case World():
            return EditableWorld(value)
        case Assembly():
            return EditableAssembly(value)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot be made: {error.strerror or error}", file=folder) from error


def _ok() -> None:
    """A text may say what makes no vehicle yet."""
