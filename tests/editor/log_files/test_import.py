"""Logs are brought in from elsewhere."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from studio.editor.log_files.import_dialog import ImportDialog
from studio.editor.log_files.log_facts import read_facts
from studio.editor.look.theme import DARK, LIGHT
from tests.editor.log_files.given_logs import CARMEN, PATIENCE_MS, carmen


class TestImport:
    def test_a_foreign_log_is_brought_in_beside_the_window(self, tmp_path: Path, qtbot: QtBot) -> None:
        output = tmp_path / "logs" / "intel.mcap"
        dialog = ImportDialog(None, DARK, carmen(tmp_path), output)  # type: ignore[arg-type]
        qtbot.addWidget(dialog)
        with qtbot.waitSignal(dialog.imported, timeout=PATIENCE_MS) as told:
            dialog.start()
            assert dialog.is_under_way
        assert told.args == [output] and not dialog.isVisible()
        assert set(read_facts(output).kinds.values()) >= {"Odometry", "Range3d"}

    def test_what_was_left_out_is_told_before_it_is_opened(self, tmp_path: Path, qtbot: QtBot) -> None:
        source = carmen(tmp_path)
        source.write_text(CARMEN + "NEFF 12.0 100.9 host 1.0\n")
        dialog = ImportDialog(None, DARK, source, tmp_path / "intel.mcap")  # type: ignore[arg-type]
        qtbot.addWidget(dialog)
        dialog.start()
        qtbot.waitUntil(lambda: not dialog.is_under_way and dialog.report is not None, timeout=PATIENCE_MS)
        assert dialog.isVisible() and "Not imported: 1 NEFF" in dialog.words.text()
        with qtbot.waitSignal(dialog.imported, timeout=1000):
            dialog.go_on.click()

    def test_all_that_an_import_tells_can_be_read(self, tmp_path: Path, qtbot: QtBot) -> None:
        dialog = ImportDialog(None, LIGHT, tmp_path / "long.log", tmp_path / "long.mcap")  # type: ignore[arg-type]
        qtbot.addWidget(dialog)
        dialog.show()
        dialog.words.setText(
            " ".join(["Lines that repeat the pose of the scan before them are left as they are."] * 12)
        )
        dialog._fit()
        layout = dialog.layout()
        assert layout is not None
        layout.activate()
        assert dialog.words.height() >= dialog.words.heightForWidth(dialog.words.width())

    def test_what_is_no_log_is_told_and_leaves_nothing(self, tmp_path: Path, qtbot: QtBot) -> None:
        wrong = tmp_path / "novel.txt"
        wrong.write_text("It was a dark and stormy night.\n")
        output = tmp_path / "logs" / "novel.mcap"
        dialog = ImportDialog(None, LIGHT, wrong, output)  # type: ignore[arg-type]
        qtbot.addWidget(dialog)
        dialog.start()
        qtbot.waitUntil(
            lambda: not dialog.is_under_way and "was not imported" in dialog.title.text(), timeout=PATIENCE_MS
        )
        assert "is not a log that Studio can read" in dialog.words.text() and not output.exists()

    def test_giving_up_leaves_nothing(self, tmp_path: Path, qtbot: QtBot) -> None:
        long = tmp_path / "long.log"
        long.write_text(CARMEN + "ODOM 0.1 0.0 0.0 0.5 0.0 0.0 100.8 host 0.9\n" * 400_000)
        output = tmp_path / "long.mcap"
        dialog = ImportDialog(None, LIGHT, long, output)  # type: ignore[arg-type]
        qtbot.addWidget(dialog)
        dialog.start()
        qtbot.waitUntil(lambda: dialog.bar.value() > 0 or not dialog.is_under_way, timeout=PATIENCE_MS)
        assert dialog.is_under_way, "it was cancelled on its way"
        dialog.close()
        assert not dialog.is_under_way and not output.exists()
