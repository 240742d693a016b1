"""The palette: every component there is, by category, found by typing, dragged to the canvas."""

from __future__ import annotations

from collections import Counter

from PyQt6.QtCore import QEvent, QObject, QPoint, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QMenu, QToolButton, QTreeWidgetItem, QVBoxLayout, QWidget

from studio.editor.base.favourites import Favourites
from studio.editor.look.icons import CATEGORY_ICONS, icon
from studio.editor.look.theme import Theme
from studio.editor.palette.palette_about import about, about_tool
from studio.editor.palette.palette_tools import TOOL_TAGS, TOOLS, Tool
from studio.editor.palette.palette_tree import TOOL, TYPE, PaletteTree
from studio.model.registry import Registry
from studio.model.spec import ComponentSpec

LEAST_WIDTH = 180
FAVOURITES, TOOLS_TITLE, GAZEBO_TITLE = "Favourites", "Sources and tools", "Gazebo"
GAZEBO_TAG = "gazebo"
TITLES = {"sensor": "Sensors", "processor": "Processors", "actuator": "Actuators", "judge": "Judges"}


class Palette(QWidget):
    wanted = pyqtSignal(str)
    """A component by double-click or Enter."""
    tool_wanted = pyqtSignal(str)
    """A tool, in the same way."""

    new_wanted = pyqtSignal()
    """A component that does not exist yet."""

    def __init__(self, theme: Theme, favourites: Favourites) -> None:
        super().__init__()
        self.theme = theme
        self.favourites = favourites
        self.registry = Registry({})
        self._folded: set[str] = set()
        self.field = QLineEdit()
        self.field.setPlaceholderText("Find…")
        self.field.setAccessibleName("Find a component")
        self.field.setToolTip("Words of its name, its documentation or its message types; #laser for a tag")
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self._fill)
        self.field.installEventFilter(self)
        self.tags = QToolButton()
        self.tags.setAccessibleName("Tags")
        self.tags.setToolTip("Only components with a tag")
        self.tags.clicked.connect(self._open_tags)
        self.new = QToolButton()
        self.new.setAccessibleName("New component")
        self.new.setToolTip("New component… (Ctrl+Shift+N)")
        self.new.clicked.connect(self.new_wanted)
        self.tree = PaletteTree(theme)
        self.tree.itemActivated.connect(self._take)
        self.tree.starred.connect(self.favourites.toggle)
        self.tree.itemCollapsed.connect(lambda group: self._folded.add(_title(group)))
        self.tree.itemExpanded.connect(lambda group: self._folded.discard(_title(group)))
        self.tree.customContextMenuRequested.connect(self._open_menu)
        self.nothing = QLabel("Nothing found")
        self.nothing.setProperty("role", "muted")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        favourites.changed.connect(self._favourites_changed)
        self._lay_out()
        self.show_theme(theme)

    def _lay_out(self) -> None:
        above = QHBoxLayout()
        above.setSpacing(2)
        above.addWidget(self.field, 1)
        above.addWidget(self.tags)
        above.addWidget(self.new)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 4)
        layout.setSpacing(6)
        layout.addLayout(above)
        layout.addWidget(self.nothing)
        layout.addWidget(self.tree, 1)

    def minimumSizeHint(self) -> QSize:
        """Narrower, its names could not be told apart."""
        return QSize(LEAST_WIDTH, super().minimumSizeHint().height())

    def show_registry(self, registry: Registry) -> None:
        self.registry = registry
        self._fill(self.field.text())

    def show_theme(self, theme: Theme) -> None:
        self.theme = self.tree.theme = theme
        self.tags.setIcon(icon("mdi6.tag-outline", theme.muted))
        self.new.setIcon(icon("mdi6.plus", theme.accent))
        self._fill(self.field.text())

    def types(self) -> list[str]:
        """Components that are shown, from top to bottom; a favourite is there twice."""
        return [str(row.data(0, TYPE)) for row in self.tree.rows() if row.data(0, TYPE)]

    def titles(self) -> list[str]:
        """Of the groups."""
        return [_title(group) for group in self.tree.groups()]

    # ---- filling

    def _fill(self, text: str) -> None:
        hits = self.registry.search(text)
        names = self.favourites.names()
        chosen = {spec.type: spec for spec in hits if spec.type in names}
        self.tree.clear()
        self._add_group(FAVOURITES, [self._row(chosen[name]) for name in names if name in chosen])
        titles = (*TITLES.values(), TOOLS_TITLE, GAZEBO_TITLE)
        filled: dict[str, list[QTreeWidgetItem]] = {title: [] for title in titles}
        for spec in hits:
            filled[_group_of(spec)].append(self._row(spec))
        if self.registry.types():
            filled[TOOLS_TITLE] += [self._tool_row(tool) for tool in TOOLS if tool.matches(text)]
        for title, rows in filled.items():
            self._add_group(title, rows)
        groups = self.tree.groups()
        self.nothing.setVisible(bool(text) and not groups)
        if text and groups:
            self.tree.setCurrentItem(groups[0].child(0))

    def _add_group(self, title: str, rows: list[QTreeWidgetItem]) -> None:
        if not rows:
            return
        group = QTreeWidgetItem([f"{title}  {len(rows)}"])
        group.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{title}, {len(rows)}")
        group.setFlags(Qt.ItemFlag.ItemIsEnabled)
        font = group.font(0)
        font.setWeight(font.Weight.DemiBold)
        group.setFont(0, font)
        self.tree.addTopLevelItem(group)
        group.addChildren(rows)
        folded = title in self._folded and not self.field.text()  # what was searched for is seen
        self.tree.blockSignals(True)
        group.setExpanded(not folded)
        self.tree.blockSignals(False)

    def _row(self, spec: ComponentSpec) -> QTreeWidgetItem:
        row = QTreeWidgetItem([spec.type])
        row.setData(0, TYPE, spec.type)
        row.setIcon(0, icon(spec.icon or CATEGORY_ICONS[spec.category], self.theme.muted))
        is_favourite = spec.type in self.favourites.names()
        row.setToolTip(0, about(spec, self.theme, is_favourite))
        row.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDragEnabled)
        self.tree.mark(row, is_favourite)
        return row

    def _tool_row(self, tool: Tool) -> QTreeWidgetItem:
        row = QTreeWidgetItem([tool.title])
        row.setData(0, TOOL, tool.name)
        row.setIcon(0, icon(tool.icon, self.theme.muted))
        row.setToolTip(0, about_tool(tool, self.theme))
        row.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDragEnabled)
        return row

    def _favourites_changed(self) -> None:
        """The row at hand stays where it is, and chosen if it was: who marks several goes on with the next."""
        current, at_hand = self.tree.currentItem(), self.tree.hovered or self.tree.currentItem()
        chosen, anchor = _identity(current), _identity(at_hand)
        before = self.tree.visualItemRect(at_hand).top() if at_hand is not None else 0
        self._fill(self.field.text())
        rows = {_identity(row): row for row in self.tree.rows()}
        if chosen in rows:
            self.tree.setCurrentItem(rows[chosen])
        scroll = self.tree.verticalScrollBar()
        if anchor in rows and scroll is not None:
            scroll.setValue(scroll.value() + self.tree.visualItemRect(rows[anchor]).top() - before)

    # ---- menus

    def tags_menu(self) -> QMenu:
        """Every tag, with how many components have it; those in the field are chosen."""
        menu = QMenu(self)
        counts = Counter(tag for spec in self.registry.specs() for tag in spec.tags)
        words = self.field.text().split()
        for tag, count in sorted(counts.items()):
            entry = menu.addAction(f"{tag}\t{count}")
            assert entry is not None
            entry.setCheckable(True)
            entry.setChecked(f"#{tag}" in words)
            entry.triggered.connect(lambda _=False, tag=tag: self._toggle_tag(tag))
        if menu.isEmpty():
            nothing = menu.addAction("No component has a tag")
            assert nothing is not None
            nothing.setEnabled(False)
        return menu

    def _toggle_tag(self, tag: str) -> None:
        words = self.field.text().split()
        word = f"#{tag}"
        self.field.setText(" ".join([each for each in words if each != word] if word in words else [*words, word]))
        self.field.setFocus()

    def _open_tags(self) -> None:
        menu = self.tags_menu()
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.tags.mapToGlobal(QPoint(0, self.tags.height())))

    def row_menu(self, row: QTreeWidgetItem) -> QMenu:
        menu = QMenu(self)
        add = menu.addAction("Add to the canvas\tEnter")
        assert add is not None
        add.triggered.connect(lambda _=False: self._take(row))
        name = str(row.data(0, TYPE) or "")
        spec = self.registry.get(name) if name else None
        if spec is not None:
            known = name in self.favourites.names()
            star = menu.addAction("Remove from the favourites\tSpace" if known else "Make it a favourite\tSpace")
            assert star is not None
            star.triggered.connect(lambda _=False: self.favourites.toggle(name))
            for tag in spec.tags:
                entry = menu.addAction(f"Show all with #{tag}")
                assert entry is not None
                entry.triggered.connect(lambda _=False, tag=tag: self.field.setText(f"#{tag}"))
        return menu

    def _open_menu(self, at: QPoint) -> None:
        row = self.tree.itemAt(at) or self.tree.currentItem()
        viewport = self.tree.viewport()
        if row is not None and row.parent() is not None and viewport is not None:
            menu = self.row_menu(row)
            menu.aboutToHide.connect(menu.deleteLater)
            menu.popup(viewport.mapToGlobal(at))

    # ---- taking

    def _take(self, item: QTreeWidgetItem) -> None:
        if item.data(0, TYPE):
            self.wanted.emit(str(item.data(0, TYPE)))
        elif item.data(0, TOOL):
            self.tool_wanted.emit(str(item.data(0, TOOL)))

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


def _group_of(spec: ComponentSpec) -> str:
    """Gazebo's devices come last: most robots do without them, and by name they would stand before all others."""
    if set(TOOL_TAGS) & set(spec.tags):
        return TOOLS_TITLE
    return GAZEBO_TITLE if GAZEBO_TAG in spec.tags else TITLES[spec.category]


def _identity(row: QTreeWidgetItem | None) -> tuple[str, str]:
    """The group that it stands in and its name: a favourite is there twice."""
    group = row.parent() if row is not None else None
    return (_title(group), row.text(0)) if row is not None and group is not None else ("", "")


def _title(group: QTreeWidgetItem) -> str:
    """Without the count."""
    return group.text(0).rpartition("  ")[0]
