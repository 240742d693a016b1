"""Where and when Python collects garbage while there is a window."""

from __future__ import annotations

import gc
import threading

from PyQt6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.editor.base.collecting import Collector


class InACycle(QWidget):
    """Only the collector can free it."""

    ended_in: list[threading.Thread] = []  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self.itself = self

    def __del__(self) -> None:
        InACycle.ended_in.append(threading.current_thread())


def make_garbage() -> None:
    for _ in range(50_000):
        cycle: list[object] = []
        cycle.append(cycle)


def test_a_widget_is_freed_in_the_thread_of_the_window(collector: Collector, qtbot: QtBot) -> None:
    InACycle()
    thread = threading.Thread(target=make_garbage)
    thread.start()
    thread.join()
    assert InACycle.ended_in == []
    qtbot.waitUntil(lambda: bool(InACycle.ended_in), timeout=20_000)
    assert InACycle.ended_in == [threading.current_thread()]


def test_memory_is_given_back_although_nothing_collects_by_itself(collector: Collector) -> None:
    make_garbage()
    collector.collect_if_due()
    assert gc.get_count()[0] < 10_000
