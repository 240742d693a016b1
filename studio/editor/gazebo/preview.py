"""The panel at the right: the newest message of the topic that is selected, as a picture or as text, and its rate."""

from __future__ import annotations

import math
from typing import Any

from google.protobuf import json_format
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QImage, QPixmap
from PyQt6.QtWidgets import QFormLayout, QLabel, QPlainTextEdit, QStackedWidget, QVBoxLayout, QWidget

from studio.editor.gazebo.agreement_view import AgreementView
from studio.editor.gazebo.graphs import Course
from studio.editor.gazebo.scan_view import ScanView
from studio.editor.look.fonts import code_font
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.empty_state import EmptyState
from studio.errors import StudioError
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.gazebo.connections.link import Link, Watched
from studio.runtime.gazebo.connections.rates import COURSE_S

MOST_TEXT = 6000
QWIDGETSIZE_MAX = (1 << 24) - 1
RGB8, BGR8, GREY8 = 3, 8, 1
_FORMATS = {
    RGB8: (QImage.Format.Format_RGB888, 3), BGR8: (QImage.Format.Format_BGR888, 3),
    GREY8: (QImage.Format.Format_Grayscale8, 1),
}  # fmt: skip
"""Pixel format of Gazebo: that of Qt, and bytes per pixel."""


class Preview(QWidget):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.topic = QLabel()
        self.topic.setFont(code_font(13))
        self.topic.setWordWrap(True)
        self.topic.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.type = QLabel()
        self.type.setProperty("role", "muted")
        self.type.setWordWrap(True)
        self.empty = EmptyState("mdi6.eye-outline", "Select a topic to see its newest message here", theme)
        self.scan = ScanView(theme)
        self.picture = QLabel()
        self.picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setFont(code_font(12))
        self.text.setAccessibleName("Newest message")
        self._stack = QStackedWidget()
        for widget in (self.empty, self.scan, self.picture, self.text):
            self._stack.addWidget(widget)
        self.facts = QFormLayout()
        self.facts.setHorizontalSpacing(18)
        self.facts.setVerticalSpacing(3)
        self.course = Course(theme, "Rate over the last 60 s", "inactive")
        self.agreement = AgreementView(theme)
        self._payload: bytes | None = None
        self._shown: dict[str, str] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 10, 10, 10)
        column.setSpacing(6)
        for widget in (self.topic, self.type):
            column.addWidget(widget)
        column.addWidget(self._stack, 100)
        column.addLayout(self.facts)
        column.addWidget(self.course)
        column.addWidget(self.agreement)
        column.addStretch(1)
        self.course.hide()

    def show_topic(self, link: Link | None, name: str) -> None:
        watched = link.watched(name) if link is not None and name else None
        self.topic.setText(name)
        self.topic.setVisible(bool(name))
        if watched is None or link is None:
            self.type.setText("")
            self._wait("No publisher now" if name else "Select a topic to see its newest message here")
            return
        self.type.setText(watched.topic.type_name)
        self._show_rate(watched)
        if not watched.payload:
            self._wait("No message has come yet")
            return
        if watched.payload is self._payload:
            return
        self._payload = watched.payload
        try:
            self._show_message(link.message(name))
        except StudioError as error:
            self._show_text(f"{len(watched.payload)} bytes\n{error}", {"Size": f"{len(watched.payload)} bytes"})

    def _wait(self, words: str) -> None:
        self._payload = None
        self.empty.say(words)
        self._show(self.empty)
        self._show_facts({})
        self.course.hide()

    def _show(self, widget: QWidget) -> None:
        """A fan needs no more height than its width has; text takes all there is."""
        self._stack.setCurrentWidget(widget)
        self._stack.setMaximumHeight(self.width() * 7 // 10 if widget is self.scan else QWIDGETSIZE_MAX)

    def _show_rate(self, watched: Watched) -> None:
        now_ns = monotonic_ns()
        rate = watched.rate.hz(now_ns)
        counts = watched.rate.course(now_ns)
        words = "–" if rate is None else f"{rate:.1f} Hz"
        self.course.show()
        self.course.show_values([float(each) for each in counts], COURSE_S, f"{words}, last 60 s")

    def _show_message(self, message: Any) -> None:
        scan = getattr(message, "scan", message)
        picture = getattr(message, "image", message)
        if hasattr(scan, "ranges") and hasattr(scan, "angle_min"):
            self._show_scan(scan, message)
        elif hasattr(picture, "width") and hasattr(picture, "data") and hasattr(picture, "step"):
            self._show_picture(picture)
        else:
            text = json_format.MessageToJson(message, indent=2, preserving_proto_field_name=True)
            more = f"\n… {len(text) - MOST_TEXT} more characters" if len(text) > MOST_TEXT else ""
            self._show_text(text[:MOST_TEXT] + more, _stamp(message))

    def _show_scan(self, scan: Any, message: Any) -> None:
        self.scan.show_scan(scan.angle_min, scan.angle_step, scan.ranges, scan.range_max)
        self._show(self.scan)
        view = math.degrees(scan.angle_max - scan.angle_min)
        frame = getattr(scan, "frame", "")
        self._show_facts(
            {
                "Beams": f"{len(scan.ranges)} over {view:.0f}°",
                "Range": f"{scan.range_min:.2f} – {scan.range_max:.2f} m",
                **({"Frame": frame} if frame else {}),
                **_stamp(message),
            }
        )

    def _show_picture(self, told: Any) -> None:
        found = _FORMATS.get(getattr(told, "pixel_format", getattr(told, "pixel_format_type", 0)))
        if found is None or len(told.data) < told.step * told.height:
            self._show_text(f"A picture of {told.width} × {told.height} in a format that is not shown here", {})
            return
        image = QImage(told.data, told.width, told.height, told.step or told.width * found[1], found[0])
        room = self._stack.size()
        self.picture.setPixmap(QPixmap.fromImage(image).scaled(room, Qt.AspectRatioMode.KeepAspectRatio))
        self._show(self.picture)
        self._show_facts({"Size": f"{told.width} × {told.height}"})

    def _show_text(self, text: str, facts: dict[str, str]) -> None:
        bar = self.text.verticalScrollBar()
        place = bar.value() if bar is not None else 0
        self.text.setPlainText(text)
        if bar is not None:
            bar.setValue(place)
        self._show(self.text)
        self._show_facts(facts)

    def _show_facts(self, facts: dict[str, str]) -> None:
        if facts == self._shown:
            return
        if list(facts) != list(self._shown):
            while self.facts.rowCount():
                self.facts.removeRow(0)
            for name in facts:
                label = QLabel(name)
                label.setProperty("role", "muted")
                value = QLabel()
                value.setWordWrap(True)
                self.facts.addRow(label, value)
        for place, words in enumerate(facts.values()):
            item = self.facts.itemAt(place, QFormLayout.ItemRole.FieldRole)
            shown = item.widget() if item is not None else None
            if isinstance(shown, QLabel):
                shown.setText(words)
        self._shown = dict(facts)

    def show_theme(self, theme: Theme) -> None:
        self.empty.show_theme(theme)
        self.agreement.show_theme(theme)
        self.scan.theme = self.course.theme = theme
        self.scan.update()
        self.course.update()


def _stamp(message: Any) -> dict[str, str]:
    """By simulation time, where the message has one."""
    header = getattr(message, "header", None)
    stamp = getattr(header, "stamp", None) or getattr(message, "time", None) or getattr(message, "stamp", None)
    if stamp is None or not hasattr(stamp, "nsec"):
        return {}
    return {"Stamp": f"{stamp.sec + stamp.nsec / SECOND_NS:.3f} s simulation time"}
