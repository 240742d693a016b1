"""Inputs that can be had again from a position on: what a feeder needs for going back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Protocol, TypeVar, runtime_checkable

E = TypeVar("E")
E_co = TypeVar("E_co", covariant=True)


@runtime_checkable
class Seekable(Protocol[E_co]):
    """Inputs that find a position faster than by going through all before it."""

    def starting_at(self, position: int) -> Iterator[E_co]: ...


def can_rewind(events: Iterable[object]) -> bool:
    """Whether going through `events` again gives them again: a list or a log does, a generator does not."""
    return isinstance(events, Seekable) or iter(events) is not events


def opened_at(events: Iterable[E], position: int) -> Iterator[E]:
    """`events` from number `position` on, counted from 0."""
    if isinstance(events, Seekable):
        return events.starting_at(position)
    return islice(iter(events), position, None)
