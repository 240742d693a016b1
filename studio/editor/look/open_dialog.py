"""One dialog for all that can be opened. A project is a folder; logs, vehicles and worlds are files."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Literal

from PyQt6.QtWidgets import QDialog, QFileDialog, QWidget

Sort = Literal["project", "log", "vehicle", "text"]
SYSTEM = "system.xml"
ENDINGS = (".mcap", ".bag", ".db3", ".log", ".clf", ".gz", ".txt", ".zstd")
"""Of logs."""
BAGS = (".db3", ".mcap")
MODELS = (".xml", ".sdf", ".world", ".urdf", ".xacro")
TEXTS = (*MODELS, ".md", ".py", ".toml", ".yaml", ".json", ".msg")
FILTERS = (
    f"Everything that Studio opens ({SYSTEM} {' '.join(f'*{ending}' for ending in (*ENDINGS, *MODELS))} metadata.yaml)",
    f"Projects ({SYSTEM})",
    f"Logs ({' '.join(f'*{ending}' for ending in ENDINGS)} metadata.yaml)",
    "Vehicles and worlds (*.xml *.sdf *.world *.urdf *.xacro)",
    "All files (*)",
)


_ROOT = re.compile(rb"<(assembly|body)[\s/>]|<sdf[\s>][^<]*<(world)[\s/>]")
WORLDS = (".sdf", ".world")
_NO_ROOT = re.compile(rb"<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>]*>", re.DOTALL)
HEAD = 16_384
"""Bytes in which the first element of a file is; comments may come before it."""


def model_kind(path: Path) -> str:
    """`assembly`, `body` or `world`, by the first element of the file; empty if it is none of them."""
    if path.suffix.lower() not in (".xml", *WORLDS) or not path.is_file():
        return ""
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD)
    except OSError:
        return ""
    found = _ROOT.match(_NO_ROOT.sub(b"", head).lstrip(b"\xef\xbb\xbf \t\r\n"))
    return (found[1] or found[2]).decode() if found is not None else ""


def sort_of(path: Path) -> Sort | None:
    """What opening it means; None if it is nothing that Studio opens."""
    if path.name == SYSTEM or os.path.isfile(path / SYSTEM):
        return "project"
    if path.is_dir():
        try:
            names = os.listdir(path)
        except OSError:  # somebody else's
            return None
        return "log" if "metadata.yaml" in names or any(name.endswith(BAGS) for name in names) else None
    if path.name == "metadata.yaml" or path.name.lower().endswith(ENDINGS):
        return "log"
    if model_kind(path):
        return "vehicle"
    return "text" if path.suffix.lower() in TEXTS else None


class OpenDialog(QFileDialog):
    def __init__(self, parent: QWidget, folder: Path) -> None:
        super().__init__(parent, "Open a project, log, vehicle or world", str(folder))
        self.setOption(QFileDialog.Option.DontUseNativeDialog)  # that of a platform takes a folder or a file, not both
        self.setFileMode(QFileDialog.FileMode.ExistingFile)
        self.setNameFilters(list(FILTERS))

    def accept(self) -> None:
        """A folder that is a project or a bag is opened; any other is looked into."""
        chosen = [Path(name) for name in self.selectedFiles()]
        if len(chosen) == 1 and chosen[0].is_dir() and sort_of(chosen[0]) is not None:
            self.done(QDialog.DialogCode.Accepted)
        else:
            super().accept()


def ask_what_to_open(parent: QWidget, folder: Path) -> Path | None:
    dialog = OpenDialog(parent, folder)
    accepted = dialog.exec() == QDialog.DialogCode.Accepted
    chosen = dialog.selectedFiles() if accepted else []
    dialog.deleteLater()
    return Path(chosen[0]) if chosen else None


def ask_for_vehicle(parent: QWidget, folder: Path) -> Path | None:
    """An assembly, a body or a world."""
    name, _ = QFileDialog.getOpenFileName(
        parent, "Open vehicle or world", str(folder), "Vehicles and worlds (*.xml *.sdf *.world);;All files (*)",
        options=QFileDialog.Option.DontUseNativeDialog,
    )  # fmt: skip
    return Path(name) if name else None


def file_filter(path: Path) -> str:
    """For a dialog that saves such a file."""
    return "Worlds (*.sdf *.world)" if path.suffix.lower() in WORLDS else "Vehicles and bodies (*.xml)"
