from __future__ import annotations

from collections.abc import Iterator

import pytest
from PyQt6.QtWidgets import QApplication

from studio.editor.live.feed import Feed
from tests.editor.panels.given import TOPICS


@pytest.fixture
def feed(qapp: QApplication) -> Iterator[Feed]:
    """Of a system that is as the snapshot says; the events are given by the tests."""
    made = Feed()
    made.state = {"topics": dict(TOPICS), "components": {}, "processes": {}}
    yield made
    made.close()
