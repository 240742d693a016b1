"""Run test and Update ports: for the component whose code is in front, or whose card is selected."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PyQt6.QtCore import QObject
from PyQt6.QtWidgets import QPushButton

from studio.editor.base.deferred import Beside
from studio.editor.canvas.ports import WithCanvas
from studio.editor.code.ports import WithCode
from studio.editor.code.source_view import source_of
from studio.editor.component_tests.runner import code_around, has_tests
from studio.editor.ports import WithSidePanels, WithStatus, WithTheme, WithWidget
from studio.editor.project.ports import WithCommands, WithFiles, WithProject
from studio.editor.project.trust_dialog import TrustDialog
from studio.errors import StudioError
from studio.model.declared_names import outdated_names
from studio.model.spec import PROFILE
from studio.paths import shared_component
from studio.runtime.base.interpreter import module_command, own_environment

if TYPE_CHECKING:
    from studio.editor.code.code_page import CodePage
    from studio.editor.component_tests.panel import Tests


class Needs(
    WithCanvas,
    WithCode,
    WithCommands,
    WithFiles,
    WithProject,
    WithSidePanels,
    WithStatus,
    WithTheme,
    WithWidget,
    Protocol,
):
    """What is taken from the window."""


class TestController(QObject):
    __test__ = False  # pytest would collect it for its name

    def __init__(self, window: Needs) -> None:
        super().__init__(window.widget)
        self.window = window
        window.code.opened.connect(self._offer)
        window.code.saved.connect(self._saved_code)

    def _offer(self, page: CodePage) -> None:
        """Beside the name of a file that belongs to a component with a test."""
        folder = component_of(page.file.path)
        if folder is not None and has_tests(folder):
            button = QPushButton("Run test")
            button.setToolTip(f"Save, and run the test of {folder.name} (Ctrl+Shift+T)")
            button.clicked.connect(lambda: self.run(folder))
            page.offer(button)

    def _saved_code(self, file: Path) -> None:
        """Ports or parameters were added to the code, or taken out: the card can follow."""
        page, folder = self.window.code.pages.get(str(file)), component_of(file)
        spec = self.window.session.registry.get(folder.name) if folder is not None and self.window.has_session else None
        if page is None or spec is None or spec.folder is None or file != (source_of(spec) or file).resolve():
            return
        names = outdated_names(page.editor.text(), spec)
        if names and page.notice.isHidden():
            page.notice.ask(
                f"The code and the card of {spec.type} have different ports or parameters: {', '.join(names)}.",
                {"Update the card": self.update_profile, "Not now": lambda: None},
            )

    def folder(self) -> Path | None:
        """Of the component whose code has the keyboard or is in front, or of the one that is selected."""
        page = self.window.code.current
        found = component_of(page.file.path) if page is not None else None
        if found is not None:
            return found
        chosen = self.window.canvas.canvas.selected_nodes()
        node = self.window.session.system.nodes.get(chosen[0]) if len(chosen) == 1 else None
        spec = self.window.session.registry.get(getattr(node, "type", ""))
        return spec.folder if spec is not None else None

    def run(self, folder: Path | None = None) -> None:
        folder = folder or self.folder()
        if folder is None:
            self.window.status.say("Select a component, or open its code, to run its test", trouble=True)
        elif not has_tests(folder):
            self.window.status.say(
                f"{folder.name} has no test: write test_{folder.name}.py beside its code", trouble=True
            )
        elif (saved := self._saved(folder)) is not None and self._may_run(
            saved, code_around(saved, self.window.session.folder)
        ):
            panel: Tests = self.window.side_panels.show("tests")
            panel.start(saved)

    def update_profile(self) -> None:
        """Write component.xml from the class; the canvas shows its ports and parameters then."""
        folder = self.folder()
        if folder is None or not (folder / PROFILE).is_file():
            self.window.status.say("Select a component, or open its code, to update its ports", trouble=True)
        elif not self._is_own(folder):
            self.window.status.say(
                f"{folder.name} came with Studio: change and save its code to get a copy", trouble=True
            )
        elif (saved := self._saved(folder)) is not None and self._may_run(saved):
            Beside(lambda: _write_profile(saved), lambda found: self._updated(saved, found), self)

    def _updated(self, folder: Path, found: bool | StudioError) -> None:
        from studio.runtime.client.trust import trust_component

        if isinstance(found, StudioError):
            self.window.status.say(f"Not updated: {found}", trouble=True)
            return
        if found:
            project = self.window.session.folder
            if folder.resolve().is_relative_to(project.resolve()):
                trust_component(project, folder)  # its entry may be another one now, and it was allowed to run
            self.window.window_commands.rescan()
        words = "now matches its code" if found else "is already up to date"
        self.window.status.say(f"The card of {folder.name} {words}")

    def _saved(self, folder: Path) -> Path | None:
        """The folder, with what was typed; another one if that was saved as a copy, None if it was not saved."""
        for page in self.window.code.modified:
            if page.file.path.is_relative_to(folder.resolve()) and not page.save():
                return None
        spec = self.window.session.registry.get(folder.name)
        return spec.folder if spec is not None and spec.folder is not None else folder

    def _is_own(self, folder: Path) -> bool:
        shared = shared_component(folder)
        if shared is not None:
            return shared in self.window.code.shared.changeable
        return not self.window.files.is_example

    def _may_run(self, folder: Path, for_tests: Iterable[Path] = ()) -> bool:
        """A test runs the code of its component: the same question as before Run."""
        from studio.runtime.client.trust import commands_in, is_trusted, place_in, trust

        window = self.window
        owner = window.session.folder
        if place_in(owner, folder) is None:
            spec = window.session.registry.get(folder.name)
            if spec is not None and spec.folder == folder:
                return True  # it ships, is installed or lies on the search path
            owner = folder
        commands = commands_in(owner, [folder], for_tests)
        if is_trusted(owner, commands):
            return True
        asked = TrustDialog(window.widget, window.theme, window.session.name, owner, commands)
        if asked.exec() != TrustDialog.DialogCode.Accepted:
            return False
        trust(owner, commands)
        return True


def component_of(file: Path) -> Path | None:
    """The component's folder that a file lies in."""
    return next((folder for folder in file.parents if (folder / PROFILE).is_file()), None)


def _write_profile(folder: Path) -> bool:
    """In a process of its own: the class is the user's code, which must not end the window."""
    command = module_command("studio", "profile", "--trust", str(folder))
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=own_environment())
    if done.returncode:
        raise StudioError((done.stderr or done.stdout).strip().removeprefix("studio: "))
    return done.stdout.startswith("wrote")
