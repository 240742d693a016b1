"""The file of what a host has handled: what comes out of it is what went in, up to where the host is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.messages import Float64, encode
from studio.runtime.host import input_journal
from studio.runtime.host.input_journal import (
    BIRTH,
    CHECKPOINT,
    EVENT,
    MOST_EARLY,
    CheckpointRecord,
    InputJournal,
    JournalError,
    Record,
    WrittenJournal,
)
from studio.runtime.wire.frames import AGAIN, SHARED, Kind, pack, split, topic_field

TOPIC = "/rig/a"
AT = len(topic_field(TOPIC))
BORN = {"adder": {"parameters": {"offset": 1.0}, "activation": "event", "period_ns": 0}}


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[InputJournal]:
    made = InputJournal(tmp_path / "adder", BORN)
    yield made
    made.give_up()


def handle(journal: InputJournal, number: int, *, flags: int = 0, made: bytes = b"") -> bytes:
    message = Float64(float(number))
    payload = b"a handle" if flags & SHARED else encode(message)
    journal.begin(pack(TOPIC, Kind.DATA, number, payload, flags=flags, stamp_ns=number), AT, message)
    journal.made += made
    journal.end()
    return bytes(encode(message))


def written(journal: InputJournal) -> list[Record]:
    file = WrittenJournal(journal.file)
    records = list(iter(file.next, None))
    file.close()
    return [record for record in records if record is not None]


def test_what_went_in_comes_out(journal: InputJournal) -> None:
    plain = handle(journal, 1, made=b"m" * 16)
    journal.checkpoint(5, [5])
    shared = handle(journal, 2, flags=SHARED)
    handle(journal, 3, flags=SHARED | AGAIN)
    journal.checkpoint(6, [5, 6])
    birth, first, early, *rest, last = written(journal)
    assert birth.kind == BIRTH and birth.json() == BORN
    assert first.made == b"m" * 16 and split(first.body)[2] == plain
    assert CheckpointRecord.of(early) == (5, {5}) and CheckpointRecord.of(last) == (6, {5, 6})
    # Shared memory is used for others by the time it is read; an event that comes in turns has its content once.
    (_, second, content), (_, third, nothing) = (split(record.body) for record in rest)
    assert content == shared and not second.flags & SHARED
    assert not nothing and third.flags == AGAIN


def test_going_back_cuts_it(journal: InputJournal) -> None:
    journal.checkpoint(1, [1])
    handle(journal, 1)
    journal.checkpoint(2, [1, 2])
    handle(journal, 2)
    journal.restore(1)
    handle(journal, 3)
    journal.checkpoint(4, [1, 4])
    kinds = [
        (record.kind, split(record.body)[1].sequence if record.kind == EVENT else 0) for record in written(journal)
    ]
    assert kinds == [(BIRTH, 0), (CHECKPOINT, 0), (EVENT, 3), (CHECKPOINT, 0)]
    journal.restore(2)  # it is of a way that is not gone any more
    assert not journal.is_known and not journal.file.exists()


def test_large_events_are_compressed(journal: InputJournal) -> None:
    message = Float64(0.0)
    frame = pack(TOPIC, Kind.DATA, 1, bytes(1_000_000))
    journal.begin(frame, AT, message)
    journal.end()
    journal.checkpoint(1, [1])
    assert journal.file.stat().st_size < 20_000 and written(journal)[1].body == frame


def test_a_run_without_checkpoints_writes_nothing(journal: InputJournal) -> None:
    for number in range(MOST_EARLY + 1):
        handle(journal, number)
    assert not journal.is_known
    journal.checkpoint(1, [1])
    assert not journal.file.exists()


def test_a_service_that_is_called_by_hand_is_not_known_and_a_look_is(journal: InputJournal) -> None:
    journal.checkpoint(1, [1])
    frame = pack("/_studio/command/adder", Kind.COMMAND, 1)
    at = len(topic_field("/_studio/command/adder"))
    journal.begin(frame, at, {"do": "call", "service": "get_sum"})
    journal.end()
    journal.checkpoint(2, [1, 2])
    assert [record.kind for record in written(journal)] == [BIRTH, CHECKPOINT, CHECKPOINT]
    journal.begin(frame, at, {"do": "call", "service": "clear"})
    assert not journal.is_known and not journal.file.exists()


def test_a_damaged_file_says_so(journal: InputJournal) -> None:
    journal.checkpoint(1, [1])
    handle(journal, 1)
    journal.checkpoint(2, [1, 2])
    content = journal.file.read_bytes()
    with pytest.raises(JournalError, match="not known"):
        WrittenJournal(journal.file.with_name("nothing"))
    journal.file.write_bytes(content[:-3])
    with pytest.raises(JournalError, match="damaged"):
        WrittenJournal(journal.file)


def test_a_full_disk_is_no_trouble_for_its_host(tmp_path: Path) -> None:
    """What is not written yet is written when the file is closed: that fails once more."""
    (tmp_path / "adder").symlink_to("/dev/full")
    journal = InputJournal(tmp_path / "adder", BORN)
    handle(journal, 1)
    journal.checkpoint(1, [1])
    assert not journal.is_known and not os.path.lexists(journal.file)


def test_the_file_of_a_process_before_goes_with_the_way(journal: InputJournal) -> None:
    """Its host died and was restarted: nobody may go the way of the one that died."""
    journal.checkpoint(1, [1])
    assert journal.file.exists()
    InputJournal(journal.file, BORN).give_up()
    assert not journal.file.exists()


@pytest.mark.parametrize("limit", [{"MOST_BYTES": 100}, {"LEAST_FREE_BYTES": 1 << 60}])
def test_it_does_not_fill_the_disk(
    journal: InputJournal, limit: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in limit.items():
        monkeypatch.setattr(input_journal, name, value)
    handle(journal, 1)
    journal.checkpoint(1, [1])
    assert not journal.is_known and not journal.file.exists()
