"""What is wrong while a system runs, as the problems panel shows it beside what the check finds. No Qt in here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studio.editor.live.state import error_line, error_sentence, parts_of, shown_look
from studio.errors import Problem
from studio.model.sources import LogProvider
from studio.model.system import System
from studio.recordings import log_of
from studio.runtime.base.deltas import Snapshot
from studio.runtime.base.refusals import refusal_words

BEHIND_STEPS_S = (60, 10, 1)
"""A warning that told each second would be another one each second."""
LOG = "log"
"""Ends the subject of a problem with the log of a source."""


@dataclass(frozen=True)
class Remedy:
    """Something to do about a problem that is no edit of the system."""

    text: str
    do: Callable[[], object]
    tip: str = ""


def problems_of_run(system: System, state: Snapshot) -> list[Problem]:
    """Of components that failed, hang, ended, have no device, or cannot keep up; of senders of malformed frames; and
    of a system without events."""
    found: list[Problem] = []
    running: Mapping[str, Any] = state.get("components", {})
    for node in system.nodes:
        for part in parts_of(node, state):
            told = running.get(part)
            if told is not None and shown_look(told, state, part).tone == "error":
                found.append(_problem(node.name, part, told))
            elif told is not None and told["state"] == "active" and told.get("behind_s"):
                found.append(_behind(node.name, part, told["behind_s"]))
    names = {part: node.name for node in system.nodes for part in parts_of(node, state)}
    for sender, told in state.get("malformed", {}).items():
        hint = "its messages do not follow the protocol; they were ignored; everything else keeps running"
        found.append(Problem(refusal_words(sender, told), "warning", hint=hint, subject=names.get(sender, "")))
    if stalled := state.get("stalled"):  # without its seconds: the row would be another one every second
        hint = "look at the state of its components and sources"
        found.append(Problem(f"The system runs, but no event flows: {stalled['why']}", "warning", hint=hint))
    return found


def _behind(node: str, part: str, behind_s: float) -> Problem:
    step = next(step for step in BEHIND_STEPS_S if behind_s >= step or step == BEHIND_STEPS_S[-1])
    words = f"{part} cannot keep up: it handles events that are more than {step} s old"
    hint = "make its handlers faster, send it less, or let its in ports take only the newest event"
    return Problem(words, "warning", hint=hint, subject=node)


def _problem(node: str, part: str, told: Mapping[str, Any]) -> Problem:
    if told.get("error"):
        place = error_line(told["error"])
        file, line = place if place is not None else (None, None)
        hint = "correct the code, then restart it"
        return Problem(f"{part} failed: {error_sentence(told['error'])}", "error", file, line, hint, node)
    if told.get("trouble") and told["state"] in ("active", "busy"):
        words, _, hint = str(told["trouble"]).partition(" (")
        return Problem(f"{part}: {words}", "error", hint=hint.removesuffix(")"), subject=node)
    why = {
        "hung": ("does not respond", "restart it"),
        "restarting": ("ended and is being restarted", "the console shows its last output"),
        "gave up": ("ended repeatedly and is no longer restarted", "the console shows its last output"),
    }
    words, hint = why.get(told["state"], ("has ended", "the console shows its last output"))
    return Problem(f"{part} {words}", "error", hint=hint, subject=node)


def missing_logs(system: System, folder: Path) -> list[Problem]:
    """Sources that are logged and whose log is not there."""
    return [
        Problem(
            f"{source.name} plays {provider.log}, which does not exist", "warning",
            hint="choose another log, or record one", subject=f"{source.name}.{LOG}",
        )
        for source in system.sources
        if isinstance(provider := source.provider(source.mode), LogProvider) and provider.log
        and not log_of(folder, provider.log).exists()
    ]  # fmt: skip
