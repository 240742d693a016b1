"""Code of a component that other projects use, too: it is saved as a copy in the user's own project.

The copy takes the place of the original there, because a project finds its own components first.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PyQt6.QtWidgets import QMessageBox

from studio.editor.code.ports import WithCode
from studio.editor.ports import WithStatus, WithWidget
from studio.editor.project.ports import WithCommands, WithLive, WithProject
from studio.errors import StudioError
from studio.model.component_copy import copy_component
from studio.paths import shared_component
from studio.runtime.client.trust import trust_component

if TYPE_CHECKING:
    from studio.editor.code.code_page import CodePage

COMPONENTS = "components"


class Needs(WithCode, WithCommands, WithLive, WithProject, WithStatus, WithWidget, Protocol):
    """What is taken from the window."""


def place_in_copy(path: Path, folder: Path) -> Path | None:
    """Where a file of an example, or of a component that came with Studio, lies in a copy of the example."""
    root = folder.resolve()
    if path.is_relative_to(root):
        return path.relative_to(root)
    component = shared_component(path)
    return Path(COMPONENTS, component.name, path.relative_to(component)) if component is not None else None


def prepare_copy(path: Path, copy: Path) -> None:
    """Before a changed file of a component that came with Studio is written into a copy: the rest of its folder."""
    component = shared_component(path)
    if component is not None:
        trust_component(copy, copy_component(component, copy.resolve() / COMPONENTS))


class SharedCode:
    """What happens when the code of a shared component is saved in a project of the user's own."""

    def __init__(self, window: Needs) -> None:
        self.window = window
        self.changeable: set[Path] = set()
        """Components that the user wants to change for all projects, until the window is closed."""

    def save(self, page: CodePage) -> bool | None:
        """Whether it was saved as a copy; None if it may be saved where it is."""
        component = shared_component(page.file.path)
        if component is None or component in self.changeable or not self.window.has_session:
            return None
        match self._ask(component.name):
            case "copy":
                return self._save_copy(page, component)
            case "change":
                self.changeable.add(component)
                return None
        self.window.status.say(f"Not saved: other projects use {component.name}, too")
        return False

    def _ask(self, name: str) -> str:
        project = self.window.session.name
        box = QMessageBox(self.window.widget)
        box.setWindowTitle(f"Save a copy of {name}?")
        box.setText(f"Other projects use {name}, too.")
        box.setInformativeText(
            f"A copy in {project} gets your changes, and {project} uses it from now on. The original does not change."
        )
        copy = box.addButton(f"Copy into {project}", QMessageBox.ButtonRole.AcceptRole)
        change = box.addButton("Change it for all projects", QMessageBox.ButtonRole.DestructiveRole)
        box.addButton("Cancel", QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(copy)
        box.exec()
        return "copy" if box.clickedButton() is copy else "change" if box.clickedButton() is change else ""

    def _save_copy(self, page: CodePage, component: Path) -> bool:
        window, folder = self.window, self.window.session.folder
        line, path = page.editor.line, page.file.path
        try:
            target = copy_component(component, folder / COMPONENTS)
            page.file.write_copy(target / path.relative_to(component), page.editor.text())
            trust_component(folder, target)
        except StudioError as error:
            window.status.say(f"Not saved: {error}", trouble=True)
            return False
        page.editor.setModified(False)
        window.code.close(page.key)
        window.window_commands.rescan()
        window.code.open_at(target / path.relative_to(component), line)
        running = "; Restart the system to use it" if window.live.control.is_up else ""
        window.status.say(f"Saved in {COMPONENTS}/{component.name} of {window.session.name}{running}")
        return True
