"""A world of a Gazebo server from Fortress to Jetty, by its topics and services in gz-transport."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from studio.runtime.base.clock import SECOND_NS
from studio.runtime.gazebo.gz_messages import PREFIXES, messages
from studio.runtime.gazebo.gz_transport.node import NoAnswer, Node
from studio.runtime.gazebo.schema import Schema
from studio.runtime.gazebo.server import Feature, GazeboError, Placement, Scope, Statistics, Topic
from studio.runtime.gazebo.told import await_models, placement_of, pose_fields, statistics_of
from studio.runtime.gazebo.waiting import Newest

PATIENCE_S = 10.0
USUAL_STEP_S = 0.001
MODEL = 2
"""Of the kinds of entities."""
NEEDS: dict[Feature, str] = {
    Feature.PAUSE: "control", Feature.STEP: "control", Feature.RESET_ALL: "control", Feature.SPAWN: "create",
    Feature.DELETE: "remove", Feature.MOVE: "set_pose", Feature.SPEED: "set_physics",
}  # fmt: skip
"""The service behind each; a server resets time and poses only together."""


class ModernServer:
    is_classic: ClassVar[bool] = False

    def __init__(self, node: Node, world: str) -> None:
        """The node belongs to the caller."""
        self._node, self._world = node, world
        self._statistics: Newest[Any] = Newest("its statistics")
        self._poses: dict[int, bytes] = {}
        """Newest pose of each entity; the scene has those from when it was made."""
        self._ends = [
            node.subscribe(self._name("stats"), lambda sample: self._hear(sample.payload)),
            node.subscribe(self._name("pose/info"), lambda sample: self._follow(sample.payload)),
        ]

    @property
    def features(self) -> frozenset[Feature]:
        """What the server offers now: which services a world has depends on its plugins."""
        offered = {offer.name for offer in self._node.offers() if offer.is_service}
        return frozenset(feature for feature, verb in NEEDS.items() if self._name(verb) in offered)

    def is_there(self) -> bool:
        return Feature.PAUSE in self.features

    def worlds(self) -> list[str]:
        return [self._world]

    def topics(self) -> list[Topic]:
        return [Topic(each.name, each.type_name) for each in self._node.offers() if not each.is_service]

    def statistics(self) -> Statistics:
        return statistics_of(self._statistics.get(PATIENCE_S))

    def entities(self) -> dict[str, Placement]:
        return {model.name: placement_of(model.pose) for model in self.scene().model}

    def scene(self) -> Any:
        """All models of the world with their parts: a Scene."""
        scene = self._call("scene/info", "Empty", "Scene")
        for model in scene.model:
            if model.id in self._poses:
                model.pose.ParseFromString(self._poses[model.id])
        return scene

    def world_sdf(self) -> str:
        return str(self._call("generate_world_sdf", "SdfGeneratorConfig", "StringMsg").data)

    def step_s(self) -> float:
        """Of the physics. Not every version tells it: time and count of steps do."""
        told = self.statistics()
        return told.sim_time_ns / SECOND_NS / told.iterations if told.iterations else USUAL_STEP_S

    def pause(self, is_paused: bool) -> None:
        self._control(pause=is_paused)
        self._statistics.wait(lambda told: told.paused == is_paused, PATIENCE_S, after=self._statistics.count)

    def step(self, count: int) -> None:
        before = self.statistics()
        if not before.is_paused:
            raise GazeboError("the world is running", hint="pause it first, then step")
        self._control(pause=True, multi_step=count)
        self._statistics.wait(lambda told: told.iterations >= before.iterations + count, PATIENCE_S + count / 100)

    def reset(self, scope: Scope) -> None:
        if scope is not Scope.ALL:
            raise GazeboError(f"this server cannot reset {scope} alone", hint="reset all")
        paused, heard = self.statistics().is_paused, self._statistics.count
        self._poses.clear()
        self._control(pause=paused, reset=self._schema().new("WorldReset", all=True))
        self._statistics.wait(lambda told: told.iterations < 1000, PATIENCE_S, after=heard + 1)

    def set_speed(self, factor: float) -> None:
        self._call("set_physics", "Physics", max_step_size=self.step_s(), real_time_factor=factor)

    def spawn(self, name: str, sdf: str, placement: Placement) -> None:
        if name in self.entities():
            return
        schema = self._schema()
        pose = schema.new("Pose", **pose_fields(schema, placement))
        self._call("create", "EntityFactory", sdf=sdf, name=name, pose=pose)
        self._await(lambda models: name in models, f"{name} did not appear", "look at the log of the server")

    def delete(self, name: str) -> None:
        self._need(name)
        self._call("remove", "Entity", name=name, type=MODEL)
        self._await(lambda models: name not in models, f"{name} was not removed", "")

    def move(self, name: str, placement: Placement) -> None:
        self._need(name)
        self._call("set_pose", "Pose", name=name, **pose_fields(self._schema(), placement))
        self._await(lambda models: placement.is_near(models[name]), f"{name} did not move", "is it static?")

    def close(self) -> None:
        for end in self._ends:
            end()

    # ---- asking

    def _name(self, verb: str) -> str:
        return f"/world/{self._world}/{verb}"

    def _schema(self) -> Schema:
        """With the names of types that this server has: of ign or of gz."""
        control = self._name("control")
        for offer in self._node.offers():
            if offer.name == control:
                return messages(next((each for each in PREFIXES if offer.type_name.startswith(each)), PREFIXES[0]))
        raise GazeboError(f"no server with the world {self._world} is found", hint="studio gazebo doctor")

    def _control(self, **fields: Any) -> None:
        """Always with `pause`: what is not said is false, and would let the world run."""
        self._statistics.get(PATIENCE_S)
        self._call("control", "WorldControl", **fields)

    def _call(self, verb: str, kind: str, reply: str = "Boolean", **fields: Any) -> Any:
        schema = self._schema()
        payload = schema.new(kind, **fields).SerializeToString()
        types = schema.full(kind), schema.full(reply)
        try:
            answer = self._node.request(self._name(verb), payload, *types, timeout_s=PATIENCE_S)
        except NoAnswer as none:
            raise GazeboError(none.message) from None
        told = schema.read(reply, answer)
        if reply == "Boolean" and not told.data:
            raise GazeboError(f"the server refuses {verb}", hint="its log says why")
        return told

    def _need(self, name: str) -> None:
        if name not in self.entities():
            raise GazeboError(f"there is no model {name}")

    def _await(self, fits: Callable[[dict[str, Placement]], bool], otherwise: str, hint: str) -> None:
        await_models(self.entities, self._statistics, fits, otherwise, hint, PATIENCE_S)

    def _hear(self, payload: bytes) -> None:
        self._statistics.put(messages().read("WorldStatistics", payload))

    def _follow(self, payload: bytes) -> None:
        self._poses = {pose.id: pose.SerializeToString() for pose in messages().read("Pose_V", payload).pose}
