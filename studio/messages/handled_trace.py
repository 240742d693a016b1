"""The handled trace: who handled which event when, what it read and what it published. Causality lives on it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import ClassVar, NamedTuple, Self

import numpy as np

from studio.messages.errors import MessageError
from studio.messages.fields import Array, Texts, array, texts
from studio.messages.message import Message, message

Identity = tuple[str, int]
"""Topic and sequence: the identity of an event."""


class Handled(NamedTuple):
    """One event, handled by one component."""

    component: str
    topic: str
    sequence: int
    start_ns: int
    end_ns: int
    read: tuple[Identity, ...] = ()
    published: tuple[Identity, ...] = ()


@message
class HandledTrace(Message):
    """A batch of handled events, one array per column; `HandledTrace.of(lines)` and iteration give rows."""

    TYPE: ClassVar[str] = "HandledTrace"
    SCHEMA_NAME: ClassVar[str] = "studio_msgs/msg/HandledTrace"

    names: Texts = texts()
    """Components and topics, each once; the columns refer to them by index."""
    component: Array[np.uint32] = array(np.uint32, -1)
    topic: Array[np.uint32] = array(np.uint32, -1)
    sequence: Array[np.uint64] = array(np.uint64, -1)
    start_ns: Array[np.int64] = array(np.int64, -1)
    end_ns: Array[np.int64] = array(np.int64, -1)
    read_count: Array[np.uint32] = array(np.uint32, -1)
    read_topic: Array[np.uint32] = array(np.uint32, -1)
    read_sequence: Array[np.uint64] = array(np.uint64, -1)
    published_count: Array[np.uint32] = array(np.uint32, -1)
    published_topic: Array[np.uint32] = array(np.uint32, -1)
    published_sequence: Array[np.uint64] = array(np.uint64, -1)

    def verify(self) -> None:
        rows = len(self.component)
        columns = (self.topic, self.sequence, self.start_ns, self.end_ns, self.read_count, self.published_count)
        if any(len(column) != rows for column in columns):
            raise MessageError(f"all columns of a HandledTrace have one element per row, {rows}")
        for counts, topics, sequences in (
            (self.read_count, self.read_topic, self.read_sequence),
            (self.published_count, self.published_topic, self.published_sequence),
        ):
            if not int(counts.sum(dtype=np.uint64)) == len(topics) == len(sequences):
                raise MessageError("the counts of a HandledTrace do not add up to the length of their columns")
        for column in (self.component, self.topic, self.read_topic, self.published_topic):
            if len(column) and int(column.max()) >= len(self.names):
                raise MessageError("a HandledTrace refers to a name that it does not have")

    @classmethod
    def of(cls, lines: Iterable[Handled]) -> Self:
        """The batch of these rows."""
        rows = list(lines)
        index: defaultdict[str, int] = defaultdict(lambda: len(index))
        columns = list(zip(*rows, strict=True)) or [()] * 7
        components, topics, sequences, starts, ends, reads, publications = columns
        read = [identity for identities in reads for identity in identities]
        published = [identity for identities in publications for identity in identities]
        return cls(
            component=np.array([index[name] for name in components], np.uint32),
            topic=np.array([index[name] for name in topics], np.uint32),
            sequence=np.array(sequences, np.uint64),
            start_ns=np.array(starts, np.int64),
            end_ns=np.array(ends, np.int64),
            read_count=np.array([len(identities) for identities in reads], np.uint32),
            read_topic=np.array([index[topic] for topic, _ in read], np.uint32),
            read_sequence=np.array([sequence for _, sequence in read], np.uint64),
            published_count=np.array([len(identities) for identities in publications], np.uint32),
            published_topic=np.array([index[topic] for topic, _ in published], np.uint32),
            published_sequence=np.array([sequence for _, sequence in published], np.uint64),
            names=tuple(index),
        )

    def __len__(self) -> int:
        return len(self.component)

    def __iter__(self) -> Iterator[Handled]:
        names = self.names
        read = iter(zip(self.read_topic.tolist(), self.read_sequence.tolist(), strict=True))
        published = iter(zip(self.published_topic.tolist(), self.published_sequence.tolist(), strict=True))
        read_counts, published_counts = self.read_count.tolist(), self.published_count.tolist()
        for row in range(len(self)):
            yield Handled(
                names[self.component[row]],
                names[self.topic[row]],
                int(self.sequence[row]),
                int(self.start_ns[row]),
                int(self.end_ns[row]),
                tuple((names[topic], sequence) for topic, sequence in islice(read, read_counts[row])),
                tuple((names[topic], sequence) for topic, sequence in islice(published, published_counts[row])),
            )
