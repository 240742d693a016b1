"""component.xml: reading explains every fault, writing is canonical, and the two are inverse."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.errors import StudioError
from studio.model.component_reader import tidy
from studio.model.component_xml import parse_profile, read_profile, write_profile
from studio.model.spec import (
    CommandEntry,
    ComponentSpec,
    Delivery,
    ParameterSpec,
    PortSpec,
    PythonEntry,
    ServicePortSpec,
    SpecError,
)

LOW_PASS = b"""<?xml version="1.0" encoding="UTF-8"?>
<component type="low_pass" category="processor" icon="mdi6.sine-wave" tags="signal filter">
  <doc>
    Smooths a signal.

    A first-order filter:
      y += a * (x - y)
  </doc>
  <entry python="low_pass:LowPass"/>
  <activation modes="event periodic" period_s="0.05"/>
  <port name="raw" direction="in" type="Float64" delivery="queue 5">what to smooth</port>
  <port name="smooth" direction="out" type="Float64"/>
  <service name="query" role="provided" request="Float64" reply="String">asks</service>
  <parameter name="cutoff_hz" kind="float" default="2.0" minimum="0.01" maximum="1000.0" unit="Hz">how fast</parameter>
  <parameter name="order" kind="int" default="1" minimum="1" maximum="4"/>
  <parameter name="method" kind="string" default="fast">
    how well
    <choice value="fast"/>
    <choice value="good"/>
  </parameter>
  <parameter name="label" kind="string" default=""/>
  <parameter-set name="slow">
    <set name="cutoff_hz" value="0.5"/>
    <set name="order" value="2"/>
  </parameter-set>
</component>
"""

Read = Callable[[bytes], ComponentSpec]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def read_bytes(data: bytes) -> ComponentSpec:
        path = tmp_path / "low_pass" / "component.xml"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        return read_profile(path)

    return read_bytes


def test_a_profile_becomes_a_spec(read: Read, tmp_path: Path) -> None:
    spec = read(LOW_PASS)
    assert spec == ComponentSpec(
        type="low_pass",
        category="processor",
        entry=PythonEntry("low_pass", "LowPass"),
        ports=(
            PortSpec("raw", "in", "Float64", Delivery("queue", 5), "what to smooth"),
            PortSpec("smooth", "out", "Float64"),
        ),
        services=(ServicePortSpec("query", "provided", "Float64", "String", "asks"),),
        parameters=(
            ParameterSpec("cutoff_hz", "float", 2.0, 0.01, 1000.0, (), "Hz", "how fast"),
            ParameterSpec("order", "int", 1, 1, 4),
            ParameterSpec("method", "string", "fast", choices=("fast", "good"), doc="how well"),
            ParameterSpec("label", "string", ""),
        ),
        parameter_sets={"slow": {"cutoff_hz": 0.5, "order": 2}},
        activations=("event", "periodic"),
        period_s=0.05,
        icon="mdi6.sine-wave",
        tags=("signal", "filter"),
        doc="Smooths a signal.\n\nA first-order filter:\n  y += a * (x - y)",
    )
    assert spec.folder == tmp_path / "low_pass"


def test_the_canonical_form_is_written_byte_for_byte(read: Read) -> None:
    assert write_profile(read(LOW_PASS)) == LOW_PASS


def test_a_minimal_hand_written_profile_gets_the_defaults(read: Read) -> None:
    spec = read(b'<component type="low_pass" category="sensor"><entry command="./filter -x \'a b\'"/></component>')
    assert spec.entry == CommandEntry(("./filter", "-x", "a b"))
    assert (spec.activations, spec.period_s, spec.ports, spec.doc) == (("event",), 0.1, (), "")


def test_what_a_newer_studio_wrote_still_loads(read: Read) -> None:
    newer = LOW_PASS.replace(b'icon="', b'colour="blue" icon="').replace(
        b"<entry ", b'<licence kind="MIT"><text>ok</text></licence>\n  <!-- note --><entry since="9" '
    )
    newer = newer.replace(b'<choice value="fast"/>', b'<choice value="fast" label="Fast"/><range/>')
    assert read(newer) == read(LOW_PASS)


FAULTS = {
    "wrong folder": (b'type="low_pass"', b'type="high_pass"', 2, 'type="low_pass"'),
    "no category": (b' category="processor"', b"", 2, "category="),
    "unknown category": (b'"processor"', b'"procesor"', 2, "processor"),
    "two docs": (b"<entry", b"<doc>again</doc><entry", 9, "line 3"),
    "no entry": (b'<entry python="low_pass:LowPass"/>', b"", 2, "<entry python="),
    "empty entry": (b' python="low_pass:LowPass"', b"", 9, "python="),
    "both entries": (b"<entry ", b'<entry command="x" ', 9, "python="),
    "entry without a class": (b"low_pass:LowPass", b"low_pass", 9, "low_pass:LowPass"),
    "entry with a path": (b"low_pass:LowPass", b"../evil:LowPass", 9, "low_pass:LowPass"),
    "command that cannot be split": (b'python="low_pass:LowPass"', b'command="./x \'a"', 9, "quote"),
    "empty command": (b'python="low_pass:LowPass"', b'command=" "', 9, "./c_filter"),
    "unknown mode": (b"event periodic", b"event often", 10, "event periodic"),
    "mode twice": (b"event periodic", b"event event", 10, "once"),
    "periodic without a period": (b' period_s="0.05"', b"", 10, "period_s="),
    "period of zero": (b'period_s="0.05"', b'period_s="0"', 10, "period_s="),
    "infinite period": (b'period_s="0.05"', b'period_s="INF"', 10, "period_s="),
    "port without a type": (b'direction="out" type="Float64"', b'direction="out"', 12, "type="),
    "port called 1st": (b'"raw"', b'"1st"', 11, "name="),
    "unknown delivery": (b"queue 5", b"newest", 11, "queue 5"),
    "queue of none": (b"queue 5", b"queue 0", 11, "queue 5"),
    "optional out port": (b'"out" type', b'"out" optional="true" type', 12, "remove"),
    "unknown optional": (b'type="Float64" delivery', b'optional="yes" type="Float64" delivery', 11, "true, false"),
    "delivery of an out port": (b'"out" type', b'"out" delivery="latest" type', 12, "in port"),
    "two ports of one name": (b'"smooth"', b'"raw"', 12, "another name"),
    "parameter named like a port": (b'name="order" kind', b'name="raw" kind', 15, "another name"),
    "unknown kind": (b'kind="int"', b'kind="integer"', 15, "int"),
    "default of another kind": (b'default="1"', b'default="one"', 15, "e.g. 3"),
    "default too long for a number": (b'default="1"', b'default="' + b"9" * 5000 + b'"', 15, "e.g. 3"),
    "default beyond 64 bits": (b'default="1"', b'default="' + b"9" * 400 + b'"', 15, ""),
    "default below its range": (b'default="2.0"', b'default="0.001"', 14, ""),
    "default that is not a number": (b'default="2.0"', b'default="nan"', 14, ""),
    "default that is no choice": (b'default="fast"', b'default="best"', 16, "fast, good"),
    "range upside down": (b'minimum="1"', b'minimum="5"', 15, "swap"),
    "range of a string": (b'default=""', b'default="" minimum="1"', 21, "range"),
    "choice of another kind": (b' maximum="4"/>', b'><choice value="x"/></parameter>', 15, "e.g. 3"),
    "choice twice": (b'"good"', b'"fast"', 19, "remove"),
    "set of an unknown parameter": (b'<set name="order"', b'<set name="ordr"', 24, "order"),
    "set with a bad value": (b'"0.5"', b'"half"', 23, "0.25"),
    "set outside the range": (b'<set name="order" value="2"', b'<set name="order" value="9"', 24, ""),
    "set naming a parameter twice": (b'<set name="order"', b'<set name="cutoff_hz"', 24, "another name"),
    "two sets of one name": (b"</component>", b'<parameter-set name="slow"/></component>', 26, "another name"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_with_line_and_remedy(fault: str, read: Read, tmp_path: Path) -> None:
    right, wrong, line, remedy = FAULTS[fault]
    assert right in LOW_PASS
    with pytest.raises(StudioError) as caught:
        read(LOW_PASS.replace(right, wrong, 1))
    assert caught.value.file == str(tmp_path / "low_pass" / "component.xml")
    assert caught.value.line == line
    assert remedy in caught.value.hint
    assert caught.value.message


def test_a_missing_file_is_our_error(tmp_path: Path) -> None:
    with pytest.raises(StudioError, match=r"component\.xml"):
        read_profile(tmp_path / "nothing" / "component.xml")


def test_mutated_profiles_raise_nothing_but_our_error() -> None:
    dice = random.Random(20)
    refused = 0
    for _ in range(3000):
        try:
            parse_profile(mutated(dice), Path("low_pass/component.xml"))
        except StudioError:
            refused += 1
    assert 1000 < refused < 3000


def mutated(dice: random.Random) -> bytes:
    data = bytearray(LOW_PASS)
    for _ in range(dice.randint(1, 4)):
        start = dice.randrange(len(data))
        end = min(len(data), start + dice.choice((0, 1, 1, 4, 30)))
        source = dice.randrange(len(LOW_PASS))
        noise = (bytes([dice.randrange(256)]), b"", LOW_PASS[source : source + 12], b"9" * 30, b"&#0;", b"\xff\xfe")
        data[start:end] = dice.choice(noise)
    return bytes(data)


names = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,8}", fullmatch=True)
characters = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")) | st.sampled_from("\n\t \r\"'<&")
text = st.text(characters, max_size=30)
xml_text = text.filter(lambda value: not any(ord(char) & 0xFFFE == 0xFFFE for char in value))
docs = xml_text.map(tidy)
finite = st.floats(allow_nan=False, allow_infinity=False)
deliveries = st.sampled_from([Delivery(), Delivery("latest"), Delivery("queue", 7)])
values = {
    "bool": st.booleans(),
    "int": st.integers(-(2**63), 2**63 - 1),
    "float": finite,
    "string": xml_text,
    "floats": st.lists(finite, max_size=4).map(tuple),
    "frame": xml_text,
    "file": xml_text,
}


@st.composite
def parameters(draw: st.DrawFn, name: str) -> ParameterSpec:
    kind = draw(st.sampled_from(sorted(values)))
    choices = draw(st.lists(values[kind], max_size=3, unique=True))
    default = draw(st.sampled_from(choices) if choices else values[kind])
    spec = ParameterSpec(name, kind, default, None, None, tuple(choices), draw(xml_text), draw(docs))
    if kind in ("int", "float") and not choices:
        limits = sorted([float(default), *draw(st.lists(finite, min_size=1, max_size=1))])
        return replace(spec, minimum=limits[0]) if limits[0] <= default else spec
    return spec


@st.composite
def specs(draw: st.DrawFn) -> ComponentSpec:
    unique = iter(draw(st.lists(names, min_size=7, max_size=7, unique=True)))
    ports = [
        PortSpec(next(unique), "in", draw(names), draw(deliveries), draw(docs), draw(st.booleans())),
        PortSpec(next(unique), "out", draw(names), doc=draw(docs)),
    ]
    service = ServicePortSpec(next(unique), draw(st.sampled_from(["provided", "required"])), "A", "B", draw(docs))
    settings_of = tuple(draw(parameters(next(unique))) for _ in range(2))
    words = st.lists(xml_text, max_size=3).map(lambda rest: ("./run", *rest))
    return ComponentSpec(
        type=next(unique),
        category=draw(st.sampled_from(["sensor", "processor", "actuator"])),
        entry=draw(st.builds(CommandEntry, words) | st.builds(PythonEntry, names, names)),
        ports=tuple(ports[: draw(st.integers(0, 2))]),
        services=(service,),
        parameters=settings_of,
        parameter_sets={next(unique): {settings_of[1].name: settings_of[1].default}},
        activations=draw(st.permutations(["event", "periodic", "trigger"]).map(tuple)),
        period_s=draw(st.floats(1e-6, 1e6)),
        icon=draw(xml_text),
        tags=tuple(draw(st.lists(names, max_size=3))),
        doc=draw(docs),
    )


@settings(deadline=None, max_examples=150)
@given(specs())
def test_reading_what_was_written_gives_the_spec_back(spec: ComponentSpec) -> None:
    data = write_profile(spec)
    again = parse_profile(data, Path("component.xml"))
    assert again == spec
    assert write_profile(again) == data


@settings(deadline=None)
@given(xml_text)
def test_a_tidy_doc_stays_as_it_is(value: str) -> None:
    assert tidy(tidy(value)) == tidy(value)


def test_equal_numbers_are_written_alike() -> None:
    spec = ComponentSpec("gain", "processor", PythonEntry("gain", "Gain"))
    loose = replace(spec, parameters=(ParameterSpec("factor", "float", 2, 0, 10),))
    strict = replace(spec, parameters=(ParameterSpec("factor", "float", 2.0, 0.0, 10.0),))
    assert write_profile(loose) == write_profile(strict)


def test_text_that_xml_cannot_hold_is_refused_when_writing() -> None:
    spec = ComponentSpec("gain", "processor", PythonEntry("gain", "Gain"), doc="a\x00b")
    with pytest.raises(SpecError, match="gain cannot be written"):
        write_profile(spec)


def test_a_set_of_an_unknown_parameter_is_refused_when_writing() -> None:
    spec = ComponentSpec("gain", "processor", PythonEntry("gain", "Gain"), parameter_sets={"slow": {"factor": 1.0}})
    with pytest.raises(SpecError, match="factor"):
        write_profile(spec)
