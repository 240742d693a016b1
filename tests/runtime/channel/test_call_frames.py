"""Service calls as bytes."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from studio.runtime.channel.call_frames import Reply, Request, ends_of, reply_topic, request_topic
from studio.runtime.wire.frames import FrameError

NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,20}", fullmatch=True)
NUMBERS = st.integers(0, 2**32 - 1)


@given(st.builds(Request, NUMBERS, NAMES, st.integers(0, 2**62), st.lists(NAMES, max_size=4), st.binary(max_size=99)))
def test_a_request_comes_back(request_made: Request) -> None:
    found = Request.parse(memoryview(request_made.payload()))
    assert found._replace(body=bytes(found.body)) == request_made


@given(NUMBERS, st.lists(st.tuples(st.integers(0, 2**16 - 1), NUMBERS), max_size=4), st.binary(max_size=99))
def test_a_reply_comes_back(number: int, counts: list[tuple[int, int]], body: bytes) -> None:
    found = Reply.parse(memoryview(Reply(number, counts, body).payload()))
    assert found._replace(body=bytes(found.body)) == Reply(number, counts, body)


@given(st.binary(max_size=200))
def test_only_our_error_leaves_whatever_the_bytes(data: bytes) -> None:
    for parse in (Request.parse, Reply.parse):
        with suppress(FrameError):
            parse(memoryview(data))


@given(NAMES, NAMES)
def test_topics_tell_who_asks_whom(caller: str, provider: str) -> None:
    assert ends_of(request_topic(provider, caller)) == ends_of(reply_topic(caller, provider)) == (caller, provider)
