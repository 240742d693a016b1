"""What all viewers share: they look at topics of the feed, remember their choices, and say when there is nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, ClassVar

from PyQt6.QtCore import QSize, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PyQt6.QtWidgets import (
    QFormLayout,
    QLabel,
    QMenu,
    QSizePolicy,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
    QWidgetAction,
)

from studio.editor.live.feed import Changes, Feed, Show, Watch
from studio.editor.live.quiet_topics import quiet_words
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.bar import BAR_HEIGHT, Bar
from studio.editor.panels.parts.empty_state import Empty, Offer
from studio.editor.panels.parts.later_picture import later_words
from studio.editor.panels.parts.popup import keep_apart
from studio.editor.panels.parts.run_over import RunOver
from studio.editor.panels.parts.topic_choice import TopicChoice
from studio.editor.panels.parts.viewer_tool import ViewerTool

__all__ = [
    "BAR_HEIGHT", "RUN", "TOPICS", "Bar", "Empty", "Facts", "More", "Offer", "Settings", "TopicChoice", "Viewer",
    "column", "facts", "mark", "muted", "short_title", "stacked",
]  # fmt: skip
Settings = dict[str, Any]
RUN: Offer = ("Run the system", "run.start")
LEAST_FACTS = 64
"""Pixels: from the beginning of a sentence in less nobody could guess the rest."""
TROUBLE_MS = 8000
SETTLED_MS = 400
TOPICS: Offer = ("Show the topics", "viewer.topics")


def short_title(title: str, most: int = 22) -> str:
    """For a tab: of a topic the last parts, of a list the first ones, of any other name both ends."""
    if title.startswith("/"):
        parts = title[1:].split("/")
        while len(parts) > 2 and len("/".join(parts)) > most:
            parts.pop(0)
        title = "/".join(parts)
    names = title.split(", ")
    if len(title) > most and len(names) > 1:
        kept = names[:1]
        while len(", ".join([*kept, names[len(kept)]])) + 3 <= most:
            kept.append(names[len(kept)])
        title = f"{', '.join(kept)} +{len(names) - len(kept)}"
    half = most // 2
    return title if len(title) <= most else f"{title[: half - 1]}…{title[-half:]}"


class Viewer(QWidget):
    """Subclasses build in `__init__`, keep their choices in `save` and `restore`, and watch with `look_at`."""

    KIND: ClassVar[str]
    TITLE: ClassVar[str]
    ICON: ClassVar[str]
    KEEPS_PICTURE: ClassVar[bool] = False
    """Whether its last picture stays after the end and does not tell so by itself."""
    SHOWS_LAST: ClassVar[bool] = False
    """Whether its picture is of the last event alone, and not of all that came."""
    titled = pyqtSignal(str)
    """What the viewer should be called now."""
    settled = pyqtSignal()
    """A choice was made that is worth keeping."""
    wanted = pyqtSignal(str)
    """An action of the window, by its name, that would help an empty viewer."""

    def __init__(self, feed: Feed, theme: Theme) -> None:
        super().__init__()
        self.feed, self.theme = feed, theme
        self.title = self.TITLE
        self._watches: dict[str, Watch] = {}
        self._tools: list[tuple[QToolButton, str]] = []
        self.over = RunOver(self)
        self.over.show_theme(theme)
        self._quiet = ""
        self._plate_stays = QTimer(self)
        self._plate_stays.setSingleShot(True)
        self._plate_stays.setInterval(TROUBLE_MS)
        self._plate_stays.timeout.connect(self._show_over)
        self._settling = QTimer(self)
        """News of a player and events come on two ways: what they say together holds when both have come."""
        self._settling.setSingleShot(True)
        self._settling.setInterval(SETTLED_MS)
        self._settling.timeout.connect(self._show_over)
        feed.attached.connect(self._attached)
        feed.changed.connect(self._feed_changed)
        feed.ended.connect(self._ended)
        feed.garbled_changed.connect(self._show_garbled)

    # ---- for subclasses

    def save(self) -> Settings:
        return {}

    def restore(self, settings: Settings) -> None:
        """Settings come from a file: take what makes sense."""

    def attached(self) -> None:
        """A system is there: what belonged to another is not true any more."""

    def topics_changed(self) -> None:
        """Topics have come or gone."""

    def changed(self, changes: Changes) -> None:
        """The picture of the system is new."""

    def ended(self) -> None:
        """The system is gone; what is shown stays, and is old."""

    def quiet_words(self) -> str:
        """That what the picture is made of has fallen silent, and for how long; empty while it has not."""
        return quiet_words(self.feed.state, self.seen_topics()) if self.SHOWS_LAST else ""

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        for button, name in self._tools:
            button.setIcon(icon(name, theme.muted, theme.accent))
        self.over.show_theme(theme)

    def offer(self) -> Offer | None:
        """What one can do about it while there is nothing to show."""
        return TOPICS if self.feed.is_attached else RUN

    def look_at(self, role: str, topic: str, show: Show, *, every: bool = False) -> None:
        """Watch a topic in a role of its own; an empty topic ends what the role saw before."""
        old = self._watches.pop(role, None)
        if old is not None:
            old.close()
        if topic:
            self._watches[role] = self.feed.watch(topic, show, every=every)
        elif not self._watches:
            self.over.hide()
        if self.feed.is_attached:
            self._show_garbled()

    def retitle(self, title: str) -> None:
        self.title = short_title(title)
        self.titled.emit(self.title)

    def has_saved(self, trouble: str) -> bool:
        """What has kept a file from being written is told for a while, over the picture."""
        if trouble:
            self.over.show_at(*self.over_at(), trouble)
            self._plate_stays.start()
        return not trouble

    def seen_topics(self) -> list[str]:
        """Those that are watched and have brought something."""
        return list(dict.fromkeys(watch.topic for watch in self._watches.values() if watch.came))

    def watched(self, role: str) -> str:
        watch = self._watches.get(role)
        return watch.topic if watch is not None else ""

    def tool(self, name: str, words: str, do: Callable[[bool], object], *, on: bool | None = None) -> QToolButton:
        """A button with a picture for the bar; `on` makes it one that stays down."""
        button = ViewerTool()
        button.setIcon(icon(name, self.theme.muted, self.theme.accent))
        button.setIconSize(QSize(16, 16))
        button.setToolTip(words)
        button.setAccessibleName(words.partition(":")[0])
        button.setCheckable(on is not None)
        button.setChecked(bool(on))
        # Whoever works here with the mouse means this panel with the keys too; first, as `do` may want them elsewhere.
        button.clicked.connect(lambda: self.setFocus(Qt.FocusReason.MouseFocusReason))
        button.clicked.connect(do)
        self._tools.append((button, name))
        return button

    def close_viewer(self) -> None:
        """Look at nothing any more."""
        for watch in self._watches.values():
            watch.close()
        self._watches.clear()
        for signal, slot in (
            (self.feed.attached, self._attached),
            (self.feed.changed, self._feed_changed),
            (self.feed.ended, self._ended),
            (self.feed.garbled_changed, self._show_garbled),
        ):
            signal.disconnect(slot)

    # ---- within

    def _attached(self) -> None:
        self.over.hide()
        self._show_offer()
        self.attached()
        self.topics_changed()

    def _feed_changed(self, changes: Changes) -> None:
        if changes.shape:
            self.topics_changed()
        # Not anew with every news: while a log plays they never end.
        if self.SHOWS_LAST and self.feed.state.get("player") and not self._settling.isActive():
            self._settling.start()
        quiet = self.quiet_words()
        if quiet != self._quiet:
            self._quiet = quiet
            self._show_garbled()
        self.changed(changes)

    def _ended(self, died: bool) -> None:
        self._show_offer()
        self.ended()
        if self.KEEPS_PICTURE and self._watches:
            self.over.show_at(*self.over_at())

    def _show_over(self) -> None:
        """What the plate tells for longer, if anything; what has to be read first stays for its while."""
        if self._plate_stays.isActive():
            return
        if self.feed.is_attached:
            self._show_garbled()
        elif self.KEEPS_PICTURE and self._watches:
            self.over.show_at(*self.over_at())
        else:
            self.over.hide()

    def _show_garbled(self) -> None:
        """The last picture stays, and says that it is of a time when the topic still had its type, of later, or old."""
        if self._plate_stays.isActive():
            return
        topics = [watch.topic for watch in self._watches.values() if watch.topic in self.feed.garbled]
        if topics:
            kind = self.feed.garbled[topics[0]]
            words = f"{topics[0]} no longer carries a {kind}. Restart the system to see its new messages"
            self.over.show_at(*self.over_at(), words)
        elif self.feed.is_attached:
            stamps = (watch.stamp_ns for watch in self._watches.values())
            state = self.feed.state
            words = later_words(state.get("player"), stamps, state.get("clock")) if self.SHOWS_LAST else ""
            words = words or self._quiet
            self.over.show_at(*self.over_at(), words) if words else self.over.hide()

    def _show_offer(self) -> None:
        empty = getattr(self, "empty", None)
        if isinstance(empty, Empty):
            empty.offer(self.offer(), self.wanted.emit)

    def over_at(self) -> tuple[int, float]:
        """Where the plate lies that tells that the run is over: its top, and how far to the right."""
        return self.picture_top() + 8, 0.5

    def picture_top(self) -> int:
        """Where its picture begins, below bars and strips."""
        place = getattr(self, "place", None)
        return max(place.y(), BAR_HEIGHT) if isinstance(place, QWidget) else BAR_HEIGHT

    @cached_property
    def _topic_choices(self) -> list[TopicChoice]:
        """Found once: a panel that opens is resized several times, and Qt wraps all there is to find them."""
        return list(self.findChildren(TopicChoice))

    # ---- Qt

    def showEvent(self, event: QShowEvent | None) -> None:
        super().showEvent(event)
        self._show_offer()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        for choice in self._topic_choices:
            choice.fit_into(self.width())
        if not self.over.isHidden():
            self.over.show_at(*self.over_at(), self.over.text())


class More(QToolButton):
    """Choices that are made once: behind a button, in a form with words beside them."""

    def __init__(self, words: str, rows: Mapping[str, QWidget], theme: Theme) -> None:
        super().__init__()
        self.setToolTip(words)
        self.setAccessibleName(words)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        form = QWidget()
        layout = QFormLayout(form)
        layout.setContentsMargins(12, 8, 12, 8)
        for label, widget in rows.items():
            layout.addRow(label, widget)
        self._menu = QMenu()
        keep_apart(self._menu, self)
        entry = QWidgetAction(self._menu)
        entry.setDefaultWidget(form)
        self._menu.addAction(entry)
        self.setMenu(self._menu)
        self.show_theme(theme)

    def show_theme(self, theme: Theme) -> None:
        self.setIcon(icon("mdi6.layers-outline", theme.muted))


def muted(text: str = "") -> QLabel:
    label = QLabel(text)
    label.setProperty("role", "muted")
    return label


class Facts(QLabel):
    """At the right of a bar, or as it is aligned: takes the room that is left, gives way first, and ends in … where it
    is too long.

    Its words change many times a second. A label would have the whole window laid out anew each time, because it could
    have become wider; this one is as wide as it is.
    """

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self._words = ""
        self.setProperty("role", "muted")
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setText(text)

    def text(self) -> str:
        return self._words

    def setText(self, text: str | None) -> None:
        if (text or "") != self._words:
            self._words = text or ""
            self.setAccessibleName(self._words)
            self.update()

    def clear(self) -> None:
        self.setText("")

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        words = self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, self.width())
        if words == self._words or self.width() >= LEAST_FACTS:
            painter.drawText(self.rect(), int(self.alignment()), words)
        painter.end()


def facts(text: str = "") -> Facts:
    return Facts(text)


def mark(widget: QWidget, name: str, value: object) -> None:
    """Set a property that the style looks at; it does so only when it is applied anew."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        style = widget.style()
        if style is not None:
            style.unpolish(widget)
            style.polish(widget)


def stacked(*widgets: QWidget) -> tuple[QWidget, QStackedLayout]:
    """Widgets in one place, of which one is seen at a time."""
    place = QWidget()
    stack = QStackedLayout(place)
    for widget in widgets:
        stack.addWidget(widget)
    return place, stack


def column(owner: QWidget, *widgets: QWidget) -> QVBoxLayout:
    layout = QVBoxLayout(owner)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    for widget in widgets:
        layout.addWidget(widget, 0 if isinstance(widget, Bar) else 1)
    return layout
