"""Message classes from the compact table."""

from __future__ import annotations

import pytest

from studio.runtime.gazebo.gz_messages import GZ, IGNITION, messages
from studio.runtime.gazebo.schema import Schema, SchemaError


def test_a_message_survives_its_bytes() -> None:
    schema = messages()
    scan = schema.new("LaserScan", frame="beam", count=3, ranges=[1.0, 2.0, float("inf")])
    scan.header.stamp.sec = 7
    assert schema.read("LaserScan", scan.SerializeToString()) == scan


@pytest.mark.parametrize("prefix", [GZ, IGNITION])
def test_both_families_have_the_same_bytes_under_their_own_names(prefix: str) -> None:
    schema = messages(prefix)
    assert schema.full("Pose") == f"{prefix}Pose"
    assert f"{prefix}Pose" in schema
    assert schema.new("StringMsg", data="x").SerializeToString() == b"\x12\x01x"


def test_fields_that_the_table_leaves_out_are_skipped() -> None:
    newer = Schema("newer.", "Boolean: 2 data bool, 9 added string")
    told = newer.new("Boolean", data=True, added="later").SerializeToString()
    assert messages().read("Boolean", told).data is True


def test_a_value_that_a_later_version_added_to_an_enumeration_is_read() -> None:
    discovery = messages().new("Discovery", type=4711).SerializeToString()
    assert messages().read("Discovery", discovery).type == 4711


def test_an_unknown_type_and_damaged_bytes_are_refused_in_words() -> None:
    with pytest.raises(SchemaError, match=r"the type gz\.msgs\.Banana is not known here"):
        messages().read("gz.msgs.Banana", b"")
    with pytest.raises(SchemaError, match=r"3 bytes are not a gz\.msgs\.Pose"):
        messages().read("Pose", b"\xff\xff\xff")
