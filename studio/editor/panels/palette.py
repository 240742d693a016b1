"""The palette: every component there is, by category, found by typing, dragged to the canvas."""

from __future__ import annotations

from collections.abc import Iterable

from PyQt6.QtCore import QEvent, QMimeData, QObject, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QDrag, QKeyEvent
from PyQt6.QtWidgets import QAbstractItemView, QLabel, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from studio.editor.canvas.view import MIME
from studio.editor.icons import CATEGORY_ICONS, icon
from studio.editor.summary import summary
from studio.editor.theme import Theme
from studio.model.registry import Registry
from studio.model.spec import CATEGORIES, ComponentSpec

TITLES = {"sensor": "Sensors", "processor": "Processors", "actuator": "Actuators", "judge": "Judges"}
_TYPE = Qt.ItemDataRole.UserRole


class _Tree(QTreeWidget):
    """A tree whose rows are dragged as components."""

    def mimeData(self, items: Iterable[QTreeWidgetItem]) -> QMimeData | None:
        data = QMimeData()
        for item in items:
            data.setData(MIME, str(item.data(0, _TYPE) or "").encode())
            data.setText(str(item.data(0, _TYPE) or ""))
        return data

    def startDrag(self, actions: Qt.DropAction) -> None:
        item = self.currentItem()
        data = self.mimeData([item]) if item is not None and item.data(0, _TYPE) else None
        if item is not None and data is not None:
            drag = QDrag(self)
            drag.setMimeData(data)
            drag.setPixmap(item.icon(0).pixmap(QSize(28, 28)))
            drag.exec(Qt.DropAction.CopyAction)


class Palette(QWidget):
    wanted = pyqtSignal(str)
    """A component by double-click or Enter."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.registry = Registry({})
        self.field = QLineEdit()
        self.field.setPlaceholderText("Find a component")
        self.field.setAccessibleName("Find a component")
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self._fill)
        self.field.installEventFilter(self)
        self.tree = _Tree()
        self.tree.setHeaderHidden(True)
        self.tree.setAccessibleName("Components")
        self.tree.setDragEnabled(True)
        self.tree.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.tree.setIndentation(10)
        self.tree.setIconSize(QSize(16, 16))
        self.tree.itemActivated.connect(self._take)
        self.nothing = QLabel("Nothing found")
        self.nothing.setProperty("role", "muted")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 4)
        layout.setSpacing(6)
        layout.addWidget(self.field)
        layout.addWidget(self.nothing)
        layout.addWidget(self.tree, 1)
        self._fill("")

    def show_registry(self, registry: Registry) -> None:
        self.registry = registry
        self._fill(self.field.text())

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self._fill(self.field.text())

    def types(self) -> list[str]:
        """What is shown, from top to bottom."""
        return [str(item.data(0, _TYPE)) for group in self._groups() for item in _children(group)]

    def _groups(self) -> list[QTreeWidgetItem]:
        found = (self.tree.topLevelItem(row) for row in range(self.tree.topLevelItemCount()))
        return [group for group in found if group is not None]

    def _fill(self, text: str) -> None:
        hits = self.registry.search(text)
        self.tree.clear()
        for category in CATEGORIES:
            specs = [spec for spec in hits if spec.category == category]
            if specs:
                group = QTreeWidgetItem([f"{TITLES[category]}  {len(specs)}"])
                group.setFlags(Qt.ItemFlag.ItemIsEnabled)
                font = group.font(0)
                font.setWeight(font.Weight.DemiBold)
                group.setFont(0, font)
                self.tree.addTopLevelItem(group)
                group.addChildren([self._row(spec) for spec in specs])
                group.setExpanded(True)
        groups = self._groups()
        self.nothing.setVisible(bool(text) and not groups)
        if text and groups:
            self.tree.setCurrentItem(groups[0].child(0))

    def _row(self, spec: ComponentSpec) -> QTreeWidgetItem:
        row = QTreeWidgetItem([spec.type])
        row.setData(0, _TYPE, spec.type)
        row.setIcon(0, icon(spec.icon or CATEGORY_ICONS[spec.category], self.theme.muted))
        row.setToolTip(0, about(spec))
        row.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDragEnabled)
        return row

    def _take(self, item: QTreeWidgetItem) -> None:
        if item.data(0, _TYPE):
            self.wanted.emit(str(item.data(0, _TYPE)))

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
                self.tree.setFocus()
                self.tree.keyPressEvent(event)
                return True
            current = self.tree.currentItem()
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and current is not None:
                self._take(current)
                return True
        return super().eventFilter(watched, event)


def about(spec: ComponentSpec) -> str:
    """Documentation, ports and tags, for the tool tip."""
    ports = "".join(f"<br>{'→' if p.direction == 'in' else '←'} {p.name} · {p.type}" for p in spec.ports)
    tags = f"<br><i>{', '.join(spec.tags)}</i>" if spec.tags else ""
    return f"<b>{spec.type}</b><br>{summary(spec.doc)}{ports}{tags}"


def _children(group: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    found = (group.child(row) for row in range(group.childCount()))
    return [child for child in found if child is not None]
