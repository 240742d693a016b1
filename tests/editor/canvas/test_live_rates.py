"""Rates on the wires of a running system: to be read, each of them."""

from __future__ import annotations

from itertools import combinations

from studio.editor.canvas.interaction.view import CanvasView
from studio.editor.canvas.items.live_paint import LiveWire, drops_rect
from studio.editor.canvas.scene.live_layer import RATE, LiveLayer
from studio.editor.live.feed import Feed
from studio.model.wiring import topic_of


def test_what_was_lost_is_painted_whole(view: CanvasView) -> None:
    """Before the end of a wire that comes from above or below, left of all else of it."""
    for item in view.canvas.wires.values():
        live = LiveWire("flows", "", 12_345)
        item.show_live(live)
        assert item.boundingRect().contains(drops_rect(live, item.end)), item.connection
        others = [other for other in view.canvas.wires.values() if other is not item]
        is_trunk = item.course.is_lead and not item.course.trunk.isEmpty()
        assert is_trunk or all(item.zValue() > other.zValue() for other in others), "a wire goes over the number"
        item.show_live(None)


def test_no_rate_lies_over_another(view: CanvasView) -> None:
    """The two lasers of the rover go the same way."""
    system, feed = view.canvas.session.system, Feed()
    late = {"p50": 100.0, "p99": 1500.0}
    told = {"type": "Map", "count": 5, "rate_hz": 10.0, "quiet_s": 0, "drops": 0, "latency_us": late}
    topics = {topic_of(wire.start): told for wire in system.wires}
    feed.state = {"gate": "run", "components": {}, "processes": {}, "sources": {}, "topics": topics}
    layer = LiveLayer(view.canvas, feed)
    shown = [item for item in view.canvas.wires.values() if item.live is not None and item.live.rate]
    for one, other in combinations(shown, 2):
        beside = one.middle - other.middle
        assert abs(beside.x()) >= RATE.width() or abs(beside.y()) >= RATE.height(), (one.connection, other.connection)
    assert 4 < len(shown) <= len(topics)
    layer.deleteLater()
    feed.close()
