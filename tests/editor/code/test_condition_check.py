"""Conditions are checked while they are typed, and breakpoints go where code can stop. No window."""

from __future__ import annotations

import pytest

from studio.editor.code.code_lines import stopping_line
from studio.editor.code.condition_check import condition_problem, hits_problem, log_problem, scope_at, unreadable

CODE = '''"""A component."""

import math
from studio.messages import Float64, PoseTransform
from studio.runtime.component import Component, InPort

LIMIT = 3


class Filter(Component):
    """With a text."""

    raw = InPort(Float64)

    def on_raw(self, message):
        """Says what it does."""

        # a comment
        value = message.data
        self.seen += 1

    def on_pose(self, pose: PoseTransform, odd: "Elsewhere") -> None:
        near = [each for each in pose.position if each < LIMIT]


class Strange(Elsewhere):
    def on_raw(self, message):
        self.a = 1
'''


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(CODE.splitlines(), 1) if text in line)


@pytest.mark.parametrize(
    ("at", "condition", "problem"),
    [
        ("value =", "value > math.pi and self.seen > LIMIT", ""),
        ("value =", "any(each > 1 for each in [value])", ""),
        ("value =", "self.now() > 3 and message.data", ""),
        ("value =", "foo > 3", "There is no foo here: known: message, self, value"),
        ("value =", "message.foo > 3", "Float64 has no foo: known: data"),
        ("value =", "message.dat > 3", "Float64 has no dat: did you mean data?"),
        ("value =", "self.sen > 3", "self has no sen: did you mean seen?"),
        ("near =", "pose.foo > 3", "PoseTransform has no foo: "),
        ("near =", "pose.position[0] > 3 and odd.anything", ""),
        ("self.a =", "self.anything and message.data", ""),
        ("value =", "value = 3", "Syntax error: "),
        ("value =", "(value", "Syntax error: '(' was never closed"),
        ("value =", "", ""),
    ],
)
def test_a_condition_says_what_does_not_exist(at: str, condition: str, problem: str) -> None:
    found = condition_problem(condition, scope_at(CODE, line_of(at)))
    assert found == problem if not problem.endswith(": ") else found.startswith(problem)


def test_of_code_that_cannot_be_read_only_the_syntax_of_a_condition_is_known() -> None:
    scope = scope_at("def broken(:\n", 1)
    assert condition_problem("foo > 3", scope) == "" and condition_problem("foo >", scope).startswith("Syntax error")


def test_names_are_completed_for_what_they_belong_to() -> None:
    scope = scope_at(CODE, line_of("value ="))
    assert scope.completions("1 < va") == ("va", ["value"])
    assert scope.completions("message.d") == ("d", ["data"])
    assert "seen" in scope.completions("self.s")[1]
    assert scope.completions("value ") == ("", []) and scope.completions("12") == ("", [])


def test_hit_counts_and_log_texts() -> None:
    assert [hits_problem(text) for text in ("", "5", ">= 5", "% 10")] == [""] * 4
    assert hits_problem("often") and unreadable("", "often", "")
    scope = scope_at(CODE, line_of("value ="))
    assert log_problem("value {value} of {message.data:.2f}".replace(":.2f", ""), scope) == ""
    assert log_problem("value {valu}", scope) == "There is no valu here: did you mean value?"
    assert log_problem("value {value", scope) == "Syntax error: '{' was never closed"
    assert not unreadable("valu > 3", "", "{valu}"), "a name may come to be while the code runs"


@pytest.mark.parametrize(
    ("at", "stops"),
    [
        ("value =", "value ="),
        ("# a comment", "value ="),
        ("def on_raw(self, message):", "value ="),
        ("Says what", "value ="),
        ("LIMIT = 3", "LIMIT = 3"),
    ],
)
def test_a_breakpoint_beside_a_line_without_code_goes_to_the_next_one_with_code(at: str, stops: str) -> None:
    assert stopping_line(CODE, line_of(at)) == line_of(stops)


def test_text_that_is_no_python_is_taken_as_it_is() -> None:
    assert stopping_line("int main(void) {\n\n}\n", 2) == 2
