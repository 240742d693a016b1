"""What a component's README says, for a panel that is narrower than the page it was written for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from PyQt6.QtGui import QTextCursor, QTextDocument
from PyQt6.QtWidgets import QFrame, QTextBrowser

from studio.model.spec import ComponentSpec

README = "README.md"


class ComponentDocs(QTextBrowser):
    def __init__(self, spec: ComponentSpec | None) -> None:
        super().__init__()
        self.setOpenExternalLinks(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setStyleSheet("background: transparent; padding: 6px;")
        self.setAccessibleName("Documentation")
        readme = spec.folder / README if spec and spec.folder else None
        if readme is not None and readme.is_file():
            self.setMarkdown(narrowed(readme.read_text(encoding="utf-8", errors="replace")))
            document = self.document()
            assert document is not None
            _break_code(document)
        else:
            self.setPlainText(spec.doc if spec else "")


def narrowed(text: str) -> str:
    """Without the title, which stands above; headings as bold lines, and tables as lists: columns would be a few
    letters wide."""
    parts = []
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


def _break_code(document: QTextDocument) -> None:
    """Lines of code go on below: a panel that has to be scrolled sideways is not read."""
    block = document.begin()
    while block.isValid():
        shape = block.blockFormat()
        if shape.nonBreakableLines():
            shape.setNonBreakableLines(False)
            cursor = QTextCursor(block)
            cursor.setBlockFormat(shape)
        block = block.next()
