"""What the status bar tells of a system that runs: its state, rate, losses and load."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtGui import QIcon

from studio.editor.live.clock_words import clock_word, time_text
from studio.editor.live.standing import way_of
from studio.editor.live.state import Totals, count_words, stalled_words, time_words, totals
from studio.editor.look.icons import icon
from studio.editor.look.style import dress

if TYPE_CHECKING:
    from studio.editor.running.run_presenter import RunPresenter
    from studio.editor.running.status_bar import StatusBar

_PHASES = {
    "starting": ("fa6s.hourglass-half", "muted"),
    "running": ("fa6s.circle-play", "fine"),
    "paused": ("fa6s.circle-pause", "warning"),
    "stopping": ("fa6s.hourglass-half", "muted"),
}


def show_running(bar: StatusBar, live: RunPresenter) -> None:
    """State, rate, losses and load of the system; nothing of it while none runs."""
    phase, theme = live.control.phase, bar.theme
    is_frozen = live.window.freeze.is_frozen
    bar.frozen.setVisible(is_frozen)
    bar.frozen.setIcon(icon("fa6s.snowflake", theme.on_frozen))
    dress(
        bar.frozen,
        f"QToolButton {{ background: {theme.frozen}; color: {theme.on_frozen}; border: 0; border-radius: 0;"
        " padding: 0 10px; min-height: 22px; font-weight: 600; }",
    )
    bar.running.setVisible(phase != "stopped")
    is_told = phase != "stopped" and live.feed.is_attached  # those of the last run say nothing of this one
    bar.way.follow(way_of(live.feed.state) if is_told else None)
    bar.clock.setVisible(is_told)
    bar.show_origin()
    told = totals(live.feed.state) if live.feed.is_attached and phase != "stopped" else None
    live.window.project.show_run_problems()
    if phase != "stopped":
        _show_figures(bar, live, told, is_frozen=is_frozen)
    bar.make_way(on=not bar.way.isHidden(), figures=is_told)  # last: the words above need their room


def _show_figures(bar: StatusBar, live: RunPresenter, told: Totals | None, *, is_frozen: bool) -> None:
    phase, theme = live.control.phase, bar.theme
    mark, colour = _PHASES[phase]
    words = phase.capitalize() + ("…" if phase in ("starting", "stopping") else "")
    bar.troubled = ""
    if told is not None:
        late = f" · p99 {time_words(told.p99_us)}" if told.p99_us is not None else ""
        lost = f" · ↓ {count_words(told.drops)} dropped" if told.drops else ""
        held = live.window.freeze.held_count
        waiting = f" · {held} held" if held and phase == "paused" else ""
        bar.figures.setText(f"{0 if is_frozen else told.rate_hz:.0f} events/s{waiting or late}{lost}")
        bar.figures.setIcon(icon("fa6s.triangle-exclamation", theme.warning) if told.drops else QIcon())
        bar.clock.setText(f"{time_text(live.feed.state, digits=0)} {clock_word(live.feed.state)}")
        bar.load.setText(f"CPU {told.cpu_percent:.0f} % · {told.rss_mb:.0f} MB")
        if told.troubled:
            bar.troubled = told.troubled[0]
            mark, colour = "fa6s.circle-exclamation", "error"
            words += f", {told.troubled[0]} failed" if len(told.troubled) == 1 else f", {len(told.troubled)} failed"
        elif phase == "running" and (stalled := stalled_words(live.feed.state)):
            mark, colour, words = "fa6s.triangle-exclamation", "warning", stalled
    bar.running.setVisible(not is_frozen or bool(bar.troubled))
    bar.running.setText(words)
    bar.running.setIcon(icon(mark, getattr(theme, colour)))
    bar.running.setToolTip("Go to it" if bar.troubled else "How the system is")
