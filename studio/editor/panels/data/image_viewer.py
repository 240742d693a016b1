"""Images as they come: any usual encoding, depth with its range, one pixel in words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QComboBox, QFileDialog, QLineEdit

from studio.editor.live.batch import Event
from studio.editor.live.feed import Feed
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.picture_file import save_picture
from studio.editor.panels.parts.viewer import Bar, Empty, More, Settings, TopicChoice, Viewer, column, facts, stacked
from studio.editor.views.maps.image_pixels import COLOURS, Picture, Span, picture_of
from studio.editor.views.maps.image_view import ImageView
from studio.messages import Image, Message, MessageError

TYPES = frozenset({"Image", "CompressedImage"})
NOTHING = "No image yet. Choose a topic of type Image"


class ImageViewer(Viewer):
    KIND, TITLE, ICON = "image", "Image", "mdi6.image"
    KEEPS_PICTURE = True
    SHOWS_LAST = True

    def __init__(self, feed: Feed, theme: Theme) -> None:
        super().__init__(feed, theme)
        self.view = ImageView(theme)
        self.empty = Empty(self.ICON, NOTHING, theme)
        self.place, self._stack = stacked(self.empty, self.view)
        self.topic = TopicChoice(TYPES, "Choose an image")
        self.topic.chosen.connect(self._watch)
        self.hold = self.tool("fa6s.pause", "Hold: this image stays while others come", self._hold, on=False)
        self.fit = self.tool("mdi6.fit-to-page-outline", "Show the whole image: F", lambda _: self.view.fit())
        self.real = self.tool(
            "mdi6.numeric-1-box-outline", "One pixel of the image on one of the screen", lambda _: self.view.real_size()
        )
        self.export = self.tool("mdi6.image-outline", "Save the image as PNG", lambda _: self.ask_export())
        self.colours = QComboBox()
        self.colours.addItems([name.capitalize() for name in COLOURS])
        self.colours.setToolTip("Of images with one number a pixel, such as depth")
        self.colours.setAccessibleName("Colours")
        self.colours.activated.connect(lambda _: self._chosen())
        self.span = QLineEdit()
        self.span.setPlaceholderText("its own")
        self.span.setToolTip("From black to white, e.g. 0.5 … 8; empty: from the least to the greatest")
        self.span.setAccessibleName("Range")
        self.span.editingFinished.connect(self._chosen)
        self.more = More("Colours and range", {"Colours": self.colours, "Range": self.span}, theme)
        self.facts = facts()
        column(
            self,
            Bar(self.topic, self.hold, self.fit, self.real, self.more, self.export, self.facts),
            self.place,
        )
        self._last: Event | None = None
        self.setFocusProxy(self.view)
        self.topics_changed()

    # ---- what is kept

    def save(self) -> Settings:
        return {"topic": self.topic.topic, "colours": COLOURS[self.colours.currentIndex()], "range": self.span.text()}

    def restore(self, settings: Settings) -> None:
        if settings.get("colours") in COLOURS:
            self.colours.setCurrentIndex(COLOURS.index(settings["colours"]))
        self.span.setText(str(settings.get("range", "")))
        self.topic.choose(str(settings.get("topic", "")))
        self.topics_changed()

    # ---- the feed

    def attached(self) -> None:
        self.hold.setChecked(False)

    def topics_changed(self) -> None:
        self.topic.refresh(self.feed.state.get("topics", {}), first=True)

    def _watch(self, topic: str) -> None:
        self._last = None
        self.view.forget()
        self.facts.clear()
        self.empty.say(f"Waiting for an image on {topic}" if topic else NOTHING)
        self._stack.setCurrentWidget(self.empty)
        self.look_at("image", topic, self._take)
        self.retitle(topic or self.TITLE)
        self.settled.emit()

    def _take(self, events: list[Event]) -> None:
        if not self.hold.isChecked():
            self._last = events[-1]
            self._show()

    # ---- showing

    def _show(self) -> None:
        if self._last is None:
            return
        message = self._last.message
        try:
            picture = self._picture(message)
        except MessageError as error:
            self._say(error.message)
            return
        if picture is None:
            self._say(f"{self._last.topic} carries {type(message).__name__} now, not Image")
        elif not picture.rgb.size:
            self._say("The image is empty: it has no pixels")
        else:
            self._stack.setCurrentWidget(self.view)
            self.view.show_picture(picture)
            self.facts.setText(self._words(picture, str(getattr(message, "frame", ""))))
            self.facts.setToolTip(self.facts.text())

    def _picture(self, message: Message) -> Picture | None:
        if isinstance(message, Image):
            return picture_of(message, self._span(), COLOURS[self.colours.currentIndex()])
        if type(message).__name__ == "CompressedImage":
            return _unpacked(message)
        return None

    def _say(self, sentence: str) -> None:
        self.empty.say(sentence)
        self.facts.clear()
        self._stack.setCurrentWidget(self.empty)

    def _words(self, picture: Picture, frame: str) -> str:
        width, height = picture.size
        words = [f"{width} × {height} {picture.encoding}"]
        if picture.span is not None and picture.values.dtype != np.uint8:
            words.append(f"{picture.span[0]:.4g} … {picture.span[1]:.4g}".replace("-", "−"))
        if picture.unknown:
            words.append(f"{picture.unknown} pixels without a number")
        if frame:
            words.append(frame)
        if self.hold.isChecked():
            words.append("held")
        return " · ".join(words)

    # ---- choices

    def _span(self) -> Span | None:
        """What was typed, if it is a range."""
        for between in ("…", "..", " "):
            low, found, high = self.span.text().strip().replace("−", "-").partition(between)
            if found:
                try:
                    pair = float(low), float(high.strip(" ."))
                except ValueError:
                    continue
                return pair if pair[0] < pair[1] else None
        return None

    def _chosen(self) -> None:
        is_wrong = bool(self.span.text().strip()) and self._span() is None
        self.span.setProperty("wrong", "true" if is_wrong else "false")
        style = self.span.style()
        if style is not None:
            style.polish(self.span)
        self._show()
        self.settled.emit()

    def _hold(self, on: bool) -> None:
        self._show()

    def ask_export(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, "Save the image", "image.png", "Pictures (*.png)")
        if name:
            self.export_to(Path(name))

    def export_to(self, path: Path) -> bool:
        """All of the image in its own size, in the colours that are shown."""
        return self.has_saved(save_picture(self.view.image, path))

    def show_theme(self, theme: Theme) -> None:
        super().show_theme(theme)
        self.view.show_theme(theme)
        self.empty.show_theme(theme)
        self.more.show_theme(theme)


def _unpacked(message: Message) -> Picture:
    """A JPEG or PNG that a project's own type carries; Qt reads both."""
    found = QImage.fromData(bytes(np.asarray(getattr(message, "data", ()), np.uint8)))
    if found.isNull():
        raise MessageError("this compressed image cannot be read: it is neither JPEG nor PNG")
    plain = found.convertToFormat(QImage.Format.Format_RGB888)
    bits = plain.constBits()
    assert bits is not None
    rows = np.frombuffer(bits.asstring(plain.sizeInBytes()), np.uint8).reshape(plain.height(), plain.bytesPerLine())
    rgb = rows[:, : 3 * plain.width()].reshape(plain.height(), plain.width(), 3).copy()
    return Picture(rgb, rgb, str(getattr(message, "format", "")) or "compressed")
