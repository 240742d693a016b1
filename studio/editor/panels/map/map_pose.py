"""Which pose belongs to a map: the one that it was built with. No Qt in here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

POSES = frozenset({"PoseTransform", "Odometry"})


def pose_of_map(topic: str, state: Mapping[str, Any]) -> str:
    """The pose that is wired to the component that makes this map; of a map that was made from another map, to the
    component that made that one. Empty if there is none."""
    components, topics = state.get("components", {}), state.get("topics", {})
    todo, seen = [topic], {topic}
    for each in todo:  # grows while it is gone through
        inputs = components.get(each.strip("/").partition("/")[0], {}).get("inputs", {})
        kinds = {name: topics.get(name, {}).get("type") for heard in inputs.values() for name in heard}
        if pose := next((name for name, kind in kinds.items() if kind in POSES), ""):
            return pose
        todo.extend(name for name, kind in kinds.items() if kind == "Map" and name not in seen)
        seen.update(kinds)
    return ""
