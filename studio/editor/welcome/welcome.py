"""The first page: new and open, what was open lately, examples with pictures of the real thing, the guide."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QColor, QPainter, QPainterPath, QPen, QPixmap, QResizeEvent
from PyQt6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from studio import __version__
from studio.editor.base.deferred import Beside
from studio.editor.base.settings import Settings
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.welcome.welcome_learn import Learn
from studio.editor.welcome.welcome_recent import RecentList, RecentRow
from studio.editor.welcome.welcome_tiles import TILE_WIDTHS, Tile, example_projects, heading_of, read_example
from studio.errors import StudioError
from studio.paths import PACKAGE

if TYPE_CHECKING:
    from studio.model.loaded_project import LoadedProject

SIDES, WIDE = (352, 448), 1500
"""Width of the left side: on small and on large windows."""
MARGIN, GAP = 28, 18
GUIDE = PACKAGE.parent / "docs" / "guide"
NEWS = PACKAGE.parent / "CHANGELOG.md"


class Welcome(QWidget):
    new_wanted = pyqtSignal()
    open_wanted = pyqtSignal()
    log_wanted = pyqtSignal()
    project_wanted = pyqtSignal(Path)
    recent_log_wanted = pyqtSignal(Path)
    vehicle_wanted = pyqtSignal()
    recent_vehicle_wanted = pyqtSignal(Path)
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
            Beside(partial(read_example, tile.path), partial(self._draw, tile), self)

    def _draw(self, tile: Tile, read: LoadedProject | StudioError) -> None:
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
        side.setFixedWidth(self._side())
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
        opening = QPushButton(icon("fa6s.folder-open", self.theme.accent), "  Open…")
        opening.clicked.connect(self.open_wanted)
        log = QPushButton(icon("fa6s.database", self.theme.accent), "  Open or import a log…")
        log.clicked.connect(self.log_wanted)
        vehicle = QPushButton(icon("mdi6.car-outline", self.theme.accent), "  Open vehicle or world…")
        vehicle.clicked.connect(self.vehicle_wanted)
        rows = ((new, "Ctrl+N"), (opening, "Ctrl+O"), (log, "Ctrl+Shift+O"), (vehicle, "Ctrl+Alt+O"))
        for button, keys in rows:
            layout.addWidget(with_keys(button, keys, self.theme))
        layout.addSpacing(16)
        layout.addWidget(self._make_lists(), 1)
        hint = QLabel("Drop a project, a log, a vehicle or a world anywhere on this window to open it.")
        hint.setProperty("role", "muted")
        hint.setWordWrap(True)
        layout.addWidget(hint)
        return side

    def _make_lists(self) -> QWidget:
        """What runs, and what was open lately. They scroll: the window is never taller than the screen for them."""
        lists = QWidget()
        lists.setObjectName("lists")
        lists.setStyleSheet(f"#lists {{ background: {self.theme.window}; }}")
        layout = QVBoxLayout(lists)
        layout.setContentsMargins(0, 0, 0, 0)
        self._running = QVBoxLayout()
        layout.addLayout(self._running)
        recent = RecentList(self.settings.recents, self.theme)
        recent.project_wanted.connect(self.project_wanted)
        recent.log_wanted.connect(self.recent_log_wanted)
        recent.vehicle_wanted.connect(self.recent_vehicle_wanted)
        layout.addWidget(recent)
        layout.addStretch(1)
        return _scrolling(lists)

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
        from studio.runtime.client.running_systems import running_systems  # slow to import, and the page can do without

        folders = list(dict.fromkeys(Path(system.folder) for system in running_systems()))
        if not folders or self._running.count():
            return
        title = QLabel("Running now: attach")
        title.setStyleSheet("font-size: 14px; font-weight: 600;")
        self._running.addWidget(title)
        for folder in folders[:4]:
            picture, colour = "fa6s.circle-play", self.theme.fine
            place = str(folder.parent)
            row = RecentRow(folder, self.theme, picture=picture, place=place, colour=colour, beside="runs")
            row.setAccessibleName(f"Attach to {folder.name}")
            row.chosen.connect(self.project_wanted)
            self._running.addWidget(row)
        self._running.addSpacing(8)

    # ---- right

    def _make_right(self) -> QWidget:
        page = QWidget()
        page.setObjectName("right")
        page.setStyleSheet(f"#right {{ background: {self.theme.panel}; }}")
        layout = QVBoxLayout(page)
        layout.setContentsMargins(MARGIN, 32, MARGIN, 20)
        layout.setSpacing(12)
        folders = example_projects()
        layout.addLayout(self._heading(*heading_of(folders)))
        self._grid = QGridLayout()
        self._grid.setSpacing(GAP)
        self.tiles = []
        for folder in folders:
            tile = Tile(folder, self.theme)
            tile.chosen.connect(self.project_wanted)
            tile.worded.connect(self._place_tiles)
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
        return _scrolling(page)

    def _place_tiles(self) -> None:
        """As many beside each other as fill the page without being wider than their pictures."""
        room = max(0, self.width() - self._side() - 2 * MARGIN)
        columns = max(1, -(-(room + GAP) // (TILE_WIDTHS[1] + GAP)))
        for column in range(max(columns, self._grid.columnCount())):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
        width = min(TILE_WIDTHS[1], (room + GAP) // columns - GAP)
        for row, first in enumerate(range(0, len(self.tiles), columns)):
            beside = self.tiles[first : first + columns]
            height = max(tile.height_for(width) for tile in beside)
            for column, tile in enumerate(beside):
                tile.setFixedHeight(height)
                self._grid.addWidget(tile, row, column)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        if self._left is not None:
            self._left.setFixedWidth(self._side())
        if self.tiles:
            self._place_tiles()

    def _side(self) -> int:
        return SIDES[self.width() >= WIDE]

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
        news = QPushButton("New in this version")
        news.setProperty("link", "true")
        news.clicked.connect(lambda: self.guide_wanted.emit(NEWS))
        news.setVisible(NEWS.is_file())
        version = QLabel(f"version {__version__}")
        version.setProperty("role", "muted")
        row.addWidget(keys)
        row.addSpacing(12)
        row.addWidget(news)
        row.addSpacing(12)
        row.addWidget(version)
        return row


def _scrolling(page: QWidget) -> QScrollArea:
    """Up and down only."""
    scroll = QScrollArea()
    scroll.setFrameShape(QFrame.Shape.NoFrame)
    scroll.setWidgetResizable(True)
    scroll.setWidget(page)
    scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return scroll


def with_keys(button: QPushButton, keys: str, theme: Theme) -> QPushButton:
    """A large button with its shortcut at the right."""
    button.setStyleSheet("QPushButton { text-align: left; min-height: 34px; padding-left: 14px; }")
    button.setToolTip(keys)
    primary = button.property("primary") == "true"
    colour = theme.on_accent if primary else theme.muted
    chip = QLabel(keys)
    chip.setStyleSheet(
        f"color: {colour}; border: 1px solid {colour}; border-radius: 3px; padding: 1px 5px; font-size: 11px;"
    )
    chip.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    row = QHBoxLayout(button)
    row.setContentsMargins(0, 0, 10, 0)
    row.addStretch(1)
    row.addWidget(chip, 0, Qt.AlignmentFlag.AlignVCenter)
    return button


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
