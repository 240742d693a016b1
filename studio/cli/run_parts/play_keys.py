"""A player in the hands of somebody at a terminal: what the keys do, and the line that shows where it is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

from studio.cli.shared.keys import Keys
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.playing.actual_rate import too_slow
from studio.runtime.playing.player import FASTEST, FLAT_OUT, SLOWEST, LogPlayer
from studio.runtime.playing.player_state import PlayerState

CLEAR_LINE = "\r\x1b[K"
WIDTH = 24
BACK_S = 5.0
RATES = (SLOWEST, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, FASTEST, FLAT_OUT)
HELP = (
    "Space pause/play   → one event   ← back 5 s   + − rate   0..9 place   l loop   a b range   c no range   "
    "r beginning   q quit"
)


class Remote:
    """Keys to commands."""

    def __init__(self, player: LogPlayer) -> None:
        self._player = player
        self._keys: dict[str, Callable[[], object]] = {
            "space": self._toggle,
            "right": self._single,
            "left": lambda: player.seek_by(-BACK_S),
            "up": lambda: self._change_rate(1),
            "+": lambda: self._change_rate(1),
            "=": lambda: self._change_rate(1),
            "down": lambda: self._change_rate(-1),
            "-": lambda: self._change_rate(-1),
            "l": lambda: player.set_loop(not player.state().loop),
            "a": lambda: self._set_end(0),
            "b": lambda: self._set_end(1),
            "c": player.set_range,
            "r": lambda: player.seek(player.start_ns),
            **{str(tenth): partial(player.seek_fraction, tenth / 10) for tenth in range(10)},
        }

    def press(self, key: str) -> bool:
        """Do what a key says; False when it is to end."""
        if key in ("q", "escape", "end of input"):
            return False
        command = self._keys.get(key)
        if command is not None:
            command()
        return True

    def _toggle(self) -> None:
        if self._player.state().playing:
            self._player.pause()
        else:
            self._player.play()

    def _single(self) -> None:
        self._player.pause()
        self._player.single()

    def _change_rate(self, steps: int) -> None:
        rate = self._player.state().rate
        place = min(range(len(RATES)), key=lambda at: abs(RATES[at] - rate) if RATES[at] != rate else -1.0)
        self._player.set_rate(RATES[min(max(place + steps, 0), len(RATES) - 1)])

    def _set_end(self, which: int) -> None:
        """The place where it is becomes A or B; the other end stays if it still fits."""
        state = self._player.state()
        ends = [state.start_ns, state.end_ns] if state.range_ns is None else list(state.range_ns)
        ends[which] = state.time_ns
        if ends[0] > ends[1]:
            ends[1 - which] = (state.start_ns, state.end_ns)[1 - which]
        self._player.set_range(*ends)


def status_line(state: PlayerState) -> str:
    """Where a player is and what it does, in one line."""
    done = round(state.fraction * WIDTH)
    bar = f"{'█' * done:░<{WIDTH}}"
    at_s, whole_s = ((time_ns - state.start_ns) / SECOND_NS for time_ns in (state.time_ns, state.end_ns))
    words = [
        "playing" if state.playing else "paused ",
        f"{at_s:8.2f} of {whole_s:.2f} s",
        bar,
        reached_text(state.rate, state.actual_rate),
    ]
    words.append(f"event {state.number} of {state.count}")
    if state.range_ns is not None:
        low, high = ((time_ns - state.start_ns) / SECOND_NS for time_ns in state.range_ns)
        words.append(f"range {low:.2f} to {high:.2f} s")
    if state.loop:
        words.append(f"loop {state.loops + 1}")
    return "  ".join(words)


def rate_text(rate: float) -> str:
    return "flat out" if rate == FLAT_OUT else f"{rate:g}×"


def reached_text(rate: float, actual: float | None) -> str:
    """The rate that was asked for, and the actual one where that is another."""
    if rate == FLAT_OUT and actual is not None:
        return f"{rate_text(rate)}: {actual:.3g}×"
    return f"{rate_text(rate)}, only {actual:.2g}× reached" if too_slow(actual, rate) else rate_text(rate)


def show(text: str) -> None:
    print(f"{CLEAR_LINE}{text}", end="", file=sys.stderr, flush=True)


def steer(player: LogPlayer, pressed: Keys, look: Callable[[], None], is_stopped: Callable[[], bool]) -> str:
    """Until the end of the log, the key q, or somebody stops it from outside; tells which."""
    remote = Remote(player)
    for key in pressed:
        look()
        if is_stopped():
            return "stopped"
        if key is not None and not remote.press(key):
            return "quit"
        state = player.state()
        show(status_line(state))
        if state.stopped in ("end", "failure") and not state.playing and not state.loop:
            player.wait(0.0)  # raises the failure
            return "end"
    return "quit"  # not reached: keys never end
