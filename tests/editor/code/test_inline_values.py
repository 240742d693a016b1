"""Which values stand at the ends of which lines."""

from __future__ import annotations

from studio.editor.code.inline_values import names_by_line, texts

SOURCE = """\
class Thing:
    def other(self):
        hidden = 1

    def on_ranges(self, scan, *, most=3):
        pose = self.pose.latest
        if pose is None:
            return
        a, (b, *rest) = (
            scan,
            [1, 2],
        )
        for cell in rest:
            self.count += 1
            with open(cell) as file:
                text: str = file.read()
        last = 4
        return last
"""


def test_names_get_values_in_lines_that_were_passed() -> None:
    places = names_by_line(SOURCE, 17)
    assert places == {
        5: ["scan", "most"],
        6: ["pose"],
        12: ["a", "b", "rest"],
        13: ["cell"],
        14: ["self.count"],
        15: ["file"],
        16: ["text"],
    }
    assert names_by_line("def broken(:", 1) == {}


def test_a_name_has_its_value_once_where_it_got_it_last() -> None:
    words = {"a": "1", "b": "x" * 90, "empty": ""}
    shown = texts({2: ["a"], 4: ["a", "b", "empty", "unknown"]}, words)
    assert list(shown) == [4] and shown[4].startswith("a 1   b xxx") and len(shown[4]) < 60
