"""One page: Markdown with pictures of the theme, in lines that can be read; files of text and pictures as they are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from PyQt6.QtCore import Qt, QTimer, QUrl, pyqtSignal
from PyQt6.QtGui import (
    QBrush,
    QColor,
    QDesktopServices,
    QKeyEvent,
    QPixmap,
    QResizeEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextLength,
    QTextTable,
)
from PyQt6.QtWidgets import QFrame, QTextBrowser

from studio.editor.help.contents import slug, title_of
from studio.editor.look.fonts import code_font
from studio.editor.look.theme import Theme

TWO_PICTURES = re.compile(r'<picture>.*?<img alt="([^"]*)"\s+src="([^"]*)">\s*</picture>', re.DOTALL)
"""As pages write a picture that is another one in the dark, which Qt does not know."""
PICTURES = frozenset({".png", ".jpg", ".jpeg", ".svg", ".gif", ".webp"})
LINE_PX = 780
"""Longest line: one that is longer is hard to follow back to the next."""
EDGE_PX = 28
MOST_BYTES = 2_000_000
GAP_PX = 9
_Resource = QTextDocument.ResourceType


class HelpBrowser(QTextBrowser):
    turned = pyqtSignal()
    """Another page is shown."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.file: Path | None = None
        self.title = ""
        self._before: list[tuple[Path, int]] = []
        self._after: list[tuple[Path, int]] = []
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setAccessibleName("Page")
        self.anchorClicked.connect(self._follow)
        self._shown_at = 0
        """The width that the page was set for."""
        self._resized = QTimer(self)
        self._resized.setSingleShot(True)
        self._resized.setInterval(120)
        self._resized.timeout.connect(self.show_again)

    # ---- going from page to page

    @property
    def can_go_back(self) -> bool:
        return bool(self._before)

    @property
    def can_go_forward(self) -> bool:
        return bool(self._after)

    def go_to(self, file: Path, fragment: str = "") -> None:
        if self.file is not None and self.file != file:
            self._before.append((self.file, self._height()))
            self._after.clear()
        self._show(file, fragment=fragment)

    def back(self) -> None:
        self._turn(self._before, self._after)

    def forward(self) -> None:
        self._turn(self._after, self._before)

    def _turn(self, take: list[tuple[Path, int]], give: list[tuple[Path, int]]) -> None:
        if take and self.file is not None:
            give.append((self.file, self._height()))
            file, height = take.pop()
            self._show(file, height=height)

    def _follow(self, url: QUrl) -> None:
        if url.scheme() not in ("", "file"):
            QDesktopServices.openUrl(url)
            return
        file = self._resolved(url) if url.path() else self.file
        if file is not None and file.is_dir():
            file = file / "README.md"
        if file is not None:
            self.go_to(file, url.fragment())

    def _resolved(self, url: QUrl) -> Path:
        assert self.file is not None
        path = Path(url.toLocalFile() or url.path())
        return (self.file.parent / path).resolve()

    # ---- showing one

    def show_again(self) -> None:
        """With another width or theme: pictures are others."""
        if self.file is not None:
            self._show(self.file, height=self._height())

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.show_again()

    def _show(self, file: Path, *, fragment: str = "", height: int = 0) -> None:
        self.file, self._shown_at = file, self.width()
        document = self.document()
        assert document is not None
        document.clear()
        document.setBaseUrl(QUrl.fromLocalFile(str(file)))
        self._fill(document, file)
        self._set_page(document)
        self.moveCursor(QTextCursor.MoveOperation.Start)  # whoever gives it the keyboard would scroll to the end
        bar = self.verticalScrollBar()
        assert bar is not None
        bar.setValue(height)
        if fragment:
            self._scroll_to(fragment)
        self.turned.emit()

    def _fill(self, document: QTextDocument, file: Path) -> None:
        self.title = file.name
        if file.suffix.lower() in PICTURES and file.is_file():
            document.setMarkdown(f"![{file.stem}]({file.name})\n\n{file.stem.replace('_', ' ').capitalize()}")
            return
        try:
            text = _read(file)
        except (OSError, UnicodeDecodeError, ValueError) as error:
            document.setPlainText(f"{file.name} cannot be shown here: {_reason(error)}.")
            return
        if file.suffix == ".md":
            document.setMarkdown(TWO_PICTURES.sub(r"![\1](\2)", text))
            self.title = title_of(text) or file.name
        else:
            document.setPlainText(text)
            letters = QTextCharFormat()
            letters.setFont(code_font(12))
            cursor = QTextCursor(document)
            cursor.select(QTextCursor.SelectionType.Document)
            cursor.mergeCharFormat(letters)

    def _set_page(self, document: QTextDocument) -> None:
        """Margins, room between paragraphs, and code in a box."""
        document.setIndentWidth(22)
        document.setDocumentMargin(0)
        block = document.begin()
        while block.isValid():
            self._set_block(block)
            block = block.next()
        self._set_margins()
        for frame in _tables(document):
            shape = frame.format()
            shape.setCellPadding(5)
            shape.setBorderCollapse(True)
            shape.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
            shape.setTopMargin(GAP_PX)
            frame.setFormat(shape)

    def _set_block(self, block: QTextBlock) -> None:
        shape, cursor = block.blockFormat(), QTextCursor(block)
        level = shape.headingLevel()
        if shape.hasProperty(QTextFormat.Property.BlockCodeLanguage.value) or shape.nonBreakableLines():
            shape.setNonBreakableLines(False)
            shape.setProperty(QTextFormat.Property.BackgroundBrush, QBrush(QColor(self.theme.header)))
            cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
            letters = QTextCharFormat()
            letters.setFont(code_font(12))
            cursor.mergeCharFormat(letters)
        elif level:
            shape.setTopMargin(26 if level == 2 else 18)
            shape.setBottomMargin(6)
        elif cursor.currentTable() is None:
            shape.setTopMargin(4 if block.textList() else GAP_PX)
            shape.setLineHeight(128, 1)  # per cent
        QTextCursor(block).setBlockFormat(shape)

    def _set_margins(self) -> None:
        document = self.document()
        root = document.rootFrame() if document is not None else None
        assert root is not None
        side = max(EDGE_PX, (self.width() - LINE_PX) // 2)
        shape = root.frameFormat()
        shape.setLeftMargin(side)
        shape.setRightMargin(side)
        shape.setTopMargin(EDGE_PX - 8)
        shape.setBottomMargin(2 * EDGE_PX)
        root.setFrameFormat(shape)

    def _scroll_to(self, fragment: str) -> None:
        document = self.document()
        block = document.begin() if document is not None else QTextBlock()
        while block.isValid():
            if block.blockFormat().headingLevel() and slug(block.text()) == fragment.casefold():
                bar, layout = self.verticalScrollBar(), document.documentLayout() if document is not None else None
                assert bar is not None and layout is not None
                bar.setValue(int(layout.blockBoundingRect(block).top()) - EDGE_PX)
                return
            block = block.next()

    def _height(self) -> int:
        bar = self.verticalScrollBar()
        return bar.value() if bar is not None else 0

    def room(self) -> int:
        """For a picture, beside the scroll bar: that comes and goes while a page is filled."""
        bar = self.verticalScrollBar()
        assert bar is not None
        return max(120, min(LINE_PX, self.width() - 2 * EDGE_PX) - bar.sizeHint().width())

    def loadResource(self, kind: int, name: QUrl) -> Any:
        if kind != _Resource.ImageResource.value or self.file is None:
            return super().loadResource(kind, name)
        file = self._resolved(name)
        dark = file.with_stem(f"{file.stem}_dark")
        picture = QPixmap(str(dark if self.theme.name == "dark" and dark.is_file() else file))
        ratio, room = self.devicePixelRatioF(), self.room()
        if picture.width() > room * ratio:
            picture = picture.scaledToWidth(round(room * ratio), Qt.TransformationMode.SmoothTransformation)
            picture.setDevicePixelRatio(ratio)
        return picture

    # ---- Qt

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        if self.width() != self._shown_at:
            self._resized.start()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        is_alt = event.modifiers() == Qt.KeyboardModifier.AltModifier
        if event.key() == Qt.Key.Key_Backspace or (is_alt and event.key() == Qt.Key.Key_Left):
            self.back()
        elif is_alt and event.key() == Qt.Key.Key_Right:
            self.forward()
        else:
            super().keyPressEvent(event)


def _read(file: Path) -> str:
    data = file.read_bytes()
    if len(data) > MOST_BYTES or b"\0" in data[:4096]:
        raise ValueError("it is not a text")
    return data.decode()


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    return "it is not a text"


def _tables(document: QTextDocument) -> list[QTextTable]:
    root = document.rootFrame()
    return [frame for frame in (root.childFrames() if root is not None else []) if isinstance(frame, QTextTable)]
