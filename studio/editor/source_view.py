"""A place in a source file: in the editor that the user has chosen, or to look at in a window of its own."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QProcess, Qt
from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout

from studio.editor.fonts import code_font
from studio.editor.theme import Theme
from studio.model.spec import CommandEntry, PythonEntry

if TYPE_CHECKING:
    from studio.editor.main_window import MainWindow
    from studio.model.spec import ComponentSpec

FILE, LINE = "{file}", "{line}"


def open_source(window: MainWindow, file: Path, line: int = 1) -> None:
    """Show a line of a file; tells in the window why, if it cannot."""
    if not file.is_file():
        window.status.say(f"{file} is not on this computer", trouble=True)
        return
    command = window.settings.editor_command
    if command:
        _start_editor(window, command, file, line)
    else:
        SourceDialog(window, file, line).show()


def open_component(window: MainWindow, name: str) -> None:
    """The code of a component on the canvas."""
    node = window.session.system.nodes.get(name)
    spec = window.session.registry.get(getattr(node, "type", ""))
    file = source_of(spec) if spec is not None else None
    if file is None:
        window.status.say(f"{name} has no source here: its type is not installed or is a source", trouble=True)
        return
    open_source(window, file)


def source_of(spec: ComponentSpec) -> Path | None:
    """The file to look into: the module of a Python component, the largest source of a program, or its profile."""
    if spec.folder is None:
        return None
    if isinstance(spec.entry, PythonEntry):
        module = spec.folder / f"{spec.entry.module.replace('.', '/')}.py"
        return module if module.is_file() else _profile(spec.folder)
    if isinstance(spec.entry, CommandEntry):
        sources = [path for ending in ("c", "cpp", "cc", "rs", "py", "sh") for path in spec.folder.glob(f"*.{ending}")]
        if sources:
            return max(sources, key=lambda path: path.stat().st_size)
    return _profile(spec.folder)


def _profile(folder: Path) -> Path | None:
    file = folder / "component.xml"
    return file if file.is_file() else None


def editor_words(command: str, file: Path, line: int) -> list[str]:
    """The user's command with the place in it; without a mark for the file, that comes last."""
    words = [word.replace(FILE, str(file)).replace(LINE, str(line)) for word in shlex.split(command)]
    return words if FILE in command else [*words, str(file)]


def _start_editor(window: MainWindow, command: str, file: Path, line: int) -> None:
    try:
        program, *words = editor_words(command, file, line)
    except ValueError as error:
        window.status.say(f"The editor command in the preferences cannot be read: {error}", trouble=True)
        return
    started, _ = QProcess.startDetached(program, words)
    if not started:
        window.status.say(f"{program} cannot be started: see the editor command in the preferences", trouble=True)


class SourceDialog(QDialog):
    """Read only: changes belong into an editor."""

    def __init__(self, window: MainWindow, file: Path, line: int) -> None:
        super().__init__(window)
        from PyQt6.Qsci import QsciLexerPython, QsciScintilla  # only for those who look at code

        self.setWindowTitle(f"{file.name}:{line}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(860, 620)
        theme, ground = window.theme, QColor(window.theme.code)
        page = QsciScintilla()
        page.setAccessibleName(file.name)
        page.setText(file.read_text(encoding="utf-8", errors="replace"))
        lexer = QsciLexerPython(page) if file.suffix == ".py" else None
        if lexer is not None:
            lexer.setDefaultFont(code_font(13))
            lexer.setFont(code_font(13), -1)
            lexer.setPaper(ground, -1)
            lexer.setColor(QColor(theme.text), -1)
            for colour, styles in _colours(theme).items():
                for style in styles:
                    lexer.setColor(QColor(colour), style)
            page.setLexer(lexer)
        else:
            page.setFont(code_font(13))
            page.setPaper(ground)
            page.setColor(QColor(theme.text))
        page.setReadOnly(True)
        page.setMarginsFont(code_font(12))
        page.setMarginWidth(0, " 00000")
        page.setMarginLineNumbers(0, True)
        page.setMarginsBackgroundColor(QColor(theme.header))
        page.setMarginsForegroundColor(QColor(theme.muted))
        page.setMarginWidth(1, 0)
        page.setCaretForegroundColor(QColor(theme.text))
        page.setCaretLineVisible(True)
        page.setCaretLineBackgroundColor(QColor(theme.selection))
        page.setTabWidth(4)
        self.page = page
        path = QLabel(str(file))
        path.setProperty("role", "muted")
        path.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        choose = QPushButton("Choose an editor…")
        choose.setToolTip("A command that opens files, in the preferences")
        choose.clicked.connect(self.close)
        choose.clicked.connect(lambda: window.trigger("edit.preferences"))
        below = QHBoxLayout()
        below.addWidget(path, 1)
        below.addWidget(choose)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.addWidget(page, 1)
        layout.addLayout(below)
        page.setCursorPosition(max(0, line - 1), 0)
        page.ensureLineVisible(max(0, line - 1))


def _colours(theme: Theme) -> dict[str, tuple[int, ...]]:
    """Which of the lexer's styles have which colour: few, so that what matters stands out."""
    comments, strings, keywords, names = (1, 12), (3, 4, 6, 7, 13, 16, 17, 18, 19), (5,), (8, 9, 15)
    return {theme.muted: comments, theme.fine: strings, theme.accent: keywords, theme.inactive: names}
