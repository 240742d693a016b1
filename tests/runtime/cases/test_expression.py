"""Expressions on what came out of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from studio.messages import Float64, Message, String, Velocity
from studio.runtime.cases.expression import Expression, ExpressionError, Facts, Finding, Series, series_of

STEP_NS = 100_000_000
SPEED, COMMAND, EMPTY = "/motor/speed", "/arbiter/command", "/motor"
MESSAGES: Mapping[str, list[Message]] = {
    SPEED: [Float64(value) for value in (0.0, 1.0, -3.0, 2.0)],
    COMMAND: [Velocity(speed_m_s=speed) for speed in (1.0, 0.0, 0.0, 0.0, 1.0)],
    EMPTY: [],
    "/status": [String("drives"), String("arrived")],
}
OUTCOME = {"goal_reached": True, "collisions": 0, "seconds_to_goal": 37.5}


def finding(text: str, outcome: Mapping[str, Any] = OUTCOME) -> Finding:
    def series(topic: str, path: str) -> Series:
        rows = [(number, number * STEP_NS, each) for number, each in enumerate(MESSAGES[topic], 1)]
        return series_of(topic, path, rows)

    return Expression(text).finding(Facts(series, MESSAGES, outcome, 0.5))


@pytest.mark.parametrize(
    "text",
    [
        "max(/motor/speed.data) == 2",
        "min(/motor/speed.data) >= -3",
        "max(|/motor/speed.data|) < 3.5",
        "mean(/motor/speed.data) == 0",
        "first(/motor/speed.data) == 0 and last(/motor/speed.data) == 2",
        "count(/motor/speed.data) == 4",
        "count(/motor.data) == 0",
        "/motor/speed.data < 2.5",
        "-/motor/speed.data * 2 + 1 <= 7",
        "any(/motor/speed.data < -2) and not all(/motor/speed.data < 0)",
        "(max(/motor/speed.data) - min(/motor/speed.data)) / 5 == 1",
        "last(/status.data) == 'arrived'",
        "longest(/arbiter/command.speed_m_s < 0.1) == 0.3",
        "longest(/motor/speed.data > 100) == 0",
        "outcome.goal_reached and outcome.collisions == 0",
        "goal within 60 s",
        "no collision",
        "duration == 0.5",
        "duration > 1 or true",
    ],
)
def test_what_holds(text: str) -> None:
    assert finding(text) == Finding(True)


@pytest.mark.parametrize(
    ("text", "found", "event"),
    [
        ("max(/motor/speed.data) < 2", "it is 2", "/motor/speed:4 at 0.400 s"),
        ("max(|/motor/speed.data|) < 2", "it is 3", "/motor/speed:3 at 0.300 s"),
        ("/motor/speed.data < 1", "it is 1", "/motor/speed:2 at 0.200 s"),
        ("count(/motor/speed.data) == 5", "it is 4", None),
        ("longest(/arbiter/command.speed_m_s < 0.1) < 0.2", "it is 0.3", "/arbiter/command:2 at 0.200 s"),
        ("all(/motor/speed.data > -1)", "it does not hold", "/motor/speed:3 at 0.300 s"),
        ("max(/motor/speed.data) < min(/motor/speed.data)", "it is 2, not -3", "/motor/speed:4 at 0.400 s"),
        ("true and max(/motor/speed.data) < 2", "it is 2", "/motor/speed:4 at 0.400 s"),
        ("last(/status.data) == 'drives'", "it is arrived", "/status:2 at 0.200 s"),
        ("goal within 30 s", "it is 37.5", None),
    ],
)
def test_what_does_not_hold_is_found_with_its_event(text: str, found: str, event: str | None) -> None:
    told = finding(text)
    assert not told.holds and told.found == found
    assert (None if told.place is None else str(told.place)) == event


def test_a_goal_that_is_not_reached_has_no_time() -> None:
    told = finding("goal within 60 s", {"goal_reached": False, "seconds_to_goal": None})
    assert not told.holds and told.found == "outcome.goal_reached is false"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a valid expression"),
        ("max(/motor/speed.data", "not a valid expression"),
        ("maximum(/motor/speed.data) < 1", "maximum cannot be called so"),
        ("max(/motor/speed.data, 1) < 1", "max cannot be called so"),
        ("speed < 1", "what is speed"),
        ("|/motor/speed.data < 1", r"a \| without its other one"),
        ("__import__('os').system('true')", "cannot be called so"),
        ("(lambda: 1)() == 1", "cannot be called so"),
        ("[1 for _ in '']", "is not allowed here"),
        ("2 ** 1000000000 > 1", "Pow is not allowed here"),
        ("x" * 1001, "an expression of 1001 characters"),
        ("(" * 900, "not a valid expression"),
    ],
)
def test_an_expression_that_cannot_be_read_is_refused_before_anything_runs(text: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        Expression(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("/motor/sped.data < 1", r"there is no topic /motor/sped \(did you mean /motor/speed"),
        ("/motor/speed.dat < 1", "dat"),
        ("/motor/speed < 1", "which field of /motor/speed"),
        ("max(/motor.data) < 1", "no message on /motor, so there is no largest"),
        ("/motor/speed.data", "is a value and no condition"),
        ("/motor/speed.data < /arbiter/command.speed_m_s", "do not come in pairs"),
        ("max(3) < 4", "max of a single value"),
        ("last(/status.data) < 4", "cannot be computed of str and int"),
        ("max(/motor/speed.data) / 0 < 4", "cannot be computed"),
        ("outcome.gaol_reached", r"the outcome has no gaol_reached \(did you mean goal_reached"),
    ],
)
def test_an_expression_that_does_not_fit_the_log_says_why(text: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        finding(text)


def test_without_a_judge_there_is_no_outcome() -> None:
    with pytest.raises(ExpressionError, match="no judge has said anything"):
        finding("no collision", {})
