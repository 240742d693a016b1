"""What is wrong and what to do about it are both to be read."""

from __future__ import annotations

from PyQt6.QtWidgets import QApplication

from studio.editor.live.problems import Remedy
from studio.editor.look.theme import LIGHT
from studio.editor.panels.system.problems import FIX, MESSAGE, PLACE, REMEDY, Problems
from studio.errors import Problem
from studio.model.registry import Registry
from studio.model.system_check import check
from studio.model.system_xml import read_system
from studio.paths import component_roots


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


def test_what_failed_has_its_line_and_a_remedy_that_is_no_edit(qapp: QApplication) -> None:
    done: list[str] = []
    opened: list[Problem] = []
    panel = Problems(LIGHT)
    panel.fixes_of = lambda problem: [Remedy("Restart", lambda: done.append("restart"))]
    panel.fix_wanted.connect(lambda fix: fix.do())
    panel.go_to.connect(opened.append)
    failed = Problem("fragile failed: ValueError", "error", "/lab/fragile.py", 12, subject="fragile")
    panel.show_problems([failed], None)
    panel._clicked(0, FIX)
    assert done == ["restart"]
    panel._clicked(0, PLACE)
    assert opened == [failed] and panel.table.item(0, PLACE).text() == "fragile.py:12"


def test_a_hint_speaks_of_wires_and_not_of_tags(qapp: QApplication) -> None:
    """The line of the file is for the text of system.xml and for the command line."""
    panel = Problems(LIGHT)
    system = read_system(b'<system name="a"><component name="f" type="low_pass"/></system>')
    spec = Registry.scan(component_roots()).get("low_pass")
    found = check(system, {"low_pass": spec}, {"Float64"})
    panel.show_problems(found, None)
    remedy = panel.table.item(0, REMEDY)
    assert remedy is not None and remedy.text() == "wire an out port of type Float64 to it"
    assert '<wire from="..." to="f.raw"/>' in str(found[0])
