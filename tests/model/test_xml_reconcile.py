"""XML kept as written: a change touches its own line and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from difflib import unified_diff

import pytest

from studio.model.parts import Component, Host, Recording, Wire
from studio.model.system import System
from studio.model.system_xml import NEW_FILE, read_system, write_system
from studio.model.xml_reconcile import Rule, reconcile
from studio.model.xml_text import parse_spans
from studio.model.xml_tree import XmlNode
from tests.model.examples import SYSTEM, example

Change = Callable[[System], None]


def changed_lines(change: Change, written: bytes = SYSTEM) -> list[str]:
    """The lines that differ after `change`, as a version control system would show them."""
    system = read_system(written)
    change(system)
    saved = write_system(system, written)
    assert write_system(read_system(saved), saved) == saved
    lines = unified_diff(written.decode().splitlines(), saved.decode().splitlines(), lineterm="", n=0)
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def test_no_change_gives_the_same_bytes() -> None:
    assert write_system(example(), SYSTEM) == SYSTEM


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"], ids=["unix", "windows"])
@pytest.mark.parametrize("indent", [b"", b"\t", b"    "], ids=["none", "tabs", "four"])
def test_new_elements_follow_the_style_of_the_file(newline: bytes, indent: bytes) -> None:
    lines = [b'<system name="a">', indent + b'<component name="b" type="c"/>', b"</system>", b""]
    system = read_system(newline.join(lines))
    system.add_node(Component("d", "c", parameters={"x": "1"}))
    unit = indent or b"  "
    lines[2:2] = [
        indent + b'<component name="d" type="c">',
        indent + unit + b'<parameter name="x" value="1"/>',
        indent + b"</component>",
    ]
    assert write_system(system, newline.join(lines[:2] + lines[5:])) == newline.join(lines)


def test_a_new_parameter_is_one_line() -> None:
    def change(system: System) -> None:
        filter = system.component("filter")
        system.replace_node(replace(filter, parameters={**filter.parameters, "window": "5"}))

    assert changed_lines(change) == ['+    <parameter name="window" value="5"/>']


def test_a_changed_value_is_one_line() -> None:
    def change(system: System) -> None:
        system.replace_node(replace(system.component("filter"), parameters={"cutoff_hz": "3.0"}))

    assert changed_lines(change) == [
        '-    <parameter name="cutoff_hz" value="2.50"/>',
        '+    <parameter name="cutoff_hz" value="3.0"/>',
    ]


def test_quotes_and_unknown_attributes_stay_when_an_attribute_changes() -> None:
    assert changed_lines(lambda system: system.replace_node(replace(system.component("terrain"), type="other"))) == [
        "-      type='terrain_map' colour=\"green\">",
        "+      type='other' colour=\"green\">",
    ]


def test_a_number_that_means_the_same_stays_as_written() -> None:
    def change(system: System) -> None:
        source = system.source("platform")
        assert source.simulated is not None
        assert source.simulated.components[0].period_s == 0.01
        system.replace_node(replace(source, mode="real"))

    assert changed_lines(change) == [
        '-  <source name="platform" mode="simulated">',
        '+  <source name="platform" mode="real">',
    ]


def test_a_new_attribute_on_a_tag_of_many_lines_gets_a_line() -> None:
    assert changed_lines(lambda system: system.replace_node(replace(system.component("terrain"), host="signals"))) == [
        "-      type='terrain_map' colour=\"green\">",
        "+      type='terrain_map'",
        '+      host="signals" colour="green">',
    ]


def test_an_attribute_can_go() -> None:
    assert changed_lines(lambda system: system.replace_node(replace(system.component("filter"), host=""))) == [
        '-  <component name="filter" type="low_pass" host="signals" parameters="slow">',
        '+  <component name="filter" type="low_pass" parameters="slow">',
    ]


def test_a_rename_keeps_what_is_inside_and_changes_the_ends_of_wires() -> None:
    assert changed_lines(lambda system: system.rename_node("terrain", "ground")) == [
        '-      name="terrain"',
        '+      name="ground"',
        '-  <wire from="platform.laser" to="terrain.ranges" delivery="queue 5"/>',
        '+  <wire from="platform.laser" to="ground.ranges" delivery="queue 5"/>',
    ]


def test_a_new_component_goes_behind_the_last_one() -> None:
    def change(system: System) -> None:
        system.add_node(Component("new", "low_pass"))
        system.connect(Wire.between("filter.smooth", "new.raw"))

    assert changed_lines(change) == [
        '+  <component name="new" type="low_pass"/>',
        '+  <wire from="filter.smooth" to="new.raw"/>',
    ]


def test_a_comment_behind_an_element_stays_with_it() -> None:
    assert changed_lines(lambda system: system.add_host(Host("second"))) == ['+  <host name="second"/>']
    assert changed_lines(lambda system: system.add_host(Host("first"), 0)) == ['+  <host name="first"/>']


def test_removing_takes_the_line_and_leaves_comments() -> None:
    assert changed_lines(lambda system: system.remove_node("planner")) == [
        '-  <component name="planner" type="planner"/>',
        '-  <wire from="planner.drive" to="platform.drive"/>',
        '-  <service from="planner.model" to="server.model"/>',
        '-  <link from="filter.smooth" to="planner.gain"/>',
    ]
    assert changed_lines(lambda system: system.remove_host("signals"))[:2] == [
        '-  <host name="signals"/>  <!-- shared -->',
        "+  <!-- shared -->",
    ]


def test_removing_one_of_two_on_a_line_leaves_the_other() -> None:
    both = '  <wire from="platform.arm.joint" to="filter.raw"/> <wire from="filter.smooth" to="mystery.input"/>'
    first = Wire.between("platform.arm.joint", "filter.raw")
    second = Wire.between("filter.smooth", "mystery.input")
    assert changed_lines(lambda system: system.disconnect(first)) == [
        f"-{both}",
        '+  <wire from="filter.smooth" to="mystery.input"/>',
    ]
    assert changed_lines(lambda system: system.disconnect(second)) == [
        f"-{both}",
        '+  <wire from="platform.arm.joint" to="filter.raw"/>',
    ]


def test_another_rank_moves_the_element_as_it_is() -> None:
    lines = changed_lines(lambda system: system.move_node("planner", 0))
    assert lines == ['+  <component name="planner" type="planner"/>', '-  <component name="planner" type="planner"/>']


def test_an_element_opens_for_its_first_child_and_closes_after_its_last() -> None:
    short = b'<system name="a">\n  <component name="b" type="c"/>\n</system>\n'
    long = short.replace(b"/>", b'>\n    <parameter name="x" value="1"/>\n  </component>')
    system = read_system(short)
    system.replace_node(replace(system.component("b"), parameters={"x": "1"}))
    assert write_system(system, short) == long
    system = read_system(long)
    system.replace_node(replace(system.component("b"), parameters={}))
    assert write_system(system, long) == short


def test_a_file_on_one_line_stays_on_one_line() -> None:
    written = b'<system name="a"><component name="b" type="c"/></system>'
    system = read_system(written)
    system.add_node(Component("d", "c"))
    expected = b'<system name="a"><component name="b" type="c"/><component name="d" type="c"/></system>'
    assert write_system(system, written) == expected


def test_text_changes_inside_its_white_space() -> None:
    assert changed_lines(lambda system: system.set_doc("Maps <only>.")) == [
        "-    Drives &amp; maps.",
        "+    Maps &lt;only&gt;.",
    ]


@pytest.mark.parametrize("value", ["", " ", "\t\n\r\n", "a\"b'c", "<&>", "ä€😀", "]]>", "a  b"])
def test_any_text_survives_in_attributes_and_documents(value: str) -> None:
    system = System("a")
    system.add_node(Component("b", "c", parameters={"x": value}))
    system.set_doc(f"({value})")
    read = read_system(write_system(system))
    assert read.component("b").parameters == {"x": value}
    assert read.doc == f"({value})"


def test_values_with_quotes_respect_the_quotes_around_them() -> None:
    written = b"<system name='a'><component name='b' type='c'><parameter name='x' value='1'/></component></system>"
    system = read_system(written)
    system.replace_node(replace(system.component("b"), parameters={"x": 'it\'s "so"'}))
    assert b"value='it&apos;s \"so\"'" in write_system(system, written)


def test_an_element_of_another_namespace_is_not_taken_for_ours() -> None:
    written = b'<system name="a">\n  <component xmlns="urn:x" name="b" type="c"/>\n</system>\n'
    system = read_system(written)
    assert "b" not in system.nodes
    system.add_node(Component("b", "c"))
    assert write_system(system, written).count(b"<component ") == 2


def test_a_new_file_is_in_the_order_of_the_rules() -> None:
    system = System("demo")
    system.set_recording(Recording(("/a/*",)))
    system.set_doc("What it does.")
    system.add_host(Host("h"))
    system.add_node(Component("a", "t", "h", "periodic", 0.1, parameters={"x": "1"}))
    system.add_node(Component("b", "t"))
    system.connect(Wire.between("a.out", "b.in"))
    assert write_system(system, NEW_FILE).decode() == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<system name="demo" version="1">\n'
        "  <doc>What it does.</doc>\n"
        '  <host name="h"/>\n'
        '  <component name="a" type="t" host="h" mode="periodic" period_s="0.1">\n'
        '    <parameter name="x" value="1"/>\n'
        "  </component>\n"
        '  <component name="b" type="t"/>\n'
        '  <wire from="a.out" to="b.in"/>\n'
        "  <record>\n"
        '    <topic pattern="/a/*"/>\n'
        "  </record>\n"
        "</system>\n"
    )


def test_records_without_origin_are_matched_by_key() -> None:
    rule = Rule("a", children=(Rule("b", ("id",), {"id": str, "v": str}),))
    written = b'<a>\n <b id="1" v="x" note="!"/>\n <b id="2" v="y"/>\n</a>'
    wanted = XmlNode("a", children=[XmlNode("b", {"id": "2", "v": "y"}), XmlNode("b", {"id": "1", "v": "z"})])
    assert reconcile(written, wanted, rule) == b'<a>\n <b id="2" v="y"/>\n <b id="1" v="z" note="!"/>\n</a>'


def test_spans_are_byte_offsets_also_behind_a_byte_order_mark() -> None:
    data = "\ufeff<a ä='>'><b/>ü<c>x</c ></a>".encode()
    written = [data[span.start : span.end].decode() for span in parse_spans(data)]
    assert written == ["<a ä='>'><b/>ü<c>x</c ></a>", "<b/>", "<c>x</c >"]
