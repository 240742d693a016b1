"""The sizes that slots come in, and how many of them share a file."""

from __future__ import annotations

from bisect import bisect_left

from studio.runtime.channel.slots import PAGE, capacity_of

SEGMENT_BYTES = 4 << 20
"""Small slots share a file, or a pool would take thousands of file descriptors in every receiver."""

# Payload pages of the slot classes, four to the octave from 64 KiB: at most a fifth of a slot lies idle, and a picture
# of a round size plus its header does not take a slot of twice its size.
_CLASSES = [(4 + step) * 4 << octave for octave in range(24) for step in range(4)]
_CAPACITIES = [capacity_of(pages + 1) for pages in _CLASSES]


def class_for(length: int) -> int:
    """The smallest that has room for so much; one that there is not, for what is too large for all."""
    return bisect_left(_CAPACITIES, length)


def exists(kind: int) -> bool:
    return kind < len(_CLASSES)


def pages_of(kind: int) -> int:
    """Of one slot, with its header."""
    return _CLASSES[kind] + 1


def slots_of(kind: int) -> int:
    """How many slots of a class share a file."""
    return max(1, SEGMENT_BYTES // (pages_of(kind) * PAGE))


def bytes_of(kind: int, slots: int) -> int:
    """Of a file with so many of them."""
    return (pages_of(kind) * slots + 1) * PAGE
