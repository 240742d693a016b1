"""What clients of a runtime ask of the player of its log: the same that its own methods offer, as plain data.

{"do": "player", "action": "seek", "time_ns": 1200000000}
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from studio.errors import StudioError
from studio.model.close_matches import did_you_mean
from studio.runtime.channel.gate import CannotGoBack
from studio.runtime.replay.lockstep_player import LockstepPlayer
from studio.runtime.replay.logged_sources import Player
from studio.runtime.replay.player import FLAT_OUT

Job = Callable[[], dict[str, Any]]
Fields = dict[str, Any]


class NoPlayer(StudioError):
    """A request for a log player in a system that has none, or one that it does not know."""


def _rate(player: Player, fields: Fields) -> None:
    """A number, or null for flat out: JSON has no infinity."""
    player.set_rate(FLAT_OUT if fields["rate"] is None else float(fields["rate"]))


def _range(player: Player, fields: Fields) -> None:
    first, last = fields.get("start_ns"), fields.get("end_ns")
    player.set_range(None if first is None else int(first), None if last is None else int(last))


def _stop_when(player: Player, fields: Fields) -> None:
    player.stop_when(str(fields["condition"]) if fields.get("condition") else None)


def _in_lockstep(player: Player) -> LockstepPlayer:
    if isinstance(player, LockstepPlayer):
        return player
    hint = "choose the gate Lockstep: studio ctl gate --kind lockstep, or studio run --gate lockstep"
    raise CannotGoBack(
        "cannot go back: the log is played freely, and events would not come again as they did", hint=hint
    )


ACTIONS: dict[str, Callable[[Player, Fields], object]] = {
    "play": lambda player, _: player.play(),
    "pause": lambda player, _: player.pause(),
    "rate": _rate,
    "seek": lambda player, fields: player.seek(int(fields["time_ns"])),
    "jump": lambda player, fields: player.jump(int(fields["time_ns"])),
    "give_up": lambda player, _: player.give_up(),
    "seek_by": lambda player, fields: player.seek_by(float(fields["seconds"])),
    "loop": lambda player, fields: player.set_loop(bool(fields["on"])),
    "range": _range,
    "enable": lambda player, fields: player.enable(str(fields["topic"]), bool(fields.get("on", True))),
    "single": lambda player, _: player.single(),
    "next_of": lambda player, fields: player.next_of(str(fields["topic"])),
    "burst": lambda player, fields: player.burst(int(fields["count"])),
    "stop_when": _stop_when,
    "back": lambda player, fields: _in_lockstep(player).back(int(fields.get("count", 1))),
    "previous_of": lambda player, fields: _in_lockstep(player).previous_of(str(fields["topic"])),
}


MOVES = frozenset({"seek", "jump", "seek_by", "range", "back", "previous_of"})
"""What may go over events again that have been handled before."""

Muted = Callable[[], AbstractContextManager[None]]


def player_job(player: Player | None, request: Fields, muted: Muted = nullcontext) -> Job:
    """Refuses at once what cannot be; the rest takes as long as the log's events take. `muted`: a time in which no
    breakpoint stops anybody."""
    action = str(request.get("action", ""))
    if action not in ACTIONS:
        raise NoPlayer(f"no player obeys {action!r}", hint=did_you_mean(action, ACTIONS))
    if player is None:
        raise NoPlayer("no log is played in this system", hint="switch a source to logged")

    def job() -> dict[str, Any]:
        try:
            with muted() if action in MOVES and isinstance(player, LockstepPlayer) else nullcontext():
                told = ACTIONS[action](player, request)
        except (KeyError, TypeError, ValueError) as error:
            raise NoPlayer(f"{action}: {error} is missing or makes no sense") from None
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
