"""Breakpoints without a window: kept, moved, told to whom it concerns."""

from __future__ import annotations

from studio.editor.code.breakpoint_book import FIRST_EXCEPTIONS, Breakpoint, BreakpointBook, point_words

FILE = "/x/terrain_map.py"


def test_what_is_asked_of_the_debugger_is_what_is_switched_on() -> None:
    book = BreakpointBook()
    heard: list[tuple[str, bool]] = []
    book.listen(lambda file, asks: heard.append((file, asks)))
    book.put(Breakpoint(FILE, 87, condition="n > 3", hits=">= 2"))
    book.put(Breakpoint(FILE, 90, log="n is {n}"))
    book.toggle(FILE, 4)
    book.set_enabled(FILE, 4, False)
    assert book.asked_of(FILE) == [
        {"line": 87, "condition": "n > 3", "hitCondition": ">= 2"},
        {"line": 90, "logMessage": "n is {n}"},
    ]
    assert heard == [(FILE, True)] * 4
    book.mute(True)
    assert book.asked_of(FILE) == [] and book.asked_exceptions() == []


def test_breakpoints_move_with_the_lines_and_the_debugger_keeps_what_runs() -> None:
    book = BreakpointBook()
    for line in (3, 8, 12):
        book.toggle(FILE, line)
    heard: list[bool] = []
    book.listen(lambda file, asks: heard.append(asks))
    book.move(FILE, {3: 3, 8: 0, 12: 14})
    assert [point.line for point in book.of_file(FILE)] == [3, 14] and heard == [False]
    book.move(FILE, {3: 3, 14: 14})
    assert heard == [False], "nothing has moved"


def test_a_project_gets_its_breakpoints_back_and_anything_else_is_left_out() -> None:
    book, again = BreakpointBook(), BreakpointBook()
    book.put(Breakpoint(FILE, 87, enabled=False, condition="a == 'b'"))
    book.catch("raised", True)
    again.restore(book.save())
    assert again.all() == book.all() and again.exceptions == FIRST_EXCEPTIONS | {"raised"}
    for text in ("", "{", "[]", '{"points": [{"line": 3}], "exceptions": []}'):
        again.restore(text)
        assert again.all() == []


def test_hits_are_counted_and_forgotten_with_their_breakpoint() -> None:
    book = BreakpointBook()
    book.toggle(FILE, 5)
    book.note_hit(FILE, 5)
    book.note_hit(FILE, 6)
    assert book.hit == {f"{FILE}:5": 1}
    book.note_waiting({f"{FILE}:5": "No code in this line"})
    book.remove(FILE, 5)
    assert not book.hit and not book.waiting and book.files() == []


def test_only_files_whose_breakpoints_wait_for_something_else_now_are_shown_again() -> None:
    book = BreakpointBook()
    book.toggle(FILE, 5)
    book.toggle("/x/other.py", 5)
    heard: list[tuple[str, bool]] = []
    book.listen(lambda file, asks: heard.append((file, asks)))
    waiting = {f"{FILE}:5": "Attaching", "/x/other.py:5": "Attaching"}
    book.note_waiting(waiting)
    book.note_waiting(waiting)
    book.note_waiting({"/x/other.py:5": "Attaching"})
    assert heard == [("/x/other.py", False), (FILE, False), (FILE, False)]
    assert point_words(book.all()[0], "Attaching") == "Stops here\nNot yet: Attaching"
