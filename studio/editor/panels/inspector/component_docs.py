"""What a component's README says, for a panel that is narrower than the page it was written for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from PyQt6.QtCore import QUrl, pyqtSignal
from PyQt6.QtGui import QDesktopServices, QTextCharFormat, QTextCursor, QTextDocument, QTextFormat
from PyQt6.QtWidgets import QFrame, QTextBrowser

from studio.model.spec import ComponentSpec

README = "README.md"
GAP, INDENT, CODE_PX = 7, 16, 11
_CODE = QTextFormat.Property.UserProperty.value


class ComponentDocs(QTextBrowser):
    page_wanted = pyqtSignal(Path)
    """A file to read in help: the whole README, or one that it names."""

    def __init__(self, spec: ComponentSpec | None) -> None:
        super().__init__()
        self.setOpenLinks(False)
        self.anchorClicked.connect(self._follow)
        self._folder = spec.folder if spec else None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setStyleSheet("background: transparent; padding: 6px;")
        self.setAccessibleName("Documentation")
        readme = spec.folder / README if spec and spec.folder else None
        if readme is not None and readme.is_file():
            text = narrowed(readme.read_text(encoding="utf-8", errors="replace"))
            self.setMarkdown(f"{text}\n\n[Open as a page]({README})\n")
            document = self.document()
            assert document is not None
            _set_for_a_panel(document)
        else:
            self.setPlainText(spec.doc if spec else "")

    def _follow(self, url: QUrl) -> None:
        if url.scheme() not in ("", "file"):
            QDesktopServices.openUrl(url)
        elif self._folder is not None:
            self.page_wanted.emit((self._folder / (url.toLocalFile() or url.path())).resolve())


def narrowed(text: str) -> str:
    """Without the title, which stands above; headings as bold lines, and tables as lists: columns would be a few
    letters wide."""
    parts: list[str] = []
    is_code = False
    for is_table, lines in groupby(text.splitlines(), key=lambda line: line.lstrip().startswith("|")):
        if is_table and not is_code:
            parts += _listed(list(lines))
            continue
        for line in lines:
            is_code ^= line.startswith("```")
            parts.append(line if is_code else _heading(line))
    while parts and not parts[0].strip():
        parts.pop(0)
    return "\n".join(parts)


def _heading(line: str) -> str:
    if line.startswith("# "):
        return ""
    return f"\n**{line.lstrip('#').strip()}**\n" if line.startswith("##") else line


def _listed(rows: list[str]) -> Iterator[str]:
    """The first cell of each row in bold, then the others that have something in them."""
    head, *body = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in rows]
    yield f"**{head[0].capitalize()}s**\n" if head[0] else ""
    for first, *others in body[1:]:
        yield f"- **{first}** " + " · ".join(each for each in others if each)


def _set_for_a_panel(document: QTextDocument) -> None:
    """Room between paragraphs, little before lists. Lines of code go on below, in small letters: a panel that has to be
    scrolled sideways is not read."""
    document.setIndentWidth(INDENT)
    block = document.begin()
    while block.isValid():
        shape, cursor = block.blockFormat(), QTextCursor(block)
        is_code, goes_on = shape.nonBreakableLines(), block.previous().blockFormat().hasProperty(_CODE)
        if is_code:
            shape.setNonBreakableLines(False)
            shape.setProperty(_CODE, True)
            cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
            letters = QTextCharFormat()
            letters.setProperty(QTextFormat.Property.FontPixelSize, CODE_PX)
            cursor.mergeCharFormat(letters)
        shape.setTopMargin(0 if block == document.begin() or (is_code and goes_on) else GAP)
        cursor.setBlockFormat(shape)
        block = block.next()
