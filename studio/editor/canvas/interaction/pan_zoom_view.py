"""Looking at the scene: zoom, fit, pan, the ground with its dots, and what floats over it."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, reduce

from PyQt6.QtCore import QPointF, QRectF, QSizeF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPixmapCache, QPolygonF, QResizeEvent
from PyQt6.QtWidgets import QGraphicsView, QWidget

from studio.editor.canvas.interaction.commands import CanvasCommands
from studio.editor.canvas.interaction.corner import MapCorner
from studio.editor.canvas.interaction.glide import Glide
from studio.editor.canvas.interaction.overlays import EmptyNote, MiniMap, PointerNote, ZoomBar, free_of, seen_through
from studio.editor.canvas.items.remark_items import NoteItem
from studio.editor.canvas.scene.scene import CanvasScene
from studio.model.parts import Connection, View

LEAST_ZOOM, MOST_ZOOM = 0.08, 3.0
STEP = 16
"""Of the grid."""
FOR_WIRES, FOR_NOTHING = (48, 16), (8, 8)
"""Around a card beside which another one is put: left and right, where the ports are, and above and below."""
MARGIN = 24
"""Pixels between a card that is brought into sight and the edge."""
TILE = 8
"""Dots across and down that are drawn as one."""
CARD_PICTURES_KB = 131072
"""Room for the pictures of cards that are in sight: 150 KB each at 100 %."""


class SightView(QGraphicsView):
    zoomed = pyqtSignal(float)
    minimap_toggled = pyqtSignal(bool)
    """By hand: it stays so for other projects and the next time."""
    find_wanted = pyqtSignal()
    """Somebody looks for something on the canvas."""
    overlays: tuple[QWidget, ...] = ()
    """Everything that lies over the canvas."""
    commands: CanvasCommands
    _saw_all = False
    _fitted: tuple[float, ...] = ()
    """How it stood when everything was fitted last."""

    def __init__(self, scene: CanvasScene) -> None:
        super().__init__()
        self.canvas = scene
        self.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.MinimalViewportUpdate)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QGraphicsView.Shape.NoFrame)
        self.glide = Glide(self)
        self.pointer_note = PointerNote(self)
        self.empty_note = EmptyNote(self, "mdi6.graph-outline", "Drag a component here, or press Shift+A")
        self._wants_minimap = True
        self.minimap = MiniMap(self)
        self.zoom_bar = ZoomBar(self, scene.theme)
        self.map_corner = MapCorner(self)
        self.overlays = (self.pointer_note, self.empty_note, self.minimap, self.zoom_bar)
        QPixmapCache.setCacheLimit(CARD_PICTURES_KB)
        self.setScene(scene)
        viewport = self.viewport()
        assert viewport is not None
        viewport.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # scrolling may then move what is painted
        for bar in (self.horizontalScrollBar(), self.verticalScrollBar()):
            if bar is not None:
                bar.valueChanged.connect(self._show_minimap)
        scene.changed.connect(self._show_minimap)
        scene.session.changed.connect(lambda _: self._show_emptiness())
        self._show_emptiness()

    @property
    def is_busy(self) -> bool:
        """Somebody drags something over the canvas."""
        return False

    @property
    def zoom(self) -> float:
        return self.transform().m11()

    def visible_rect(self) -> QRectF:
        viewport = self.viewport()
        assert viewport is not None
        return self.mapToScene(viewport.rect()).boundingRect()

    def middle(self) -> QPointF:
        return self.visible_rect().center()

    def free_corner(self, size: QSizeF) -> QPointF:
        """The upper left one of an area that covers no card and no note: the nearest to the middle of what is seen,
        with room for wires between the cards if there is any."""
        seen, middle = self.visible_rect(), self.middle()
        across = range(math.ceil(seen.left() / STEP), math.floor((seen.right() - size.width()) / STEP) + 1)
        down = range(math.ceil(seen.top() / STEP), math.floor((seen.bottom() - size.height()) / STEP) + 1)
        areas = [QRectF(QPointF(x * STEP, y * STEP), size) for x in across for y in down]
        for beside, above in (FOR_WIRES, FOR_NOTHING):
            taken = self._taken(beside, above)
            free = (area for area in areas if not any(area.intersects(other) for other in taken))
            found = min(free, key=lambda area: (area.center() - middle).manhattanLength(), default=None)
            if found is not None:
                return found.topLeft()
        corner = middle - QPointF(
            size.width() / 2, size.height() / 2
        )  # all that is seen is full: down and to the right
        corner = QPointF(round(corner.x() / STEP) * STEP, round(corner.y() / STEP) * STEP)
        while any(QRectF(corner, size).intersects(other) for other in taken):
            corner += QPointF(2 * STEP, 2 * STEP)
        return corner

    def _taken(self, beside: float, above: float) -> list[QRectF]:
        """By cards, with so much around them, and by notes."""
        taken = [item.outline().adjusted(-beside, -above, beside, above) for item in self.canvas.cards()]
        return taken + [item.outline() for item in self.canvas.remarks.values() if isinstance(item, NoteItem)]

    def zoom_by(self, factor: float, at: QPointF | None = None) -> None:
        self.zoom_to(self.zoom * factor, at)

    def zoom_to(self, zoom: float, at: QPointF | None = None) -> None:
        """The point `at` of the viewport stays where it is; the middle if there is none."""
        self.glide.finish()
        viewport = self.viewport()
        assert viewport is not None
        anchor = at or QPointF(viewport.rect().center())
        zoom = min(MOST_ZOOM, max(LEAST_ZOOM, zoom))
        fixed = self.mapToScene(anchor.toPoint())
        self.setTransform(self.transform().fromScale(zoom, zoom))
        moved = self.mapFromScene(fixed) - anchor.toPoint()
        self._scroll(moved.x(), moved.y())
        self._zoom_changed()

    def glide_by(self, factor: float) -> None:
        self.glide.to(lambda: self.zoom_by(factor))

    def glide_to_fit(self) -> None:
        self.glide.to(self.fit)

    def looking(self) -> Callable[[], None]:
        """Brings back what is seen now, to the pixel."""
        zoom, bars = self.zoom, [bar for bar in (self.horizontalScrollBar(), self.verticalScrollBar()) if bar]
        values = [bar.value() for bar in bars]

        def again() -> None:
            self.setTransform(self.transform().fromScale(zoom, zoom))
            for bar, value in zip(bars, values, strict=True):
                bar.setValue(value)
            self._zoom_changed()

        return again

    def look_at(self, zoom: float, middle: QPointF) -> None:
        self.setTransform(self.transform().fromScale(zoom, zoom))
        self.centerOn(middle)
        self._zoom_changed()

    def fit(self) -> None:
        self.glide.finish()
        area = self.canvas.content_rect()
        viewport = self.viewport()
        assert viewport is not None
        if area.isEmpty():
            self.zoom_to(1.0)
            self.centerOn(0, 0)
            return
        area = area.adjusted(-24, -24, 24, 24)
        room = QRectF(viewport.rect())
        self._fit_into(room, area)
        if self._has_something_under(self.zoom_bar):
            self._fit_into(room.adjusted(0, 0, 0, self.zoom_bar.y() - room.bottom()), area)
        self._fitted = self.stand()

    def _fit_into(self, room: QRectF, area: QRectF) -> None:
        """`area` of the scene in the middle of a part of the viewport."""
        zoom = max(LEAST_ZOOM, min(room.width() / area.width(), room.height() / area.height(), 1.0))
        viewport = self.viewport()
        assert viewport is not None
        aside = QRectF(viewport.rect()).center() - room.center()
        self.look_at(zoom, area.center() + aside / zoom)

    def _has_something_under(self, overlay: QWidget) -> bool:
        place = self.mapToScene(overlay.geometry()).boundingRect()
        return any(item.isVisible() for item in self.canvas.items(place))

    def stand(self) -> tuple[float, ...]:
        """Zoom and place, to the pixel."""
        return self.zoom, *(bar.value() for bar in (self.horizontalScrollBar(), self.verticalScrollBar()) if bar)

    def restore_view(self) -> None:
        """As it was when the project was saved, or everything."""
        self.glide.finish()
        view = self.canvas.session.system.layout.view
        if view is None:
            self.fit()
            return
        self.look_at(view.zoom, QPointF(view.x, view.y))
        if not self.visible_rect().intersects(self.canvas.content_rect()):
            self.fit()

    def remember_view(self) -> None:
        at = self.middle()
        self.canvas.session.document.look_at(View(round(at.x(), 1), round(at.y(), 1), round(self.zoom, 3)))

    def show_item(self, name: str) -> None:
        """Scroll only if it is not to be seen."""
        item = self.canvas.card_for(name)
        if item is not None and not self.visible_rect().contains(item.outline()):
            self.ensureVisible(item.outline(), 60, 60)

    def keep_in_sight(self, change: Callable[[], object]) -> None:
        """Do it, and show the cards that came or moved: with undo and redo, they may lie outside the view."""
        before = {name: item.outline() for name, item in self.canvas.nodes.items()}
        change()
        moved = [item.outline() for name, item in self.canvas.nodes.items() if before.get(name) != item.outline()]
        area = reduce(QRectF.united, moved, QRectF())
        if not area.isEmpty() and not self.visible_rect().contains(area):
            self.glide.to(lambda: self._show_area(area))

    def _show_area(self, area: QRectF) -> None:
        """Scroll if that is enough."""
        self.ensureVisible(area, MARGIN, MARGIN)
        if not self.visible_rect().contains(area):
            self.fit()

    def go_to(self, name: str) -> None:
        """Somebody asked for it: select, show, and take the focus."""
        card = self.canvas.card_for(name)
        if card is not None:
            self.canvas.select([name])
            self.canvas.set_focus_node(name)
            self.glide.to(lambda: self.centerOn(card.outline().center()))
            self.setFocus()

    def go_to_wire(self, connection: Connection) -> None:
        """Select it and show its middle; inside a folded group, the group."""
        item = self.canvas.wire_of(connection)
        if item is None or not item.isVisible():
            self.go_to(connection.start.node)
            return
        self.canvas.clearSelection()
        item.setSelected(True)
        self.glide.to(lambda: self.centerOn(item.middle))
        self.setFocus()

    def toggle_minimap(self) -> None:
        self.show_minimap(not self._wants_minimap)
        self.minimap_toggled.emit(self._wants_minimap)

    def show_minimap(self, on: bool) -> None:
        self._wants_minimap = on
        self._show_minimap()

    def _show_minimap(self, *_: object) -> None:
        """Where everything is in sight there is nothing to map."""
        self._saw_all = self._sees_all()
        self.minimap.setVisible(self._wants_minimap and not self._saw_all)
        self.minimap.update()
        self.map_corner.look_soon()

    def _sees_all(self) -> bool:
        everything = self.canvas.content_rect()
        return everything.isEmpty() or self.visible_rect().adjusted(-8, -8, 8, 8).contains(everything)

    # ---- drawing around the scene

    def paintEvent(self, event: QPaintEvent | None) -> None:
        assert event is not None
        self.canvas.exposed = event.region()
        super().paintEvent(event)
        self.canvas.exposed = None

    def drawBackground(self, painter: QPainter | None, rect: QRectF) -> None:
        assert painter is not None
        painter.fillRect(rect, QColor(self.canvas.theme.canvas))
        if self.zoom < 0.25:
            return
        step = 16 if self.zoom >= 0.5 else 80
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        pen = QPen(QColor(self.canvas.theme.grid), 2 if self.zoom >= 1 else 1)
        pen.setCosmetic(True)
        painter.setPen(pen)
        tile, size = _dots(step), step * TILE
        region, there = self.canvas.exposed, painter.worldTransform()
        for x in range(math.floor(rect.left() / size), math.ceil(rect.right() / size)):
            for y in range(math.floor(rect.top() / size), math.ceil(rect.bottom() / size)):
                area = there.mapRect(QRectF(x * size, y * size, size, size)).toAlignedRect().adjusted(-2, -2, 2, 2)
                if region is None or region.intersects(area):
                    painter.drawPoints(tile.translated(x * size, y * size))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Who saw everything still does, and who has it fitted keeps it so: panels come and go beside the canvas."""
        self.glide.finish()
        saw_all, was_fitted = self._saw_all, self._fitted == self.stand()
        super().resizeEvent(event)
        self._place_overlays()
        if (was_fitted or (saw_all and not self._sees_all())) and not self.is_busy:
            self.fit()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Qt paints everything anew if anything lies over what is scrolled: what is beside the overlays is moved."""
        viewport = self.viewport()
        assert viewport is not None
        covered = [widget.geometry() for widget in self.overlays if widget.isVisible()]
        if not covered or self.is_busy:
            super().scrollContentsBy(dx, dy)
            return
        mode = self.viewportUpdateMode()
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.NoViewportUpdate)
        super().scrollContentsBy(dx, dy)
        self.setViewportUpdateMode(mode)
        for area in free_of(viewport.rect(), covered):
            viewport.scroll(dx, dy, area)
        for widget in self.overlays:
            if widget.isVisible():
                for area in seen_through(widget):
                    viewport.update(area)

    def _place_overlays(self) -> None:
        self.zoom_bar.adjustSize()
        self.zoom_bar.move(self.width() - self.zoom_bar.width() - 12, self.height() - self.zoom_bar.height() - 12)
        self.map_corner.place()
        self.empty_note.move((self.width() - self.empty_note.width()) // 2, self.height() // 2 - 60)

    def _show_emptiness(self) -> None:
        self.empty_note.theme = self.canvas.theme
        self.empty_note.setVisible(not self.canvas.nodes and not self.canvas.remarks)

    def _zoom_changed(self) -> None:
        self.zoom_bar.show_zoom(self.zoom)
        self._place_overlays()
        self.zoomed.emit(self.zoom)
        self._show_minimap()

    def _scroll(self, x: int, y: int) -> None:
        for bar, by in ((self.horizontalScrollBar(), x), (self.verticalScrollBar(), y)):
            if bar is not None:
                bar.setValue(bar.value() + by)


@cache
def _dots(step: int) -> QPolygonF:
    """A tile of the grid, drawn as one: dot by dot the ground would take longer than all that stands on it."""
    return QPolygonF([QPointF(x * step, y * step) for x in range(TILE) for y in range(TILE)])
