"""JSON from outside becomes a typed value, or is refused with the field and the reason."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.runtime.channel.control_requests import VERBS, read_request
from studio.runtime.refusals import Refusals, merged, refusal_words
from studio.runtime.reports import read_log_line, read_report
from studio.runtime.typed_json import MOST_DEPTH, Between, Malformed, TimeNs, read_json, read_object, typed


class Inner(TypedDict):
    count: int
    share: NotRequired[float]


@dataclass(frozen=True)
class Example:
    name: str
    number: int = 1
    rate: Annotated[float, Between(0.0, 10.0)] = 1.0
    at_ns: TimeNs | None = None
    kind: Literal["a", "b"] = "a"
    on: bool = False
    topics: tuple[str, ...] = ()
    inner: dict[str, Inner] | None = None
    anything: Any = None


def test_fields_have_their_types_and_others_are_ignored() -> None:
    content = {"name": "x", "number": 2.0, "rate": 3, "topics": ["/a"], "inner": {"i": {"count": 1}}, "new": 1}
    made = typed(Example, content)
    assert made == Example("x", 2, 3.0, topics=("/a",), inner={"i": {"count": 1}})
    assert isinstance(made.number, int) and isinstance(made.rate, float)


def test_null_stands_for_a_field_that_is_left_out() -> None:
    assert typed(Example, {"name": "x", "number": None, "at_ns": None}) == Example("x")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({}, "name is missing"),
        ({"name": None}, "name is missing"),
        ({"name": 1}, "name must be a text, not 1"),
        ({"number": True}, "number must be a whole number, not true"),
        ({"number": "1"}, 'number must be a whole number, not "1"'),
        ({"number": 2**64}, "number must be a whole number, not 18446744073709551616"),
        ({"rate": float("nan")}, "rate must be a finite number, not NaN"),
        ({"rate": float("inf")}, "rate must be a finite number, not Infinity"),
        ({"rate": 11}, "rate must be between 0 and 10, not 11"),
        ({"at_ns": 2**62 + 1}, "at_ns must be between"),
        ({"kind": "c"}, 'kind must be one of a, b, not "c"'),
        ({"kind": []}, "kind must be one of a, b, not a list of 0"),
        ({"on": 1}, "on must be true or false, not 1"),
        ({"topics": "/a"}, 'topics must be a list, not "/a"'),
        ({"topics": ["/a", 1]}, "topics[1] must be a text, not 1"),
        ({"inner": {"i": {}}}, "inner.i.count is missing"),
        ({"inner": {"i": {"count": 1, "share": "x"}}}, 'inner.i.share must be a finite number, not "x"'),
        ({"name": ["x" * 1000]}, "name must be a text, not a list of 1"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(fields: dict[str, Any], why: str) -> None:
    with pytest.raises(Malformed) as refused:
        typed(Example, {"name": "x", **fields} if fields else {})
    assert refused.value.message.startswith(why)


@pytest.mark.parametrize("depth", [MOST_DEPTH + 1, 500, 5_000, 200_000])
@pytest.mark.parametrize("around", ["%s", '{"a": %s}', '[1, {"b": [%s]}]'])
def test_depth_is_limited(depth: int, around: str) -> None:
    text = around % ("[" * depth + "]" * depth)
    for raw in (text, text.encode()):
        with pytest.raises(Malformed, match="nested too deeply"):
            read_json(raw)


def test_what_is_wide_is_not_deep() -> None:
    wide = [[] for _ in range(1000)]
    assert read_json(json.dumps(wide)) == wide
    deep = "[" * MOST_DEPTH + "]" * MOST_DEPTH
    assert read_json(deep) == json.loads(deep)


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_give_an_object_or_one_error(raw: bytes) -> None:
    try:
        assert isinstance(read_object(raw, 150), dict)
    except Malformed:
        return


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
NAMES = ["id", "count", "rate", "topic", "until_ns", "host", "name", "topics", "command", "component", "list", "to_ns"]


@given(st.sampled_from(sorted(VERBS)), st.dictionaries(st.sampled_from(NAMES), VALUES))
def test_any_request_is_typed_or_refused_with_its_number(do: str, fields: dict[str, Any]) -> None:
    try:
        asked = read_request(json.dumps({**fields, "do": do}).encode())
    except Malformed as refused:
        assert json.dumps(refused.number) == json.dumps(fields.get("id"))
    else:
        assert isinstance(asked.request, VERBS[do])


@given(st.dictionaries(st.sampled_from(["host", "components", "topics", "pid", "component", "level", "text"]), VALUES))
def test_any_report_is_typed_or_refused(fields: dict[str, Any]) -> None:
    text = json.dumps(fields).encode()
    payload = b"\0\1\0\0" + (len(text) + 1).to_bytes(4, "little") + text + b"\0"
    for read in (read_report, read_log_line):
        try:
            read(payload)
        except Malformed:
            continue


def test_a_sender_is_named_once_for_each_power_of_ten() -> None:
    said: list[tuple[str, int]] = []
    refusals = Refusals(lambda sender, why, count: said.append((sender, count)))
    for number in range(120):
        refusals.add("laser", f"frame {number}")
    refusals.add("", "who?")
    assert said == [("laser", 1), ("laser", 10), ("laser", 100), ("", 1)]
    assert refusals.plain()["laser"] == {"count": 120, "last": "frame 119"}
    assert refusals.count == 121


def test_those_who_make_up_names_do_not_fill_the_memory() -> None:
    refusals = Refusals()
    for number in range(10_000):
        refusals.add(f"made up {number}", "x" * 10_000)
    assert len(refusals.plain()) <= 101
    assert refusals.count == 10_000


def test_receivers_of_one_frame_do_not_count_it_twice() -> None:
    one = {"laser": {"count": 3, "last": "short"}}
    other = {"laser": {"count": 2, "last": "old"}, "": {"count": 1, "last": "x"}}
    found = merged([one, other])  # type: ignore[list-item]
    assert found["laser"] == {"count": 3, "last": "short"}
    assert refusal_words("laser", found["laser"]) == "laser sent 3 malformed messages; last: short"
    assert refusal_words("", found[""]) == "An unknown sender sent 1 malformed message; last: x"
