"""The tab Live: what a component does and what it costs, as figures."""

from __future__ import annotations

from PyQt6.QtWidgets import QVBoxLayout, QWidget

from studio.editor.live.feed import Changes, Feed
from studio.editor.live.state import count_words, rate_words, time_words
from studio.editor.panels.inspector.page import add_form, add_sentence
from studio.editor.panels.parts.breaking_label import BreakingLabel

TITLES = (
    "State",
    "Acts",
    "Rate",
    "Takes",
    "Handled",
    "Failed",
    "Dropped",
    "Process",
    "Host",
    "Restarts",
    "CPU",
    "Memory",
)


class LiveFigures(QWidget):
    def __init__(self, feed: Feed, name: str) -> None:
        super().__init__()
        self.feed, self.name = feed, name
        self._labels = {title: BreakingLabel("—") for title in TITLES}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        if not feed.is_attached:
            add_sentence(layout, "The system does not run. F5 runs it.")
            layout.addStretch(1)
            return
        form = add_form(layout)
        for title, label in self._labels.items():
            form.addRow(title, label)
        layout.addStretch(1)
        feed.changed.connect(self._changed)
        self.refresh()

    def _changed(self, changes: Changes) -> None:
        if self.name in changes.components:
            self.refresh()

    def refresh(self) -> None:
        state = self.feed.state
        told = state.get("components", {}).get(self.name)
        if told is None:
            return
        process = state["processes"].get(told["host"], {})
        every = f", every {told['period_s']:g} s" if told["activation"] == "periodic" else ""
        shown = {
            "State": told["state"],
            "Acts": {"event": "on event", "periodic": "periodically", "trigger": "on trigger"}[told["activation"]]
            + every,
            "Rate": rate_words(told["rate_hz"]),
            "Takes": "—" if told.get("handler_p50_us") is None else f"{time_words(told['handler_p50_us'])} (median)",
            "Handled": f"{count_words(told['handled'])} events",
            "Failed": f"{told['errors']} times" if told["errors"] else "never",
            "Dropped": f"↓ {count_words(told['drops'])}" if told["drops"] else "nothing",
            "Process": str(process.get("pid") or "none"),
            "Host": told["host"],
            "Restarts": str(told["restarts"]),
            "CPU": "—" if told["cpu_percent"] is None else f"{told['cpu_percent']:.1f} %",
            "Memory": "—" if told["rss_mb"] is None else f"{told['rss_mb']:.0f} MB",
        }
        for title, text in shown.items():
            self._labels[title].setText(text)
