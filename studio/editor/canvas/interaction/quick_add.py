"""The popup that adds a component where the hand is: type a few letters, Enter."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PyQt6.QtCore import QEvent, QObject, QPoint, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QFrame, QLabel, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from studio.editor.look.icons import CATEGORY_ICONS, icon
from studio.editor.look.summary import summary
from studio.editor.look.theme import Theme
from studio.model.registry import Registry
from studio.model.spec import ComponentSpec

SIZE = QSize(320, 360)
NEW, MAKE = "New component…", "Make a component of your own"
NO_FIT = "No component fits. Clear the search to see all that do, or make one of your own."


class QuickAdd(QFrame):
    chosen = pyqtSignal(str)
    """The type of the component to add."""
    new_wanted = pyqtSignal(str)
    """None of them fits: a new component, named like what was searched for."""

    def __init__(self, registry: Registry, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.registry = registry
        self.theme = theme
        self.setProperty("role", "card")
        self.setFixedSize(SIZE)
        self.setAccessibleName("Quick add")
        self.favourites: Callable[[], Sequence[str]] = lambda: ()
        """Types that stand first while nothing is searched for."""
        self._accept: Callable[[ComponentSpec], bool] = lambda spec: True
        self.field = QLineEdit()
        self.field.setPlaceholderText("Find a component to add")
        self.field.setAccessibleName("Find a component to add")
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self.list = QListWidget()
        self.list.setAccessibleName("Components")
        self.list.setIconSize(QSize(16, 16))
        self.list.itemActivated.connect(self._take)
        self.list.itemClicked.connect(self._take)
        self.doc = QLabel()
        self.doc.setProperty("role", "muted")
        self.doc.setWordWrap(True)
        self.doc.setMinimumHeight(36)
        self.list.currentItemChanged.connect(self._explain)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(6)
        layout.addWidget(self.field)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.doc)

    def open_at(self, where: QPoint, accept: Callable[[ComponentSpec], bool] | None = None) -> None:
        """Show it with its corner at a point of the screen; only components that `accept` lets through."""
        self._accept = accept or (lambda spec: True)
        self.field.clear()
        self._search("")
        screen = self.screen()
        if screen is not None:
            room = screen.availableGeometry()
            where = QPoint(
                min(where.x(), room.right() - SIZE.width()),
                max(room.top(), min(where.y(), room.bottom() - SIZE.height())),
            )
        self.move(where)
        self.show()
        self.field.setFocus()

    def _search(self, text: str) -> None:
        self.list.clear()
        first = self.favourites()
        found = [spec for spec in self.registry.search(text) if self._accept(spec)]
        if not text:
            found.sort(key=lambda spec: first.index(spec.type) if spec.type in first else len(first))
        for spec in found:
            colour = self.theme.accent if spec.type in first else self.theme.muted
            row = QListWidgetItem(icon(spec.icon or CATEGORY_ICONS[spec.category], colour), spec.type)
            row.setData(Qt.ItemDataRole.UserRole, spec)
            self.list.addItem(row)
        words = f"New component “{text}”…" if text.strip() else NEW
        self.list.addItem(QListWidgetItem(icon("mdi6.puzzle-plus-outline", self.theme.accent), words))
        if found or text.strip():
            self.list.setCurrentRow(0)
        else:
            self.list.setCurrentRow(-1)
            self.doc.setText("No component fits here. You can make one.")

    def types(self) -> list[str]:
        """Components that are offered, from top to bottom."""
        rows = (self.list.item(row) for row in range(self.list.count()))
        return [row.text() for row in rows if row is not None and row.data(Qt.ItemDataRole.UserRole) is not None]

    def _explain(self, row: QListWidgetItem | None) -> None:
        spec: ComponentSpec | None = row.data(Qt.ItemDataRole.UserRole) if row else None
        if row is not None and spec is None:
            self.doc.setText(NO_FIT if self.list.count() == 1 else MAKE)
        elif spec is not None:
            self.doc.setText(f"{spec.category} · {summary(spec.doc)}")

    def _take(self, row: QListWidgetItem) -> None:
        spec: ComponentSpec | None = row.data(Qt.ItemDataRole.UserRole)
        self.hide()
        if spec is not None:
            self.chosen.emit(spec.type)
        else:
            self.new_wanted.emit(self.field.text().strip())

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Arrows walk the list and Enter takes while the letters go on into the field."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            row = self.list.currentRow()
            if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
                step = 1 if event.key() == Qt.Key.Key_Down else -1
                self.list.setCurrentRow(max(0, min(self.list.count() - 1, row + step)))
                return True
            current = self.list.currentItem()
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and current is not None:
                self._take(current)
                return True
        return super().eventFilter(watched, event)
