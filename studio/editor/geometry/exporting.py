"""The vehicle for other programs: URDF, SDF or MJCF, as it is in the window now."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PyQt6.QtWidgets import QFileDialog

from studio.editor.ports import WithStatus, WithWidget
from studio.editor.project.leaving import is_sure
from studio.editor.project.ports import WithFiles
from studio.errors import StudioError
from studio.model.files import read_bytes
from studio.model.geometry.generated import is_untouched, marked, write_generated

if TYPE_CHECKING:
    from studio.editor.geometry.document import GeometryDocument
    from studio.model.geometry.assembly import Model

FOR = {"urdf": "ROS", "sdf": "Gazebo", "mjcf": "MuJoCo"}
ENDINGS = {"urdf": ".urdf", "sdf": ".sdf", "mjcf": ".mjcf.xml"}


class Needs(WithFiles, WithStatus, WithWidget, Protocol):
    """What is taken from the window."""


def export_vehicle(window: Needs, document: GeometryDocument, kind: str) -> None:
    """Asks for a place, and before it overwrites what another program made."""
    main = document.workspace.main
    suggestion = window.files.own_place() / f"{main.stem}{ENDINGS[kind]}"
    title, what = f"Export {kind.upper()} for {FOR[kind]}", f"{kind.upper()} (*{ENDINGS[kind]})"
    name, _ = QFileDialog.getSaveFileName(
        window.widget, title, str(suggestion), what, options=QFileDialog.Option.DontUseNativeDialog
    )
    if not name:
        return
    path = Path(name) if Path(name).suffix else Path(f"{name}{ENDINGS[kind]}")
    try:
        text, notes = made_of(document.workspace.assembled.model, kind)
        overwrite = path.exists() and not is_untouched(read_bytes(path))
        if overwrite and not is_sure(
            window.widget, f"{path.name} was edited by hand. Overwrite it?", "Overwrite", "Keep it"
        ):
            return
        write_generated(path, marked(text, main.name), overwrite=overwrite)
    except StudioError as error:
        window.status.say(f"Not exported: {error}", trouble=True)
        return
    left_out = f"; {len(notes)} notes: {'; '.join(notes)}" if notes else ""
    window.status.say(f"Wrote {path}{left_out}", stays=bool(notes))


def made_of(model: Model, kind: str) -> tuple[str, list[str]]:
    """The text without an XML declaration, and what the format cannot say."""
    if kind == "mjcf":
        from studio.runtime.sim.physics.mjcf import to_mjcf  # brings MuJoCo

        return to_mjcf(model), []
    from studio.model.geometry.sdf import to_sdf
    from studio.model.geometry.urdf import to_urdf

    made = to_urdf(model) if kind == "urdf" else to_sdf(model)
    return made.text, list(made.notes)
