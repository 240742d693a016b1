"""The panel at the left: the servers, one entered by hand, and one that is started on this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.editor.gazebo.server_list import ServerList
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.runtime.gazebo.connections.connections import AVAILABLE, Row
from studio.runtime.gazebo.connections.link import Phase
from studio.runtime.gazebo.connections.local import Installed

LOOPBACK_WORDS = "Runs on loopback only, and ends with this window."
NOTHING_WORDS = "No Gazebo server is installed on this machine."


class ServersPanel(QWidget):
    chosen = pyqtSignal()
    connect_wanted = pyqtSignal(object)
    disconnect_wanted = pyqtSignal(object)
    add_wanted = pyqtSignal(str)
    keep_wanted = pyqtSignal(object, str)
    forget_wanted = pyqtSignal(object)
    start_wanted = pyqtSignal(object, str, bool)
    """A program, a world and whether it is paused."""
    stop_wanted = pyqtSignal()
    install_wanted = pyqtSignal()
    log_wanted = pyqtSignal()
    doctor_wanted = pyqtSignal()
    refresh_wanted = pyqtSignal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.list = ServerList(theme)
        self.list.chosen.connect(self._show_choice)
        self.list.chosen.connect(self.chosen)
        self.list.activated_row.connect(self._toggle)
        self.nothing = QLabel("No server is found yet. Start one below, or enter its address with +.")
        self.nothing.setWordWrap(True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.nothing.setProperty("role", "muted")
        self.nothing.setContentsMargins(10, 8, 10, 8)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._make_tools())
        column.addWidget(self.entry)
        column.addWidget(self.nothing, 1)
        column.addWidget(self.list, 1)
        column.addLayout(self._make_buttons())
        title = QLabel("Start a local server")
        title.setProperty("role", "section")
        column.addWidget(title)
        column.addWidget(self._make_start())
        self._servers: list[Installed] | None = None
        self._is_running = False
        self.show_theme(theme)
        self._show_choice()

    def _make_tools(self) -> QHBoxLayout:
        self.refresh = _tool("Look for servers now", self.refresh_wanted.emit)
        self.add = _tool("Enter the address of a server", self._open_entry)
        self.entry = QLineEdit()
        self.entry.setPlaceholderText("host:port, or gz:PARTITION/WORLD")
        self.entry.setAccessibleName("Address of a server")
        self.entry.returnPressed.connect(self._enter)
        self.entry.setContentsMargins(8, 0, 8, 6)
        self.entry.hide()
        row = QHBoxLayout()
        row.setContentsMargins(10, 3, 6, 3)
        row.addStretch(1)
        row.addWidget(self.refresh)
        row.addWidget(self.add)
        return row

    def _make_buttons(self) -> QHBoxLayout:
        self.link_button = QPushButton("Connect")
        self.link_button.clicked.connect(lambda: self._toggle(self.list.current()))
        self.keep_button = QPushButton("Save…")
        self.keep_button.clicked.connect(self._keep)
        self.name_entry = QLineEdit()
        self.name_entry.setPlaceholderText("Name")
        self.name_entry.setAccessibleName("Name under which the server is saved")
        self.name_entry.returnPressed.connect(self._keep_named)
        self.name_entry.hide()
        row = QHBoxLayout()
        row.setContentsMargins(10, 8, 10, 8)
        row.setSpacing(6)
        for widget in (self.link_button, self.name_entry, self.keep_button):
            row.addWidget(widget)
        row.addStretch(1)
        return row

    def _make_start(self) -> QWidget:
        box = QWidget()
        column = QVBoxLayout(box)
        column.setContentsMargins(10, 8, 10, 10)
        column.setSpacing(7)
        self.programs = QComboBox()
        self.programs.setAccessibleName("Server program")
        self.programs.setMinimumContentsLength(10)
        self.programs.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.worlds = QComboBox()
        self.worlds.setAccessibleName("World")
        self.worlds.setToolTip("The world that the server starts with: an .sdf or .world file")
        self.worlds.setMinimumContentsLength(10)
        self.worlds.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.browse = _tool("Choose a world file", self._browse)
        world_row = QHBoxLayout()
        world_row.addWidget(self.worlds, 1)
        world_row.addWidget(self.browse)
        self.paused = QCheckBox("Start paused")
        self.start = QPushButton("Start server")
        self.start.clicked.connect(self._start)
        self.log = QPushButton("Server log")
        self.log.clicked.connect(self.log_wanted)
        buttons = QHBoxLayout()
        buttons.addWidget(self.start)
        buttons.addWidget(self.log)
        buttons.addStretch(1)
        self.install = QPushButton("Install Gazebo classic 11")
        self.install.setToolTip("Into your cache, without root: about 250 MB to download, 830 MB on disk")
        self.install.clicked.connect(self.install_wanted)
        self.progress = QProgressBar()
        self.progress.setRange(0, 1000)
        self.progress.hide()
        self.words = QLabel()
        self.words.setWordWrap(True)
        self.words.setProperty("role", "muted")
        self.doctor = QPushButton("Doctor")
        self.doctor.setToolTip("Check the installation and discovery; explains why no server is found")
        self.doctor.clicked.connect(self.doctor_wanted)
        last = QHBoxLayout()
        last.addWidget(self.words, 1)
        last.addWidget(self.doctor, 0, Qt.AlignmentFlag.AlignTop)
        column.addWidget(self.programs)
        column.addLayout(world_row)
        column.addWidget(self.paused)
        column.addLayout(buttons)
        column.addWidget(self.install)
        column.addWidget(self.progress)
        column.addLayout(last)
        return box

    # ---- what is shown

    def show_rows(self, rows: Sequence[Row]) -> None:
        self.nothing.setVisible(not rows)
        self.list.setVisible(bool(rows))
        self.list.show_rows(rows)
        self._show_choice()

    def show_programs(self, servers: list[Installed], worlds: Sequence[tuple[str, Path]]) -> None:
        self._servers = servers
        self.programs.clear()
        for server in servers:
            self.programs.addItem(server.title, server)
        chosen = self.worlds.currentData()
        self.worlds.clear()
        for title, file in worlds:
            self.worlds.addItem(title, file)
            self.worlds.setItemData(self.worlds.count() - 1, str(file), Qt.ItemDataRole.ToolTipRole)
        if chosen is not None:
            self._choose_world(chosen)
        self._show_start()

    def show_local(self, *, is_running: bool, words: str) -> None:
        if (is_running, words) != (self._is_running, self.words.text()):
            self._is_running = is_running
            self._show_start()
            if words:
                self.words.setText(words)

    def show_install(self, what: str, part: float) -> None:
        """Empty: nothing is being installed."""
        self.progress.setVisible(bool(what))
        self.install.setEnabled(not what)
        if what:
            self.progress.setValue(int(1000 * part))
            self.progress.setFormat(f"{what} %p %")

    def _show_start(self) -> None:
        has_any = bool(self._servers)
        for widget in (self.programs, self.worlds, self.browse, self.paused, self.start):
            widget.setVisible(has_any)
        for widget in (self.programs, self.worlds, self.browse, self.paused):
            widget.setEnabled(not self._is_running)
        self.install.setVisible(self._servers == [])
        self.start.setText("Stop server" if self._is_running else "Start server")
        self._show_start_icon()
        self.words.setText(NOTHING_WORDS if self._servers == [] else LOOPBACK_WORDS if has_any else "Looking…")

    def _show_start_icon(self) -> None:
        theme = self.list.theme
        self.start.setIcon(icon("fa6s.stop", theme.error) if self._is_running else icon("fa6s.play", theme.fine))

    def _show_choice(self) -> None:
        row = self.list.current()
        is_linked = row is not None and row.phase in (Phase.CONNECTED, Phase.RECONNECTING, Phase.CONNECTING)
        is_tried = row is not None and row.phase == Phase.LOST and "trying again" in row.words
        self.link_button.setEnabled(row is not None)
        self.link_button.setText("Disconnect" if is_linked or is_tried else "Connect")
        self.link_button.setToolTip(
            "Disconnect; the server keeps running (Return)"
            if is_linked or is_tried
            else "Connect, and again each time the server comes back (Return)"
        )
        self.keep_button.setEnabled(row is not None)
        is_kept = row is not None and row.is_kept
        self.keep_button.setText("Forget" if is_kept else "Save…")
        self.keep_button.setToolTip(
            "Remove it from the saved servers" if is_kept else "Keep its address under a name, for all projects"
        )

    # ---- what is wanted

    def _toggle(self, row: Row | None) -> None:
        if row is None:
            return
        is_available = row.phase == AVAILABLE or (row.phase == Phase.LOST and "trying again" not in row.words)
        (self.connect_wanted if is_available else self.disconnect_wanted).emit(row.address)

    def _open_entry(self) -> None:
        self.entry.setVisible(not self.entry.isVisible())
        if self.entry.isVisible():
            self.entry.setFocus()

    def _enter(self) -> None:
        if self.entry.text().strip():
            self.add_wanted.emit(self.entry.text())

    def entered(self, *, is_good: bool) -> None:
        self.entry.setProperty("wrong", not is_good)
        style = self.entry.style()
        if style is not None:
            style.polish(self.entry)
        if is_good:
            self.entry.clear()
            self.entry.hide()
            self.list.setFocus()

    def _keep(self) -> None:
        row = self.list.current()
        if row is None:
            return
        if row.is_kept:
            self.forget_wanted.emit(row.address)
        elif self.name_entry.isVisible():
            self._keep_named()
        else:
            self.name_entry.setText(row.name)
            self.name_entry.show()
            self.name_entry.setFocus()
            self.name_entry.selectAll()

    def _keep_named(self) -> None:
        row = self.list.current()
        if row is not None and self.name_entry.text().strip():
            self.name_entry.hide()
            self.keep_wanted.emit(row.address, self.name_entry.text())

    def _start(self) -> None:
        if self._is_running:
            self.stop_wanted.emit()
        elif self.programs.currentData() is not None and self.worlds.currentData() is not None:
            world = str(self.worlds.currentData())
            self.start_wanted.emit(self.programs.currentData(), world, self.paused.isChecked())

    def _browse(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(self, "World", "", "Worlds (*.sdf *.world)")
        if chosen:
            self._choose_world(Path(chosen))

    def _choose_world(self, file: Path) -> None:
        place = next((each for each in range(self.worlds.count()) if self.worlds.itemData(each) == file), -1)
        if place < 0:
            self.worlds.insertItem(0, file.name, file)
            place = 0
        self.worlds.setCurrentIndex(place)

    def show_theme(self, theme: Theme) -> None:
        self.list.theme = theme
        self.refresh.setIcon(icon("mdi6.refresh", theme.muted))
        self.add.setIcon(icon("mdi6.plus", theme.muted))
        self.browse.setIcon(icon("fa6s.folder-open", theme.muted))
        self._show_start_icon()
        viewport = self.list.viewport()
        if viewport is not None:
            viewport.update()


def _tool(words: str, do: Callable[[], object]) -> QToolButton:
    button = QToolButton()
    button.setToolTip(words)
    button.setAccessibleName(words)
    button.setAutoRaise(True)
    button.clicked.connect(lambda: do())
    return button
