"""What the broker does for players: feeders that push by themselves while the gate is open (docs/protocol.md, 11).

A player gives the closed gate more inputs than it has taken yet. When the gate opens, those go back to the player,
which sends them again when their time has come; so nothing is lost, nothing doubled, and nothing comes early.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace

from studio.messages import encode
from studio.messages.plain import String
from studio.runtime.base.clock import SECOND_NS, ClockKind, monotonic_ns
from studio.runtime.broker.agenda import Feeder
from studio.runtime.broker.commanding import activate_all
from studio.runtime.broker.forwarder import Forwarder
from studio.runtime.broker.held import Held
from studio.runtime.wire.frames import FEED_PREFIX, Kind, Mark, Marker, pack

PATIENCE_NS = 10 * SECOND_NS
"""A player that does not answer within this time has died, and what it has sent is all that will come."""
MOST_DRAINED = 10_000
"""Events that may follow from what was under way when time jumps; a system that feeds itself has no end of them."""


def take_back(forwarder: Forwarder, players: Collection[str]) -> dict[str, int]:
    """Throw away the inputs that the gate has not taken; tells how many of each player."""
    found = {}
    for feeder in forwarder.agenda.feeders:
        if feeder.name in players:
            _await_fence(forwarder, feeder)
            found[feeder.name] = len(feeder.waiting)
            feeder.received -= len(feeder.waiting)  # they come again
            feeder.waiting.clear()
            _begin_anew(feeder)
    forwarder.keep_strays()
    return found


def _await_fence(forwarder: Forwarder, feeder: Feeder[Held]) -> None:
    """What a player has sent arrives before its answer."""
    number = feeder.fence + 1
    tell(forwarder, feeder.name, Mark.SYNC, number)
    end_ns = monotonic_ns() + PATIENCE_NS
    while feeder.fence != number and not forwarder.ended and monotonic_ns() < end_ns:
        forwarder.absorb()
    feeder.fence = number  # one that comes too late answers no later question


def _begin_anew(feeder: Feeder[Held]) -> None:
    """Nothing has been asked for, and what is here was not."""
    feeder.taken = 0
    feeder.unasked = feeder.received
    feeder.ended = False


def await_players(forwarder: Forwarder, players: Collection[str]) -> None:
    """The gate has just been closed: what players have sent before they heard of it is here when this returns.

    Otherwise the gate would take a player for empty whose inputs are on their way, and ask it for more.
    """
    for feeder in forwarder.agenda.feeders:
        if feeder.name in players:
            _await_fence(forwarder, feeder)
            _begin_anew(feeder)


def tell(forwarder: Forwarder, player: str, mark: Mark, number: int) -> None:
    marker = Marker(mark, number, forwarder.mode != "run", forwarder.clock, forwarder.epoch, forwarder.incarnation)
    forwarder.forward(pack(FEED_PREFIX + player, Kind.MARKER, number, marker.payload()))


def open_gate(forwarder: Forwarder, players: Collection[str], rate: float) -> None:
    """Let the system run; players hear first what they have to send again."""
    if forwarder.mode != "run":
        for player, count in take_back(forwarder, players).items():
            tell(forwarder, player, Mark.PAUSE, count)
    forwarder.run(rate)


def recall(forwarder: Forwarder, player: str) -> dict[str, int]:
    """While paused: a player gets back what it has given, because now it would give something else."""
    if forwarder.mode == "run":
        return {}
    found = take_back(forwarder, {player})
    for name, count in found.items():
        tell(forwarder, name, Mark.PAUSE, count)
    return found


def jump(
    forwarder: Forwarder,
    players: Collection[str],
    to_ns: int,
    *,
    epoch: int = 0,
    kind: ClockKind | None = None,
    anew: Collection[str] = (),
) -> dict[str, int]:
    """Time goes on from elsewhere: what was under way is finished first, then everybody hears of it.

    The system is paused afterwards, in a new epoch: the next one, or a later one that is asked for. `kind`: another
    clock from here on; `anew`: components that begin in it as at the start. Tells how many inputs of each player were
    thrown away.
    """
    forwarder.pause()
    thrown = take_back(forwarder, players)
    feeders = [feeder for feeder in forwarder.agenda.feeders if feeder.name in players]
    for feeder in feeders:
        feeder.ended = True  # nothing more of the time that is left
    forwarder.lockstep(forwarder.gate.now_ns, MOST_DRAINED, 0.0)
    forwarder.gate.note_unrepeatable("time has jumped since then")
    forwarder.epoch = max(forwarder.epoch + 1, epoch)
    forwarder.gate.now_ns = to_ns
    clock = forwarder.clock.stopped_at(to_ns)
    forwarder.clock = clock if kind is None else replace(clock, kind=kind)
    forwarder.agenda.timers.rebase(to_ns)
    forwarder.mark(Mark.STATE)
    names = [component.name for component in forwarder.plan.components]
    activate_all(forwarder, names, _command("clock-jump"))
    for verb in ("deactivate", "activate"):
        activate_all(forwarder, [name for name in names if name in anew], _command(verb))
    for feeder in feeders:
        feeder.ended = False
    for feeder in forwarder.agenda.feeders:
        if feeder.name not in players and feeder.rewind is not None:
            feeder.ask_again(feeder.position)  # what waits is of the epoch that is over
    return thrown


def _command(verb: str) -> bytes:
    return encode(String(json.dumps({"do": verb})))


def drain(forwarder: Forwarder) -> dict[str, int]:
    """While paused: deliver what follows from what was delivered, and nothing new; tells how many events."""
    count = 0
    while forwarder.mode == "pause" and forwarder.agenda.effects and count < MOST_DRAINED:
        count += len(forwarder.gate.step(1))
    return {"delivered": count}
