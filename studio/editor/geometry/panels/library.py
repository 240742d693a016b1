"""The library: bodies and assemblies with pictures, to drag into the view; which assemblies use each; and imports."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QByteArray, QMimeData, QPoint, QSize, Qt, QTimer, QUrl
from PyQt6.QtGui import QDrag, QIcon, QPixmap
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.editor.geometry.importing import import_into
from studio.editor.geometry.panels.library_items import LibraryItem, LibraryItems
from studio.editor.geometry.protocols import Context
from studio.editor.geometry.thumbnail import thumbnail
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.breaking_label import BreakingLabel
from studio.errors import StudioError
from studio.model.geometry.import_model import SUFFIXES

ITEM = Qt.ItemDataRole.UserRole
PICTURE = QSize(96, 64)
MIME = "application/x-studio-body"
"""What a drag carries: the path of a body or assembly file; its URL comes along."""


class LibraryPanel(QWidget):
    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context
        self.items = LibraryItems(context.workspace.roots)
        self._pictures: dict[tuple[Path, int, str], QIcon] = {}
        self.field = QLineEdit()
        self.field.setPlaceholderText("Find body or assembly")
        self.field.setAccessibleName("Find in the library")
        self.field.setToolTip("Words of a name or description; yours or Studio for where it comes from")
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(lambda _: self._filter())
        self.reload = QToolButton()
        self.reload.setToolTip("Read the folders of models again")
        self.reload.setAccessibleName("Read again")
        self.reload.clicked.connect(lambda _: self.fill())
        self.importing = QPushButton("Import…")
        self.importing.setToolTip("Add the bodies of a URDF, SDF or MJCF file to this vehicle, as one step of undo")
        self.importing.clicked.connect(lambda _: self._ask_import())
        self.list = _List(self)
        self.about = BreakingLabel()
        self.about.setProperty("role", "muted")
        self.users = QLabel()
        self.users.setTextFormat(Qt.TextFormat.RichText)
        self.users.setWordWrap(True)
        self.users.linkActivated.connect(lambda link: self.context.open(Path(link)))
        self._lay_out()
        self._painter = QTimer(self)
        self._painter.setInterval(0)
        self._painter.timeout.connect(self._paint_one)
        self.show_theme(context.theme)

    def _lay_out(self) -> None:
        above = QHBoxLayout()
        above.setSpacing(2)
        above.addWidget(self.field, 1)
        above.addWidget(self.reload)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(6)
        layout.addLayout(above)
        for widget, stretch in ((self.list, 1), (self.about, 0), (self.users, 0), (self.importing, 0)):
            layout.addWidget(widget, stretch)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, super().minimumSizeHint().height())

    # ---- filling

    def fill(self) -> None:
        chosen = self.chosen()
        self.list.clear()
        for item in self.items.items():
            row = QListWidgetItem(f"{item.file.stem}\n{item.kind} · {item.place}")
            row.setData(ITEM, item)
            row.setToolTip(item.trouble or item.doc or item.name)
            row.setSizeHint(QSize(120, PICTURE.height() + 8))
            row.setIcon(icon("mdi6.alert-outline" if item.trouble else "mdi6.cube-outline", self.context.theme.muted))
            self.list.addItem(row)
            if chosen is not None and item.file == chosen.file:
                self.list.setCurrentItem(row)
        self._filter()
        self._painter.start()

    def _filter(self) -> None:
        for row in self.rows():
            row.setHidden(not row.data(ITEM).matches(self.field.text()))

    def rows(self) -> list[QListWidgetItem]:
        found = (self.list.item(place) for place in range(self.list.count()))
        return [row for row in found if row is not None]

    def names(self) -> list[str]:
        """Of those that are shown."""
        return [row.data(ITEM).file.stem for row in self.rows() if not row.isHidden()]

    def _paint_one(self) -> None:
        """One picture each time that nothing else is to be done: the panel is there at once."""
        for row in self.rows():
            item: LibraryItem = row.data(ITEM)
            if item.trouble or row.data(ITEM + 1):
                continue
            row.setData(ITEM + 1, True)
            picture = self._picture(item)
            if picture is not None:
                row.setIcon(picture)
            return
        self._painter.stop()

    def _picture(self, item: LibraryItem) -> QIcon | None:
        try:
            key = item.file, item.file.stat().st_mtime_ns, self.context.theme.look
            if key not in self._pictures:
                model = self.items.model(item)
                image = thumbnail(model, PICTURE.width(), PICTURE.height(), self.devicePixelRatioF())
                self._pictures[key] = QIcon(QPixmap.fromImage(image))
        except (StudioError, OSError) as error:
            self._set_trouble(item, str(error))
            return None
        return self._pictures[key]

    def _set_trouble(self, item: LibraryItem, words: str) -> None:
        """What it names cannot be read: its row says why."""
        for row in self.rows():
            if row.data(ITEM).file == item.file:
                row.setData(ITEM, LibraryItem(item.file, item.kind, item.name, item.doc, item.place, words))
                row.setToolTip(words)
                row.setIcon(icon("mdi6.alert-outline", self.context.theme.warning))

    # ---- what is chosen

    def chosen(self) -> LibraryItem | None:
        row = self.list.currentItem()
        item: LibraryItem | None = row.data(ITEM) if row is not None else None
        return item

    def show_chosen(self) -> None:
        item = self.chosen()
        self.about.setText("" if item is None else item.trouble or item.doc)
        self.about.setVisible(bool(self.about.text()))
        users = [] if item is None else self.items.used_by(item)
        look = f'style="color:{self.context.theme.accent}"'
        links = ", ".join(f'<a href="{path}" {look}>{path.stem}</a>' for path in users)
        self.users.setText(f"Used by {links}" if users else "Used by no assembly" if item is not None else "")

    def place(self) -> None:
        """As if it had been dropped into the middle of the view."""
        item = self.chosen()
        if item is None:
            return
        if item.trouble:
            self.context.say(item.trouble, trouble=True)
            return
        view = self.context.show_panel("geometry")
        if view is not None:
            view.place_body(item.file)

    def menu(self) -> QMenu:
        menu = QMenu(self)
        item = self.chosen()
        for words, do in (
            ("Add to the vehicle", self.place),
            ("Open", lambda: self.context.open(item.file) if item is not None else None),
        ):
            action = menu.addAction(words)
            assert action is not None
            action.triggered.connect(lambda _, do=do: do())
        return menu

    # ---- import

    def _ask_import(self) -> None:
        endings = " ".join(f"*{ending}" for ending in SUFFIXES)
        dialog = QFileDialog(
            self, "Import", str(self.context.workspace.main.parent), f"Models ({endings} *.xml *.mjcf)"
        )
        dialog.fileSelected.connect(lambda file: self.take_file(Path(file)))
        dialog.open()

    def take_file(self, file: Path) -> bool:
        done = import_into(self.context, file)
        if done:
            self.fill()
        return done

    def show_theme(self, theme: Theme) -> None:
        self.reload.setIcon(icon("mdi6.refresh", theme.muted))
        self.fill()
        self.show_chosen()

    def close_panel(self) -> None:
        self._painter.stop()


class _List(QListWidget):
    def __init__(self, panel: LibraryPanel) -> None:
        super().__init__()
        self.panel = panel
        self.setAccessibleName("Library")
        self.setIconSize(PICTURE)
        self.setUniformItemSizes(True)
        self.setDragEnabled(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.currentItemChanged.connect(lambda *_: panel.show_chosen())
        self.itemActivated.connect(lambda _: panel.place())
        self.customContextMenuRequested.connect(self._open_menu)

    def _open_menu(self, at: QPoint) -> None:
        viewport = self.viewport()
        if self.itemAt(at) is not None and viewport is not None:
            self.panel.menu().popup(viewport.mapToGlobal(at))

    def startDrag(self, actions: Qt.DropAction) -> None:
        item, row = self.panel.chosen(), self.currentItem()
        if item is None or row is None or item.trouble:
            return
        drag = QDrag(self)
        drag.setMimeData(mime_of(item))
        drag.setPixmap(row.icon().pixmap(PICTURE))
        drag.exec(Qt.DropAction.CopyAction)


def mime_of(item: LibraryItem) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(item.file))])
    data.setData(MIME, QByteArray(str(item.file).encode()))
    return data
