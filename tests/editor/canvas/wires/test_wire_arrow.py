"""The arrow of a wire lies on the wire, however steeply that comes in."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import QPointF
from PyQt6.QtGui import QPainterPath, QPainterPathStroker

from studio.editor.canvas.wires.routing import curve
from studio.editor.canvas.wires.wire_arrow import arrow_on


def band(path: QPainterPath) -> QPainterPath:
    stroker = QPainterPathStroker()
    stroker.setWidth(5)
    return stroker.createStroke(path)


@pytest.mark.parametrize("end", [QPointF(48, 240), QPointF(48, -240), QPointF(240, 16), QPointF(300, 0)])
def test_its_tip_and_the_middle_of_its_back_are_on_the_wire(end: QPointF) -> None:
    path = curve(QPointF(0, 0), end)
    tip, one, other = (arrow_on(path, 6.5)[place] for place in range(3))
    on_wire = band(path)
    assert on_wire.contains(tip) and on_wire.contains((one + other) / 2)


def test_a_flat_wire_has_it_level_before_the_port() -> None:
    arrow = arrow_on(curve(QPointF(0, 0), QPointF(300, 30)), 6.5)
    assert [arrow[place] for place in range(3)] == [QPointF(293.5, 30), QPointF(284.5, 25.5), QPointF(284.5, 34.5)]
