"""The first page: new and open, what was open lately, examples with pictures of the real thing, the guide."""

from __future__ import annotations

import datetime as dt
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import (
    QColor,
    QFontMetrics,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PyQt6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from studio import __version__
from studio.editor.fonts import text_font, width_of
from studio.editor.icons import icon
from studio.editor.later import Beside
from studio.editor.settings import Settings
from studio.editor.theme import Theme
from studio.editor.welcome_learn import Learn
from studio.errors import StudioError
from studio.paths import PACKAGE, project_roots

if TYPE_CHECKING:
    from studio.model.opened import Opened

PICTURE = QSize(340, 150)
TILE_WIDTHS = (236, 340)
SIDE = 352
MARGIN, GAP = 28, 18
GUIDE = PACKAGE.parent / "docs" / "guide"


class Welcome(QWidget):
    new_wanted = pyqtSignal()
    open_wanted = pyqtSignal()
    log_wanted = pyqtSignal()
    project_wanted = pyqtSignal(Path)
    guide_wanted = pyqtSignal(Path)
    keys_wanted = pyqtSignal()

    def __init__(self, settings: Settings, theme: Theme) -> None:
        super().__init__()
        self.settings = settings
        self.theme = theme
        self.tiles: list[Tile] = []
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self._undrawn: list[Tile] = []
        self._draws = False
        self._left: QWidget | None = None
        self._right: QWidget | None = None

    def refresh(self) -> None:
        """Build the page; before that it is empty, because a window that opens with a project never shows it."""
        for old in (self._left, self._right):
            if old is not None:
                self._layout.removeWidget(old)
                old.deleteLater()
        self.tiles = []
        self._left, self._right = self._make_left(), self._make_right()
        self._layout.addWidget(self._left)
        self._layout.addWidget(self._right, 1)
        self._undrawn = list(self.tiles)
        if self._draws:
            self._show_running()
            self._draw_next()

    def draw_pictures(self) -> None:
        """Of the examples, from now on: what they are made of is slow to import, and the page can be used without."""
        if not self._draws:
            self._draws = True
            if self._left is not None:
                self._show_running()
            self._draw_next()

    def _draw_next(self) -> None:
        """Projects are read beside the window's work, one after the other; between two of them the page can be used."""
        if self._undrawn and self.isVisible():
            tile = self._undrawn.pop(0)
            Beside(partial(_read, tile.folder), partial(self._draw, tile), self)

    def _draw(self, tile: Tile, read: Opened | StudioError) -> None:
        if tile in self.tiles and self.isVisible():  # else the page is built anew before anybody sees it again
            tile.draw(read)
            self._draw_next()

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        if self._left is not None:
            self.refresh()

    # ---- left

    def _make_left(self) -> QWidget:
        side = QFrame()
        side.setFixedWidth(SIDE)
        side.setObjectName("side")
        side.setStyleSheet(
            f"#side {{ background: {self.theme.window}; border: 0; border-right: 1px solid {self.theme.border}; }}"
        )
        layout = QVBoxLayout(side)
        layout.setContentsMargins(28, 36, 28, 24)
        layout.setSpacing(8)
        layout.addLayout(self._title())
        layout.addSpacing(16)
        new = QPushButton(icon("mdi6.file-plus-outline", self.theme.on_accent), "  New project…")
        new.setProperty("primary", "true")
        new.clicked.connect(self.new_wanted)
        opening = QPushButton(icon("fa6s.folder-open", self.theme.accent), "  Open project…")
        opening.clicked.connect(self.open_wanted)
        log = QPushButton(icon("fa6s.database", self.theme.accent), "  Open or import a log…")
        log.clicked.connect(self.log_wanted)
        for button, keys in ((new, "Ctrl+N"), (opening, "Ctrl+O"), (log, "Ctrl+Shift+O")):
            button.setStyleSheet("text-align: left; min-height: 34px; padding-left: 14px;")
            button.setToolTip(keys)
            layout.addWidget(button)
        layout.addSpacing(16)
        self._running = QVBoxLayout()
        layout.addLayout(self._running)
        self._add_recent(layout)
        layout.addStretch(1)
        hint = QLabel("Drop a project folder or a log anywhere on this window to open it.")
        hint.setProperty("role", "muted")
        hint.setWordWrap(True)
        layout.addWidget(hint)
        return side

    def _title(self) -> QHBoxLayout:
        logo = QLabel()
        logo.setPixmap(logo_pixmap(48, self.theme, self.devicePixelRatioF()))
        name = QLabel("Robot Systems Studio")
        name.setStyleSheet("font-size: 21px; font-weight: 600;")
        motto = QLabel("Wire it, run it, stop it on one event.")
        motto.setProperty("role", "muted")
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(name)
        words.addWidget(motto)
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(logo)
        row.addLayout(words, 1)
        return row

    def _show_running(self) -> None:
        """Systems that go on without a window: whoever opens their project is attached to them."""
        from studio.runtime.running_systems import running_systems  # slow to import, and the page can do without

        folders = list(dict.fromkeys(Path(system.folder) for system in running_systems()))
        if not folders or self._running.count():
            return
        title = QLabel("Running now: attach")
        title.setStyleSheet("font-size: 14px; font-weight: 600;")
        self._running.addWidget(title)
        for folder in folders[:4]:
            row = RecentRow(folder, self.theme, picture="fa6s.circle-play", colour=self.theme.fine, beside="runs")
            row.setAccessibleName(f"Attach to {folder.name}")
            row.chosen.connect(self.project_wanted)
            self._running.addWidget(row)
        self._running.addSpacing(8)

    def _add_recent(self, layout: QVBoxLayout) -> None:
        recent = self.settings.recent()
        head = QHBoxLayout()
        title = QLabel("Recent")
        title.setStyleSheet("font-size: 14px; font-weight: 600;")
        head.addWidget(title, 1)
        if recent:
            clear = QPushButton("Clear")
            clear.setProperty("link", "true")
            clear.clicked.connect(self._clear_recent)
            head.addWidget(clear)
        layout.addLayout(head)
        if not recent:
            nothing = QLabel("Projects that you open are listed here.")
            nothing.setProperty("role", "muted")
            layout.addWidget(nothing)
        for folder in recent[:6]:
            row = RecentRow(folder, self.theme)
            row.chosen.connect(self.project_wanted)
            layout.addWidget(row)

    def _clear_recent(self) -> None:
        self.settings.clear_recent()
        self.refresh()

    # ---- right

    def _make_right(self) -> QWidget:
        page = QWidget()
        page.setObjectName("right")
        page.setStyleSheet(f"#right {{ background: {self.theme.panel}; }}")
        layout = QVBoxLayout(page)
        layout.setContentsMargins(MARGIN, 32, MARGIN, 20)
        layout.setSpacing(12)
        layout.addLayout(self._heading("Examples", "open one, look around, change it"))
        self._grid = QGridLayout()
        self._grid.setSpacing(GAP)
        self.tiles = []
        for folder in example_projects():
            tile = Tile(folder, self.theme)
            tile.chosen.connect(self.project_wanted)
            self.tiles.append(tile)
        self._place_tiles()
        layout.addLayout(self._grid)
        if GUIDE.is_dir():
            layout.addSpacing(12)
            layout.addLayout(self._heading("Learn", "the guide is on this computer, no network needed"))
            learn = Learn(GUIDE, self.theme)
            learn.page_wanted.connect(self.guide_wanted)
            layout.addWidget(learn)
        layout.addStretch(1)
        layout.addLayout(self._foot())
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(page)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        return scroll

    def _place_tiles(self) -> None:
        """As many beside each other as fill the page without being wider than their pictures."""
        room = max(0, self.width() - SIDE - 2 * MARGIN)
        columns = max(1, -(-(room + GAP) // (TILE_WIDTHS[1] + GAP)))
        for column in range(max(columns, self._grid.columnCount())):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
        for place, tile in enumerate(self.tiles):
            self._grid.addWidget(tile, place // columns, place % columns)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        if self.tiles:
            self._place_tiles()

    def _heading(self, title: str, words: str) -> QHBoxLayout:
        row = QHBoxLayout()
        head = QLabel(title)
        head.setStyleSheet("font-size: 17px; font-weight: 600;")
        rest = QLabel(words)
        rest.setProperty("role", "muted")
        row.addWidget(head)
        row.addSpacing(6)
        row.addWidget(rest, 1, Qt.AlignmentFlag.AlignBottom)
        return row

    def _foot(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addStretch(1)
        keys = QPushButton("Shortcuts")
        keys.setProperty("link", "true")
        keys.clicked.connect(self.keys_wanted)
        version = QLabel(f"version {__version__}")
        version.setProperty("role", "muted")
        row.addWidget(keys)
        row.addSpacing(12)
        row.addWidget(version)
        return row


class _Clickable(QFrame):
    chosen = pyqtSignal(Path)

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(f"Open {folder.name}")

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.pos()):
            self.chosen.emit(self.folder)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        if event is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.chosen.emit(self.folder)
        else:
            super().keyPressEvent(event)


class RecentRow(_Clickable):
    def __init__(
        self, folder: Path, theme: Theme, *, picture: str = "mdi6.graph-outline", colour: str = "", beside: str = ""
    ) -> None:
        super().__init__(folder)
        self.setObjectName("recent")
        self.setStyleSheet(
            f"#recent {{ border: 1px solid transparent; border-top: 1px solid {theme.border}; }}"
            f"#recent:hover {{ background: {theme.hover}; }} #recent:focus {{ border: 2px solid {theme.focus}; }}"
        )
        mark = QLabel()
        mark.setPixmap(icon(picture, colour or theme.muted).pixmap(16, 16))
        name = QLabel(folder.name)
        name.setStyleSheet("font-weight: 600;")
        place = QLabel(QFontMetrics(text_font(12)).elidedText(str(folder.parent), Qt.TextElideMode.ElideMiddle, 210))
        place.setProperty("role", "muted")
        place.setToolTip(str(folder))
        age = QLabel(beside or age_words(folder))
        age.setProperty("role", "muted")
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(name)
        words.addWidget(place)
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 6, 4, 6)
        row.setSpacing(10)
        row.addWidget(mark)
        row.addLayout(words, 1)
        row.addWidget(age, 0, Qt.AlignmentFlag.AlignTop)


class Tile(_Clickable):
    """An example: its canvas as it will open, its name and its first sentence."""

    def __init__(self, folder: Path, theme: Theme) -> None:
        super().__init__(folder)
        self.theme = theme
        self.setFixedHeight(PICTURE.height() + 74)
        self.setMinimumWidth(TILE_WIDTHS[0])
        self.setMaximumWidth(TILE_WIDTHS[1])
        self.words, self.size_words = "", ""
        self.picture: QImage | None = None

    def draw(self, read: Opened | StudioError) -> None:
        from studio.editor.canvas.export import picture_of
        from studio.editor.canvas.scene import CanvasScene
        from studio.editor.session import Session

        if isinstance(read, StudioError):
            self.words = f"Cannot be opened: {read.message}"
            self.update()
            return
        session = Session(read)
        ratio = max(1.0, self.devicePixelRatioF())
        self.picture = picture_of(CanvasScene(session, self.theme), PICTURE * ratio)
        self.picture.setDevicePixelRatio(ratio)
        self.words = session.system.doc.replace("\n", " ")
        count = len(session.system.nodes)
        self.size_words = f"{count} component{'' if count == 1 else 's'}"
        session.close()
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
        painter.drawText(11, at + 22, self.folder.name)
        painter.setFont(text_font(12))
        painter.setPen(QColor(theme.muted))
        if width_of(self.folder.name, 13, 600) + width_of(self.size_words, 12) + 34 <= self.width():
            painter.drawText(self.rect().adjusted(0, at + 8, -11, 0), int(Qt.AlignmentFlag.AlignRight), self.size_words)
        flags = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop
        two_lines = 2 * (self.width() - 22) - 70
        words = QFontMetrics(text_font(12)).elidedText(self.words, Qt.TextElideMode.ElideRight, two_lines)
        painter.drawText(self.rect().adjusted(11, at + 31, -11, -3), int(flags), words)
        active = self.hasFocus() or self.underMouse()
        painter.setPen(QPen(QColor(theme.focus if active else theme.control_border), 2 if active else 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), 5, 5)

    def _paint_picture(self, painter: QPainter, picture: QImage) -> None:
        """In the middle, as large as the tile is wide."""
        scale = min(1.0, self.width() / PICTURE.width())
        width, height = PICTURE.width() * scale, PICTURE.height() * scale
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        area = QRectF((self.width() - width) / 2, (PICTURE.height() - height) / 2, width, height)
        painter.drawImage(area, picture)


def _read(folder: Path) -> Opened | StudioError:
    from studio.editor.session import read_project  # brings the model, which must not delay the first paint

    return read_project(folder)


def example_projects() -> list[Path]:
    """`first_steps` first: it is where everybody should begin."""
    found = {file.parent.name: file.parent for root in project_roots() for file in root.glob("*/system.xml")}
    return sorted(found.values(), key=lambda folder: (folder.name != "first_steps", folder.name))


def age_words(folder: Path) -> str:
    """By the day on which the system was last written."""
    written = dt.datetime.fromtimestamp((folder / "system.xml").stat().st_mtime, dt.UTC).astimezone()
    return f"{written:%d %b}"


def logo_pixmap(size: int, theme: Theme, ratio: float) -> QPixmap:
    """Two nodes and a wire."""
    picture = QPixmap(round(size * ratio), round(size * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(size / 48, size / 48)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.accent_fill))
    painter.drawRoundedRect(0, 0, 48, 48, 9, 9)
    wire = QPainterPath()
    wire.moveTo(14, 14)
    wire.cubicTo(30, 14, 18, 34, 34, 34)
    painter.setPen(QPen(QColor("#FFFFFF"), 3.4))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(wire)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor("#FFFFFF"))
    painter.drawEllipse(9, 9, 10, 10)
    painter.drawEllipse(29, 29, 10, 10)
    painter.end()
    return picture
