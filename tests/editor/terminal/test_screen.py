"""What a terminal makes of the bytes of a process, and of a flood of them."""

from __future__ import annotations

import random

import pytest

from studio.editor.look.theme import THEMES, Theme, contrast
from studio.editor.terminal import colours
from studio.editor.terminal.screen import MOST_LINES, TerminalScreen, TerminalStream
from studio.editor.terminal.selection import Place, Selection


def made(columns: int = 20, lines: int = 4, data: bytes = b"") -> tuple[TerminalScreen, TerminalStream]:
    screen = TerminalScreen(columns, lines)
    stream = TerminalStream(screen)
    stream.feed(data)
    return screen, stream


def texts(screen: TerminalScreen) -> list[str]:
    return list(screen.text())


def test_text_colours_and_the_cursor_are_where_the_process_puts_them() -> None:
    screen, _ = made(data=b"one\r\n\x1b[31mred\x1b[0m\x1b[1;10H!\x1b[2;2H")
    assert texts(screen) == ["one      !", "red", "", ""]
    assert screen.buffer[1][0].fg == "red" and screen.buffer[0][9].fg == "default"
    assert (screen.cursor.x, screen.cursor.y) == (1, 1)


def test_long_lines_go_on_in_the_next_and_signs_of_two_cells_take_two() -> None:
    screen, _ = made(columns=5, data="abcdefg日é\u200bx".encode())
    assert texts(screen) == ["abcde", "fg日é", "x", ""]
    assert [screen.buffer[1][x].data for x in range(5)] == ["f", "g", "日", "", "é"]


def test_what_leaves_at_the_top_is_kept_up_to_a_limit() -> None:
    screen, stream = made(data=b"".join(b"%d\r\n" % n for n in range(10)))
    assert texts(screen) == [*map(str, range(10)), ""]
    assert screen.text_of(screen.first) == "0" and screen.count_left == 7
    stream.feed(b"x\r\n" * (MOST_LINES + 50))
    assert len(screen.left) == MOST_LINES and screen.first == screen.count_left - MOST_LINES
    stream.feed(b"\x1b[3J")
    assert screen.first == screen.count_left


def test_another_size_keeps_the_text() -> None:
    screen, stream = made(data=b"".join(b"line %d\r\n" % n for n in range(6)) + b"> ")
    whole = texts(screen)
    screen.resize(2, 20)
    assert texts(screen) == whole and (screen.cursor.x, screen.cursor.y) == (2, 1)
    screen.resize(8, 20)
    assert texts(screen) == [*whole, ""] and screen.cursor.y == 6
    screen.resize(8, 4)
    assert texts(screen)[:4] == ["line", " 0", "line", " 1"] and texts(screen)[-1] == ">"
    stream.feed(b"ok")
    assert texts(screen)[-1] == "> ok"


def test_nonsense_is_passed_over_and_what_follows_is_shown() -> None:
    screen, stream = made(data=b"\x1b[?1;2;3m\x1b[1;2;3;4A\x1b[?5n\x1b[>4;1c\x1b[99999zok")
    assert texts(screen)[0].endswith("ok")
    chosen = random.Random(7)
    signs = b"\x1b\x9b\x9d[]?;0123456789ABCDHJKLMPXhlmnrsu\x07\x08\x0a\x0d\xff\xe6\x97\xa5#%(P$ "
    for _ in range(100):
        stream.feed(bytes(chosen.choices(signs, k=200)))
        screen.resize(chosen.randint(2, 9), chosen.randint(20, 60))
        assert all(value >= 0 for value in (screen.cursor.x, screen.cursor.y)) and screen.cursor.y < screen.lines
    stream.feed(b"\x07\x18\x1b\\\x1bc\r\nstill there")
    assert "still there" in texts(screen)


def test_questions_to_the_terminal_are_answered() -> None:
    screen, stream = made()
    said: list[str] = []
    screen.answer = said.append
    stream.feed(b"ab\x1b[6n\x1b[c")
    assert said == ["\x1b[1;3R", "\x1b[?6c"]


def test_a_selection_stays_on_its_text_while_more_is_said() -> None:
    screen, stream = made(40, data=b"at /a/file.c:12, here\r\nsecond\r\n")
    selection = Selection(screen)
    selection.begin(Place(0, 6), "word")
    assert selection.text() == "/a/file.c:12"
    stream.feed(b"more\r\n" * 20)
    assert selection.text() == "/a/file.c:12"
    selection.begin(Place(1, 3))
    selection.extend(Place(0, 17))
    assert selection.text() == "here\nsec" and selection.columns(0) == (17, 1 << 20) and selection.columns(1) == (0, 3)
    selection.begin(Place(1, 3), "line")
    assert selection.text() == "second"
    selection.take_all()
    assert selection.text().splitlines()[:2] == ["at /a/file.c:12, here", "second"]
    selection.clear()
    assert selection.is_empty


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_every_colour_can_be_read_on_every_ground(theme: Theme) -> None:
    plain = [*colours.NAMES, "default"]
    grounds = [*plain, *(f"bright{name}" for name in colours.NAMES), "101010", "f0f0f0", "808080"]
    for below in grounds:
        for text in (*grounds, "bfightmagenta"):
            for reverse in (False, True):
                shown, ground = colours.pair(text, below, reverse, theme.name)
                assert contrast(shown, ground) >= colours.LEAST_CONTRAST, (text, below, reverse)
    assert len({colours.pair(name, "default", False, theme.name)[0] for name in colours.NAMES}) == 8
