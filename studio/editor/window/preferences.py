"""The preferences: each takes effect at once, but for the size of the interface, which needs a new start."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from studio.editor.base.settings import SCALES
from studio.editor.look.fonts import use_ligatures
from studio.editor.look.theme import THEMES
from studio.editor.views.shared.map_colours import COLOUR_PREFERENCES
from studio.recordings import choose_folder, chosen_folder, default_folder, recordings_folder

if TYPE_CHECKING:
    from studio.editor.window.main_window import MainWindow

CONTRAST_WORDS = {"system": "Follow system", "normal": "Normal", "high": "High"}
MOTION_WORDS = {"system": "Follow system", "full": "Short, where it explains", "none": "None"}
EDITORS = "code --goto {file}:{line}"


class PreferencesDialog(QDialog):
    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.window_, self.settings = window, window.settings
        self.setWindowTitle("Preferences")
        self.setMinimumWidth(520)
        self.theme = QComboBox()
        for name in THEMES:
            self.theme.addItem(name.capitalize(), name)
        self.theme.setCurrentIndex(self.theme.findData(window.theme.name))
        self.theme.activated.connect(lambda _: window.choose_theme(self.theme.currentData()))
        self.contrast = self._choices(CONTRAST_WORDS, self.settings.contrast, self._contrast)
        self.motion = self._choices(MOTION_WORDS, self.settings.motion, self._motion)
        self.scale = QComboBox()
        for scale in SCALES:
            self.scale.addItem(f"{scale} %", scale)
        self.scale.setCurrentIndex(self.scale.findData(self.settings.scale))
        self.scale.activated.connect(self._scaled)
        self.restart = QLabel("Takes effect when Studio is started again")
        self.restart.setProperty("role", "muted")
        self.restart.hide()
        self.autosave = QSpinBox()
        self.autosave.setRange(1, 600)
        self.autosave.setSuffix(" s")
        self.autosave.setValue(self.settings.autosave_s)
        self.autosave.valueChanged.connect(self._autosave)
        self.editor = QLineEdit(self.settings.editor_command)
        self.editor.setPlaceholderText(EDITORS)
        self.editor.textChanged.connect(self._editor)
        self.recordings = QLineEdit(chosen_folder())
        self.recordings.setPlaceholderText(str(default_folder()))
        self.recordings.editingFinished.connect(self._recordings)
        browse = QPushButton("Browse…")
        browse.clicked.connect(self._browse)
        self.recordings_row = QWidget()
        row = QHBoxLayout(self.recordings_row)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.recordings, 1)
        row.addWidget(browse)
        self.console = QSpinBox()
        self.console.setRange(1000, 200_000)
        self.console.setSingleStep(1000)
        self.console.setGroupSeparatorShown(True)
        self.console.setValue(self.settings.console_lines)
        self.console.valueChanged.connect(self._console)
        self.reload = QCheckBox("Reload the component without asking")
        self.reload.setChecked(window.code_controller.reload.by_itself)
        self.reload.toggled.connect(self._reload)
        self.ligatures = QCheckBox("Draw -> and != as one sign")
        self.ligatures.setChecked(self.settings.ligatures)
        self.ligatures.toggled.connect(self._ligatures)
        self.minimap = QCheckBox("Show mini-map")
        self.minimap.setChecked(self.settings.minimap)
        self.minimap.toggled.connect(self._minimap)
        self.safe = QCheckBox("Safe colours of maps, codes of message types in the ports")
        self.safe.setChecked(self.settings.safe_colours)
        self.safe.toggled.connect(self._safe)
        self.debug_layout = QCheckBox("Show the Debug layout when the system stops")
        self.debug_layout.setChecked(self.settings.debug_layout_on_stop)
        self.debug_layout.toggled.connect(self._debug_layout)
        self._build()

    def _build(self) -> None:
        form = QFormLayout()
        form.setLabelAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        form.setHorizontalSpacing(14)
        form.setVerticalSpacing(9)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._row(form, "Theme", self.theme)
        self._row(form, "Contrast", self.contrast)
        self._row(form, "Colour-blind mode", self.safe)
        self._row(form, "Motion", self.motion)
        self._row(form, "Size of the interface", self.scale, self.restart)
        self._row(
            form, "Back up unsaved changes after", self.autosave,
            "Most work a crash can lose; only Save writes your files",
        )  # fmt: skip
        self.recordings.setAccessibleName("Folder for recordings")
        self._row(
            form, "Recordings go to", self.recordings_row,
            "Each project has its own folder there. `studio record` uses it, too",
        )  # fmt: skip
        self._row(form, "Lines in the console", self.console)
        self._row(form, "Mini-map", self.minimap)
        self._row(form, "At a breakpoint", self.debug_layout)
        self._row(
            form, "Open source with", self.editor,
            "A command; {file} and {line} are put in. Empty: Studio itself",
        )  # fmt: skip
        self._row(form, "Ligatures in code", self.ligatures, "For files that you open from now on")
        self._row(form, "When running code is saved", self.reload)
        close = QPushButton("Close")
        close.setDefault(True)
        close.clicked.connect(self.accept)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 14)
        layout.setSpacing(14)
        layout.addLayout(form)
        layout.addLayout(buttons)

    def _row(self, form: QFormLayout, label: str, field: QWidget, note: str | QLabel = "") -> None:
        field.setAccessibleName(label)
        form.addRow(label, field)
        if isinstance(note, str) and note:
            note = QLabel(note)
            note.setProperty("role", "muted")
        if isinstance(note, QLabel):
            note.setWordWrap(True)
            form.addRow("", note)

    def _choices(self, words: Mapping[str, str], chosen: str, take: Callable[[str], None]) -> QComboBox:
        box = QComboBox()
        for value, word in words.items():
            box.addItem(word, value)
        box.setCurrentIndex(box.findData(chosen))
        box.activated.connect(lambda _: take(box.currentData()))
        return box

    def _contrast(self, choice: str) -> None:
        self.settings.contrast = choice
        self.window_.appearance.refresh()

    def _motion(self, choice: str) -> None:
        self.settings.motion = choice
        self.window_.appearance.refresh()

    def _scaled(self) -> None:
        self.settings.scale = self.scale.currentData()
        self.restart.show()

    def _autosave(self, seconds: int) -> None:
        self.settings.autosave_s = seconds
        self.window_.files.autosave.set_interval(seconds)

    def _recordings(self) -> None:
        if self.recordings.text().strip() != chosen_folder():
            choose_folder(self.recordings.text())

    def _browse(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, "Folder for recordings", str(recordings_folder()))
        if folder:
            self.recordings.setText(folder)
            self._recordings()

    def _editor(self, text: str) -> None:
        self.settings.editor_command = text.strip()

    def _reload(self, on: bool) -> None:
        self.window_.code_controller.reload.by_itself = on

    def _ligatures(self, on: bool) -> None:
        self.settings.ligatures = on
        use_ligatures(on)
        self.window_.show_theme(self.window_.theme)  # the application's font has it, and new editors take it from there

    def _console(self, lines: int) -> None:
        self.settings.console_lines = lines
        self.window_.live_panels.console.book.keep_at_most(lines)

    def _safe(self, on: bool) -> None:
        self.settings.safe_colours = COLOUR_PREFERENCES.need_safe = on
        self.window_.appearance.refresh()

    def _debug_layout(self, on: bool) -> None:
        self.settings.debug_layout_on_stop = on

    def _minimap(self, on: bool) -> None:
        self.settings.minimap = on
        if self.window_.has_session:
            self.window_.canvas.show_minimap(on)
