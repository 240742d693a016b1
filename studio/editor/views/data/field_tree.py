"""A tree out of which fields are dragged: at the pointer goes their name, not the whole row."""

from __future__ import annotations

from PyQt6.QtCore import QMimeData, QPoint, QRectF, QSize, Qt
from PyQt6.QtGui import QDrag, QPainter, QPalette, QPixmap
from PyQt6.QtWidgets import QTreeWidget, QWidget

from studio.editor.views.shared.field_drag import fields_in

PADDING_PX = 8


class FieldTree(QTreeWidget):
    """Subclasses tell in `mimeData` which fields an item stands for."""

    def startDrag(self, actions: Qt.DropAction) -> None:
        data = self.mimeData(self.selectedItems())
        if data is not None:
            drag = QDrag(self)
            drag.setMimeData(data)
            drag.setPixmap(plate_of(data, self))
            drag.setHotSpot(QPoint(-12, -8))  # beside the pointer: what is below it is where they are dropped
            drag.exec(Qt.DropAction.CopyAction)


def plate_of(data: QMimeData, owner: QWidget) -> QPixmap:
    """The name of the first field, and how many others there are, in the colours of a tooltip."""
    fields = fields_in(data)
    words = str(fields[0]) if fields else ""
    words += f" and {len(fields) - 1} more" if len(fields) > 1 else ""
    metrics, palette, scale = owner.fontMetrics(), owner.palette(), owner.devicePixelRatioF()
    size = QSize(metrics.horizontalAdvance(words) + 2 * PADDING_PX, metrics.height() + PADDING_PX)
    plate = QPixmap(size * scale)
    plate.setDevicePixelRatio(scale)
    plate.fill(Qt.GlobalColor.transparent)
    painter = QPainter(plate)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(owner.font())
    painter.setPen(palette.color(QPalette.ColorRole.Mid))
    painter.setBrush(palette.color(QPalette.ColorRole.ToolTipBase))
    painter.drawRoundedRect(QRectF(0.5, 0.5, size.width() - 1, size.height() - 1), 4, 4)
    painter.setPen(palette.color(QPalette.ColorRole.ToolTipText))
    painter.drawText(QRectF(0, 0, size.width(), size.height()), Qt.AlignmentFlag.AlignCenter, words)
    painter.end()
    return plate
