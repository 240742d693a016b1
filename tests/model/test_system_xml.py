"""Files to systems and back: what ships, what is large, what is damaged."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from studio.model.document import SystemDocument
from studio.model.files import FileError
from studio.model.layout_xml import read_layout, write_layout
from studio.model.system import System
from studio.model.system_check import check
from studio.model.system_xml import number_text, read_system, write_system
from tests.model.examples import BIG_PROFILES, LAYOUT, MESSAGE_TYPES, PROFILES, SYSTEM, big_system, example

PROJECTS = Path(__file__).parents[2] / "projects"
SHIPPED = sorted(PROJECTS.rglob("system.xml"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: str(path.relative_to(PROJECTS)))
def test_every_project_that_ships_is_saved_byte_for_byte(path: Path) -> None:
    document = SystemDocument.load(path.parent)
    for file, text in document.texts().items():
        if file.exists():
            assert text == file.read_bytes()
    fresh = write_system(document.system)
    assert write_system(read_system(fresh), fresh) == fresh
    assert list(read_system(fresh).nodes) == list(document.system.nodes)


def test_a_thousand_components_and_three_thousand_wires_load_check_and_save_as_they_were() -> None:
    data = big_system(1000, 3000)
    system = read_system(data)
    assert (len(system.nodes), len(system.wires)) == (1000, 3000)
    assert check(system, BIG_PROFILES, ["Float64"]) == []
    assert write_system(system, data) == data


def test_everything_the_example_says_is_in_the_system() -> None:
    system = example()
    assert system.doc == "Drives & maps."
    assert [node.name for node in system.nodes] == ["platform", "filter", "terrain", "mystery", "planner", "server"]
    assert system.component("mystery").parameters == {"anything": " 007 "}
    source = system.source("platform")
    assert [port.name for port in source.ports] == ["laser", "arm.joint", "drive"]
    assert source.modes == ("real", "logged", "simulated")
    assert system.recording is not None
    assert system.recording.exclude == ("/platform/arm.joint",)
    assert (len(system.wires), len(system.services), len(system.links), len(system.hosts)) == (4, 1, 1, 1)


TWICE = {
    '<component name="b" type="c"/>\n<source name="b" mode="real"/>': "there is already a component or source b",
    '<wire from="b.c" to="d.e"/>\n<wire from="b.c" to="d.e" delivery="latest"/>': "already a wire from b.c to d.e",
    '<component name="b" type="c"><parameter name="x" value="1"/>\n<parameter name="x" value="2"/></component>': (
        'a second <parameter name="x">'
    ),
    '<source name="b" mode="real"><real/>\n<real/></source>': "a second <real> in <source>",
    '<source name="b" mode="real"><real>\n<component name="x" type="c"/><component name="x" type="d"/></real>'
    "</source>": "two components called x",
    '<source name="b" mode="real"><logged log="a"><bind port="x" topic="a"/>\n<bind port="x" topic="b"/></logged>'
    "</source>": 'a second <bind port="x">',
    "<doc/>\n<doc/>": "a second <doc> in <system>",
    '<host name="h"/>\n<host name="h"/>': "there is already a host h",
    '<component name="a" type="b"/>\n<component name="b" type="c" period_s="0"/>': "must be above 0 s, not 0.0",
    '<doc/>\n<record><topic pattern="laser"/></record>': "does not start with /",
}


@pytest.mark.parametrize(("inside", "message"), TWICE.items(), ids=TWICE.values())
def test_what_no_system_can_hold_is_a_fault_of_the_file(inside: str, message: str) -> None:
    with pytest.raises(FileError) as caught:
        read_system(f'<system name="a">{inside}</system>'.encode(), "system.xml")
    assert message in str(caught.value)
    assert caught.value.file == "system.xml"
    assert caught.value.line in (1, 2)


def test_an_unknown_type_survives_a_save() -> None:
    system = example()
    system.rename_node("mystery", "riddle")
    assert b'<component name="riddle" type="not_installed">\n    <parameter name="anything" value=" 007 "/>' in (
        write_system(system, SYSTEM)
    )


@pytest.mark.parametrize(
    ("number", "text"), [(1.0, "1"), (0.1, "0.1"), (-2.5, "-2.5"), (1e22, "1e+22"), (1e-7, "1e-07")]
)
def test_numbers_are_short_and_exact(number: float, text: str) -> None:
    assert number_text(number) == text
    assert float(text) == number


PIECES = [
    *(
        b"<>&\"'/= \n",
        b"&#0;",
        b"&#xD800;",
        b"]]>",
        b"<![CDATA[",
        b"<!--",
        b"-->",
        b"<?",
        b"\x00",
        b"\xff",
        b"\xef\xbb\xbf",
    ),
    *(
        b"<wire/>",
        b"<component name='x'/>",
        b' name="filter"',
        b"xmlns=''",
        b"xmlns:a='b'",
        b"a:b",
        b"&lt;",
        b"999999999999",
    ),
    *(b"-1e999", b"NaN", b"\xf0\x9f\x98\x80", b"<!DOCTYPE a>", b"<doc>", b"</doc>", b"</system>", b"queue 0", b"INF"),
]


def mutated(data: bytes, chance: random.Random) -> bytes:
    """`data` after a few of the accidents that happen to files: lost, doubled, swapped and foreign bytes."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(data) + 1)
        end = min(len(data), start + chance.choice((0, 1, 1, 2, 8, 40)))
        piece = chance.choice(
            (b"", data[start:end] * 2, chance.choice(PIECES), bytes([chance.randrange(256)]), _other(data, chance))
        )
        data = data[:start] + piece + data[end:]
    return data


def _other(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data) + 1)
    return data[start : start + chance.choice((1, 4, 16, 60))]


@pytest.mark.parametrize("count", [3_000, pytest.param(300_000, marks=pytest.mark.soak)])
def test_a_damaged_file_is_read_or_refused_and_never_anything_else(count: int) -> None:
    chance = random.Random(20)
    read = 0
    for _ in range(count):
        system_file, layout_file = mutated(SYSTEM, chance), mutated(LAYOUT, chance)
        read += _survives(system_file, layout_file)
    assert count / 100 < read < count  # both ways must have been taken


def _survives(system_file: bytes, layout_file: bytes) -> bool:
    """What can be read must also be checked and saved without a change."""
    try:
        system = read_system(system_file)
    except FileError:
        system = System("a")
        system_file = b""
    try:
        read_layout(system, layout_file)
    except FileError:
        layout_file = b""
    check(system, PROFILES, MESSAGE_TYPES)
    assert not system_file or write_system(system, system_file) == system_file
    assert not layout_file or write_layout(system, layout_file) == layout_file
    return bool(system_file or layout_file)
