"""Where a project is to be: a folder that is made then, so there is no file to be chosen."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QDir
from PyQt6.QtWidgets import QDialog, QFileDialog, QLineEdit, QWidget

from studio.editor.look.typed_names import keep_to_names

_Label = QFileDialog.DialogLabel


class FolderDialog(QFileDialog):
    """Its words are those of a project, not of a file that would be saved under a name."""

    def __init__(self, parent: QWidget, title: str, proposal: Path, verb: str) -> None:
        super().__init__(parent, title, str(proposal.parent))
        self.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        self.setFileMode(QFileDialog.FileMode.AnyFile)
        self.setFilter(QDir.Filter.AllDirs | QDir.Filter.NoDotAndDotDot)
        self.setNameFilter("Folders (*)")
        self.setLabelText(_Label.LookIn, "Location:")
        self.setLabelText(_Label.FileName, "Name:")
        self.setLabelText(_Label.FileType, "Shown:")
        self.setLabelText(_Label.Accept, verb)
        self.selectFile(proposal.name)
        field = self.findChild(QLineEdit, "fileNameEdit")
        if field is not None:  # the dialog of the platform, where there is one, has none of ours
            keep_to_names(field, keeps_folders=True)


def ask_new_folder(parent: QWidget, title: str, proposal: Path, verb: str) -> Path | None:
    """None if nobody wants it any more."""
    dialog = FolderDialog(parent, title, proposal, verb)
    accepted = dialog.exec() == QDialog.DialogCode.Accepted
    chosen = dialog.selectedFiles() if accepted else []
    dialog.deleteLater()
    return Path(chosen[0]) if chosen else None
