"""A place in a source file: in the editor that the user has chosen, or as a document of the window."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PyQt6.QtCore import QProcess

from studio.editor.code.ports import WithCode
from studio.editor.ports import WithSettings, WithStatus
from studio.editor.project.ports import WithProject, WithSystemText
from studio.model.parts import Component
from studio.model.sources import LiveProvider, Source
from studio.model.spec import PythonEntry

if TYPE_CHECKING:
    from studio.model.spec import ComponentSpec

FILE, LINE = "{file}", "{line}"
ENDINGS = (".c", ".cpp", ".cc", ".rs", ".py", ".sh")
_MAIN = re.compile(r"^(int\s+main\s*\(|fn\s+main\s*\(|if __name__ ==)", re.MULTILINE)


class Needs(WithCode, WithProject, WithSettings, WithStatus, WithSystemText, Protocol):
    """What is taken from the window."""


def open_source(window: Needs, file: Path, line: int = 1) -> None:
    """Show a line of a file; tells in the window why, if it cannot."""
    if not file.is_file():
        window.status.say(f"{file} is not on this computer", trouble=True)
        return
    command = window.settings.editor_command
    if command:
        _start_editor(window, command, file, line)
    elif window.has_session and file.resolve() == window.session.opened.project.system_file.resolve():
        window.system_text.open(line)  # the canvas shows this text: another editor of it would be a second truth
    else:
        window.code.open_at(file, line)


def open_component(window: Needs, name: str) -> None:
    """The code of a component on the canvas; of a data source that of the component that provides its data."""
    node = window.session.system.nodes.get(name)
    if isinstance(node, Source):
        provider = node.provider(node.mode)
        if not isinstance(provider, LiveProvider) or not provider.components:
            window.status.say(f"{name} has no code: no component provides its data", trouble=True)
            return
        node = provider.components[0]
    type_name = node.type if isinstance(node, Component) else ""
    spec = window.session.registry.get(type_name)
    file = source_of(spec) if spec is not None else None
    if file is None:
        window.status.say(f"The code of {name} is missing: {type_name} is not installed", trouble=True)
        return
    open_source(window, file)


def source_of(spec: ComponentSpec) -> Path | None:
    """The file to look into: the module of a Python component, the main source of a program, or its profile."""
    if spec.folder is None:
        return None
    if isinstance(spec.entry, PythonEntry):
        module = spec.folder / f"{spec.entry.module.replace('.', '/')}.py"
        return module if module.is_file() else _profile(spec.folder)
    return main_source(spec.folder, spec.type, spec.entry.command) or _profile(spec.folder)


def main_source(folder: Path, type_name: str, command: Sequence[str]) -> Path | None:
    """The source of a program: the one that its command starts, or has the name of the program or of the component, or
    is called main; otherwise the one that defines `main`."""
    named = [folder / word for word in command if Path(word).suffix in ENDINGS]
    sources = sorted(path for path in folder.iterdir() if path.suffix in ENDINGS)
    programs = [Path(word).stem for word in command[:1]]
    for stem in (*programs, type_name, "main"):
        named += [path for path in sources if path.stem == stem]
    named += [path for path in sources if _MAIN.search(path.read_text(encoding="utf-8", errors="replace"))]
    return next((path for path in (*named, *sources) if path.is_file()), None)


def _profile(folder: Path) -> Path | None:
    file = folder / "component.xml"
    return file if file.is_file() else None


def editor_words(command: str, file: Path, line: int) -> list[str]:
    """The user's command with the place in it; without a mark for the file, that comes last."""
    words = [word.replace(FILE, str(file)).replace(LINE, str(line)) for word in shlex.split(command)]
    return words if FILE in command else [*words, str(file)]


def _start_editor(window: Needs, command: str, file: Path, line: int) -> None:
    try:
        program, *words = editor_words(command, file, line)
    except ValueError as error:
        window.status.say(f"The editor command in the preferences cannot be read: {error}", trouble=True)
        return
    started, _ = QProcess.startDetached(program, words)
    if not started:
        window.status.say(f"{program} cannot be started: see the editor command in the preferences", trouble=True)
