"""What is told about a file that its schema forbids."""

from __future__ import annotations

import pytest

from studio.model.files import FileError
from studio.model.xml_file import read_xml, unknown_names

FAULTS = {
    '<sytem name="a"/>': "the root element is <sytem> (a system file starts with <system ...>)",
    '<system xmlns="urn:x" name="a"/>': "the root element is <system> (a system file starts with <system ...>)",
    "<system/>": '<system> needs an attribute name (e.g. name="my_robot")',
    '<system name="a"><component name="b" tpye="c"/></system>': (
        '<component> needs an attribute type (e.g. type="low_pass"; is tpye a misspelling of it?)'
    ),
    '<system name="a"><component name="2b" type="c"/></system>': (
        'name="2b" is not possible in <component> (e.g. name="filter")'
    ),
    '<system name="a"><component name="b" type="c" mode="perodic"/></system>': (
        'mode="perodic" is not possible in <component> (did you mean periodic? one of event, periodic, trigger)'
    ),
    '<system name="a"><component name="b" type="c" period_s="fast"/></system>': (
        'period_s="fast" is not possible in <component> (e.g. period_s="0.1")'
    ),
    '<system name="a"><wire from="b" to="c.d"/></system>': (
        'from="b" is not possible in <wire> (e.g. from="laser.ranges")'
    ),
    '<system name="a"><wire from="b.c" to="c.d" delivery="queue"/></system>': (
        'delivery="queue" is not possible in <wire> (e.g. delivery="queue 5")'
    ),
    '<system name="a">hello</system>': (
        "<system> contains stray text 'hello' (delete it or make it a comment: <!-- ... -->)"
    ),
    '<system name="a" version="one"/>': 'version="one" is not possible in <system> (e.g. version="1")',
}


@pytest.mark.parametrize(("text", "message"), FAULTS.items())
def test_a_fault_is_explained(text: str, message: str) -> None:
    with pytest.raises(FileError) as caught:
        read_xml(text.encode(), "system", file="system.xml")
    assert str(caught.value) == f"system.xml:1: {message}"


def test_the_first_fault_is_told_with_its_line() -> None:
    data = b'<system name="a">\n  <host/>\n  <host/>\n</system>'
    with pytest.raises(FileError, match=r"^f:2: <host> needs an attribute name"):
        read_xml(data, "system", file="f")


def test_the_line_is_the_one_in_which_the_element_begins() -> None:
    data = b'<system name="a">\n  <component\n     name="b"\n     typo="c"\n  />\n</system>'
    with pytest.raises(FileError, match=r"^f:2: <component> needs an attribute type"):
        read_xml(data, "system", file="f")


def test_unknown_names_are_let_through_and_listed() -> None:
    data = b"""<system name="a" colour="red">
      <wier from="a.b" to="c.d"/>
      <component name="b" type="c" perod_s="1"><inside/></component>
      <new:thing xmlns:new="urn:n" name="1"><component/></new:thing>
    </system>"""
    root = read_xml(data, "system")
    assert [str(problem) for problem in unknown_names(root, "system", "f")] == [
        "f:1: warning: <system> has no attribute colour (known: name, version)",
        "f:2: warning: <system> has no element <wier> (did you mean wire?)",
        "f:3: warning: <component> has no attribute perod_s (did you mean period_s?)",
        "f:3: warning: <component> has no element <inside> (known: parameter, parameter-set)",
    ]


@pytest.mark.parametrize(
    ("schema", "root"),
    [
        ("system", '<system name="a" version="{}"/>'),
        ("layout", '<layout version="{}"/>'),
        ("component", '<component type="a" category="sensor" version="{}"/>'),
    ],
)
def test_a_file_of_a_later_version_opens_with_a_warning(schema: str, root: str) -> None:
    def warnings(version: str) -> list[str]:
        data = root.format(version).encode()
        return [str(problem) for problem in unknown_names(read_xml(data, schema), schema, "f")]

    assert warnings("1") == warnings(" 01 ") == []
    (told,) = warnings("2")
    assert told.startswith(
        "f:1: warning: written by a newer Studio: version 2; this one knows 1 (unknown parts are kept"
    )
    assert len(warnings("9" * 10_000)[0]) < 200
    for garbage in ("two", "1.5", "0", "-1", ""):
        with pytest.raises(FileError, match=r'^f:1: version=".*" is not possible'):
            read_xml(root.format(garbage).encode(), schema, file="f")


def test_what_is_inside_an_unknown_element_is_not_judged() -> None:
    read_xml(b'<system name="a"><future><wire/><component mode="no"/>text</future></system>', "system")
