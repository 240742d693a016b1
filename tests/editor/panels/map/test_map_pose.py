"""The pose of the map viewer is the one that its map was built with."""

from __future__ import annotations

from studio.editor.panels.map.map_pose import pose_of_map

STATE = {
    "topics": {
        "/robot/corrected_pose": {"type": "PoseTransform", "count": 900},
        "/matcher/pose": {"type": "PoseTransform", "count": 100},
        "/robot/laser": {"type": "Range3d", "count": 100},
        "/mapper/map": {"type": "Map", "count": 3},
        "/reference/map": {"type": "Map", "count": 3},
        "/traverse/map": {"type": "Map", "count": 3},
    },
    "components": {
        "matcher": {"inputs": {"scan": ["/robot/laser"]}},
        "mapper": {"inputs": {"scan": ["/robot/laser"], "pose": ["/matcher/pose"]}},
        "reference": {"inputs": {"scan": ["/robot/laser"], "pose": ["/robot/corrected_pose"]}},
        "traverse": {"inputs": {"terrain": ["/mapper/map"]}},
    },
}


def test_it_is_what_is_wired_to_whoever_made_the_map() -> None:
    """The one with the most events was taken: of another estimate, which drifts away from this map."""
    assert pose_of_map("/mapper/map", STATE) == "/matcher/pose"
    assert pose_of_map("/reference/map", STATE) == "/robot/corrected_pose"


def test_of_a_map_that_was_made_from_another_it_is_that_of_the_other() -> None:
    assert pose_of_map("/traverse/map", STATE) == "/matcher/pose"


def test_without_a_pose_there_is_none() -> None:
    assert pose_of_map("/matcher/map", STATE) == "" and pose_of_map("", {}) == ""
    around = {"topics": {"/a/map": {"type": "Map"}}, "components": {"a": {"inputs": {"map": ["/a/map"]}}}}
    assert pose_of_map("/a/map", around) == ""
