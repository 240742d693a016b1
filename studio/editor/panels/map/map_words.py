"""At the end of a map's bar: its size and rate, and for a while what was just done or refused."""

from __future__ import annotations

from PyQt6.QtCore import QObject, QTimer, pyqtSignal

from studio.editor.live.state import rate_words
from studio.editor.panels.parts.viewer import Facts
from studio.messages import Map

STAYS_MS = 6000


class MapWords(QObject):
    changed = pyqtSignal()
    """What is told for a while: a bar may have no room for it."""

    def __init__(self, parent: QObject, label: Facts) -> None:
        super().__init__(parent)
        self._label = label
        self._size = ""
        self._rate_hz = 0.0
        self.told = ""
        self._stays = QTimer(self)
        self._stays.setSingleShot(True)
        self._stays.setInterval(STAYS_MS)
        self._stays.timeout.connect(lambda: self._tell_now(""))

    def show_map(self, map_: Map | None) -> None:
        self._size = "" if map_ is None else f"{map_.columns} × {map_.rows} cells · {map_.resolution_m:.2f} m"
        self._show()

    def show_rate(self, rate_hz: float) -> None:
        self._rate_hz = rate_hz
        self._show()

    def tell(self, words: str) -> None:
        """It stays for a while, however many maps come meanwhile."""
        self._stays.start()
        self._tell_now(words)

    def _tell_now(self, words: str) -> None:
        self.told = words
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        rate = rate_words(self._rate_hz) if self._rate_hz and self._size else ""
        words = self.told or " · ".join(part for part in (self._size, rate) if part)
        self._label.setText(words)
        self._label.setToolTip(words)
