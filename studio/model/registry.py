"""What components exist. Reads profiles and nothing else: no component code ever runs because it was found."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path

from studio.errors import Problem, Severity, StudioError
from studio.model.close_matches import did_you_mean
from studio.model.component_code import CodeError, NotBuilt, check_code
from studio.model.component_xml import entry_line, profile_lines, read_profile_with_warnings
from studio.model.entry_points import entry_point_folders
from studio.model.spec import CATEGORIES, PROFILE, Category, ComponentSpec


class Registry:
    """The components of a search path. Profiles are read when first asked for: running a system of five components
    does not wait for the five hundred that are installed."""

    def __init__(self, profiles: Mapping[str, Path], problems: Iterable[Problem] = ()) -> None:
        self._profiles = dict(profiles)
        self._found_problems = tuple(problems)
        self._specs: dict[str, ComponentSpec | None] = {}
        self._profile_problems: dict[str, list[Problem]] = {}

    @classmethod
    def scan(cls, roots: Iterable[Path], *, entry_points: bool = True) -> Registry:
        """Everything in `roots` (see studio.paths.component_roots), the first root wins; then what is installed."""
        finder = _Finder()
        for root in roots:
            finder.add_root(root)
        for found in entry_point_folders() if entry_points else ():
            if isinstance(found, Problem):
                finder.problems.append(found)
            else:
                finder.add_root(found)
        return cls(finder.profiles, finder.problems)

    def get(self, type_name: str, /) -> ComponentSpec | None:
        """The spec of a type; None if there is none or its profile is broken (then `problems` says why)."""
        if type_name not in self._specs and type_name in self._profiles:
            self._read(type_name)
        return self._specs.get(type_name)

    def require(self, type_name: str) -> ComponentSpec:
        """As get, but what stands in the way is raised: the fault of the profile, or that there is no such type."""
        spec = self.get(type_name)
        if spec is not None:
            return spec
        for problem in self._profile_problems.get(type_name, ()):
            raise StudioError(problem.message, file=problem.file, line=problem.line, hint=problem.hint)
        raise StudioError(f"there is no component {type_name!r}", hint=did_you_mean(type_name, sorted(self._profiles)))

    def specs(self) -> list[ComponentSpec]:
        """All components with a sound profile, by name."""
        return [spec for name in sorted(self._profiles) if (spec := self.get(name)) is not None]

    def types(self) -> list[str]:
        return [spec.type for spec in self.specs()]

    @property
    def problems(self) -> list[Problem]:
        """What is wrong with the search path and with each profile; reads the profiles that have not been read."""
        self.specs()
        of_profiles = (self._profile_problems[name] for name in sorted(self._profiles))
        return [*self._found_problems, *chain.from_iterable(of_profiles)]

    def profile(self, type_name: str) -> Path | None:
        """The component.xml of a type, sound or not."""
        return self._profiles.get(type_name)

    def by_category(self) -> dict[Category, list[ComponentSpec]]:
        """Every category, also those without a component, in the order in which data flows."""
        return {name: [spec for spec in self.specs() if spec.category == name] for name in CATEGORIES}

    def search(self, text: str) -> list[ComponentSpec]:
        """Components in which every word of `text` occurs, the best match first; all of them for no words. A word as
        `#laser` has to begin one of their tags."""
        words = [part for word in text.casefold().split() for part in _words(word)]
        ranked = [(_rank(spec, words), spec) for spec in self.specs()]
        hits = [(rank, spec.type, spec) for rank, spec in ranked if rank is not None]
        return [spec for _, _, spec in sorted(hits, key=lambda hit: hit[:2])]

    def check_types(self, names: Iterable[str], only: Container[str] | None = None) -> list[Problem]:
        """A problem for each port whose message type is not among `names`; `only` these components are looked at."""
        known = sorted(names)
        specs = [spec for spec in self.specs() if only is None or spec.type in only]
        return [problem for spec in specs for problem in self._unknown_types(spec, known)]

    def check_code(self, only: Container[str] | None = None) -> list[Problem]:
        """A problem for each component whose code is not there or cannot be what its profile says; runs none of it."""
        specs = [spec for spec in self.specs() if only is None or spec.type in only]
        return [problem for spec in specs for problem in self._faulty_code(spec)]

    def _faulty_code(self, spec: ComponentSpec) -> Iterator[Problem]:
        try:
            check_code(spec, entry_line(self._profiles[spec.type]))
        except CodeError as error:
            # What only has to be built does not make the system wrong.
            severity: Severity = "warning" if isinstance(error, NotBuilt) else "error"
            yield Problem(error.message, severity, error.file, error.line, error.hint, spec.type)

    def _unknown_types(self, spec: ComponentSpec, known: list[str]) -> Iterator[Problem]:
        path = self._profiles[spec.type]
        for name, type_name in _message_types(spec):
            if type_name not in known:
                yield Problem(
                    f"there is no message type {type_name}",
                    file=str(path),
                    line=profile_lines(path).get(name),
                    hint=did_you_mean(type_name, known),
                    subject=f"{spec.type}.{name}",
                )

    def _read(self, type_name: str) -> None:
        try:
            spec, problems = read_profile_with_warnings(self._profiles[type_name])
        except StudioError as error:
            spec, problems = None, Problem.all_from(error)
        self._specs[type_name] = spec
        self._profile_problems[type_name] = problems


class _Finder:
    """Collects profiles root by root. A component's folder has the name of its type, so nothing has to be read."""

    def __init__(self) -> None:
        self.profiles: dict[str, Path] = {}
        self.problems: list[Problem] = []

    def add_root(self, root: Path) -> None:
        """`root` holds component folders, or is one itself."""
        if (root / PROFILE).is_file():
            self._add(root)
            return
        try:
            folders = sorted(entry.name for entry in os.scandir(root) if entry.is_dir())
        except OSError as error:
            message = f"components cannot be searched: {error.strerror}"
            self.problems.append(Problem(message, "warning", str(root), hint="correct the search path"))
            return
        for name in folders:
            self._add(root / name)

    def _add(self, folder: Path) -> None:
        path, first = folder / PROFILE, self.profiles.get(folder.name)
        if not path.is_file():
            self._note_missing(folder)
        elif first is None:
            self.profiles[folder.name] = path
        elif not path.samefile(first):
            message = f"component {folder.name} exists twice; this one is not used"
            hint = f"{first} comes first; rename or remove one of the two"
            self.problems.append(Problem(message, "warning", str(path), hint=hint, subject=folder.name))

    def _note_missing(self, folder: Path) -> None:
        if (folder / f"{folder.name}.py").is_file():
            message = f"{folder.name} has no {PROFILE}, so it cannot be used"
            hint = f"write it: studio profile {folder}"
            self.problems.append(Problem(message, "warning", str(folder), hint=hint, subject=folder.name))


def _message_types(spec: ComponentSpec) -> Iterator[tuple[str, str]]:
    for port in spec.ports:
        yield port.name, port.type
    for service in spec.services:
        yield from ((service.name, service.request), (service.name, service.reply))


def _words(word: str) -> list[str]:
    """`low_pass` is two words; a tag is one, whatever is in it."""
    return [word] if word.startswith("#") else word.replace("_", " ").split()


def _rank(spec: ComponentSpec, words: list[str]) -> int | None:
    """How far down a reader would find the words, the name on top; None if a word occurs nowhere."""
    short, _, rest = spec.doc.partition("\n")
    types = " ".join(type_name for _, type_name in _message_types(spec))
    name = spec.type.replace("_", " ")
    places = [place.casefold() for place in (name, " ".join(spec.tags), short, types, spec.category, rest)]
    tags = [f"#{tag.casefold()}" for tag in spec.tags]
    ranks = [
        (2 if any(tag.startswith(word) for tag in tags) else None)
        if word.startswith("#")
        else next((rank for rank, place in enumerate(places, 1) if word in place), None)
        for word in words
    ]
    starts = sum(places[0].startswith(word) for word in words)
    return None if None in ranks else sum(rank for rank in ranks if rank is not None) - starts
