"""The recorder under load: what its producers have sent is in the log, every number of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bench.record_parts.loads import MIXED, SMALL, Offer, record_load

ENOUGH = 0.95
FEW_SECONDS, TEN_MINUTES = 1.0, 600.0


@pytest.mark.parametrize("offer", [MIXED, SMALL], ids=lambda offer: offer.name)
def test_nothing_is_lost(offer: Offer, tmp_path: Path, scaled: Callable[[int], int]) -> None:
    soak = scaled(100) == 100
    log = tmp_path / "load.mcap"
    told = record_load(offer, TEN_MINUTES if soak else FEW_SECONDS, log)
    log.unlink()
    assert (told.lost, told.gaps) == (0, 0)
    assert told.published > 0
    if told.share < ENOUGH:
        words = f"nothing was lost of {told.published} events, but that is only {told.share:.0%} of what was offered"
        pytest.skip(f"{words}: the machine was too slow, or too busy, for {offer.name}")
