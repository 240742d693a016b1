"""A system in one process whose troubles come from a seed: the same seed gives the same bytes.

What real processes suffer by chance happens here as an event at a known place: a component fails and is brought back,
is paused for a while, is told nonsense, or the whole system goes back to a checkpoint and on from there.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable

from studio.runtime.plan.plan import Plan
from tests.runtime.borders.attack import STRANGE
from tests.runtime.systems import Part, Seen, TwinRun, plan

COMPONENTS = ("ticker", "sampler", "adder", "dice", "fragile", "merger", "sink")
VERBS = (
    "activate",
    "deactivate",
    "pause",
    "wakeup",
    "reset",
    "trigger",
    "mode",
    "set",
    "call",
    "deliver",
    "publish",
    "no",
)
FIELDS = ("activation", "period_s", "name", "value", "id", "port", "message", "service", "request", "origin")


def system(**changed: Part) -> Plan:
    parts = {
        "ticker": Part("Ticker", period_s=0.01),
        "sampler": Part("Sampler", {"raw": "ticker.out"}, period_s=0.025),
        "adder": Part("Adder", {"raw": "ticker.out"}, {"copies": 2}),
        "dice": Part("Dice", {"raw": "adder.out"}),
        "fragile": Part("Fragile", {"raw": "ticker.out"}),
        "merger": Part("Merger", {"left": "dice.out", "right": "fragile.out"}),
        "sink": Part("Sink", {"raw": "sampler.out"}),
    }
    return plan(**{**parts, **changed})


class Broken(AssertionError):
    """The order of the channel does not hold."""


class Simulation:
    """`watch` sees what passes before it is checked, and may change it: how a control shows that the checks work."""

    def __init__(self, seed: int, of: Plan, watch: Callable[[list[Seen]], list[Seen]] = lambda seen: seen) -> None:
        self._choose = random.Random(seed)
        self._run = TwinRun(of)
        self._watch = watch
        self._kept: list[int] = []
        self._checked = 0
        self._last: dict[str, int] = {}
        self._run.start()

    def go(self, turns: int) -> str:
        """So many troubles, with events between; a digest of all bytes that passed, and of the state at the end."""
        troubles = (self._delay, self._fail, self._revive, self._pause, self._nonsense, self._keep, self._go_back)
        for _ in range(turns):
            self._choose.choice(troubles)()
            self._run.step(self._choose.randrange(1, 20))
            self._check()
        state = json.dumps(self._run.digest(), sort_keys=True)
        found = hashlib.sha256(repr(self._run.channel()).encode() + state.encode()).hexdigest()
        self._run.close()
        return found

    # Troubles.

    def _delay(self) -> None:
        self._run.lockstep(self._run.gate.now_ns + self._choose.randrange(100_000_000))

    def _fail(self) -> None:
        """Its handler fails at the third event after this."""
        for verb in ("deactivate", "activate"):
            self._run.command("fragile", {"do": verb})

    def _revive(self) -> None:
        for verb in ("reset", "activate"):
            self._run.command("fragile", {"do": verb})

    def _pause(self) -> None:
        self._run.command(self._choose.choice(COMPONENTS), {"do": self._choose.choice(("pause", "wakeup"))})

    def _nonsense(self) -> None:
        fields = {name: self._choose.choice(STRANGE) for name in self._choose.sample(FIELDS, 3)}
        self._run.command("adder", {"do": self._choose.choice(VERBS), **fields})

    def _keep(self) -> None:
        self._kept = [*self._kept[-2:], self._run.checkpoint()]

    def _go_back(self) -> None:
        kept = [number for number in self._kept if number in self._run.gate.checkpoints]
        if kept:
            self._run.restore(self._choose.choice(kept))
            self._last.clear()

    # What holds whatever happens.

    def _check(self) -> None:
        seen = self._watch(self._run.channel()[self._checked :])
        self._checked = len(self._run.channel())
        for event in seen:
            last = self._last.get(event.topic)
            if last is not None and event.sequence != last + 1:
                raise Broken(f"{event.topic} #{event.sequence} came after #{last}")
            self._last[event.topic] = event.sequence
