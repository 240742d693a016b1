"""A host's part of the checkpoints: deep copies that never leave it."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from studio.errors import StudioError
from studio.messages import decode, encode
from studio.runtime.base.state_digest import OutputDigests
from studio.runtime.host import runner_checkpoints as cell_checkpoints
from studio.runtime.host.runner_checkpoints import RunnerState
from studio.runtime.host.statistics import TopicStatistics
from studio.runtime.wire.frames import Mark, Marker

if TYPE_CHECKING:
    from studio.runtime.host.data_route import DataRoute
    from studio.runtime.host.executor import Executor


class _RouteState(NamedTuple):
    statistics: TopicStatistics
    objects: dict[int, Any]
    dropped: list[int]


class _HostState(NamedTuple):
    runners: dict[str, RunnerState]
    routes: dict[str, _RouteState]
    calls: tuple[int, dict[str, int]]
    outputs: dict[str, bytes]


class HostCheckpoints:
    """Used by the executor, between two events."""

    MARKS = frozenset({Mark.CHECKPOINT, Mark.RESTORE, Mark.FORGET, Mark.DIGEST})

    def __init__(self, executor: Executor) -> None:
        self.outputs: OutputDigests | None = None
        """Of all that was published since the first checkpoint."""
        self._executor = executor
        self._kept: dict[int, _HostState] = {}
        self._incarnation = 0

    def drop(self) -> None:
        """The system has changed: what is kept is of another one."""
        self._kept.clear()

    def obey(self, marker: Marker) -> str:
        """Do what a marker says and return what there is to tell; raises StudioError for what cannot be done."""
        self.hear_of(marker.incarnation)
        match marker.mark:
            case Mark.CHECKPOINT:
                self.keep(marker.number)
                if self._executor.journal is not None:
                    self._executor.journal.checkpoint(marker.number, self._kept)
                if self._executor.exchange is not None:
                    self._executor.exchange.note_beginning()
                return str(self._size(marker.number))
            case Mark.RESTORE:
                self.restore(marker.about)
                if self._executor.journal is not None:
                    self._executor.journal.restore(marker.about)
                if self._executor.exchange is not None:
                    self._executor.exchange.went_back()
            case Mark.FORGET:
                self._kept.pop(marker.about, None)
            case Mark.DIGEST:
                return json.dumps(self._digests())
        return ""

    def hear_of(self, incarnation: int) -> None:
        """Nobody knows the checkpoints of a broker that died."""
        if incarnation != self._incarnation:
            if self._incarnation:
                self._executor.lose_the_way()
            self._kept.clear()
            self._incarnation = incarnation

    def has(self, number: int) -> bool:
        return number in self._kept

    def keep(self, number: int) -> None:
        """Remember everything under a number."""
        self._kept[number] = self._state()

    def _size(self, number: int) -> int:
        """About how many bytes it takes. To find out takes a third of the time of keeping it."""
        return sum(runner.size() for runner in self._kept[number].runners.values())

    def _state(self) -> _HostState:
        if self.outputs is None:
            self.outputs = OutputDigests()
        executor = self._executor
        return _HostState(
            {name: cell_checkpoints.checkpoint(runner, self._own) for name, runner in executor.runners.items()},
            {
                route.topic: _RouteState(
                    copy.deepcopy(route.statistics),
                    {sequence: self._own(message) for sequence, message in route.objects.items()},
                    [limited.dropped for limited in route.limited],
                )
                for route in executor.data_routes()
            },
            executor.calls.checkpoint(),
            self.outputs.checkpoint(),
        )

    def _own(self, message: Any) -> Any:
        """A copy that holds no shared memory: the producer would wait for it for ever."""
        return decode(type(message), encode(message))

    def restore(self, number: int) -> None:
        state = self._kept.get(number)
        executor = self._executor
        if state is None or self.outputs is None:
            hint = "its process was restarted since then"
            raise StudioError(f"{executor.host} has no checkpoint {number}", hint=hint)
        for name, runner in executor.runners.items():
            cell_checkpoints.restore(runner, state.runners[name])
        for route in executor.data_routes():
            _restore_route(route, state.routes[route.topic])
        executor.calls.restore(state.calls)
        self.outputs.restore(state.outputs)

    def _digests(self) -> dict[str, dict[str, str]]:
        outputs = self.outputs or OutputDigests()
        return {
            name: {"state": cell_checkpoints.digest(runner), "outputs": outputs.of(runner.planned.outlets.values())}
            for name, runner in self._executor.runners.items()
        }


def _restore_route(route: DataRoute, saved: _RouteState) -> None:
    """Sequences go back, so what was counted by them has to, or losses would be found that were none."""
    route.statistics = copy.deepcopy(saved.statistics)
    route.objects = dict(saved.objects)
    route.turns = (0, None)
    for limited, dropped in zip(route.limited, saved.dropped, strict=True):
        limited.dropped = dropped
