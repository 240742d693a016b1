"""One curve of a plot: a field of what runs, or of a log beside it that is moved in time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from studio.editor.live.batch import Event
from studio.editor.views.plots.logged_series import LoggedSeries
from studio.editor.views.plots.plot_point import PointedAt
from studio.editor.views.plots.series import NO_EVENT, Floats, Series
from studio.editor.views.shared.field_drag import Field
from studio.messages import MessageError
from studio.messages.field_paths import parse_path, value_at

SECOND_NS = 1_000_000_000


def legend_names(curves: Sequence[Curve]) -> list[str]:
    """As short as they can be told apart: a field, with its component where others have one of that name."""
    lengths = [
        [curve.short_name, f"{curve.what.topic.strip('/').partition('/')[0]} {curve.short_name}", curve.name]
        for curve in curves
    ]
    counts = [Counter(names) for names in zip(*lengths, strict=True)]
    return [
        next((name for name, seen in zip(names, counts, strict=True) if seen[name] == 1), names[-1])
        for names in lengths
    ]


@dataclass
class Curve:
    """All times that are asked for or told are those of the plot."""

    what: Field
    log: Path | None = None
    logged_as: str = ""
    """What its topic is called in logs, if otherwise: a log that plays feeds topics of the system's names."""
    series: Series = field(default_factory=Series)
    item: Any = None
    trouble: str = ""
    shift_s: float = 0.0
    shown_as: str = ""
    """Its name beside the others of its plot."""

    @property
    def label(self) -> str:
        """What it is in a word or two: of a message that is one number, the topic tells more than the field."""
        return self.what.topic.rpartition("/")[2] if self.what.path == "data" else self.what.path

    @property
    def rest(self) -> str:
        """What follows the first field of its path."""
        return self.what.path[len(self.what.path.partition(".")[0]) :]

    @property
    def name(self) -> str:
        return str(self.what) if self.log is None else f"{self.what} · {self.log.name}"

    @property
    def short_name(self) -> str:
        return self.label if self.log is None else f"{self.label} · {self.log.stem}"

    def take(self, events: list[Event]) -> None:
        times: list[float] = []
        values: list[float] = []
        numbers: list[int] = []
        path = parse_path(self.what.path)
        for event in events:
            try:
                value = value_at(event.message, path)
                values.append(float(value) if value is not None else math.nan)
                times.append(event.stamp_ns / SECOND_NS)
                numbers.append(event.sequence)
                self.trouble = ""
            except MessageError as error:  # the topic's type has changed
                self.trouble = error.message
            except (TypeError, ValueError):
                self.trouble = "is not a number"
        self.series.add(times, values, numbers)

    def fill(self, read: LoggedSeries) -> None:
        self.trouble = ""
        self.series.clear()
        self.series.add(read.times_s.tolist(), read.values.tolist())

    def ends(self) -> tuple[float, float] | None:
        times = self.series.times
        return (float(times[0]) + self.shift_s, float(times[-1]) + self.shift_s) if len(times) else None

    def drawn(self, first: float, last: float, pixels: int) -> tuple[Floats, Floats]:
        times, values = self.series.drawn(first - self.shift_s, last - self.shift_s, pixels)
        return (times + self.shift_s if self.shift_s else times), values

    def within(self, first: float, last: float) -> tuple[Floats, Floats]:
        part = self.series.within(first - self.shift_s, last - self.shift_s)
        return self.series.times[part] + self.shift_s, self.series.values[part]

    def nearest(self, time: float, value: float, reach_s: float, reach: float) -> tuple[PointedAt, float] | None:
        """The point that is nearest, and how far it is in reaches. Causes are known of what runs only."""
        near = self.series.nearest(time - self.shift_s, value, reach_s, reach)
        if near is None:
            return None
        (place, far), series = near, self.series
        number = int(series.numbers[place]) if self.log is None else NO_EVENT
        time_s = float(series.times[place]) + self.shift_s
        name = self.shown_as or self.short_name
        return PointedAt(self.what.topic, number, name, time_s, float(series.values[place])), far
