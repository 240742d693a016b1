"""The examples on the first page: each with its canvas as it will open, its name and what it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QRect, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFontMetrics, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QFrame

from studio.editor.look.fonts import text_font, width_of
from studio.editor.look.theme import Theme
from studio.errors import StudioError
from studio.paths import came_with_studio, project_roots

if TYPE_CHECKING:
    from studio.model.loaded_project import LoadedProject

PICTURE = QSize(340, 150)
TILE_WIDTHS = (236, 340)
EDGE, WORDS_AT, TWO_LINES = 11, 31, 43
WRAPPED = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop
FIRST = "first_steps"
A_COPY = "Examples are not changed: Save makes your own copy"


class Clickable(QFrame):
    """Something as large as a button that a click or Enter chooses."""

    chosen = pyqtSignal(Path)

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(f"Open {path.name}")

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.pos()):
            self.choose()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        if event is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.choose()
        else:
            super().keyPressEvent(event)

    def choose(self) -> None:
        self.chosen.emit(self.path)


class Tile(Clickable):
    """An example: its canvas as it will open, its name and what it is."""

    worded = pyqtSignal()
    """Its words are known now."""

    def __init__(self, path: Path, theme: Theme) -> None:
        super().__init__(path)
        self.theme = theme
        self.setFixedHeight(PICTURE.height() + WORDS_AT + TWO_LINES)
        self.setMinimumWidth(TILE_WIDTHS[0])
        self.setMaximumWidth(TILE_WIDTHS[1])
        self.words, self.size_words = "", ""
        self.picture: QImage | None = None
        self.is_example = came_with_studio(path)
        self.is_first = self.is_example and path.name == FIRST
        """Where everybody should begin."""
        self.setToolTip(A_COPY if self.is_example else f"Your own, saved where it is: {path}")

    def height_for(self, width: int) -> int:
        """With all of its words, and room for two lines at least."""
        room = QRect(0, 0, width - 2 * EDGE, 10_000)
        needed = QFontMetrics(text_font(12)).boundingRect(room, int(WRAPPED), self.words).height()
        return PICTURE.height() + WORDS_AT + max(TWO_LINES, needed + 9)

    def draw(self, read: LoadedProject | StudioError) -> None:
        from studio.editor.canvas.scene.export import picture_of
        from studio.editor.canvas.scene.scene import CanvasScene
        from studio.editor.project.session import Session

        if isinstance(read, StudioError):
            self.words = f"Cannot be opened: {read.message}"
            self.worded.emit()
            self.update()
            return
        session = Session(read)
        ratio = max(1.0, self.devicePixelRatioF())
        self.picture = picture_of(CanvasScene(session, self.theme), PICTURE * ratio)
        self.picture.setDevicePixelRatio(ratio)
        self.words = " ".join(session.system.doc.split())
        count = len(session.system.nodes)
        counted = f"{count} component{'' if count == 1 else 's'}"
        self.size_words = "start here" if self.is_first else counted if self.is_example else "your own"
        session.close()
        self.worded.emit()
        self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        theme = self.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(theme.panel))
        painter.fillRect(0, 0, self.width(), PICTURE.height(), QColor(theme.canvas))
        if self.picture is not None:
            self._paint_picture(painter, self.picture)
        painter.setPen(QPen(QColor(theme.border), 1))
        painter.drawLine(0, PICTURE.height(), self.width(), PICTURE.height())
        painter.setFont(text_font(13, 600))
        painter.setPen(QColor(theme.text))
        at = PICTURE.height()
        painter.drawText(11, at + 22, self.path.name)
        painter.setFont(text_font(12))
        painter.setPen(QColor(theme.muted))
        if width_of(self.path.name, 13, 600) + width_of(self.size_words, 12) + 34 <= self.width():
            painter.drawText(self.rect().adjusted(0, at + 8, -11, 0), int(Qt.AlignmentFlag.AlignRight), self.size_words)
        painter.drawText(self.rect().adjusted(EDGE, at + WORDS_AT, -EDGE, -3), int(WRAPPED), self.words)
        active = self.hasFocus() or self.underMouse()
        colour = theme.focus if active else theme.accent if self.is_first else theme.control_border
        painter.setPen(QPen(QColor(colour), 2 if active or self.is_first else 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), 5, 5)

    def _paint_picture(self, painter: QPainter, picture: QImage) -> None:
        """In the middle, as large as the tile is wide."""
        scale = min(1.0, self.width() / PICTURE.width())
        width, height = PICTURE.width() * scale, PICTURE.height() * scale
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        area = QRectF((self.width() - width) / 2, (PICTURE.height() - height) / 2, width, height)
        painter.drawImage(area, picture)


def read_example(folder: Path) -> LoadedProject | StudioError:
    from studio.editor.project.session import read_project  # brings the model, which must not delay the first paint

    return read_project(folder)


def example_projects() -> list[Path]:
    """`first_steps` first: it is where everybody should begin. What is the user's own stands behind the examples."""
    found = {file.parent.name: file.parent for root in project_roots() for file in root.glob("*/system.xml")}
    return sorted(found.values(), key=lambda folder: (not came_with_studio(folder), folder.name != FIRST, folder.name))


def heading_of(folders: list[Path]) -> tuple[str, str]:
    """Title of the tiles, and what is said beside it: of what is the user's own no copy is made."""
    examples = sum(came_with_studio(folder) for folder in folders)
    if examples == len(folders):
        return "Examples", "open one, look around, change it: what you save is a copy of your own"
    if not examples:
        return "Projects", "open one, look around, change it"
    return "Examples and your own", "of an example, what you save is a copy; your own are saved where they are"
