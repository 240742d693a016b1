"""What clients of a runtime ask of the player of its log: the same that its own methods offer."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from studio.errors import StudioError
from studio.runtime.broker.gate import CannotGoBack
from studio.runtime.control_plane import of_runtime as asked
from studio.runtime.playing.lockstep_player import LockstepPlayer
from studio.runtime.playing.logged_sources import Player
from studio.runtime.playing.player import FLAT_OUT

Job = Callable[[], dict[str, Any]]


class NoPlayer(StudioError):
    """A request for a log player in a system that has none."""


def _in_lockstep(player: Player) -> LockstepPlayer:
    if isinstance(player, LockstepPlayer):
        return player
    hint = "choose the gate Lockstep: studio ctl gate --kind lockstep, or studio run --gate lockstep"
    raise CannotGoBack(
        "cannot go back: the log is played without lockstep, so events would come in another order", hint=hint
    )


ACTIONS: dict[type[asked.PlayerAction], Callable[[Player, Any], object]] = {
    asked.Play: lambda player, _: player.play(),
    asked.Pause: lambda player, _: player.pause(),
    asked.SetRate: lambda player, action: player.set_rate(FLAT_OUT if action.rate is None else action.rate),
    asked.Seek: lambda player, action: player.seek(action.time_ns),
    asked.Jump: lambda player, action: player.jump(action.time_ns),
    asked.GiveUp: lambda player, _: player.give_up(),
    asked.SeekBy: lambda player, action: player.seek_by(action.seconds),
    asked.Loop: lambda player, action: player.set_loop(action.on),
    asked.SetRange: lambda player, action: player.set_range(action.start_ns, action.end_ns),
    asked.Enable: lambda player, action: player.enable(action.topic, action.on),
    asked.Single: lambda player, _: player.single(),
    asked.NextOf: lambda player, action: player.next_of(action.topic),
    asked.Burst: lambda player, action: player.burst(action.count),
    asked.StopWhen: lambda player, action: player.stop_when(action.condition or None),
    asked.PlayBack: lambda player, action: _in_lockstep(player).back(action.count),
    asked.PreviousOf: lambda player, action: _in_lockstep(player).previous_of(action.topic),
}

MOVES = (asked.Seek, asked.Jump, asked.SeekBy, asked.SetRange, asked.PlayBack, asked.PreviousOf)
"""What may go over events again that have been handled before."""

Muted = Callable[[], AbstractContextManager[None]]


def player_job(player: Player | None, action: asked.PlayerAction, muted: Muted = nullcontext) -> Job:
    """Refuses at once what cannot be; the rest takes as long as the log's events take. `muted`: a time in which no
    breakpoint stops anybody."""
    if player is None:
        raise NoPlayer("no log is played in this system", hint="switch a source to logged")

    def job() -> dict[str, Any]:
        with muted() if isinstance(action, MOVES) and isinstance(player, LockstepPlayer) else nullcontext():
            told = ACTIONS[type(action)](player, action)
        return {"told": told, "player": player_state(player)}

    return job


def player_state(player: Player | None) -> dict[str, Any] | None:
    """For the snapshot; None while there is no player."""
    if player is None:
        return None
    state = player.state()
    return {
        "log": str(player.played.log.path),
        "playing": state.playing,
        "time_ns": state.time_ns,
        "start_ns": state.start_ns,
        "end_ns": state.end_ns,
        "number": state.number,
        "count": state.count,
        "rate": None if state.rate == FLAT_OUT else state.rate,
        "actual_rate": None if state.actual_rate is None else round(state.actual_rate, 3),
        "loop": state.loop,
        "range_ns": list(state.range_ns) if state.range_ns else None,
        "streams": {logged: [topic, state.streams.get(topic, True)] for logged, topic in player.played.streams.items()},
        "condition": state.condition,
        "stopped": state.stopped,
        "gate": "lockstep" if isinstance(player, LockstepPlayer) else "free",
    }
