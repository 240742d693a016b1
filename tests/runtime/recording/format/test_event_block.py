"""Payloads that lie in one place are like a list of views."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from studio.runtime.recording.format.event_block import Payloads, bytes_of


@given(st.lists(st.binary(max_size=9)), st.slices(12))
def test_payloads_in_one_place_are_like_a_list(parts: list[bytes], cut: slice) -> None:
    ends = [sum(map(len, parts[: place + 1])) for place in range(len(parts))]
    begins = [end - len(part) for part, end in zip(parts, ends, strict=True)]
    payloads = Payloads(memoryview(b"".join(parts)), begins, ends)
    views = [memoryview(part) for part in parts]
    assert list(payloads) == views and [payloads[at] for at in range(len(payloads))] == views
    assert list(payloads[cut]) == views[cut]
    assert bytes_of(payloads[cut]) == bytes_of(views[cut]) == sum(map(len, parts[cut]))
