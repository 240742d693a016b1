"""JSON from outside becomes a typed value, or is refused with the field and the reason."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, Struct

from studio.messages import encode
from studio.messages.plain import String
from studio.runtime.base.refusals import Refusals, merged, refusal_words
from studio.runtime.base.typed_json import MOST_DEPTH, Count, Finite, Malformed, TimeNs, read_json, read_object, typed
from studio.runtime.control_plane import of_broker, of_runtime
from studio.runtime.control_plane.request import read_request
from studio.runtime.processes.reports import read_log_line, read_report


class Inner(TypedDict):
    count: int
    share: NotRequired[Finite]


class Gated(TypedDict):
    gate: Literal["run", "pause"]


class Example(Struct, frozen=True):
    name: str
    number: Count = 1
    share: Finite = 1.0
    rate: Annotated[float, Meta(ge=0.0, le=10.0)] = 1.0
    at_ns: TimeNs | None = None
    kind: Literal["a", "b"] = "a"
    gate: Literal["run", "pause"] | None = None
    gates: tuple[Gated, ...] = ()
    on: bool = False
    topics: tuple[str, ...] = ()
    inner: dict[str, Inner] | None = None
    anything: Any = None


def test_fields_have_their_types_and_others_are_ignored() -> None:
    content = {"name": "x", "number": 2, "rate": 3, "topics": ["/a"], "inner": {"i": {"count": 1}}, "new": 1}
    made = typed(Example, content)
    assert made == Example("x", 2, rate=3.0, topics=("/a",), inner={"i": {"count": 1}})
    assert isinstance(made.number, int) and isinstance(made.rate, float)


def test_null_stands_for_a_field_that_is_left_out() -> None:
    assert typed(Example, {"name": "x", "number": None, "at_ns": None, "kind": None}) == Example("x")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({}, "name is missing"),
        ({"name": None}, "name must be a text, not null"),
        ({"name": 1}, "name must be a text, not a whole number"),
        ({"number": True}, "number must be a whole number, not true or false"),
        ({"number": "1"}, "number must be a whole number, not a text"),
        ({"number": 2.5}, "number must be a whole number, not a number"),
        ({"number": 2**64}, "number must be at most 9007199254740992"),
        ({"number": 10**300}, "number must be at most 9007199254740992"),
        ({"share": float("nan")}, "share must be at least -1e+300"),
        ({"share": float("inf")}, "share must be at most 1e+300"),
        ({"share": 10**400}, "share: number out of range"),
        ({"rate": -1}, "rate must be at least 0.0"),
        ({"rate": 11}, "rate must be at most 10.0"),
        ({"at_ns": 2**62 + 1}, "at_ns must be at most 4611686018427387904"),
        ({"kind": "c"}, "kind must be one of a, b, not 'c'"),
        ({"kind": "c" * 10**6}, f"kind must be one of a, b, not '{'c' * 99}…"),
        ({"kind": "c - at `$.on`"}, "kind must be one of a, b, not 'c - at `$.on`'"),
        ({"kind": []}, "kind must be a text, not a list"),
        ({"gate": "c"}, "gate must be one of run, pause, not 'c'"),
        ({"gates": [{"gate": "c" * 10**6}]}, "gates[0].gate: invalid enum value 'ccc"),
        ({"on": 1}, "on must be true or false, not a whole number"),
        ({"topics": "/a"}, "topics must be a list, not a text"),
        ({"topics": ["/a", 1]}, "topics[1] must be a text, not a whole number"),
        ({"inner": {"i": {}}}, "inner[...].count is missing"),
        ({"inner": {"i": {"count": 1, "share": "x"}}}, "inner[...].share must be a number, not a text"),
        ({"kind": "\ud800"}, "a text contains half of a character"),
        ({"\ud800": 1}, "a text contains half of a character"),
        ({"name": ["x" * 1000]}, "name must be a text, not a list"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(fields: dict[str, Any], why: str) -> None:
    with pytest.raises(Malformed) as refused:
        typed(Example, {"name": "x", **fields} if fields else {})
    assert refused.value.message.startswith(why) and len(refused.value.message) < 300


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


@pytest.mark.parametrize("raw", [b'["\\ud800"]', b'{"\\uDFFF": 1}', '["\ud800"]', b'["\\ude00\\ud83d"]'])
def test_half_of_a_character_is_refused(raw: bytes | str) -> None:
    with pytest.raises(Malformed, match="half of a character"):
        read_json(raw)


@pytest.mark.parametrize("raw", [b'["\xed\xa0\x80"]', '["x"]'.encode("utf-16"), b'\xff["x"]'])
def test_it_is_read_as_utf_8_alone(raw: bytes) -> None:
    with pytest.raises(Malformed, match="not JSON"):
        read_json(raw)


def test_a_character_of_two_halves_is_read() -> None:
    assert read_json(b'["\\ud83d\\ude00", "\\\\ud800"]') == ["\U0001f600", "\\ud800"]


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
AROUND = {"attach", "alive"}
"""Told in the text around the table."""
NAMES = ["id", "count", "rate", "topic", "until_ns", "host", "name", "topics", "command", "component", "list", "to_ns"]


@pytest.mark.parametrize("verbs", [of_broker.VERBS, of_runtime.VERBS, of_runtime.ACTIONS])
@given(st.data(), st.dictionaries(st.sampled_from(NAMES), VALUES))
def test_any_request_is_typed_or_refused_with_its_number(
    verbs: Any, data: st.DataObject, fields: dict[str, Any]
) -> None:
    named = data.draw(st.sampled_from(sorted(verbs)))
    do = {"do": "player", "action": named} if verbs is of_runtime.ACTIONS else {"do": named}
    try:
        asked = read_request(
            json.dumps({**fields, **do}).encode(), of_broker.VERBS if verbs is of_broker.VERBS else of_runtime.VERBS
        )
    except Malformed as refused:
        assert json.dumps(refused.number) == json.dumps(fields.get("id"))
    else:
        assert isinstance(asked, verbs[named])


def test_an_unknown_verb_or_action_is_refused_with_the_nearest() -> None:
    for raw, words in {
        b'{"id": 1, "do": "pauze"}': "unknown request 'pauze' (did you mean pause",
        b'{"id": 1, "do": []}': "unknown request []",
        b'{"id": 1}': "unknown request None",
    }.items():
        with pytest.raises(Malformed) as refused:
            read_request(raw, of_broker.VERBS)
        assert str(refused.value).startswith(words) and refused.value.number == 1
    with pytest.raises(Malformed, match=r"unknown action 'seec' \(did you mean seek"):
        read_request(b'{"id": 1, "do": "player", "action": "seec"}', of_runtime.VERBS)


def test_a_pattern_of_topics_is_short() -> None:
    with pytest.raises(Malformed, match=r"topics\[1\] must be of length <= 300"):
        read_request(b'{"do": "record", "topics": ["/a", "%s"]}' % (b"[" * 301), of_runtime.VERBS)


def test_every_verb_of_the_protocol_is_in_the_table_and_no_other() -> None:
    """The first column of the tables of sections 9 and 12 of docs/protocol.md."""
    text = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text()
    control, _, rest = text.partition("\n## 9. ")[2].partition("\n## 10. ")
    attach = rest.partition("\n## 12. ")[2].partition("\n## 13. ")[0].partition("| do |")[2]
    for section, verbs in ((control, of_broker.VERBS), (attach, of_runtime.VERBS)):
        rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
        told = {verb for row in rows for verb in re.findall(r"`(\w+)`", row)}
        assert told | AROUND == {*verbs} | AROUND


@given(st.dictionaries(st.sampled_from(["host", "components", "topics", "pid", "component", "level", "text"]), VALUES))
def test_any_report_is_typed_or_refused(fields: dict[str, Any]) -> None:
    text = json.dumps(fields).encode()
    payload = b"\0\1\0\0" + (len(text) + 1).to_bytes(4, "little") + text + b"\0"
    for read in (read_report, read_log_line):
        try:
            read(payload)
        except Malformed:
            continue


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ('"pid": 1e400', "pid must be"),
        (f'"pid": {10**300}', "pid must be at most"),
        ('"busy_s": NaN', "busy_s must be at least"),
        ('"topics": {"/a": {"bytes": 18446744073709551616}}', r"topics\[...\].bytes must be at most"),
        ('"malformed": {"x": {"count": -1, "last": ""}}', r"malformed\[...\].count must be at least 0"),
    ],
)
def test_numbers_in_a_report_have_limits(fields: str, words: str) -> None:
    text = f'{{"host": "a", "components": {{}}, {fields}}}'
    with pytest.raises(Malformed, match=words):
        read_report(encode(String(text)))


def test_null_in_a_report_stands_for_what_is_left_out() -> None:
    told = {"host": "a", "busy_s": None, "components": {"b": {"state": "active", "handler_p50_us": None}}}
    content = json.dumps({**told, "topics": {"/a": {"count": 1, "bytes": None}}})
    found = read_report(encode(String(content)))
    assert found == {"host": "a", "components": {"b": {"state": "active"}}, "topics": {"/a": {"count": 1}}}


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
