"""What is wrong and what to do about it are both to be read."""

from __future__ import annotations

from PyQt6.QtWidgets import QApplication

from studio.editor.panels.problems import MESSAGE, REMEDY, Problems
from studio.editor.theme import LIGHT
from studio.errors import Problem


def shown(width: int, message: str, hint: str) -> tuple[bool, bool]:
    """Whether the message and the hint can be read whole."""
    panel = Problems(LIGHT)
    panel.resize(width, 160)
    panel.show_problems([Problem(message, "warning", hint=hint)], None)
    panel.show()
    QApplication.sendPostedEvents()
    table = panel.table
    whole = (table.columnWidth(column) >= table.sizeHintForColumn(column) for column in (MESSAGE, REMEDY))
    return tuple(whole)  # type: ignore[return-value]


def test_a_short_message_leaves_its_room_to_what_to_do(qapp: QApplication) -> None:
    hint = "wire an out port of type Float64 to it, and then all is well again"
    assert shown(900, "nothing is wired to a.raw", hint) == (True, True)


def test_a_long_hint_does_not_take_the_room_of_the_message(qapp: QApplication) -> None:
    assert shown(900, "nothing is wired to a.raw", "a long story " * 30) == (True, False)
    panel = Problems(LIGHT)
    panel.resize(300, 160)
    panel.show_problems([Problem("a long message " * 9, "error", hint="a long story " * 30)], None)
    panel.show()
    assert panel.table.columnWidth(MESSAGE) >= 100 and panel.table.columnWidth(REMEDY) >= 20


def test_a_component_that_has_failed_is_not_nothing(qapp: QApplication) -> None:
    panel = Problems(LIGHT)
    panel.show_problems([], None)
    panel.show_failed(["fragile"])
    assert panel.nothing.words.text().endswith("but fragile is in trouble")
    panel.show_failed(["a", "b"])
    assert "a, b are in trouble" in panel.nothing.words.text()
    panel.show_failed(())
    assert panel.nothing.words.text() == "Nothing wrong"
