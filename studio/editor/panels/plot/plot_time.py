"""The time axis that plots share: whether it follows, how much it shows, and what the newest is of all of them.

Each plot by itself would follow its own newest point and move the others along, which would move it back.
"""

from __future__ import annotations

from typing import Protocol

SPAN_S = 30.0
LEAST_S = 5.0
"""At the beginning of a run: what is shown grows from here to the span."""


class Following(Protocol):
    def oldest_s(self) -> float | None: ...

    def newest_s(self) -> float | None: ...

    def show_following(self, on: bool) -> None: ...

    def show_range(self, first_s: float, last_s: float) -> None: ...


class PlotTime:
    def __init__(self, first: Following) -> None:
        self.plots = [first]
        self.span_s = SPAN_S
        self.follows = True
        self._is_moving = False

    def range_s(self) -> tuple[float, float] | None:
        """What is shown while it follows: nothing of the time before there was anything; None until then."""
        newest = max((at for plot in self.plots if (at := plot.newest_s()) is not None), default=None)
        oldest = min((at for plot in self.plots if (at := plot.oldest_s()) is not None), default=None)
        if newest is None or oldest is None:
            return None
        return newest - min(max(newest - oldest, LEAST_S), self.span_s), newest

    def follow(self, on: bool, span_s: float | None = None) -> None:
        """All of them, or none; with another span if one was chosen by hand."""
        self.follows = on
        if span_s is not None and span_s > 0:
            self.span_s = span_s
        for plot in self.plots:
            plot.show_following(on)

    def moved(self, by: Following, first_s: float, last_s: float) -> None:
        """The others go along. Linked by the library, plots of other widths would show other times."""
        if self._is_moving:
            return
        self._is_moving = True
        try:
            for plot in self.plots:
                if plot is not by:
                    plot.show_range(first_s, last_s)
        finally:
            self._is_moving = False

    def join(self, plot: Following) -> None:
        self.plots.append(plot)
        plot.show_following(self.follows)

    def parted(self, plot: Following) -> PlotTime:
        """One like this for a plot of its own."""
        other = PlotTime(plot)
        other.span_s, other.follows = self.span_s, self.follows
        return other

    def leave(self, plot: Following) -> None:
        self.plots.remove(plot)
