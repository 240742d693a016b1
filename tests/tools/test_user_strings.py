"""No text that a user reads has a banned word, and the collector finds the texts wherever they are."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tools.plain_words import faults
from tools.user_strings import UserString, collect, in_code, in_page, in_xml

PLAIN = (
    *("studio", "components", "projects", "models", "Makefile", "README.md", "CONTRIBUTING.md", "CHANGELOG.md"),
    *("docs/README.md", "docs/glossary.md", "docs/messages.md", "docs/guide"),
)
"""What has been mended wholly."""
ALLOWED: dict[tuple[str, str], str] = {}
"""File and phrase, and why it has to be there."""


@pytest.mark.parametrize("place", PLAIN)
def test_no_text_has_a_banned_word(place: str) -> None:
    found = [
        f"{each}: {fault}"
        for each in collect([place])
        for fault in faults(each.text)
        if not any(each.file == file and phrase in each.text for file, phrase in ALLOWED)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "text",
    [
        "No system runs here.",
        "Whoever asks first gets it",
        "the vehicle stands before the wall",
        "Begin the simulation anew",
        "drive is no project",
        "What was sent is gone.",
        "It stopped. Who receives it is behind.",
        "the error is told in the log",
        "X has not obeyed within 3 s",
        "line 3 is not Python: '(' was never closed",
    ],
)
def test_banned_words_are_found(text: str) -> None:
    assert faults(text)


@pytest.mark.parametrize(
    "text",
    [
        "ROS stands for Robot Operating System",
        "there is no component laser",
        "What does it do?",
        "Understanding the standards",
        "Show what changed",
    ],
)
def test_plain_text_passes(text: str) -> None:
    assert not faults(text)


CODE = '''
"""A module about nothing in particular."""
LIMIT = 3
"""Of something that counts."""
class Filter(Component):
    """Smooths a signal."""
    def on_raw(self, message):
        """A handler of messages."""
        self.log.warning("left out %s" " and more", message)
        if mode == "is compared only":
            raise StudioError(f"there is no {mode!r} here", hint="did you mean run?")
        self.button.setText("Run")
        self.names["run"] = re.compile("no text at all")
'''


def texts(found: list[UserString]) -> list[str]:
    return [each.text for each in found]


def test_texts_of_code_are_collected_and_comments_are_not() -> None:
    assert texts(in_code("studio/filter.py", CODE)) == [
        "left out %s and more",
        "there is no {} here",
        "did you mean run?",
        "Run",
    ]


def test_the_description_of_a_component_is_a_text() -> None:
    assert "Smooths a signal." in texts(in_code("components/filter/filter.py", CODE))


def test_sentences_of_a_page_are_joined_over_lines() -> None:
    page = "# Title here\n\nOne sentence that\ncontinues.\n\n- an item\n  of two lines\n\n    studio run robot\n"
    assert [(each.line, each.text) for each in in_page("docs/page.md", page)] == [
        (1, "# Title here"),
        (3, "One sentence that continues."),
        (6, "- an item of two lines"),
        (9, "studio run robot"),
    ]


def test_texts_of_xml_are_collected() -> None:
    xml = '<component type="x">\n <doc>Smooths a\n signal</doc><parameter unit="Hz" doc="a sine of it"/></component>'
    assert [(each.line, each.text) for each in in_xml("c.xml", xml)] == [(2, "Smooths a signal"), (2, "a sine of it")]


@pytest.mark.parametrize(
    "is_one",
    [
        lambda each: each.file == "studio/cli/verbs.py" and each.text == "open the window",
        lambda each: each.file.startswith("studio/editor/") and each.text == "Start or stop recording",
        lambda each: each.file == "components/low_pass/component.xml" and "Smooths a signal" in each.text,
        lambda each: each.file == "README.md",
        lambda each: each.file.endswith(".c"),
        lambda each: each.file == "Makefile" and "run all tests" in each.text,
    ],
)
def test_each_kind_of_text_is_collected(is_one: Callable[[UserString], bool]) -> None:
    assert any(is_one(each) for each in everything())


@cache
def everything() -> list[UserString]:
    return collect()


def test_places_are_right() -> None:
    root = Path(__file__).resolve().parents[2]
    for each in everything():
        lines = (root / each.file).read_text(encoding="utf-8").splitlines()
        word = re.search(r"[A-Za-z]{2,}", each.text)
        assert word and any(word[0] in line for line in lines[each.line - 1 : each.line + 300]), each
