"""`studio ctl player`: the player of the log in a running system, as the window's LogPlayer has it in hand."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from studio.cli.shared.columns import columns
from studio.cli.shared.outcome import FINE, UsageError, print_json
from studio.errors import StudioError
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.client.attach import Attachment

Words = list[str]
Player = dict[str, Any]
STOPPED = {"end": "at the end", "condition": "the condition held", "failure": "something failed"}


class Action(NamedTuple):
    words: str
    """What may stand behind it."""
    help: str
    request: Callable[[Words, Player], Iterator[dict[str, Any]]]
    """What is asked of the player for it."""


def _plain(action: str) -> Callable[[Words, Player], Iterator[dict[str, Any]]]:
    def request(words: Words, _: Player) -> Iterator[dict[str, Any]]:
        _take(words, 0)
        yield {"action": action}

    return request


def _rate(words: Words, _: Player) -> Iterator[dict[str, Any]]:
    (text,) = _take(words, 1)
    yield {"action": "rate", "rate": None if text == "max" else _number(text)}


def _seek(words: Words, player: Player) -> Iterator[dict[str, Any]]:
    (text,) = _take(words, 1)
    if text.startswith(("+", "-")):
        yield {"action": "seek_by", "seconds": _number(text)}
    else:
        yield {"action": "seek", "time_ns": _time_ns(text, player)}


def _jump(words: Words, player: Player) -> Iterator[dict[str, Any]]:
    (text,) = _take(words, 1)
    if text.startswith(("+", "-")):
        yield {"action": "jump", "time_ns": int(player["time_ns"]) + round(_number(text) * SECOND_NS)}
    else:
        yield {"action": "jump", "time_ns": _time_ns(text, player)}


def _loop(words: Words, _: Player) -> Iterator[dict[str, Any]]:
    (text,) = _take(words, 1)
    if text not in ("on", "off"):
        raise UsageError(f"a loop is on or off, not {text}")
    yield {"action": "loop", "on": text == "on"}


def _range(words: Words, player: Player) -> Iterator[dict[str, Any]]:
    if not words:
        yield {"action": "range"}
        return
    first, last = _take(words, 2)
    yield {"action": "range", "start_ns": _time_ns(first, player), "end_ns": _time_ns(last, player)}


def _streams(on: bool) -> Callable[[Words, Player], Iterator[dict[str, Any]]]:
    def request(words: Words, _: Player) -> Iterator[dict[str, Any]]:
        if not words:
            raise UsageError("which streams?", hint="topics or patterns, e.g. '/laser/*'")
        yield from ({"action": "enable", "topic": pattern, "on": on} for pattern in words)

    return request


def _next(words: Words, player: Player) -> Iterator[dict[str, Any]]:
    if words:
        yield {"action": "next_of", "topic": _topic(_take(words, 1)[0], player)}
    else:
        yield {"action": "single"}


def _previous(words: Words, player: Player) -> Iterator[dict[str, Any]]:
    if words:
        yield {"action": "previous_of", "topic": _topic(_take(words, 1)[0], player)}
    else:
        yield {"action": "back", "count": 1}


def _counted(action: str) -> Callable[[Words, Player], Iterator[dict[str, Any]]]:
    def request(words: Words, _: Player) -> Iterator[dict[str, Any]]:
        (text,) = _take(words, 1)
        if not text.isdigit() or not int(text):
            raise UsageError(f"{text} is not a number of events")
        yield {"action": action, "count": int(text)}

    return request


def _until(words: Words, _: Player) -> Iterator[dict[str, Any]]:
    yield {"action": "stop_when", "condition": _take(words, 1)[0] if words else None}


ACTIONS = {
    "play": Action("", "go on", _plain("play")),
    "pause": Action("", "stand", _plain("pause")),
    "rate": Action("X|max", "times real time, 0.01 to 1000; max: as fast as possible", _rate),
    "seek": Action("S", "to this second of the log; +S and -S: relative to the position", _seek),
    "jump": Action("S", "the same; in lockstep without computing the events between", _jump),
    "range": Action("[S S]", "play only between these seconds; without them, the whole log", _range),
    "loop": Action("on|off", "restart at the end", _loop),
    "on": Action(
        "TOPIC...", "play these streams, by their topic in the log or the system, or a pattern", _streams(True)
    ),
    "off": Action("TOPIC...", "pass over them", _streams(False)),
    "next": Action("[TOPIC]", "one event of the log and its results; or up to the next event of a stream", _next),
    "burst": Action("N", "N events, as fast as possible", _counted("burst")),
    "until": Action("[CONDITION]", "stop after the first matching event; without a condition, never", _until),
    "previous": Action("[TOPIC]", "in lockstep: to before the last event, or the last one of a stream", _previous),
    "back": Action("N", "in lockstep: to before the last N events of the log", _counted("back")),
}


def add_player_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", metavar="ACTION", nargs="?", choices=ACTIONS, help="(default: print the state)")
    parser.add_argument("words", metavar="WORD", nargs="*", help="value of the action, see below")
    rows = [(f"{name} {action.words}".strip(), action.help) for name, action in ACTIONS.items()]
    parser.epilog = "\n".join(["actions:", *columns(rows), "", parser.epilog or ""])


def player(attachment: Attachment, options: argparse.Namespace) -> int:
    found = attachment.state["player"]
    if found is None:
        raise StudioError("no log is played in this system", hint="studio ctl switch logged, or studio play")
    told: object = None
    if options.action is not None:
        for request in ACTIONS[options.action].request(options.words, found):
            reply = attachment.ask("player", timeout_s=None, **request)
            told, found = reply["told"], reply["player"]
    if options.json:
        print_json({"told": told, "player": found})
    else:
        print("\n".join(_lines(options.action, told, found)))
    return FINE


def _lines(action: str | None, told: object, player: Player) -> Iterator[str]:
    from studio.cli.run_parts.play_keys import reached_text  # it brings what plays logs

    if action == "next" and (told is None or told is False):
        yield (
            "there is no further event"
            if not player["stopped"]
            else f"it stopped earlier: {STOPPED[player['stopped']]}"
        )
    at_s, length_s = (_seconds(player[name], player) for name in ("time_ns", "end_ns"))
    doing = "playing" if player["playing"] else "paused"
    stopped = "" if player["playing"] or not player["stopped"] else f", {STOPPED[player['stopped']]}"
    rate = reached_text(math.inf if player["rate"] is None else player["rate"], player.get("actual_rate"))
    gate = ", lockstep" if player["gate"] == "lockstep" else ""
    loop = ", loop" if player["loop"] else ""
    yield (
        f"{Path(player['log']).name}: {doing} at {at_s:.2f} of {length_s:.2f} s, "
        f"event {player['number']} of {player['count']}, {rate}{gate}{loop}{stopped}"
    )
    if player["range_ns"]:
        first_s, last_s = (_seconds(time_ns, player) for time_ns in player["range_ns"])
        yield f"  from {first_s:.2f} to {last_s:.2f} s"
    if action in (None, "on", "off"):
        rows = [(logged, f"→ {topic}", "on" if on else "off") for logged, (topic, on) in player["streams"].items()]
        yield from columns(rows)


def _seconds(time_ns: int, player: Player) -> float:
    return float(time_ns - player["start_ns"]) / SECOND_NS


def _time_ns(text: str, player: Player) -> int:
    at_s, length_s = _number(text), _seconds(player["end_ns"], player)
    if not 0 <= at_s <= length_s:
        raise UsageError(f"{text} s is not in this log", hint=f"it is {length_s:.2f} s long")
    return int(player["start_ns"]) + round(at_s * SECOND_NS)


def _topic(text: str, player: Player) -> str:
    """By its name in the system, which a topic of the log stands for too."""
    return str(player["streams"].get(text, (text,))[0])


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"{text} is not a number")
    return value


def _take(words: Words, count: int) -> Words:
    if len(words) != count:
        raise UsageError(f"{count or 'no'} word{'s' * (count != 1)} must follow", hint="studio ctl player --help")
    return words
