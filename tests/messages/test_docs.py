"""What docs/messages.md says is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from studio.messages import Message, Velocity, encode
from studio.messages.message import field_names
from studio.runtime.host.profile import load_class
from studio.runtime.trial import Trial
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


def test_the_component_with_a_type_of_its_own_runs(page: str, tmp_path: Path) -> None:
    definition, code = re.findall(r"```(?:python)?\n(.*?)```", page.split("## Types of your own")[1], re.DOTALL)[:2]
    (tmp_path / "msg").mkdir()
    (tmp_path / "msg/Leg.msg").write_text(definition)
    (tmp_path / "msg/Toe.msg").write_text("float64 length_m\n")
    file = tmp_path / "components/gait/gait.py"
    file.parent.mkdir(parents=True)
    file.write_text(code)
    with Trial(load_class(file.parent)) as trial:
        trial.tick()
        (leg,) = trial.sent("leg")
    assert (leg.SCHEMA_NAME.rpartition("/")[2], leg.frame, leg.place) == ("Leg", "hip", leg.REAR)


def test_the_bytes_shown_are_the_bytes_sent(page: str) -> None:
    block = page.split("speed_m_s=2.0)`:")[1].split("```")[1]
    shown = "".join(re.match(r"((?:[0-9a-f]{2} {1,2})+)", line + " ")[1] for line in block.strip().splitlines())  # type: ignore[index]
    message = Velocity(stamp_ns=1_500_000_000, frame="base", steering_angle_rad=0.25, speed_m_s=2.0)
    assert bytes.fromhex(shown.replace(" ", "")) == encode(message)
