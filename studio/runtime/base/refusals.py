"""What was refused at a border: counted by who sent it, with the last reason, and said without flooding the log."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import TypedDict

from studio.runtime.base.typed_json import Count

MOST_SENDERS = 100
MOST_REASON = 300
"""Characters of a reason."""
UNKNOWN = ""
"""The sender of what does not tell it."""


class Refused(TypedDict):
    count: Count
    last: str
    """Why the last one was refused."""


class Refusals:
    """For several threads. `say` hears of the first, the tenth, the hundredth ... of each sender."""

    def __init__(self, say: Callable[[str, str, int], None] = lambda sender, why, count: None) -> None:
        self._say = say
        self._lock = threading.Lock()
        self._found: dict[str, Refused] = {}

    def add(self, sender: str, why: object) -> None:
        text = str(why)[:MOST_REASON]
        with self._lock:
            if sender not in self._found and len(self._found) >= MOST_SENDERS:
                sender = UNKNOWN
            count = self._found.get(sender, {"count": 0})["count"] + 1
            self._found[sender] = {"count": count, "last": text}
        if count == 10 ** (len(str(count)) - 1):
            self._say(sender, text, count)

    @property
    def count(self) -> int:
        with self._lock:
            return sum(each["count"] for each in self._found.values())

    def plain(self) -> dict[str, Refused]:
        with self._lock:
            return dict(self._found)


def merged(witnesses: Iterable[Mapping[str, Refused]]) -> dict[str, Refused]:
    """What several have refused. All receivers of a frame refuse it: so the highest count, and no sum."""
    found: dict[str, Refused] = {}
    for witness in witnesses:
        for sender, told in witness.items():
            if told["count"] > found.get(sender, {"count": 0, "last": ""})["count"]:
                found[sender] = told
    return dict(sorted(found.items()))


def refusal_words(sender: str, told: Refused) -> str:
    """For people: `component x sent 3 malformed frames; last: …`"""
    many = "1 malformed message" if told["count"] == 1 else f"{told['count']} malformed messages"
    return f"{sender or 'An unknown sender'} sent {many}; last: {told['last']}"
