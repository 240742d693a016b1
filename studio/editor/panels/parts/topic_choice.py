"""A choice of topics by their types: of those that there are, or one that is kept until its system runs."""

from __future__ import annotations

from typing import Any

from PyQt6.QtCore import QSize, Qt, pyqtSignal
from PyQt6.QtGui import QPaintEvent
from PyQt6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter

LEAST_CHOICE, STEP = 112, 8
"""Pixels: its width in a narrow bar, and by how much it grows with it."""


class TopicChoice(QComboBox):
    """The topics of some types; keeps what was chosen while no system runs: layouts load before there is data."""

    chosen = pyqtSignal(str)

    def __init__(self, types: frozenset[str], none: str, word: str = "") -> None:
        """`word`: only topics with it in their name."""
        super().__init__()
        self.types, self.none, self.word = types, none, word
        self.topic = ""
        self.share = 0.5
        """Of its viewer that it may take: in a narrow one the buttons are worth more than the whole name."""
        self.setAccessibleName("Topic")
        self.setToolTip("The topic that is shown")
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.setMinimumContentsLength(14)
        self.activated.connect(lambda _: self.choose(str(self.currentData() or "")))
        self.refresh({})

    def refresh(self, topics: dict[str, Any], *, first: bool = False) -> None:
        """Offer what there is; with `first` choose the one that says the most when nothing is chosen."""
        fitting = sorted(name for name, topic in topics.items() if self.fits(name, str(topic.get("type"))))
        if first and not self.topic and fitting:
            self.choose(max(fitting, key=lambda name: float(topics[name].get("count") or 0)))
        self.blockSignals(True)
        self.clear()
        if not self.topic:
            self.addItem(self.none, "")
        for name in fitting:
            self.addItem(name, name)
        if self.topic and self.topic not in fitting:
            self.addItem(f"{self.topic} (not there)" if topics else self.topic, self.topic)
        self.setCurrentIndex(max(self.findData(self.topic), 0))
        self.blockSignals(False)

    def fit_into(self, width: int) -> None:
        most = max(int(width * self.share) // STEP * STEP, LEAST_CHOICE)
        if self.maximumWidth() != most:
            self.setMaximumWidth(most)

    def sizeHint(self) -> QSize:
        """With what the style keeps free around the words, which Qt does not count."""
        return super().sizeHint() + QSize(8, 0)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        option.currentText = self.shown_words()
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def shown_words(self) -> str:
        """Of a name that has no room both ends: they tell topics apart."""
        option, style = QStyleOptionComboBox(), self.style()
        assert style is not None
        self.initStyleOption(option)
        field = style.subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        return self.fontMetrics().elidedText(option.currentText, Qt.TextElideMode.ElideMiddle, field.width())

    def fits(self, topic: str, type_name: str) -> bool:
        return type_name in self.types and self.word in topic

    def choose(self, topic: str) -> None:
        if topic != self.topic:
            self.topic = topic
            if topic and self.findData(topic) < 0:  # of a recording, or of a system that does not run yet
                self.addItem(topic, topic)
            self.setCurrentIndex(max(self.findData(topic), 0))
            self.chosen.emit(topic)
