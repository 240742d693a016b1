"""system.xml written as text: one history for text and canvas, comments kept, and undo gives every byte back."""

from __future__ import annotations

from pathlib import Path

from studio.model.document import SystemDocument
from studio.model.parts import Component, Endpoint, Wire
from studio.model.system_edits import AddNode, Connect, RemoveNodes, RenameNode
from studio.model.system_text import WriteText, read_text

TEXT = """<?xml version="1.0" encoding="UTF-8"?>
<system name="two" version="1">
  <!-- where it begins -->
  <component name="a" type="signal_source"/>
  <component name="b" type="signal_sink"/>
  <wire from="a.value" to="b.value"/>
</system>
"""


def opened(tmp_path: Path) -> SystemDocument:
    (tmp_path / "system.xml").write_text(TEXT)
    document = SystemDocument.load(tmp_path)
    document.system.place("a", 16.0, 32.0)
    return document


def write(document: SystemDocument, text: str) -> None:
    read = read_text(text.encode(), document.folder / "system.xml")
    assert read.system is not None, read.problems
    document.do(WriteText(text.encode(), read.system))


def shown(document: SystemDocument) -> str:
    return document.system_text().decode()


def test_a_comment_that_is_written_is_kept_by_edits_on_the_canvas_and_goes_with_undo(tmp_path: Path) -> None:
    document = opened(tmp_path)
    written = TEXT.replace("  <wire", "  <!-- it flows\n       here -->\n  <wire")
    write(document, written)
    assert shown(document) == written
    document.do(AddNode(Component("c", "low_pass")))
    document.do(Connect(Wire(Endpoint("a", "value"), Endpoint("c", "raw"))))
    document.do(RenameNode("b", "sink"))
    for part in ("<!-- it flows\n       here -->", "<!-- where it begins -->", 'name="c"', 'to="sink.value"'):
        assert part in shown(document)
    for _ in range(3):
        document.undo()
    assert shown(document) == written
    document.undo()
    assert shown(document) == TEXT and not document.history.undo()
    document.redo()
    assert shown(document) == written


def test_canvas_and_text_take_turns_and_every_state_comes_back(tmp_path: Path) -> None:
    document = opened(tmp_path)
    states = [shown(document)]

    def then(text: str | None = None) -> None:
        if text is not None:
            write(document, text)
        states.append(shown(document))

    document.do(AddNode(Component("c", "low_pass"), index=0))
    then()
    then(shown(document).replace("<!-- where it begins -->", "<!-- one -->\n  <!-- two -->"))
    document.do(RemoveNodes(("a",)))
    then()
    then(shown(document).replace('type="low_pass"', 'type="low_pass" period_s="0.50"'))
    document.do(RenameNode("c", "d"))
    then()
    for state in reversed(states[:-1]):
        document.undo()
        assert shown(document) == state
    for state in states[1:]:
        document.redo()
        assert shown(document) == state
    document.save()
    assert (tmp_path / "system.xml").read_text() == states[-1]
    assert SystemDocument.load(tmp_path).system_text().decode() == states[-1]


def test_a_name_that_is_written_otherwise_keeps_its_place_on_the_canvas(tmp_path: Path) -> None:
    document = opened(tmp_path)
    write(document, TEXT.replace('"a"', '"begin"').replace("a.value", "begin.value"))
    place = document.system.layout.places["begin"]
    assert (place.x, place.y) == (16.0, 32.0) and "a" not in document.system.layout.places
    document.undo()
    assert "a" in document.system.layout.places


def test_what_is_wrong_is_told_with_the_line_of_the_text(tmp_path: Path) -> None:
    file = tmp_path / "system.xml"
    broken = read_text(TEXT.replace("</system>", "</systm>").encode(), file)
    assert broken.system is None and broken.problems[0].line == 7
    schema = read_text(TEXT.replace('type="signal_sink"', "").encode(), file)
    assert schema.system is None and schema.problems[0].line == 5
    strange = read_text(TEXT.replace("<wire ", "<wire colour='red' ").encode(), file)
    assert strange.system is not None
    assert [(each.severity, each.line) for each in strange.problems] == [("warning", 6)]
