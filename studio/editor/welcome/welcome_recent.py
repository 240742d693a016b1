"""What was open lately, on the first page: projects and logs with their place and age; what is gone is greyed."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QSize, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QContextMenuEvent, QEnterEvent, QFocusEvent, QKeyEvent, QPainter, QPaintEvent
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QMenu, QPushButton, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from studio.editor.base.recent import Recent, RecentBook, age_words, date_words
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.welcome.welcome_tiles import Clickable

SHOWN = 8
AGES_EVERY_MS = 20_000
PICTURES = {"project": "mdi6.graph-outline", "log": "fa6s.database", "vehicle": "mdi6.car-outline"}
GONE = "no longer there"


class Place(QLabel):
    """A line that gives way, a path in its middle: neither makes the page wider."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._gives_way = Qt.TextElideMode.ElideMiddle if "/" in text else Qt.TextElideMode.ElideRight
        self.setProperty("role", "muted")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def minimumSizeHint(self) -> QSize:
        return QSize(40, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        shown = self.fontMetrics().elidedText(self.text(), self._gives_way, self.width())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignVCenter), shown)


class RecentRow(Clickable):
    removed = pyqtSignal(Path)
    """Somebody does not want it in the list any more."""

    def __init__(
        self,
        path: Path,
        theme: Theme,
        *,
        picture: str,
        place: str,
        colour: str = "",
        beside: str = "",
        gone: bool = False,
    ) -> None:
        super().__init__(path)
        self.gone = gone
        self.setObjectName("recent")
        self.setStyleSheet(
            f"#recent {{ border: 1px solid transparent; border-top: 1px solid {theme.border}; }}"
            f"#recent:hover {{ background: {theme.hover}; }} #recent:focus {{ border: 2px solid {theme.focus}; }}"
        )
        self.mark = QLabel()
        self.mark.setPixmap(icon(picture, theme.disabled if gone else colour or theme.muted).pixmap(16, 16))
        name = Place(path.name)
        name.setProperty("role", "muted" if gone else "")
        name.setStyleSheet(f"font-weight: 600; color: {theme.disabled if gone else theme.text};")
        self.place = Place(place)
        self.place.setToolTip(str(path))
        self.age = QLabel(beside)
        self.age.setProperty("role", "muted")
        self.remove = QToolButton()
        self.remove.setIcon(icon("mdi6.close", theme.muted))
        self.remove.setToolTip("Remove it from this list (Del); the files stay")
        self.remove.setAccessibleName(f"Remove {path.name} from the list")
        self.remove.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.remove.clicked.connect(lambda: self.removed.emit(self.path))
        if gone:
            self.setCursor(Qt.CursorShape.ArrowCursor)
            self.setAccessibleName(f"{path.name}, {GONE}")
        self._lay_out(name)
        self.show_remove()

    def _lay_out(self, name: QLabel) -> None:
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(name)
        words.addWidget(self.place)
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 6, 4, 6)
        row.setSpacing(10)
        row.addWidget(self.mark)
        row.addLayout(words, 1)
        row.addWidget(self.age)
        row.addWidget(self.remove)

    def choose(self) -> None:
        if not self.gone:
            super().choose()

    def show_remove(self) -> None:
        """Instead of the age, for the row at hand; always for one that can be nothing but removed."""
        shown = (self.gone or self.hasFocus() or self.underMouse()) and self.receivers(self.removed) > 0
        self.remove.setVisible(shown)
        self.age.setVisible(not shown)

    # ---- Qt

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        if event.key() == Qt.Key.Key_Delete:
            self.removed.emit(self.path)
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self.focusNextPrevChild(event.key() == Qt.Key.Key_Down)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:
        if event is None or not self.receivers(self.removed):
            return
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        opens = menu.addAction("Open", self.choose)
        assert opens is not None
        opens.setEnabled(not self.gone)
        menu.addAction("Remove from this list", lambda: self.removed.emit(self.path))
        menu.popup(event.globalPos())

    def enterEvent(self, event: QEnterEvent | None) -> None:
        super().enterEvent(event)
        self.show_remove()

    def leaveEvent(self, event: object) -> None:
        super().leaveEvent(event)  # type: ignore[arg-type]
        self.show_remove()

    def focusInEvent(self, event: QFocusEvent | None) -> None:
        super().focusInEvent(event)
        self.show_remove()

    def focusOutEvent(self, event: QFocusEvent | None) -> None:
        super().focusOutEvent(event)
        self.show_remove()


class RecentList(QWidget):
    project_wanted = pyqtSignal(Path)
    log_wanted = pyqtSignal(Path)
    vehicle_wanted = pyqtSignal(Path)

    def __init__(self, book: RecentBook, theme: Theme) -> None:
        super().__init__()
        self.book, self.theme = book, theme
        self.rows: list[tuple[Recent, RecentRow]] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._timer = QTimer(self)
        self._timer.setInterval(AGES_EVERY_MS)
        self._timer.timeout.connect(self.tell_ages)
        self._timer.start()
        self.fill()

    def fill(self) -> None:
        while (item := self._column.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self.rows = []
        things = self.book.all()
        self._column.addWidget(self._head(bool(things)))
        if not things:
            nothing = QLabel("Projects, logs and vehicles that you open are listed here.")
            nothing.setProperty("role", "muted")
            nothing.setWordWrap(True)
            self._column.addWidget(nothing)
        for each in things[:SHOWN]:
            row = self._row(each)
            self.rows.append((each, row))
            self._column.addWidget(row)
        self.tell_ages()

    def _head(self, has_some: bool) -> QWidget:
        head = QWidget()
        layout = QHBoxLayout(head)
        layout.setContentsMargins(0, 0, 0, 4)
        title = QLabel("Recent")
        title.setStyleSheet("font-size: 14px; font-weight: 600;")
        layout.addWidget(title, 1)
        if has_some:
            clear = QPushButton("Clear")
            clear.setProperty("link", "true")
            clear.setToolTip("Empty this list; the files stay")
            clear.clicked.connect(self._clear)
            layout.addWidget(clear)
        return head

    def _row(self, each: Recent) -> RecentRow:
        gone = not each.is_there
        place = GONE if gone else each.words or _short(each.place.parent)
        colour = self.theme.origins["logged"].text if each.kind == "log" else ""
        row = RecentRow(each.place, self.theme, picture=PICTURES[each.kind], place=place, colour=colour, gone=gone)
        wanted = {"log": self.log_wanted, "vehicle": self.vehicle_wanted, "project": self.project_wanted}
        row.chosen.connect(wanted[each.kind])
        row.removed.connect(self._remove)
        row.age.setToolTip(f"Opened on {date_words(each.opened_s)}")
        row.show_remove()
        return row

    def tell_ages(self) -> None:
        """As time goes by while the page is looked at."""
        now_s = self.book.now_s()
        for each, row in self.rows:
            row.age.setText("" if row.gone else age_words(each.opened_s, now_s))

    def _remove(self, path: Path) -> None:
        """The focus goes to the row that takes its place, so that several can be removed by keyboard."""
        place = next((at for at, (_, row) in enumerate(self.rows) if row.path == path), 0)
        had_focus = any(row is self.focusWidget() for _, row in self.rows)
        self.book.remove(path)
        self.fill()
        if had_focus and self.rows:
            heir = self.rows[min(place, len(self.rows) - 1)][1]
            heir.show()  # what is not seen yet cannot have the focus
            heir.setFocus(Qt.FocusReason.TabFocusReason)

    def _clear(self) -> None:
        self.book.clear()
        self.fill()


def _short(folder: Path) -> str:
    """With ~ for the home folder."""
    home = Path.home()
    return str(Path("~") / folder.relative_to(home)) if folder.is_relative_to(home) else str(folder)
