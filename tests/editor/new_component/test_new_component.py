"""A component made in the window: its files, its card, its code, its test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt, QUrl
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QMenu, QPushButton
from pytestqt.qtbot import QtBot

from studio.editor.new_component.dialog import NewComponentDialog
from studio.editor.new_component.draft import NAMELESS, Draft, Row, faults, typed_name
from studio.editor.window import files as window_files
from studio.editor.window.main_window import MainWindow
from studio.runtime.client.trust import VARIABLE, commands_of, is_trusted

RUN_MS = 90_000
"""A process with numpy starts in a second, and on a crowded machine in a minute."""


@pytest.fixture
def made(one_window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    """With a project that was made a moment ago."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    one_window.show()
    one_window.show_session(None)
    one_window.files.create(tmp_path / "my_robot")
    yield one_window
    for page in one_window.code.modified:
        page.editor.setModified(False)
    one_window.hide()
    one_window.show_session(None)


def fill(dialog: NewComponentDialog, name: str) -> None:
    """As a person would: a low pass with one input, one output and one parameter."""
    QTest.keyClicks(dialog.name, name)
    inner, outer = dialog.ports.rows
    QTest.keyClicks(inner.name, "raw value")
    QTest.keyClicks(outer.name, "smooth")
    row = dialog.add_parameter()
    QTest.keyClicks(row.name, "cutoff_hz")
    row.default.setText("2.0")
    row.unit.setText("Hz")


@pytest.mark.parametrize(
    ("typed", "name"),
    [("Low Pass", "low_pass"), ("LowPass", "low_pass"), ("low-pass.2", "low_pass_2"), ("  x", "x"), ("low_", "low_")],
)
def test_a_name_becomes_snake_case_while_it_is_typed(typed: str, name: str) -> None:
    assert typed_name(typed) == name


def test_what_is_wrong_is_said_where_it_is() -> None:
    def free(_: str) -> str:
        return ""

    assert faults(Draft("low_pass"), free).first == ""
    assert faults(Draft(""), free).name == "Give it a name"
    assert "begin with a letter" in faults(Draft("2fast"), free).name
    assert "module of Python" in faults(Draft("signal"), free).name
    assert faults(Draft("low_pass"), lambda name: f"{name} is taken").name == "low_pass is taken"
    rows = (Row("raw", "Float64"), Row("", "Map"), Row("raw", "Map"), Row("log", "Map"))
    found = faults(Draft("low_pass", inputs=rows), free).rows
    assert found[:2] == ("", "") and "another port" in found[2] and "is a name that every component has" in found[3]
    assert "like the message" in faults(Draft("map", inputs=(Row("terrain", "Map"),)), free).whole


def test_a_component_is_made_put_on_the_canvas_and_its_code_opens(made: MainWindow, qtbot: QtBot) -> None:
    made.trigger("insert.new_component")
    dialog = made.new_component.dialog
    assert dialog is not None
    fill(dialog, "Low Filter")
    assert dialog.name.text() == "low_filter" and dialog.ports.rows[0].name.text() == "raw_value"
    assert list(dialog.preview.files) == ["low_filter.py", "test_low_filter.py", "README.md"]
    assert "raw_value = InPort(Float64" in dialog.preview.text.text()
    dialog.create_it.click()
    project = made.session.folder
    folder = project / "components" / "low_filter"
    assert {file.name for file in folder.iterdir()} >= {"low_filter.py", "test_low_filter.py", "component.xml"}
    assert [node.name for node in made.session.system.nodes] == ["low_filter"] and dialog.isHidden()
    page = made.code.current
    assert page is not None and page.file.path == folder / "low_filter.py"
    assert "self.smooth.publish" in page.editor.text(page.editor.line)
    spec = made.session.registry.get("low_filter")
    assert spec is not None and is_trusted(project, commands_of(project, [spec])), "one's own code needs no question"
    assert commands_of(project, [spec]), "or the check above checks nothing"
    made.session.undo()
    assert not made.session.system.nodes and folder.is_dir()


@pytest.mark.timeout(300)
def test_its_test_runs_in_the_window_and_tells_the_failing_line(made: MainWindow, qtbot: QtBot) -> None:
    dialog = made.new_component.ask()
    fill(dialog, "low_filter")
    dialog.create_it.click()
    made.trigger("run.test")
    panel = made.side_panels.get("tests")
    qtbot.waitUntil(lambda: not panel.run.is_under_way, timeout=RUN_MS)
    assert "low_filter: 2 passed" in panel.words.text(), panel.lines
    page = made.code.current
    assert page is not None
    page.editor.setText(page.editor.text().replace("self.smooth.publish(message)", "pass").replace(
        "    smooth = ", "    extra = OutPort(Float64)\n    smooth = "))  # fmt: skip
    page.editor.setFocus()
    panel.again.click()
    assert not page.is_modified, "what runs is what is seen"
    qtbot.waitUntil(lambda: not panel.run.is_under_way, timeout=RUN_MS)
    assert "2 failed" in panel.words.text() and panel.update_profile.isVisibleTo(panel)
    link = next(line for line in panel.lines if line.startswith("components/low_filter/test_low_filter.py:"))
    panel.output.anchorClicked.emit(QUrl(link.partition(": ")[0]))
    shown = made.code.current
    assert shown is not None and shown.file.path.name == "test_low_filter.py" and shown.editor.line > 1
    panel.update_profile.click()
    qtbot.waitUntil(lambda: "extra" in {port.name for port in made.session.registry.get("low_filter").ports},
                    timeout=RUN_MS)  # fmt: skip
    assert any(port.end.port == "extra" for port in made.canvas.canvas.nodes["low_filter"].card.ports)


@pytest.mark.timeout(120)
def test_a_port_that_is_added_in_the_code_comes_to_the_card(made: MainWindow, qtbot: QtBot) -> None:
    dialog = made.new_component.ask()
    fill(dialog, "low_filter")
    dialog.create_it.click()
    page = made.code.current
    assert page is not None and page.save() and page.notice.isHidden(), "nothing differs yet"
    page.editor.setText(page.editor.text().replace("    smooth = ", "    extra = OutPort(Float64)\n    smooth = "))
    page.editor.setFocus()
    assert page.save()
    button = next(each for each in page.notice.findChildren(QPushButton) if each.text() == "Update the card")
    button.click()
    qtbot.waitUntil(
        lambda: any(port.end.port == "extra" for port in made.canvas.canvas.nodes["low_filter"].card.ports),
        timeout=RUN_MS,
    )


def test_a_name_that_exists_is_explained_and_nothing_is_made(made: MainWindow) -> None:
    dialog = made.new_component.ask()
    (made.session.folder / "components" / "taken").mkdir(parents=True)
    dialog.create_it.click()
    assert dialog.about_name.text() == "Give it a name"
    QTest.keyClicks(dialog.name, "taken")
    assert dialog.about_name.text() == "There is a component taken already" and not dialog.create_it.isEnabled()
    QTest.keyClicks(dialog.name, "_2")
    assert dialog.about_name.text() == "Class Taken2" and dialog.create_it.isEnabled()
    dialog.reject()


def test_nothing_moves_while_the_name_is_typed(made: MainWindow) -> None:
    dialog = made.new_component.ask()

    def places() -> list[int]:
        QApplication.processEvents()
        return [each.mapTo(dialog, QPoint()).y() for each in (dialog.doc, dialog.kind, dialog.period, dialog.ports)]

    before = places()
    for name in ("l", "low", "2"):  # its class, or what is wrong with it
        dialog.name.clear()
        QTest.keyClicks(dialog.name, name)
        assert places() == before, dialog.about_name.text()
    QTest.keyClicks(dialog.ports.rows[0].name, "raw")
    assert places() == before
    dialog.reject()


def test_return_does_not_leave_out_a_port_that_has_no_name_yet(made: MainWindow) -> None:
    dialog = made.new_component.ask()
    assert "periodically" in dialog.only_timer.text(), "On each message is chosen, and has no effect yet"
    QTest.keyClicks(dialog.name, "low_filter")
    QTest.keyClick(dialog.name, Qt.Key.Key_Return)
    inner, outer = dialog.ports.rows
    assert dialog.isVisible() and not dialog.create_it.isEnabled() and dialog.focusWidget() is inner.name
    assert (inner.wrong.text(), outer.wrong.text()) == (NAMELESS, NAMELESS)
    QTest.keyClicks(inner.name, "raw")
    assert not inner.wrong.text() and not inner.wrong.isHidden(), "without it the next row moves under the pointer"
    assert not dialog.only_timer.text()
    outer.remove.click()
    QTest.keyClick(inner.name, Qt.Key.Key_Return)
    assert dialog.isHidden() and (made.session.folder / "components" / "low_filter").is_dir()


def test_a_port_whose_type_was_chosen_needs_a_name(made: MainWindow) -> None:
    dialog = made.new_component.ask()
    QTest.keyClicks(dialog.name, "low_filter")
    inner, outer = dialog.ports.rows
    assert dialog.create_it.isEnabled(), "rows that nobody has touched are left out"
    QTest.keyClick(outer.type, Qt.Key.Key_Down)
    assert (inner.wrong.text(), outer.wrong.text()) == ("", NAMELESS) and not dialog.create_it.isEnabled()
    QTest.keyClicks(outer.name, "smooth")
    assert dialog.create_it.isEnabled()
    dialog.reject()


def test_the_canvas_menu_puts_the_card_where_it_was_opened(made: MainWindow) -> None:
    viewport = made.canvas.viewport()
    assert viewport is not None
    at = QPoint(120, 90)
    made.project.open_context_menu(viewport.mapToGlobal(at))
    menu = next(menu for menu in made.findChildren(QMenu) if menu.isVisible())
    next(entry for entry in menu.actions() if entry.text() == "New component…").trigger()
    menu.close()
    dialog = made.new_component.dialog
    assert dialog is not None
    fill(dialog, "low_filter")
    where = made.canvas.mapToScene(at)
    dialog.create_it.click()
    corner = made.canvas.canvas.nodes["low_filter"].pos()
    assert abs(corner.x() + 88 - where.x()) <= 16 and abs(corner.y() + 40 - where.y()) <= 16


def test_a_wire_that_is_let_go_can_end_at_a_new_component(made: MainWindow) -> None:
    made.canvas.commands.add("signal_source")
    port = next(port for port in made.canvas.canvas.nodes["signal_source"].card.ports if port.side == "out")
    made.canvas.open_quick_add(QPointF(400, 0), port)
    QTest.keyClicks(made.canvas.quick_add.field, "My Sink")
    QTest.keyClick(made.canvas.quick_add.field, Qt.Key.Key_Return)
    dialog = made.new_component.dialog
    assert dialog is not None and dialog.name.text() == "my_sink"
    dialog.create_it.click()
    (wire,) = made.session.system.wires
    assert (wire.start, wire.end.node, wire.end.port) == (port.end, "my_sink", port.end.port)


def test_in_an_example_the_component_goes_into_a_copy(
    made: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = made.session.folder
    made.files._example = example
    monkeypatch.setattr(window_files, "ask_new_folder", lambda *_: tmp_path / "mine")
    dialog = made.new_component.ask()
    fill(dialog, "low_filter")
    dialog.create_it.click()
    assert (tmp_path / "mine/components/low_filter/component.xml").is_file()
    assert not (example / "components/low_filter").exists() and made.session.folder == tmp_path / "mine"
