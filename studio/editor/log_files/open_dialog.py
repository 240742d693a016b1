"""Where a log is to play: as the senses of the open project, or by itself."""

from __future__ import annotations

from PyQt6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from studio.editor.log_files.log_facts import LogFacts

CANCEL, ALONE, PROJECT = 0, 1, 2


class OpenLogDialog(QDialog):
    """Ends with CANCEL, ALONE or PROJECT."""

    def __init__(self, parent: QWidget, facts: LogFacts, project: str, feeds: list[str], why_not: str) -> None:
        """`feeds`: the sources that it would feed; without any, `why_not`."""
        super().__init__(parent)
        self.setWindowTitle("Where should this log play?")
        self.setFixedWidth(500)
        title = QLabel(facts.path.name)
        title.setStyleSheet("font-size: 15px; font-weight: 600;")
        what = QLabel(facts.words)
        what.setProperty("role", "muted")
        self.notes = QLabel("\n".join(f"{note}." for note in facts.notes))
        self.notes.setWordWrap(True)
        self.notes.setProperty("role", "muted")
        self.notes.setVisible(bool(facts.notes))
        if feeds:
            words = (
                f"In {project} it takes the place of {', '.join(feeds)}; your components compute their results again."
            )
        else:
            words = f"{project} cannot use it: {why_not}."
        into = QLabel(words)
        into.setWordWrap(True)
        self.cancel, self.alone = QPushButton("Cancel"), QPushButton("Open it alone")
        self.alone.setToolTip("Closes the project and plays the log for viewers alone")
        self.project = QPushButton(f"Play it in {project}")
        self.project.setEnabled(bool(feeds))
        chosen = self.project if feeds else self.alone
        chosen.setProperty("primary", "true")
        chosen.setDefault(True)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        for button, result in ((self.cancel, CANCEL), (self.alone, ALONE), (self.project, PROJECT)):
            button.clicked.connect(lambda _, result=result: self.done(result))
            buttons.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 14)
        layout.setSpacing(10)
        for widget in (title, what, self.notes, into):
            layout.addWidget(widget)
        layout.addLayout(buttons)
        chosen.setFocus()
