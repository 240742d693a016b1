"""Votes for arcs: a fan from the vehicle above, all voters below."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, Qt, QTimer
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PyQt6.QtWidgets import QWidget

from studio.editor.look.fonts import text_font
from studio.editor.look.theme import Theme, mixed
from studio.editor.views.shared.plates import with_alpha
from studio.messages import Velocity, Vote

ROW, LOW_ROW = 22, 18
FOOT = 26
"""Below the rows: what their ends mean."""
ROOMY = 300
"""In a lower panel the rows are lower too: the fan needs what there is."""
LEAST_FAN = 64
NAMES = 132
NARROW = 300
"""In less, words stand below each other."""
MOST_ROWS = 8
FRAME_MS = 100
ARC_STEPS = 12
SHADES = 32
SILENT_NS = 1_000_000_000
STILL_M_S = 0.05
"""Slower would be told as 0.0 m/s."""


@dataclass(frozen=True)
class Chosen:
    """What the arbiter made of the votes."""

    curvature_per_m: float
    speed_m_s: float

    @classmethod
    def of(cls, command: Velocity, wheelbase_m: float) -> Chosen | None:
        """None for a command that is no way to go."""
        if not (math.isfinite(command.steering_angle_rad) and math.isfinite(command.speed_m_s)):
            return None
        bend = math.tan(command.steering_angle_rad) / wheelbase_m if wheelbase_m > 0 else 0.0
        return cls(bend, command.speed_m_s)


def current(votes: Mapping[str, Vote]) -> dict[str, Vote]:
    """Of those who still vote: one who has fallen silent has no say, as with the arbiter."""
    newest_ns = max((vote.stamp_ns for vote in votes.values()), default=0)
    return {name: vote for name, vote in votes.items() if len(vote) and newest_ns - vote.stamp_ns <= SILENT_NS}


def combined(votes: Mapping[str, Vote]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Curvatures of the voter with the most arcs, the mean vote by confidence, and which arcs anybody vetoes."""
    largest = max(votes.values(), key=len)
    arcs = np.asarray(largest.curvature_per_m)
    total, weight, veto = np.zeros(len(arcs)), np.zeros(len(arcs)), np.zeros(len(arcs), bool)
    for vote in votes.values():
        if not len(vote):
            continue
        near = np.abs(np.asarray(vote.curvature_per_m)[None, :] - arcs[:, None]).argmin(axis=1)
        confidence = np.nan_to_num(np.asarray(vote.confidence)[near])
        total += np.nan_to_num(np.asarray(vote.vote)[near]) * confidence
        weight += confidence
        veto |= np.asarray(vote.veto)[near]
    return arcs, np.divide(total, weight, out=np.zeros(len(arcs)), where=weight > 0), veto


def confidence_at(votes: Mapping[str, Vote], curvature_per_m: float) -> float:
    """How sure those who have a say are of the arc nearest to this one, on average; NaN where nobody has."""
    near = [
        float(np.nan_to_num(vote.confidence[int(np.abs(np.asarray(vote.curvature_per_m) - curvature_per_m).argmin())]))
        for vote in votes.values()
        if has_say(vote)
    ]
    return sum(near) / len(near) if near else math.nan


def has_say(vote: Vote) -> bool:
    """Whether it is for or against anything."""
    return bool(len(vote)) and bool(np.any(np.asarray(vote.confidence) > 0) or np.any(vote.veto))


def confidence_words(confidence: float) -> str:
    """Empty where nobody votes."""
    if math.isnan(confidence):
        return ""
    limits = ((0.75, "voters are sure"), (0.4, "voters are fairly sure"), (0.05, "voters are unsure"))
    words = next((words for limit, words in limits if confidence >= limit), "voters do not know")
    return f"{words} (weight {confidence:.2g})"  # not a share: the weight of a vote may be 5


class VotesView(QWidget):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.votes: dict[str, Vote] = {}
        self.chosen: Chosen | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(FRAME_MS)
        self._soon.timeout.connect(self.update)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # nobody need paint what lies below
        self.setMinimumSize(220, 180)
        self.setAccessibleName("Votes")

    def show_votes(self, voter: str, vote: Vote) -> None:
        self.votes[voter] = vote
        self._update_soon()

    def show_chosen(self, chosen: Chosen | None) -> None:
        self.chosen = chosen
        self._update_soon()

    def keep(self, voters: set[str]) -> None:
        """Those who are no longer there, or have another name now, have no row."""
        for name in self.votes.keys() - voters:
            del self.votes[name]
            self._update_soon()

    def _update_soon(self) -> None:
        """Voters speak one after the other about the same moment: one picture for all of them."""
        if not self._soon.isActive():
            self._soon.start()

    def forget(self) -> None:
        self.votes.clear()
        self.chosen = None
        self.update()

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self.theme.panel))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        voters = {name: vote for name, vote in sorted(self.votes.items()) if len(vote)}
        if voters:
            spoken = current(voters)
            arcs, votes, veto = combined(spoken)
            order = np.argsort(-arcs, kind="stable")  # left is left
            fan = QRectF(0, 0, self.width(), self.height() - self.rows_for(len(voters)) * self.row - FOOT)
            chosen = self.way_to_go(spoken)
            self._paint_fan(painter, fan, arcs, votes, veto, chosen)
            self._paint_words(painter, fan, spoken, int(veto.sum()))
            self._paint_table(painter, fan.bottom(), voters, spoken, arcs[order], chosen)
        painter.end()

    @property
    def row(self) -> int:
        return ROW if self.height() >= ROOMY else LOW_ROW

    def rows_for(self, voters: int) -> int:
        """As many as leave the fan its room."""
        return max(min(voters, MOST_ROWS, (self.height() - FOOT - LEAST_FAN) // self.row), 1)

    def way_to_go(self, spoken: Mapping[str, Vote]) -> Chosen | None:
        """None also where the vehicle stands because no arc is allowed: it has chosen none of them."""
        if self.chosen is None or abs(self.chosen.speed_m_s) >= STILL_M_S or not spoken:
            return self.chosen
        return None if combined(spoken)[2].all() else self.chosen

    def _paint_fan(
        self,
        painter: QPainter,
        where: QRectF,
        arcs: np.ndarray,
        votes: np.ndarray,
        veto: np.ndarray,
        chosen: Chosen | None,
    ) -> None:
        painter.fillRect(where, QColor(self.theme.canvas))
        reach = max(where.height() - (56 if self.height() >= ROOMY else 36), 24.0)
        start = QPointF(where.center().x(), where.bottom() - 26)
        metres = max(1.0, 2.0 / max(float(np.abs(arcs).max()), 0.02) * 0.5) if len(arcs) else 10.0
        scale = reach / metres
        painter.setPen(QPen(QColor(self.theme.border), 1))
        for share in (0.5, 1.0):
            ring = QRectF(start.x() - reach * share, start.y() - reach * share, 2 * reach * share, 2 * reach * share)
            painter.drawArc(ring, 25 * 16, 130 * 16)
        lines = _arcs(start, arcs, np.where(veto, 0.6 * metres, metres), scale)
        for at in np.argsort(np.where(veto, -2.0, votes), kind="stable").tolist():  # the best over the others
            painter.setPen(self._pen(float(votes[at]), forbidden=bool(veto[at])))
            painter.drawPolyline(lines[at])
            if veto[at]:
                self._paint_cross(painter, lines[at][-1], 3.5)
        if chosen is not None:
            [line] = _arcs(start, np.array([chosen.curvature_per_m]), np.array([metres]), scale)
            painter.setPen(QPen(QColor(self.theme.accent), 5, cap=Qt.PenCapStyle.RoundCap))
            painter.drawPolyline(line)
        _paint_car(painter, start)

    def _pen(self, vote: float, *, forbidden: bool) -> QPen:
        """Colours that do not shine through: Qt takes seven times as long for wide lines that do, and as long for
        dots of more than a pixel.
        """
        theme = self.theme
        if forbidden:
            return QPen(QColor(theme.error), 1, Qt.PenStyle.DotLine)
        strength = min(max((vote + 1) / 2, 0.0), 1.0)
        return QPen(QColor(mixed(theme.fine, theme.canvas, 0.16 + 0.84 * strength)), 1 + 3 * strength)

    def choice_words(self, spoken: Mapping[str, Vote]) -> tuple[str, ...]:
        """What was chosen, how fast and how sure, in lines below each other: beside the fan is little room."""
        if self.chosen is None:
            return ()
        if self.way_to_go(spoken) is None:
            return ("stopped: every arc is vetoed",)
        bend = f"chosen arc {self.chosen.curvature_per_m:+.3f} 1/m".replace("-", "−")
        still = abs(self.chosen.speed_m_s) < STILL_M_S
        speed = "stopped" if still else f"{self.chosen.speed_m_s:.1f} m/s".replace("-", "−")
        sure = confidence_words(confidence_at(spoken, self.chosen.curvature_per_m))
        return bend, speed, sure

    def _paint_words(self, painter: QPainter, where: QRectF, spoken: Mapping[str, Vote], vetoed: int) -> None:
        painter.setFont(text_font(12, 600))
        painter.setPen(QColor(self.theme.accent))
        for line, words in enumerate(self.choice_words(spoken)):
            place = QRectF(8, where.top() + 7 + 17 * line, painter.fontMetrics().horizontalAdvance(words) + 4, 17)
            painter.fillRect(place, with_alpha(self.theme.canvas, 215))  # in a narrow panel the fan is below them
            painter.drawText(QPointF(10, where.top() + 20 + 17 * line), words)
            painter.setFont(text_font(12))
            painter.setPen(QColor(self.theme.muted))
        if vetoed:
            painter.setFont(text_font(12, 600))
            painter.setPen(QColor(self.theme.error))
            words = f"✕ {vetoed} arc{'s' if vetoed > 1 else ''} vetoed"
            if where.width() < NARROW:
                painter.drawText(QPointF(10, where.top() + 71), words)
            else:
                painter.drawText(where.adjusted(10, 8, -10, 0), Qt.AlignmentFlag.AlignRight, words)

    def _paint_cross(self, painter: QPainter, at: QPointF, size: float) -> None:
        painter.setPen(QPen(QColor(self.theme.error), 1.5))
        painter.drawLine(at + QPointF(-size, -size), at + QPointF(size, size))
        painter.drawLine(at + QPointF(-size, size), at + QPointF(size, -size))

    def _paint_table(
        self,
        painter: QPainter,
        top: float,
        voters: Mapping[str, Vote],
        spoken: Mapping[str, Vote],
        arcs: np.ndarray,
        chosen: Chosen | None,
    ) -> None:
        names, rows = min(NAMES, self.width() * 0.4), self.rows_for(len(voters))
        cell = (self.width() - names - 12) / max(len(arcs), 1)
        painter.setFont(text_font(12))
        for row, (name, vote) in enumerate(list(voters.items())[:rows]):
            y = top + 4 + row * self.row
            silent = name not in spoken or not has_say(vote)
            painter.setPen(QColor(self.theme.disabled if silent else self.theme.text))
            words = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, int(names) - 16)
            painter.drawText(QPointF(10, y + self.row / 2 + 4), words)
            near = np.abs(np.asarray(vote.curvature_per_m)[None, :] - arcs[:, None]).argmin(axis=1)
            if name in spoken:
                self._paint_cells(painter, names, y + 2, cell, vote, near)
        bottom = top + 4 + rows * self.row
        if chosen is not None and len(arcs):
            i = int(np.abs(arcs - chosen.curvature_per_m).argmin())
            painter.setPen(QPen(QColor(self.theme.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(names + i * cell - 1, top + 4, cell + 1, bottom - top - 4), 2, 2)
        painter.setFont(text_font(11))
        painter.setPen(QColor(self.theme.muted))
        if more := more_words(len(voters), rows):
            painter.drawText(QRectF(10, bottom + 2, names - 16, 16), Qt.AlignmentFlag.AlignLeft, more)
        foot = QRectF(names, bottom + 2, self.width() - names - 12, 16)
        most = float(np.abs(arcs).max()) if len(arcs) else 0.0
        painter.drawText(foot, Qt.AlignmentFlag.AlignLeft, f"left +{most:.2f}")
        painter.drawText(foot, Qt.AlignmentFlag.AlignRight, f"right −{most:.2f}")
        if foot.width() > 260:
            painter.drawText(foot, Qt.AlignmentFlag.AlignHCenter, "curvature 1/m")

    def _paint_cells(
        self, painter: QPainter, left: float, top: float, cell: float, vote: Vote, near: np.ndarray
    ) -> None:
        """One for each arc. Whole pixels and one colour each: hundreds of soft edges would take most of the time."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        strength = np.clip((np.asarray(vote.vote)[near] + 1) / 2, 0.0, 1.0) * np.clip(vote.confidence[near], 0.0, 1.0)
        shades = np.rint(np.nan_to_num(strength) * (SHADES - 1)).astype(int).tolist()
        colours, forbidden = (
            _shades(self.theme.field, self.theme.fine, self.theme.panel, self.theme.error),
            np.asarray(vote.veto)[near].tolist(),
        )
        ends = np.rint(left + np.arange(len(near) + 1) * cell).astype(int).tolist()
        for number, shade in enumerate(shades):
            x, width = ends[number], max(ends[number + 1] - ends[number] - 1, 1)
            painter.fillRect(x, round(top), width, self.row - 4, colours[SHADES if forbidden[number] else shade])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if cell >= 8:
            for number in np.flatnonzero(forbidden).tolist():
                middle = QPointF((ends[number] + ends[number + 1] - 1) / 2, round(top) + (self.row - 4) / 2)
                self._paint_cross(painter, middle, min(3.0, cell / 3))


def more_words(voters: int, rows: int) -> str:
    """Of those that have no row."""
    return f"+ {voters - rows} more" if voters > rows else ""


@lru_cache(maxsize=4)
def _shades(field: str, fine: str, panel: str, error: str) -> list[QColor]:
    """Of a cell, from what nobody wants to what everybody wants; the last is for a veto."""
    wanted = [_over(QColor(field), fine, 0.9 * step / (SHADES - 1)) for step in range(SHADES)]
    return [*wanted, _over(QColor(panel), error, 0.27)]


def _over(ground: QColor, colour: str, share: float) -> QColor:
    above = QColor(colour)
    pairs = ((above.red(), ground.red()), (above.green(), ground.green()), (above.blue(), ground.blue()))
    return QColor(*(round(a * share + b * (1 - share)) for a, b in pairs))


def _arcs(start: QPointF, bends: np.ndarray, lengths_m: np.ndarray, scale: float) -> list[QPolygonF]:
    """From the vehicle, which looks up; left is left."""
    steps = (lengths_m / ARC_STEPS)[:, None]
    turned = np.clip(bends[:, None] * steps * np.arange(ARC_STEPS), -math.pi * 0.9, math.pi * 0.9)
    heading = turned + bends[:, None] * steps / 2
    x = start.x() - np.cumsum(np.sin(heading) * steps, axis=1) * scale
    y = start.y() - np.cumsum(np.cos(heading) * steps, axis=1) * scale
    return [
        QPolygonF([start, *(QPointF(a, b) for a, b in zip(across, up, strict=True))])
        for across, up in zip(x.tolist(), y.tolist(), strict=True)
    ]


def _paint_car(painter: QPainter, at: QPointF) -> None:
    painter.setPen(QPen(QColor("#14171A"), 1))
    painter.setBrush(QColor("#FFFFFF"))
    painter.drawRoundedRect(QRectF(at.x() - 9, at.y() - 2, 18, 22), 4, 4)
    painter.setBrush(QColor("#14171A"))
    painter.drawPolygon(QPolygonF([at + QPointF(0, 4), at + QPointF(-5, 13), at + QPointF(5, 13)]))
    painter.setBrush(Qt.BrushStyle.NoBrush)
