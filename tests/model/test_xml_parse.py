"""Files that attack the reader, or are simply no XML: each is refused with our own error, and nothing is opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.model.files import MAX_BYTES, FileError
from studio.model.xml_file import read_xml
from studio.model.xml_parse import MAX_ATTRIBUTE_CHARACTERS, MAX_DEPTH, parse_hardened
from studio.model.xml_text import parse_spans

SECRET = "attacker-wanted-this"
BILLION_LAUGHS = "<!DOCTYPE a [<!ENTITY l0 'lol'>{}]><system name='&l9;'/>".format(
    "".join(f"<!ENTITY l{i} '{f'&l{i - 1};' * 10}'>" for i in range(1, 10))
)
QUADRATIC = f"<!DOCTYPE a [<!ENTITY big '{'x' * 100_000}'>]><system name='a'>{'&big;' * 10_000}</system>"
EXTERNAL = "<!DOCTYPE a [<!ENTITY x SYSTEM 'file://{secret}'>]><system name='a'><doc>&x;</doc></system>"
PARAMETER = "<!DOCTYPE a [<!ENTITY % x SYSTEM 'file://{secret}'> %x;]><system name='a'/>"
XINCLUDE = (
    "<system name='a' xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include href='{secret}' parse='text'/></system>"
)

ATTACKS = {
    "external entity": (EXTERNAL, "DOCTYPE"),
    "parameter entity": (PARAMETER, "DOCTYPE"),
    "external DTD": ("<!DOCTYPE system SYSTEM '{secret}'><system name='a'/>", "DOCTYPE"),
    "bare DOCTYPE": ("<!DOCTYPE system><system name='a'/>", "DOCTYPE"),
    "DOCTYPE behind a comment": ("<!-- hello -->\n<!DOCTYPE system><system name='a'/>", "DOCTYPE"),
    "billion laughs": (BILLION_LAUGHS, "DOCTYPE"),
    "quadratic blow-up": (QUADRATIC, "DOCTYPE"),
    "XInclude": (XINCLUDE, "XInclude"),
    "deep nesting": ("<a>" * 100_000, f"deeper than {MAX_DEPTH}"),
    "huge attribute": (f"<system name='{'x' * (MAX_ATTRIBUTE_CHARACTERS + 1)}'/>", "longer than"),
    "undefined entity": ("<system name='&nobody;'/>", "undefined entity"),
    "too large": (f"<system name='a'>{' ' * MAX_BYTES}</system>", "larger than 16 MB"),
}


@pytest.mark.parametrize(("text", "reason"), ATTACKS.values(), ids=ATTACKS.keys())
def test_an_attack_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET)
    data = text.replace("{secret}", str(secret)).encode()
    for read in (lambda: read_xml(data, "system", file="evil.xml"), lambda: parse_spans(data)):
        with pytest.raises(FileError, match=reason) as caught:
            read()
        assert SECRET not in str(caught.value)


OTHER_ENCODINGS = {
    "UTF-16": "<system name='a'/>".encode("utf-16"),
    "UTF-16 without a mark": "<system name='a'/>".encode("utf-16-le"),
    "UTF-32": "<system name='a'/>".encode("utf-32"),
    "Latin-1 undeclared": "<system name='a'><doc>für</doc></system>".encode("latin-1"),
    "Latin-1": "<?xml version='1.0' encoding='ISO-8859-1'?><system name='a'/>".encode("latin-1"),
    "UTF-7": b"<?xml version='1.0' encoding='UTF-7'?><system name='a'/>",
    "invented": b"<?xml version='1.0' encoding='klingon'?><system name='a'/>",
    "EBCDIC": "<system name='a'/>".encode("cp037"),
}


@pytest.mark.parametrize("data", OTHER_ENCODINGS.values(), ids=OTHER_ENCODINGS.keys())
def test_only_utf_8_is_read_and_the_message_says_so(data: bytes) -> None:
    with pytest.raises(FileError, match="UTF-8"):
        read_xml(data, "system")


def test_a_byte_order_mark_is_no_harm() -> None:
    assert read_xml(b"\xef\xbb\xbf<system name='a'/>", "system").get("name") == "a"


def test_the_line_of_bad_xml_is_named() -> None:
    with pytest.raises(FileError, match=r"^system\.xml:3: not well-formed XML: mismatched tag \(a closing tag"):
        read_xml(b"<system name='a'>\n<doc>\n</docs></system>", "system", file="system.xml")


def test_the_line_of_a_bad_byte_is_named() -> None:
    with pytest.raises(FileError, match=r"^system\.xml:2: not UTF-8: byte 0xff"):
        read_xml(b"<system name='a'>\n\xff</system>", "system", file="system.xml")


def test_comments_and_processing_instructions_are_left_out() -> None:
    root = parse_hardened(b"<a><?php no?><!-- no --><b>x<!-- no -->y</b></a>")
    assert [child.tag for child in root] == ["b"]
    assert root[0].text == "xy"


def test_a_file_is_named_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "system.xml"
    path.write_bytes(b"")
    with pytest.raises(FileError, match=r"system\.xml:1: not well-formed XML: no element found \(the file is empty"):
        read_xml(path, "system")
