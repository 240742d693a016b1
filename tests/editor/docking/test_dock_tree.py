"""Panels moved in what the docking library saved: the tree stays one that the library can read."""

from __future__ import annotations

import pytest

from studio.editor.docking.dock_tree import DockTree

SAVED = b"""<?xml version="1.0" encoding="UTF-8"?>
<QtAdvancedDockingSystem Version="1" UserVersion="0" Containers="1" CentralWidget="system"><Container Floating="0">
<Splitter Orientation="|" Count="3"><Area Tabs="2" Current="palette"><Widget Name="palette" Closed="0"/><Widget
Name="stack" Closed="1"/></Area><Splitter Orientation="-" Count="2"><Area Tabs="1" Current="system" Flags="1"><Widget
Name="system" Closed="0"/></Area><Area Tabs="1" Current="problems"><Widget Name="problems" Closed="0"/></Area><Sizes>700
200 </Sizes></Splitter><Area Tabs="1" Current="inspector"><Widget Name="inspector" Closed="0"/></Area><Sizes>200 1000
300 </Sizes></Splitter></Container></QtAdvancedDockingSystem>"""


def shape(part: object) -> object:
    """A split as its orientation and parts, an area as the names of its tabs, the one in front first."""
    if part.tag == "Area":  # type: ignore[attr-defined]
        names = [panel.get("Name") for panel in part if panel.get("Closed") == "0"]  # type: ignore[attr-defined]
        return sorted(names, key=lambda name: name != part.get("Current"))  # type: ignore[attr-defined]
    parts = [each for each in part if each.tag != "Sizes"]  # type: ignore[attr-defined]
    assert int(part.get("Count")) == len(parts)  # type: ignore[attr-defined]
    assert len((part.findtext("Sizes") or "").split()) == len(parts)  # type: ignore[attr-defined]
    return [part.get("Orientation"), *map(shape, parts)]  # type: ignore[attr-defined]


def outermost(tree: DockTree) -> object:
    return shape(tree.root[0][0])


def sizes(tree: DockTree) -> list[str]:
    return [" ".join((each.text or "").split()) for each in tree.root.iter("Sizes")]


@pytest.fixture
def tree() -> DockTree:
    return DockTree(SAVED)


def test_a_panel_beside_another_splits_its_place(tree: DockTree) -> None:
    tree.place("map", "right", beside="system")
    assert outermost(tree) == ["|", ["palette"], ["-", ["|", ["system"], ["map"]], ["problems"]], ["inspector"]]
    tree.place("votes", "bottom", beside="map")
    assert outermost(tree) == [
        "|", ["palette"], ["-", ["|", ["system"], ["-", ["map"], ["votes"]]], ["problems"]], ["inspector"],
    ]  # fmt: skip


def test_in_a_split_of_the_same_kind_it_is_one_more_part(tree: DockTree) -> None:
    tree.place("console", "right", beside="inspector")
    assert outermost(tree) == ["|", ["palette"], ["-", ["system"], ["problems"]], ["inspector"], ["console"]]
    assert sizes(tree)[-1] == "200 1000 174 126"
    tree.place("top", "top", beside="system")
    assert outermost(tree) == ["|", ["palette"], ["-", ["top"], ["system"], ["problems"]], ["inspector"], ["console"]]


def test_a_place_that_the_last_panel_leaves_is_gone(tree: DockTree) -> None:
    tree.place("problems", "tab", beside="inspector")
    assert outermost(tree) == ["|", ["palette"], ["system"], ["problems", "inspector"]]
    tree.place("inspector", "left", beside="palette")
    assert outermost(tree) == ["|", ["inspector"], ["palette"], ["system"], ["problems"]]


def test_splits_of_one_kind_become_one(tree: DockTree) -> None:
    tree.place("map", "right", beside="system")
    tree.place("problems", "tab", beside="inspector")
    assert outermost(tree) == ["|", ["palette"], ["system"], ["map"], ["problems", "inspector"]]


def test_opened_and_hidden(tree: DockTree) -> None:
    tree.show("stack")
    assert tree.is_in_front("stack") and not tree.is_in_front("palette") and not tree.is_closed("palette")
    tree.hide("stack")
    assert tree.is_in_front("palette") and tree.is_closed("stack")
    tree.keep_closed("help", beside="system")
    assert tree.is_closed("help") and tree.has("help") and tree.is_in_front("system")


def test_sizes_are_those_of_parts_that_can_be_seen(tree: DockTree) -> None:
    tree.set_columns("system", 100, 250, 1200)
    assert sizes(tree)[-1] == "100 850 250"
    tree.hide("palette")
    tree.set_columns("system", 1, 1, 1200)  # there are no three columns
    tree.set_shares("palette", (70, 30))
    assert sizes(tree)[-1] == "0 840 360"
    tree.set_sizes("system", [500, 400])
    tree.set_sizes("system", [1, 2, 3])
    assert sizes(tree)[0] == "500 400"


@pytest.mark.parametrize("saved", [b"", b"no layout", b"<other/>", b"<QtAdvancedDockingSystem/>"])
def test_what_is_no_layout_is_refused(saved: bytes) -> None:
    with pytest.raises(ValueError):
        DockTree(saved)


def test_what_was_not_changed_is_written_as_it_was(tree: DockTree) -> None:
    assert DockTree(tree.to_bytes()).to_bytes() == tree.to_bytes()
    assert tree.to_bytes().startswith(b'<?xml version="1.0" encoding="UTF-8"?>')
