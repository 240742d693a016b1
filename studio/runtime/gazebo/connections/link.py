"""One server that the user wants to be connected to: its state in words, what is watched, and what it was asked for."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from queue import SimpleQueue
from typing import Any

from studio.errors import StudioError
from studio.runtime.base.clock import SECOND_NS, monotonic_ns, wall_ns
from studio.runtime.gazebo.agreement import Mismatch
from studio.runtime.gazebo.classic.client import Connected, State
from studio.runtime.gazebo.connections.address import Address
from studio.runtime.gazebo.connections.rates import Rate
from studio.runtime.gazebo.connections.scene import SceneModel
from studio.runtime.gazebo.connections.wires import Physics, Wire, features, open_wire
from studio.runtime.gazebo.schema import SchemaError
from studio.runtime.gazebo.server import Feature, GazeboError, GazeboServer, Placement, Statistics, Topic
from studio.runtime.gazebo.told import placement_of, statistics_of

MODELS_EVERY_S = 2.0
"""How often a world is asked for its models; their poses come by themselves."""
MOST_LINES = 500
FACTORS_NS = 70 * SECOND_NS
FACTOR_EVERY_NS = SECOND_NS // 2


class Phase(StrEnum):
    CONNECTING = "Connecting"
    CONNECTED = "Connected"
    RECONNECTING = "Reconnecting"
    LOST = "Lost"


@dataclass(frozen=True)
class LinkState:
    phase: Phase
    reason: str = ""
    since_ns: int = 0
    """By the machine's time."""


@dataclass(frozen=True)
class Line:
    """Of the connection log."""

    wall_ns: int
    subject: str
    words: str
    is_trouble: bool = False


@dataclass(frozen=True)
class Factor:
    """Simulation time per real time, over half a second."""

    at_ns: int
    value: float
    is_paused: bool


@dataclass
class Watched:
    topic: Topic
    rate: Rate = field(default_factory=Rate)
    payload: bytes = b""
    """The newest message."""
    end: Callable[[], None] = lambda: None


class Link:
    """From any thread. What takes time is done by a thread of its own; what is read here is never waited for."""

    def __init__(
        self,
        address: Address,
        log: Callable[[Line], None],
        name: str = "",
        wire: Callable[[Address, Callable[[State], None]], Wire] = open_wire,
    ) -> None:
        self.address, self.name = address, name or str(address)
        self._log = log
        self._lock = threading.Lock()
        self._state = LinkState(Phase.CONNECTING, since_ns=monotonic_ns())
        self._was_reached = False
        self._watched: dict[str, Watched] = {}
        self._wanted: set[str] = set()
        """Topics to be watched as soon as somebody publishes them."""
        self._statistics: Statistics | None = None
        self._factors: deque[Factor] = deque(maxlen=FACTORS_NS // FACTOR_EVERY_NS)
        self._factor_from: tuple[int, int] | None = None
        self._models: tuple[SceneModel, ...] = ()
        self._places: dict[str, Placement] = {}
        self._homes: dict[str, Placement] = {}
        """Where each model was when it was seen first."""
        self._physics: Physics | None = None
        self.compare: Callable[[GazeboServer, str], list[Mismatch] | None] = lambda server, model: None
        """What of a model is not as its assembly says; None for what has no assembly. Asked in a thread of the link."""
        self._agreements: dict[str, list[Mismatch]] = {}
        self._asked: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._busy = 0
        self._is_closed = False
        self._wire = wire(address, self._follow)
        self.want({self._wire.statistics_topic, self._wire.poses_topic})
        self._worker = threading.Thread(target=self._work, name="gazebo-link", daemon=True)
        self._worker.start()
        self._looker = threading.Thread(target=self._look, name="gazebo-models", daemon=True)
        self._stop_looking = threading.Event()
        self._looker.start()

    # ---- what is known

    @property
    def state(self) -> LinkState:
        return self._state

    @property
    def is_connected(self) -> bool:
        return self._state.phase is Phase.CONNECTED

    @property
    def is_busy(self) -> bool:
        """It was asked for something that it has not done yet."""
        return self._busy > 0

    @property
    def features(self) -> frozenset[Feature]:
        return features(self._wire)

    @property
    def physics(self) -> Physics | None:
        return self._physics

    @property
    def statistics(self) -> Statistics | None:
        """The newest; of a lost server the last that it told."""
        return self._statistics

    @property
    def statistics_topic(self) -> str:
        return self._wire.statistics_topic

    @property
    def poses_topic(self) -> str:
        return self._wire.poses_topic

    def next_try_s(self) -> float | None:
        """Until it is tried again; None while it is connected, or where the server has to call."""
        if self.is_connected or not self._wire.next_try_ns:
            return None
        return max(0.0, (self._wire.next_try_ns - monotonic_ns()) / SECOND_NS)

    def worlds(self) -> tuple[str, ...]:
        return self._wire.worlds()

    def topics(self) -> list[Topic]:
        return self._wire.topics()

    def factors(self) -> list[Factor]:
        return list(self._factors)

    def models(self) -> list[SceneModel]:
        """With the poses that came last."""
        places = dict(self._places)
        return [replace(each, placement=places.get(each.name, each.placement)) for each in self._models]

    def home(self, model: str) -> Placement | None:
        return self._homes.get(model)

    def agreement(self, model: str) -> list[Mismatch] | None:
        """What of it is not as its assembly says; None before it was compared, or where it has none."""
        return self._agreements.get(model)

    def watched(self, topic: str) -> Watched | None:
        return self._watched.get(topic)

    def message(self, topic: str) -> Any:
        """The newest of a watched topic, read; None before one has come. SchemaError for a type unknown here."""
        watched = self._watched.get(topic)
        if watched is None or not watched.payload:
            return None
        return self._wire.read(watched.topic.type_name, watched.payload)

    # ---- topics

    def want(self, topics: set[str]) -> None:
        """Exactly these are watched, and again after each loss, as soon as somebody publishes them."""
        with self._lock:
            self._wanted = {self._wire.statistics_topic, self._wire.poses_topic} | topics
        self.settle_topics()

    def settle_topics(self) -> None:
        """Watch what is wanted and has a publisher, and let go of the rest."""
        there = {each.name: each for each in self._wire.topics()}
        with self._lock:
            for name, watched in list(self._watched.items()):
                changed = name in there and there[name].type_name != watched.topic.type_name
                if name not in self._wanted or changed:
                    watched.end()
                    del self._watched[name]
            for name in self._wanted - self._watched.keys():
                if name in there:
                    watched = self._watched[name] = Watched(there[name])
                    watched.end = self._wire.watch(there[name], self._receiver(watched))

    def _receiver(self, watched: Watched) -> Callable[[bytes], None]:
        take = {
            self._wire.statistics_topic: self._take_statistics,
            self._wire.poses_topic: self._take_poses,
        }.get(watched.topic.name)

        def receive(payload: bytes) -> None:
            watched.payload = payload
            watched.rate.add(monotonic_ns())
            if take is not None:
                take(self._wire.read(watched.topic.type_name, payload))

        return receive

    def _take_statistics(self, told: Any) -> None:
        now_ns = monotonic_ns()
        self._statistics = statistics_of(told)
        sim_ns = self._statistics.sim_time_ns
        if self._factor_from is None or sim_ns < self._factor_from[0]:
            self._factor_from = (sim_ns, now_ns)
        elif now_ns - self._factor_from[1] >= FACTOR_EVERY_NS:
            value = (sim_ns - self._factor_from[0]) / (now_ns - self._factor_from[1])
            self._factors.append(Factor(now_ns, value, told.paused))
            self._factor_from = (sim_ns, now_ns)

    def _take_poses(self, told: Any) -> None:
        self._places.update({each.name: placement_of(each) for each in told.pose if "::" not in each.name})

    # ---- state

    def _follow(self, state: State) -> None:
        """In the thread of the connection."""
        now_ns = monotonic_ns()
        before = self._state
        if isinstance(state, Connected):
            self._state = LinkState(Phase.CONNECTED, since_ns=now_ns)
            away_s = (now_ns - before.since_ns) / SECOND_NS
            if self.name == str(self.address) and state.worlds:
                self.name = state.worlds[0].removeprefix("/gazebo/")
            again = f"back after {away_s:.1f} s" if self._was_reached else f"connected after {away_s:.1f} s"
            if before.phase is not Phase.CONNECTED:
                self._say(again if not self._was_reached else f"{again}, {len(self._watched)} topics as before")
            self._was_reached = True
            self._factor_from = None
            self._stop_looking.set()
            return
        if before.phase is Phase.CONNECTED:
            self._say(f"lost: {state.reason}", is_trouble=True)
            self._factor_from = None
        if state.reason == before.reason or self._is_closed:
            return
        phase = Phase.RECONNECTING if self._was_reached else Phase.LOST
        since_ns = now_ns if before.phase is Phase.CONNECTED else before.since_ns
        self._state = LinkState(phase, state.reason, since_ns)

    def _say(self, words: str, subject: str = "", *, is_trouble: bool = False) -> None:
        self._log(Line(wall_ns(), subject or self.name, words, is_trouble))

    # ---- asking

    def ask(
        self,
        subject: str,
        done: str,
        act: Callable[[GazeboServer], object],
        then: Callable[[str], object] = lambda why_not: None,
    ) -> None:
        """Without waiting. The log says what came of it, and `then` gets the reason of a failure, in that thread."""
        self._busy += 1
        self._asked.put(lambda: self._try(subject, done, act, then))

    def _try(
        self, subject: str, done: str, act: Callable[[GazeboServer], object], then: Callable[[str], object]
    ) -> None:
        why_not = ""
        try:
            if not self.is_connected:
                raise GazeboError("the server is not connected", hint=self._state.reason)
            act(self._wire.server)
            self._say(done, subject)
        except StudioError as error:
            why_not = str(error)
            self._say(why_not, subject, is_trouble=True)
        finally:
            self._busy -= 1
            self._stop_looking.set()
        then(why_not)

    def _work(self) -> None:
        while (task := self._asked.get()) is not None:
            task()

    def _look(self) -> None:
        """Models and physics, now and then and after each request."""
        while not self._is_closed:
            is_asked = self._stop_looking.wait(MODELS_EVERY_S)
            self._stop_looking.clear()
            if not self.is_connected:
                continue
            try:
                self.settle_topics()
                self._models = tuple(self._wire.models())
                self._physics = self._wire.physics()
            except (GazeboError, SchemaError):  # lost meanwhile; the state tells why
                continue
            names = {each.name for each in self._models}
            if is_asked or names != self._homes.keys():
                self._agreements = dict(self._compared(names))
            self._places = {name: place for name, place in self._places.items() if name in names}
            self._homes = {each.name: self._homes.get(each.name, each.placement) for each in self._models}

    def _compared(self, names: set[str]) -> Iterator[tuple[str, list[Mismatch]]]:
        for name in sorted(names):
            try:
                found = self.compare(self._wire.server, name)
            except StudioError as error:
                found = [Mismatch(name, "", f"it cannot be compared: {error.message}")]
            if found is not None:
                yield name, found

    def close(self) -> None:
        self._is_closed = True
        self._stop_looking.set()
        self._asked.put(None)
        self._wire.close()
