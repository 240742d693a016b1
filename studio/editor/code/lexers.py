"""Colours of code, for a file by its name and a theme: few, so that what matters stands out."""

from __future__ import annotations

from pathlib import Path

from PyQt6.Qsci import (
    QsciLexer,
    QsciLexerBash,
    QsciLexerCPP,
    QsciLexerJSON,
    QsciLexerMakefile,
    QsciLexerMarkdown,
    QsciLexerPython,
    QsciLexerXML,
    QsciLexerYAML,
)
from PyQt6.QtCore import QObject
from PyQt6.QtGui import QColor, QFont, QGuiApplication

from studio.editor.look.fonts import code_font
from studio.editor.look.theme import Theme

SIZE = 13


class Python(QsciLexerPython):
    def keywords(self, which: int) -> str:
        if which == 2:
            return "self cls"
        found: str = super().keywords(which)
        # The library's list is older than these words.
        return f"{found} True False None async await nonlocal match case type" if which == 1 and found else found


LEXERS: dict[str, type[QsciLexer]] = {
    ".py": Python, ".pyi": Python,
    ".c": QsciLexerCPP, ".h": QsciLexerCPP, ".cc": QsciLexerCPP, ".cpp": QsciLexerCPP, ".hpp": QsciLexerCPP,
    ".xml": QsciLexerXML, ".xsd": QsciLexerXML, ".urdf": QsciLexerXML, ".sdf": QsciLexerXML,
    ".json": QsciLexerJSON, ".yaml": QsciLexerYAML, ".yml": QsciLexerYAML,
    ".sh": QsciLexerBash, ".mk": QsciLexerMakefile, ".md": QsciLexerMarkdown,
}  # fmt: skip

_WORDS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("comment",), "muted"),
    (("quoted", "string", "character", "cdata"), "fine"),
    (("highlighted identifier", "keyword", "tag", "entity"), "accent"),
    (("number", "decorator", "pre-processor", "preprocessor"), "warning"),
    (("class", "function", "attribute", "property", "heading", "header"), "inactive"),
)
"""What a style is called, and the token of its colour; the first that fits counts."""


def scintilla_font(size_px: int) -> QFont:
    """QScintilla knows points only, and takes a font in pixels for one of no size."""
    font = QFont(code_font(size_px))
    screen = QGuiApplication.primaryScreen()
    font.setPointSizeF(size_px * 72.0 / (screen.logicalDotsPerInchY() if screen is not None else 96.0))
    return font


def lexer_for(path: Path, theme: Theme, parent: QObject) -> QsciLexer | None:
    """None for plain text."""
    kind = QsciLexerMakefile if path.name == "Makefile" else LEXERS.get(path.suffix.lower())
    if kind is None:
        return None
    lexer = kind(parent)
    paint(lexer, theme)
    return lexer


def paint(lexer: QsciLexer, theme: Theme) -> None:
    lexer.setDefaultFont(scintilla_font(SIZE))
    lexer.setDefaultPaper(QColor(theme.code))
    lexer.setDefaultColor(QColor(theme.text))
    for style in range(128):
        name = (lexer.description(style) or "").casefold()
        token = next((token for words, token in _WORDS if any(word in name for word in words)), "text")
        lexer.setColor(QColor(getattr(theme, token)), style)
        lexer.setPaper(QColor(theme.code), style)
        lexer.setFont(scintilla_font(SIZE), style)
