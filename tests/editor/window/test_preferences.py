"""Preferences take effect; the trust question is safe; sources open where the user wants them."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from studio.editor.base.settings import Settings
from studio.editor.code.source_view import editor_words, open_source
from studio.editor.look.theme import DARK, LIGHT
from studio.editor.project.trust_dialog import TrustDialog
from studio.editor.views.shared.map_colours import COLOUR_PREFERENCES
from studio.editor.window.main_window import MainWindow
from studio.editor.window.preferences import PreferencesDialog


def test_preferences_take_effect_and_are_kept(window: MainWindow) -> None:
    dialog = PreferencesDialog(window)
    dialog.theme.setCurrentIndex(dialog.theme.findData("dark"))
    dialog.theme.activated.emit(dialog.theme.currentIndex())
    assert window.theme is DARK
    dialog.autosave.setValue(7)
    assert window.files.autosave._timer.interval() == 7000
    dialog.console.setValue(5000)
    assert window.live_panels.console.book.most == 5000
    dialog.minimap.setChecked(False)
    window.canvas.zoom_to(3.0)
    assert not window.canvas.minimap.isVisible()
    dialog.safe.setChecked(True)
    assert COLOUR_PREFERENCES.need_safe and Settings(window.settings.file).safe_colours
    dialog.safe.setChecked(False)
    dialog.scale.setCurrentIndex(dialog.scale.findData(125))
    dialog.scale.activated.emit(dialog.scale.currentIndex())
    dialog.editor.setText(" code {file} ")
    again = Settings(window.settings.file)
    assert (again.theme, again.autosave_s, again.scale, again.minimap) == ("dark", 7, 125, False)
    assert (again.console_lines, again.editor_command) == (5000, "code {file}")
    dialog.editor.setText("")
    dialog.minimap.setChecked(True)
    window.choose_theme("light")
    dialog.deleteLater()


def test_nonsense_in_the_file_of_settings_does_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "editor.ini"
    file.write_text("[General]\nscale=huge\nautosave_s=-4\nconsole_lines=\nminimap=?\n")
    settings = Settings(file)
    assert (settings.scale, settings.autosave_s, settings.console_lines, settings.minimap) == (100, 1, 20_000, True)


def test_the_trust_question_shows_the_commands_and_looking_is_the_answer_at_hand(window: MainWindow) -> None:
    commands = ["program tools/gps: ./gps_bridge --port <tty>", "python components/x: x:X"]
    dialog = TrustDialog(window, LIGHT, "field_trial", window.session.folder, commands)
    dialog.show()
    assert "./gps_bridge --port <tty>" in dialog.commands.toPlainText()
    assert LIGHT.error.casefold() in dialog.commands.toHtml().casefold()
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert dialog.result() == TrustDialog.DialogCode.Rejected
    dialog.show()
    QTest.mouseClick(dialog.run, Qt.MouseButton.LeftButton)
    assert dialog.result() == TrustDialog.DialogCode.Accepted
    dialog.deleteLater()


def test_the_source_of_a_component_is_shown_or_opened_in_the_editor(window: MainWindow, tmp_path: Path) -> None:
    window.canvas.canvas.select(["terrain_map"])
    window.trigger("tools.source")
    page = window.code.current
    assert page is not None and "class Thing" in page.editor.text()
    told = tmp_path / "told"
    script = f"import sys; open({str(told)!r}, 'w').write(' '.join(sys.argv[1:]))"
    window.settings.editor_command = f'"{sys.executable}" -c "{script}" {{line}} {{file}}'
    source = window.session.folder / "components" / "terrain_map" / "terrain_map.py"
    open_source(window, source, 2)
    end = time.monotonic() + 20
    while not (told.exists() and told.read_text()) and time.monotonic() < end:
        QApplication.processEvents()
        time.sleep(0.02)
    assert told.read_text() == f"2 {source}"
    window.settings.editor_command = "no-such-editor"
    open_source(window, source)
    assert "no-such-editor" in window.status.words.text()
    open_source(window, tmp_path / "gone.py")
    assert "gone.py" in window.status.words.text()
    window.settings.editor_command = ""


def test_an_editor_command_without_marks_gets_the_file_at_its_end() -> None:
    assert editor_words("gedit --new", Path("/x/a b.py"), 3) == ["gedit", "--new", "/x/a b.py"]
    assert editor_words("code -g {file}:{line}", Path("/x/a b.py"), 3) == ["code", "-g", "/x/a b.py:3"]


def test_the_button_of_the_mini_map_is_remembered(window: MainWindow) -> None:
    before = window.settings.minimap
    window.canvas.toggle_minimap()
    assert window.settings.minimap is not before
    window.canvas.toggle_minimap()
    assert window.settings.minimap is before
