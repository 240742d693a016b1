"""New component: asks what it is, makes it, puts its card on the canvas and opens its code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PyQt6.QtCore import QObject, QPointF

from studio.editor.canvas.items.card import Port
from studio.editor.canvas.ports import WithCanvas
from studio.editor.code.source_view import Needs as SourceNeeds
from studio.editor.new_component.draft import Row, port_types, typed_name
from studio.editor.ports import WithTheme, WithWidget
from studio.editor.project.ports import WithCommands, WithFiles
from studio.errors import StudioError
from studio.model.parts import Wire

if TYPE_CHECKING:
    from studio.editor.new_component.dialog import NewComponentDialog, Place

COMPONENTS = "components"
HANDLER = "    def on_"


class Needs(SourceNeeds, WithCanvas, WithCommands, WithFiles, WithTheme, WithWidget, Protocol):
    """What is taken from the window."""


class NewComponent(QObject):
    def __init__(self, window: Needs) -> None:
        super().__init__(window.widget)
        self.window = window
        self.dialog: NewComponentDialog | None = None

    def ask(
        self, at: QPointF | None = None, name: str = "", port: Port | None = None, into: Sequence[Wire] = ()
    ) -> NewComponentDialog:
        """`at`: the middle of its card, without one where there is room. `port`: it will be wired to this one."""
        from studio.editor.new_component.dialog import NewComponentDialog  # brings QScintilla, for its preview

        window = self.window
        types = port_types(window.session.opened.types)
        dialog = NewComponentDialog(window.widget, window.theme, types, self._places(), self._why_not)
        inputs, outputs = self._fitting(port)
        dialog.begin_with(typed_name(name), inputs, outputs)
        dialog.create_wanted.connect(lambda: self._create(dialog, at, port, into))
        dialog.finished.connect(dialog.deleteLater)
        self.dialog = dialog
        dialog.open()
        return dialog

    def _places(self) -> list[Place]:
        from studio.editor.new_component.dialog import Place
        from studio.runtime.scaffold.creation import shared_components

        window = self.window
        project, folder = window.session.name, window.session.folder
        if window.files.is_example:
            title = f"A copy of {project} (Studio asks for its folder)"
            tip = f"{project} is an example and stays as it came: Studio saves a copy of your own first"
        else:
            title, tip = f"This project, {project}", str(folder / COMPONENTS)
        shared = shared_components()
        for_all = "Shared, for all projects"
        hint = "No folder for shared components can be written: name one of your own in $STUDIO_PATH"
        return [
            Place(title, tip, folder / COMPONENTS, f"{folder.name}/{COMPONENTS}"),
            Place(for_all, str(shared) if shared else hint, shared, COMPONENTS),
        ]

    def _why_not(self, name: str, components: Path) -> str:
        if (components / name).exists():
            return f"There is a component {name} already"
        known = self.window.session.registry.profile(name)
        if known is not None and components.parent != self.window.session.folder:
            return f"There is a component {name} already, in {known.parent.parent}"
        return ""

    def _fitting(self, port: Port | None) -> tuple[list[Row], list[Row]]:
        """The port that a wire needs when the user lets it go on the ground."""
        if port is None or port.is_service:
            return [], []
        row = Row(port.end.port, port.type)
        return ([row], []) if port.side == "out" else ([], [row])

    def _create(self, dialog: NewComponentDialog, at: QPointF | None, port: Port | None, into: Sequence[Wire]) -> None:
        from studio.runtime.client.trust import trust_component
        from studio.runtime.scaffold.creation import create_component

        window, is_own = self.window, dialog.places.index(dialog.place) == 0
        if is_own and window.files.is_example and not window.files.ask_copy():
            return
        components = window.session.folder / COMPONENTS if is_own else dialog.place.components
        assert components is not None, "a place that cannot be chosen was chosen"
        new = dialog.draft().described()
        try:
            folder = create_component(new, components)
            if is_own:
                trust_component(window.session.folder, folder)
        except StudioError as error:
            dialog.whole.setText(str(error))
            return
        window.code.shared.changeable.add(folder.resolve())  # who has just made it need not be asked
        dialog.accept()
        window.window_commands.rescan()
        window.canvas.commands.add(new.name, at, port, into)
        self._open_code(folder / f"{new.name}.py")
        window.status.say(f"Created {new.name}. Undo removes the card; the files stay")

    def _open_code(self, file: Path) -> None:
        from studio.editor.code.source_view import open_source

        lines = file.read_text(encoding="utf-8").splitlines()
        first = next((number for number, line in enumerate(lines, 1) if line.startswith(HANDLER)), 0)
        open_source(self.window, file, first + 1 if first else 1)
