"""Words and turns that no text of Studio uses, each with the usual ones instead (docs/glossary.md)."""

from __future__ import annotations

import re

BANNED: dict[str, str] = {
    # Words that make a reader look for the actor.
    r"whoever|whomever": "name the actor",
    r"somebody|someone": "name the actor: another user, another program",
    r"nobody|no one": "name the actor: no component, no window",
    r"anew": "again",
    r"stands(?! for\b)": "is, stopped, does not move",
    r"(?:is|are|was|were|be|been|being) told": "say who says it: the error says, Studio reports",
    r"of before|of now": "earlier, previous; current",
    r"ha(?:ve|s|d|ving) in hand|in hand": "control",
    # The left column of the table of words.
    r"no system runs": "no system is running",
    r"clock stands still": "paused",
    r"nothing stands": "not stopped",
    r"(?:is|are) left to be asked": "the broker is not running",
    r"is simulated here that could": "no simulated source to restart",
    r"neither here nor there": "restore incomplete",
    r"who receives it is behind": "the receiver cannot keep up",
    r"brought to the same event": "replay to this event",
    r"where something lies": "mini-map",
    r"so much work": "most work a crash can lose",
    r"that were not well": "with problems",
    r"of which this holds": "matching",
    r"times as fast as it was": "playback speed",
    r"flip to logged": "play in this project",
    r"all that can be is logged": "all available sources are logged",
    r"begin the simulation": "restart simulation",
    r"(?<!there )is no (?:project|log|condition|component|system|model|number|folder|file)": "is not a ...",
    r"nothing wrong with what": "X failed",
    r"open the source of": "open code",
    r"make a source of": "turn into a data source",
    r"look for components again": "rescan components",
    r"end the recording": "stop recording",
    r"what happens just now": "bookmark name",
    r"has no room in": "more",
    r"begin again at the end": "loop",
    r"keep this layout": "save layout as",
    r"as the system asks": "follow system",
    r"no set": "preset: none",
    r"not python:": "syntax error:",
    r"(?:has|have) not obeyed|did not obey": "did not respond",
    r"what waits at the gate": "pending events",
    r"errors that end it|any error raised": "uncaught exceptions, all raised exceptions",
    r"when is the system to stop": "stop the system when",
    r"no news (?:on|of|from)": "no message on",
    r"came about by": "causes",
    r"cannot be lst": "unknown verb",
    r"there is no option or place": "X has no --option",
    r"opening it ran nothing": "run will start these programs with your rights",
}
PATTERNS = {re.compile(rf"\b(?:{phrase})(?!\w)", re.IGNORECASE): plain for phrase, plain in BANNED.items()}
CLAUSE = re.compile(
    r"(?:^|(?<=[.!?;] )|(?<=\| ))"  # where a sentence begins
    r"(?:\*\*)?(?:What|Who|Whom|Whoever|Whatever) "
    r"(?=[^.!?|]*(?:[.!|]|$))",  # a question is one
)
"""A relative clause as the subject of a sentence."""


def faults(text: str) -> list[str]:
    """Each banned turn in the text, with what to write instead."""
    text = " ".join(text.split())
    found = [f'"{match[0]}": {plain}' for pattern, plain in PATTERNS.items() for match in pattern.finditer(text)]
    return found + [f'"{match[0].strip()} ..." as a subject: name the thing' for match in CLAUSE.finditer(text)]
