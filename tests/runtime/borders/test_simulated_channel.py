"""Broker and recorder by seed: what must hold holds, and each check goes red when it should."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.runtime.control_plane import of_broker as asked
from studio.runtime.recording.reading.log_reader import LogReader
from studio.runtime.recording.recorder.interim import Once
from studio.runtime.recording.recorder.log_book import LogBook
from studio.runtime.wire.frames import Kind, split
from tests.runtime.borders.simulated_channel import (
    Broken,
    World,
    check_all_arrived,
    check_log,
    check_order,
    fail_disk,
)

HOSTS = ("kill_host", "revive_host")
RECORDERS = ("stall_recorder", "kill_recorder", "revive_recorder")


def story(world: World) -> str:
    """Lockstep, single events, a free run, and lockstep again."""
    world.ask(asked.Start("pause"))
    world.ask(asked.Lockstep(until_ns=100_000_000))
    world.ask(asked.Step(5))
    world.free(60)
    world.ask(asked.Lockstep(count=60))
    return world.finish()


def told(seed: int, folder: Path, **kinds: tuple[str, ...]) -> World:
    folder.mkdir()
    world = World(seed, folder, **kinds)  # type: ignore[arg-type]
    story(world)
    return world


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path, scaled: Callable[[int], int]) -> None:
    for seed in range(scaled(300)):
        digests = []
        for turn in "ab":
            folder = tmp_path / f"{seed}{turn}"
            folder.mkdir()
            digests.append(story(World(seed, folder, troubles=(*HOSTS, *RECORDERS))))
        assert digests[0] == digests[1]


def lockstep_order(seed: int, folder: Path, spoil: Callable[[World], None] = lambda _: None) -> list[object]:
    folder.mkdir()
    world = World(seed, folder)
    spoil(world)
    world.ask(asked.Start("pause"))
    world.ask(asked.Lockstep(until_ns=300_000_000))
    world.finish()
    return list(world.delivered())


def test_lockstep_does_not_depend_on_who_is_late(tmp_path: Path, scaled: Callable[[int], int]) -> None:
    first = lockstep_order(0, tmp_path / "0")
    assert len(first) > 100
    for seed in range(1, scaled(1_000)):
        assert lockstep_order(seed, tmp_path / str(seed)) == first


def test_control_an_order_of_arrival_is_found(tmp_path: Path) -> None:
    """It must go red: a gate that takes effects as they come gives another order with other delays."""

    def spoil(world: World) -> None:
        world.forwarder.places = {}

    orders = {tuple(lockstep_order(seed, tmp_path / str(seed), spoil)) for seed in range(8)}
    assert len(orders) > 1


def test_every_event_passes_once_and_in_order_whoever_dies(tmp_path: Path, scaled: Callable[[int], int]) -> None:
    killed = 0
    for seed in range(scaled(1_000)):
        world = told(seed, tmp_path / str(seed), troubles=HOSTS)
        check_order(world.delivered(), world.lost_on_the_way)
        check_all_arrived(world)
        killed += world.hosts["dice"].incarnation
    assert killed


def test_every_event_is_in_the_log_or_in_a_counted_gap(tmp_path: Path, scaled: Callable[[int], int]) -> None:
    files = missing = 0
    for seed in range(scaled(1_000)):
        world = told(seed, tmp_path / str(seed), troubles=RECORDERS)
        check_log(world)
        files += len(world.recorder.files) - 1
        missing += world.recorder.missing
    assert files and missing, "recorders died, and some fell behind"


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO])
def test_a_disk_that_fails_leaves_a_whole_log_up_to_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    for after in range(4, 24, 4):
        with monkeypatch.context() as patched:
            fail_disk(patched, after, error)
            world = told(after, tmp_path / f"{error}_{after}")
        assert world.recorder.book.is_full and any("log" in text for text in world.recorder.said)
        (events,) = world.logged()
        check_order(events, world.lost_on_the_way)
        with LogReader(world.recorder.files[0]) as log:
            assert log.check() == [], "it ends early, and has no hole"


# Each check must be able to go red.


def once_only(number: int, copies: int) -> Callable[[bytes], list[bytes]]:
    """Of one event of the adder so many copies are passed on."""

    def damage(frame: bytes) -> list[bytes]:
        topic, header, _ = split(frame)
        hit = (topic, header.kind, header.sequence) == ("/adder/out", Kind.DATA, number)
        return [frame] * (copies if hit else 1)

    return damage


@pytest.mark.parametrize(("copies", "words"), [(0, "#9 came after #7"), (2, "#8 came after #8")])
def test_control_an_event_that_is_lost_or_doubled_by_the_broker_is_found(
    tmp_path: Path, copies: int, words: str
) -> None:
    world = World(3, tmp_path, damage=once_only(8, copies))
    world.ask(asked.Start("pause"))
    if copies:
        world.ask(asked.Lockstep(until_ns=200_000_000))
    else:  # in lockstep the broker would wait for the answer to it
        world.free(200)
    world.finish()
    with pytest.raises(Broken, match=words):
        check_order(world.delivered(), world.lost_on_the_way)
    with pytest.raises(Broken, match="are accounted for"):
        check_all_arrived(world)


def seeds_that_break(tmp_path: Path, words: str) -> int:
    found = 0
    for seed in range(10):
        world = told(seed, tmp_path / str(seed), troubles=RECORDERS)
        try:
            check_log(world)
        except Broken as broken:
            assert words in str(broken)
            found += 1
    return found


def test_control_an_event_that_is_written_twice_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It must go red: a recorder that does not know what was handed over writes it again."""
    monkeypatch.setattr(Once, "is_new", lambda *_: True)
    assert seeds_that_break(tmp_path, "is in the log twice")


def test_control_a_wrong_count_of_gaps_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It must go red: a recorder that miscounts what it has missed."""
    monkeypatch.setattr(LogBook, "_count", lambda *_: None)
    assert seeds_that_break(tmp_path, "the recorder has counted 0")


def test_control_an_event_that_is_in_no_file_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It must go red: what passes while no recorder is there is kept by nobody."""
    monkeypatch.setattr("studio.runtime.recording.recorder.interim.Interim._keep_one", lambda *_: None)
    assert seeds_that_break(tmp_path, "is in no log and no gap")


def test_control_a_broker_that_waits_for_ever_is_found(tmp_path: Path) -> None:
    """It must go red: nobody tells it that a host has died."""
    world = World(1, tmp_path)
    world.ask(asked.Start("pause"))
    world.hosts["adder"].alive = False
    with pytest.raises(Broken, match="waits for what never comes"):
        world.ask(asked.Lockstep(until_ns=300_000_000))
    world.finish()
