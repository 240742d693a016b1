"""A place on a map as the goal of whoever plans a way there."""

from __future__ import annotations

from collections.abc import Callable

from studio.editor.live.feed import Feed
from studio.errors import StudioError
from studio.messages import PoseTransform
from studio.messages.plain_data import as_plain

GOAL = {"goal_x_m", "goal_y_m"}
NOBODY = "no component has an in port goal, or the parameters goal_x_m and goal_y_m"


def send_goal(
    feed: Feed, x_m: float, y_m: float, frame: str, path: str, refused: Callable[[StudioError], object]
) -> str:
    """An in port `goal` gets a pose, or the parameters goal_x_m and goal_y_m are set; returns who goes where.

    `path`: the topic of the plan that is drawn; of several planners the one who makes it is meant.
    """
    components = feed.state.get("components", {})
    place = f"x {x_m:.1f}, y {y_m:.1f}".replace("-", "−")
    for name, told in components.items():
        if told.get("accepts", {}).get("goal") == PoseTransform.TYPE:
            goal = PoseTransform.from_xyz_rpy(x_m=round(x_m, 2), y_m=round(y_m, 2), frame=frame)
            feed.ask("send", None, refused, to=f"{name}.goal", message=as_plain(goal), real=False)
            return f"{name} goes to {place}"
    planners = [name for name, told in components.items() if set(told.get("parameters", ())) >= GOAL]
    if not planners:
        return NOBODY
    # A judge may have the same parameters.
    planners.sort(key=lambda name: path not in components[name].get("outputs", {}).values())
    for name, value in (("goal_x_m", x_m), ("goal_y_m", y_m)):
        feed.ask("set", None, refused, component=planners[0], name=name, value=round(value, 2))
    return f"{planners[0]} goes to {place}"
