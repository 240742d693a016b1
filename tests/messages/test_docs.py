"""What docs/messages.md says is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from studio.messages import Message, Velocity, encode
from studio.messages.message import field_names
from tests.messages.strategies import SHIPPED


@pytest.fixture
def page(checkout: Path) -> str:
    return (checkout / "docs/messages.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", SHIPPED, ids=lambda kind: kind.TYPE)
def test_the_table_names_every_field(kind: type[Message], page: str) -> None:
    row = re.search(rf"^\| \*\*{kind.TYPE}\*\* \|.*$", page, re.MULTILINE)
    assert row is not None
    assert kind.SCHEMA_NAME.replace("/msg/", "/") in row[0]
    assert set(re.findall(r"`(\w+)`", row[0].split("|")[3])) >= set(field_names(kind))


def test_the_bytes_shown_are_the_bytes_sent(page: str) -> None:
    block = page.split("speed_m_s=2.0)`:")[1].split("```")[1]
    shown = "".join(re.match(r"((?:[0-9a-f]{2} {1,2})+)", line + " ")[1] for line in block.strip().splitlines())  # type: ignore[index]
    message = Velocity(stamp_ns=1_500_000_000, frame="base", steering_angle_rad=0.25, speed_m_s=2.0)
    assert bytes.fromhex(shown.replace(" ", "")) == encode(message)
