"""A server of Gazebo classic 11."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import Any, ClassVar

from studio.runtime.gazebo.classic.client import PORT, ClassicClient, Connected, State
from studio.runtime.gazebo.classic_messages import classic_messages
from studio.runtime.gazebo.server import Feature, GazeboError, Placement, Scope, Statistics, Topic
from studio.runtime.gazebo.told import TRIES, await_models, placement_of, pose_fields, statistics_of
from studio.runtime.gazebo.waiting import Newest

PATIENCE_S = 20.0
"""A server that has just been started needs so long at worst."""
AT_REST = 3
"""Statistics of a paused world, five a second, until its sensors have finished what they were measuring."""


class ClassicServer:
    features = frozenset(Feature)
    is_classic: ClassVar[bool] = True

    def __init__(
        self, host: str = "127.0.0.1", port: int = PORT, changed: Callable[[State], None] = lambda state: None
    ) -> None:
        self._schema = classic_messages()
        self._changed = changed
        self._statistics: Newest[Any] = Newest("its statistics")
        self._poses: Newest[Any] = Newest("the poses of its models")
        self._asked: dict[int, SimpleQueue[Any]] = {}
        """What has no answer yet. The answers to other clients come here, too."""
        self.client = ClassicClient(host, port, self._follow)
        self._hear("~/world_stats", "WorldStatistics", self._statistics)
        self._hear("~/pose/info", "PosesStamped", self._poses)
        self.client.subscribe("~/response", self._schema.full("Response"), self._take_answer)
        self._control = self.tell("~/world_control", "WorldControl")
        self._factory = self.tell("~/factory", "Factory")
        self._request = self.tell("~/request", "Request")
        self._modify = self.tell("~/model/modify", "Model")
        self._physics = self.tell("~/physics", "Physics")

    def worlds(self) -> list[str]:
        state = self.client.state
        return [world for world in state.worlds if not world.startswith("/")] if isinstance(state, Connected) else []

    def topics(self) -> list[Topic]:
        return [Topic(each.topic, each.type_name) for each in self.client.publishers()]

    def statistics(self) -> Statistics:
        return statistics_of(self._statistics.get(PATIENCE_S))

    def entities(self) -> dict[str, Placement]:
        return {model.name: placement_of(model.pose) for model in self.scene().model}

    def scene(self) -> Any:
        """All models of the world with their parts: a Scene."""
        return self._schema.read("Scene", self._ask("scene_info"))

    def physics(self) -> Any:
        """Step and wanted speed: a Physics."""
        return self._schema.read("Physics", self._ask("physics_info"))

    def world_sdf(self) -> str:
        return str(self._schema.read("GzString", self._ask("world_sdf")).data)

    def pause(self, is_paused: bool) -> None:
        self._statistics.get(PATIENCE_S)
        self._control(pause=is_paused)
        self._statistics.wait(lambda told: told.paused == is_paused, PATIENCE_S, after=self._statistics.count)

    def step(self, count: int) -> None:
        before = self._statistics.get(PATIENCE_S)
        if not before.paused:
            raise GazeboError("the world is running", hint="pause it first, then step")
        self._control(multi_step=count)
        self._statistics.wait(lambda told: told.iterations >= before.iterations + count, PATIENCE_S + count / 100)

    def reset(self, scope: Scope) -> None:
        self._statistics.get(PATIENCE_S)
        heard = self._statistics.count
        only = {Scope.TIME: "time_only", Scope.POSES: "model_only", Scope.ALL: "all"}
        fields = {name: name == only[scope] for name in only.values()}
        self._control(reset=self._schema.new("WorldReset", **fields))
        self._statistics.wait(lambda told: scope is Scope.POSES or told.iterations < 1000, PATIENCE_S, after=heard + 1)

    def set_speed(self, factor: float) -> None:
        now = self.physics()
        rate = factor / now.max_step_size
        self._physics(type=now.type, real_time_update_rate=rate)
        for _ in range(TRIES):
            if abs(self.physics().real_time_update_rate - rate) < 1e-6:
                return
        raise GazeboError("the server did not accept the speed", hint="look at its log")

    def spawn(self, name: str, sdf: str, placement: Placement) -> None:
        if name in self.entities():
            return
        self._factory(sdf=sdf, pose=self._pose(placement), allow_renaming=False)
        self._wait_for(lambda models: name in models, f"{name} did not appear", "look at the log of the server")

    def delete(self, name: str) -> None:
        if name not in self.entities():
            raise GazeboError(f"there is no model {name}")
        with self._at_rest():
            self._request(id=_new_id(), request="entity_delete", data=name)
            self._wait_for(lambda models: name not in models, f"{name} was not removed", "")

    def move(self, name: str, placement: Placement) -> None:
        if name not in self.entities():
            raise GazeboError(f"there is no model {name}")
        self._modify(name=name, pose=self._pose(placement))
        self._wait_for(lambda models: placement.is_near(models[name]), f"{name} did not move", "is it static?")

    def close(self) -> None:
        self.client.close()

    @contextmanager
    def _at_rest(self) -> Iterator[None]:
        """The world is paused and no sensor measures meanwhile.

        To delete a model, the server locks its physics and then its sensors; a scan that is being made has locked the
        sensors and waits for the physics. Then both wait for ever, and everything else of the server behind them.
        """
        runs = not self.statistics().is_paused
        if runs:
            self.pause(True)
        try:
            heard = self._statistics.count
            self._statistics.wait(lambda told: told.paused, PATIENCE_S, after=heard + AT_REST - 1)
            yield
        finally:
            if runs:
                self.pause(False)

    def _follow(self, state: State) -> None:
        if not isinstance(state, Connected):
            self._statistics.clear()
            self._poses.clear()
        self._changed(state)

    def _hear(self, topic: str, name: str, newest: Newest[Any]) -> None:
        self.client.subscribe(topic, self._schema.full(name), lambda body: newest.put(self._schema.read(name, body)))

    def tell(self, topic: str, kind: str) -> Callable[..., None]:
        """Returns what publishes a message, from its fields."""
        publish = self.client.advertise(topic, self._schema.full(kind))
        return lambda **fields: publish(self._schema.new(kind, **fields).SerializeToString())

    def _ask(self, what: str) -> bytes:
        """The payload of the answer to a request."""
        self._statistics.get(PATIENCE_S)
        number = _new_id()
        came: SimpleQueue[Any] = SimpleQueue()
        self._asked[number] = came
        try:
            self._request(id=number, request=what, data="")
            answer = came.get(timeout=PATIENCE_S)
        except Empty:
            words = f"the server has not answered {what} within {PATIENCE_S:g} s"
            hint = "another program that ended or deleted a vehicle may have stopped it; then start the server again"
            raise GazeboError(words, hint=hint) from None
        finally:
            del self._asked[number]
        if answer.response != "success":
            raise GazeboError(f"the server refuses {what}: {answer.response}")
        payload: bytes = answer.serialized_data
        return payload

    def _take_answer(self, body: bytes) -> None:
        answer = self._schema.read("Response", body)
        if answer.id in self._asked:
            self._asked[answer.id].put(answer)

    def _wait_for(self, fits: Callable[[dict[str, Placement]], bool], otherwise: str, hint: str) -> None:
        await_models(self.entities, self._statistics, fits, otherwise, hint, PATIENCE_S)

    def _pose(self, placement: Placement) -> Any:
        return self._schema.new("Pose", **pose_fields(self._schema, placement))


def _new_id() -> int:
    """Not one that another client of the server takes."""
    return uuid.uuid4().int % 2**31
