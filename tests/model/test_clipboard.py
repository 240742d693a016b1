"""Copy, paste, duplicate."""

from __future__ import annotations

import pytest

from studio.model.clipboard import Duplicate, Paste, copy, read_fragment
from studio.model.files import FileError
from studio.model.history import History
from studio.model.layout_xml import read_layout
from studio.model.parts import Endpoint
from studio.model.system import System
from studio.model.system_xml import write_system
from tests.model.examples import LAYOUT, SYSTEM, example


def test_a_copy_pasted_into_an_empty_system_is_the_same() -> None:
    source = example()
    read_layout(source, LAYOUT)
    target = System("other")
    History(target).do(Paste(copy(source, ["filter", "planner", "platform"]), offset=(0, 0)))
    assert {node.name: node for node in target.nodes} == {
        name: source.nodes[name] for name in ("platform", "filter", "planner")
    }
    assert [str(wire) for wire in target.wires] == [
        "platform.arm.joint → filter.raw",
        "planner.drive → platform.drive",
    ]
    assert [str(link) for link in target.links] == ["filter.smooth → planner.gain"]
    assert not list(target.services)
    assert "signals" in target.hosts
    assert target.layout.places["filter"].x == 10.5


def test_a_paste_makes_names_free_and_keeps_inner_wires() -> None:
    system = example()
    history = History(system)
    text = copy(system, ["filter", "planner"])
    history.do(Paste(text))
    history.do(Paste(text))
    assert [node.name for node in system.nodes][-4:] == ["filter_2", "planner_2", "filter_3", "planner_3"]
    assert "filter_3.smooth → planner_3.gain" in [str(link) for link in system.links]
    assert system.component("filter_2").parameters == {"cutoff_hz": "2.50"}
    history.undo()
    history.undo()
    assert write_system(system, SYSTEM) == SYSTEM


def test_a_duplicated_source_has_components_of_its_own() -> None:
    system = example()
    History(system).do(Duplicate(("platform",)))
    twin = system.source("platform_2")
    assert twin.simulated is not None
    assert twin.simulated.component("sim_2") is not None
    assert twin.simulated.binds["laser"] == Endpoint("sim_2", "laser")
    assert not system.wires_of("platform_2")


def test_a_duplicate_lies_beside_its_original() -> None:
    system = example()
    system.place("filter", 10, 20)
    edit = Duplicate(("filter",), offset=(5, 6))
    assert edit.label == "Duplicate filter"
    History(system).do(edit)
    place = system.layout.places["filter_2"]
    assert (place.x, place.y) == (15, 26)


def test_the_original_keeps_its_text_when_a_copy_is_saved() -> None:
    system = example()
    History(system).do(Duplicate(("filter",)))
    saved = write_system(system, SYSTEM)
    assert saved.count(b"tuned on the gravel road") == 1
    assert saved.count(b"<lab:calibration") == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "<system name='a'/>",
        "<clipboard/>",
        "<clipboard><system/><layout/></clipboard>",
        "<clipboard><layout/><system name='a'><component name='1'/></system></clipboard>",
        "<!DOCTYPE a><clipboard/>",
        "\ud800",
    ],
)
def test_other_text_in_the_clipboard_is_refused(text: str) -> None:
    with pytest.raises(FileError):
        read_fragment(text)
    system = System()
    with pytest.raises(FileError):
        History(system).do(Paste(text))
    assert not list(system.nodes)
