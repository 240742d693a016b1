"""Undo, redo, merging of drags, the clean mark, and what listeners hear."""

from __future__ import annotations

import pytest

from studio.model.changes import Change, Inserted, ModelError, Removed, Replaced
from studio.model.history import History
from studio.model.layout_edits import MoveNodes
from studio.model.parts import Component, Wire
from studio.model.system import System
from studio.model.system_edits import AddNode, Compound, Connect, RemoveNodes, RenameNode, SetParameters


def history_with(*names: str) -> History[System]:
    history = History(System("demo"))
    for name in names:
        history.do(AddNode(Component(name, "thing"), at=(0, 0)))
    return history


def names(history: History[System]) -> list[str]:
    return [node.name for node in history.model.nodes]


def test_undo_and_redo_go_back_and_forth() -> None:
    history = history_with("a", "b")
    assert history.undo()
    assert names(history) == ["a"]
    assert history.redo()
    assert names(history) == ["a", "b"]
    assert not history.redo()
    assert history.undo() and history.undo() and not history.undo()
    assert names(history) == []
    assert not list(history.model.layout.places)


def test_labels_tell_what_would_be_undone_and_redone() -> None:
    history = history_with("a", "b")
    history.do(Connect(Wire.between("a.out", "b.in")))
    assert history.undo_label == "Connect a → b"
    history.undo()
    assert (history.undo_label, history.redo_label) == ("Add b", "Connect a → b")
    assert history.labels == ["Add a", "Add b"]


def test_a_new_edit_ends_redo() -> None:
    history = history_with("a", "b")
    history.undo()
    history.do(RenameNode("a", "c"))
    assert history.redo_label is None


def test_moves_of_one_gesture_are_one_step() -> None:
    history = history_with("a", "b")
    for x in range(1, 10):
        history.do(MoveNodes({"a": (x, 0), "b": (x, 5)}, gesture="drag 1"))
    history.undo()
    assert history.undo_label == "Add b"
    assert history.model.layout.places["a"].x == 0
    history.redo()
    assert history.model.layout.places["a"].x == 9


def test_two_gestures_are_two_steps() -> None:
    history = history_with("a")
    history.do(MoveNodes({"a": (1, 0)}, gesture=1))
    history.do(MoveNodes({"a": (2, 0)}, gesture=2))
    history.undo()
    assert history.model.layout.places["a"].x == 1


def test_moves_of_different_nodes_do_not_merge() -> None:
    history = history_with("a", "b")
    history.do(MoveNodes({"a": (1, 0)}, gesture=1))
    history.do(MoveNodes({"b": (1, 0)}, gesture=1))
    history.undo()
    assert history.model.layout.places["a"].x == 1


def test_a_drag_back_to_where_it_began_is_no_step() -> None:
    history = history_with("a")
    history.mark_clean()
    history.do(MoveNodes({"a": (7, 0)}, gesture=1))
    assert not history.is_clean
    history.do(MoveNodes({"a": (0, 0)}, gesture=1))
    assert history.undo_label == "Add a"
    assert history.is_clean


def test_a_slider_is_one_step() -> None:
    history = history_with("a")
    for value in (1.0, 2.0, 3.0):
        history.do(SetParameters("a", {"gain": value}, gesture="slider"))
    history.undo()
    assert history.model.component("a").parameters == {}


def test_an_edit_that_changes_nothing_is_no_step() -> None:
    history = history_with("a")
    history.mark_clean()
    assert history.do(MoveNodes({"a": (0, 0)})) == ()
    assert history.is_clean


def test_the_clean_mark_follows_undo_and_redo() -> None:
    history = history_with("a")
    assert not history.is_clean
    history.mark_clean()
    history.undo()
    assert not history.is_clean
    history.redo()
    assert history.is_clean
    history.undo()
    history.do(AddNode(Component("b", "thing")))
    assert not history.is_clean
    history.undo()
    assert not history.is_clean  # the saved state is behind a redo that is gone


def test_a_drag_does_not_merge_into_what_was_saved() -> None:
    history = history_with("a")
    history.do(MoveNodes({"a": (1, 0)}, gesture=1))
    history.mark_clean()
    history.do(MoveNodes({"a": (2, 0)}, gesture=1))
    assert not history.is_clean
    history.undo()
    assert history.is_clean
    assert history.model.layout.places["a"].x == 1


def test_a_compound_is_one_step_or_none() -> None:
    history = history_with("a", "b")
    good = Connect(Wire.between("a.out", "b.in"))
    with pytest.raises(ModelError):
        history.do(Compound("Both", (good, RenameNode("a", "b"))))
    assert not list(history.model.wires)
    assert history.undo_label == "Add b"
    history.do(Compound("Both", (good, RenameNode("a", "c"))))
    assert history.undo_label == "Both"
    history.undo()
    assert names(history) == ["a", "b"]
    assert not list(history.model.wires)


def test_listeners_hear_edits_undo_and_redo_as_changes() -> None:
    history = history_with("a")
    heard: list[tuple[Change, ...]] = []
    stop = history.listen(heard.append)
    history.do(RenameNode("a", "b"))
    history.undo()
    history.do(RemoveNodes(("a",)))
    stop()
    history.undo()
    a, b = Component("a", "thing"), Component("b", "thing")
    assert heard[0][0] == Replaced("nodes", a, b)
    assert heard[1][-1] == Replaced("nodes", b, a)
    assert heard[2][-1] == Removed("nodes", 0, a)
    assert len(heard) == 3


def test_order_comes_back_exactly() -> None:
    history = history_with("a", "b", "c", "d")
    for start, end in (("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")):
        history.do(Connect(Wire.between(f"{start}.out", f"{end}.in")))
    before = (names(history), list(history.model.wires), list(history.model.layout.places))
    changes = history.do(RemoveNodes(("b", "c")))
    assert any(isinstance(change, Removed) for change in changes)
    history.undo()
    assert (names(history), list(history.model.wires), list(history.model.layout.places)) == before


def test_the_first_place_of_a_node_merges_with_its_drag() -> None:
    history: History[System] = History(System("demo"))
    history.do(AddNode(Component("a", "thing")))
    history.do(MoveNodes({"a": (1, 1)}, gesture=1))
    history.do(MoveNodes({"a": (2, 2)}, gesture=1))
    heard: list[tuple[Change, ...]] = []
    history.listen(heard.append)
    history.undo()
    history.redo()
    assert "a" in history.model.layout.places
    assert isinstance(heard[1][0], Inserted)
    assert heard[1][0].value.x == 2
