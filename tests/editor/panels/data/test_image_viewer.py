"""Images of every usual encoding, and what does not deserve the name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import QBuffer, QEvent, QIODevice, QPointF, Qt
from PyQt6.QtGui import QColor, QImage, QMouseEvent
from PyQt6.QtWidgets import QApplication

from studio.editor.live.batch import Event
from studio.editor.live.feed import Feed
from studio.editor.look.theme import DARK, LIGHT
from studio.editor.panels.data.image_viewer import ImageViewer
from studio.editor.views.maps.image_pixels import UNKNOWN, picture_of
from studio.messages import Float64, Image, Message

CAMERA = "/platform/camera"


@pytest.fixture
def viewer(qapp: QApplication) -> Iterator[ImageViewer]:
    feed = Feed()
    feed.state = {"topics": {CAMERA: {"type": "Image", "count": 3}}, "components": {}, "processes": {}}
    made = ImageViewer(feed, LIGHT)
    made.resize(600, 400)
    made.show()
    yield made
    made.close_viewer()
    feed.close()


def show(viewer: ImageViewer, message: Message) -> None:
    viewer._take([Event(CAMERA, 1, 0, message)])


@pytest.mark.parametrize(
    ("encoding", "pixel", "rgb"),
    [
        ("mono8", 200, (200, 200, 200)),
        ("rgb8", (1, 2, 3), (1, 2, 3)),
        ("bgr8", (1, 2, 3), (3, 2, 1)),
        ("bgra8", (1, 2, 3, 255), (3, 2, 1)),
        ("8UC3", (1, 2, 3), (3, 2, 1)),
        ("rgb16", (256, 512, 65535), (1, 2, 255)),
    ],
)
def test_colours_come_out_as_they_were_meant(encoding: str, pixel: Any, rgb: tuple[int, int, int]) -> None:
    dtype = np.uint16 if encoding.endswith("16") else np.uint8
    pixels = np.full((2, 3, *np.shape(pixel)), pixel, dtype)
    assert picture_of(Image.from_pixels(pixels, encoding)).rgb[1, 2].tolist() == list(rgb)


def test_depth_goes_from_black_to_white_and_what_is_no_number_is_neither(viewer: ImageViewer) -> None:
    depth = np.array([[0.5, 4.5], [np.nan, np.inf]], np.float32)
    show(viewer, Image.from_pixels(depth, frame="Camera:Lens"))
    picture = viewer.view.picture
    assert picture is not None and picture.span == (0.5, 4.5)
    assert picture.rgb[0].tolist() == [[0, 0, 0], [255, 255, 255]] and picture.rgb[1].tolist() == [[*UNKNOWN]] * 2
    assert viewer.facts.text() == "2 × 2 32FC1 · 0.5 … 4.5 · 2 pixels without a number · Camera:Lens"
    viewer.span.setText("0 … 9")
    viewer._chosen()
    assert viewer.view.picture is not None and viewer.view.picture.rgb[0, 1, 0] == 127
    viewer.span.setText("nine")
    viewer._chosen()
    assert viewer.span.property("wrong") == "true" and viewer.view.picture.span == (0.5, 4.5)


def test_a_pixel_is_read_out_and_stays_under_the_pointer(viewer: ImageViewer) -> None:
    pixels = np.arange(12, dtype=np.uint16).reshape(3, 4) * 1000
    show(viewer, Image.from_pixels(pixels))
    view = viewer.view
    assert view.read_out(2.5, -1.5) == "column 2  row 1   6000   #8B8B8B"
    assert view.read_out(-0.1, -1.0) == view.read_out(1.0, -3.2) == "outside the image"
    at = QPointF(100.0, 90.0)
    before = view.world().x_of(at.x())
    view.zoom_at(at, 4.0)
    assert view.world().x_of(at.x()) == pytest.approx(before)
    viewer.real.click()
    assert view.metres_per_pixel == pytest.approx(1.0 / view.devicePixelRatioF())


def test_what_is_painted_is_the_image(viewer: ImageViewer) -> None:
    pixels = np.zeros((4, 4, 3), np.uint8)
    pixels[:2, 2:] = (255, 0, 0)
    show(viewer, Image.from_pixels(pixels))
    seen = viewer.view.grab().toImage()
    middle = QPointF(seen.width() / 2, seen.height() / 2)
    assert seen.pixelColor(int(middle.x()) + 40, int(middle.y()) - 40).name() == "#ff0000", "above, to the right"
    assert seen.pixelColor(int(middle.x()) - 40, int(middle.y()) + 40).name() == "#000000"


def test_odd_images_are_told_in_words(viewer: ImageViewer) -> None:
    for message, words in (
        (Image(), "no pixels"),
        (Image(encoding="yuv422", height=1, width=1, step=2, data=np.zeros(2, np.uint8)), "'yuv422' is not known"),
        (Image(encoding="rgb8", height=4, width=4, step=12, data=np.zeros(5, np.uint8)), "got step 12 and 5 bytes"),
        (Float64(1.0), "carries Float64 now"),
    ):
        show(viewer, message)
        assert viewer.empty.isVisible() and words in viewer.empty.words.text()
    show(viewer, Image.from_pixels(np.zeros((2, 2), np.uint8)))
    show(viewer, Image.from_pixels(np.zeros((20, 40), np.uint8)))
    assert viewer.view.isVisible() and viewer.view.extent_m() == (0.0, -20.0, 40.0, 0.0), "another size"


def test_held_saved_and_kept(viewer: ImageViewer, tmp_path: Path) -> None:
    show(viewer, Image.from_pixels(np.full((3, 5), 7, np.uint8)))
    viewer.hold.click()
    show(viewer, Image.from_pixels(np.full((3, 5), 250, np.uint8)))
    assert "held" in viewer.facts.text() and viewer.view.image.pixelColor(0, 0) == QColor(7, 7, 7)
    assert viewer.export_to(tmp_path / "seen")
    saved = QImage(str(tmp_path / "seen.png"))
    assert (saved.width(), saved.height()) == (5, 3) and saved.pixelColor(4, 2) == QColor(7, 7, 7)
    viewer.colours.setCurrentIndex(1)
    viewer.span.setText("1 … 2")
    other = ImageViewer(viewer.feed, DARK)
    other.restore(viewer.save())
    assert other.save() == viewer.save() == {"topic": CAMERA, "colours": "cividis", "range": "1 … 2"}
    other.close_viewer()


def test_a_compressed_image_of_a_project_is_unpacked(viewer: ImageViewer) -> None:
    class CompressedImage(Float64):
        format = "png"

    image = QImage(3, 2, QImage.Format.Format_RGB888)
    image.fill(QColor(9, 8, 7))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    message = CompressedImage(0.0)
    message.__dict__["data"] = np.frombuffer(buffer.data().data(), np.uint8)
    show(viewer, message)
    assert viewer.view.picture is not None and viewer.view.picture.rgb[1, 2].tolist() == [9, 8, 7]
    message.__dict__["data"] = np.zeros(4, np.uint8)
    show(viewer, message)
    assert "cannot be read" in viewer.empty.words.text()


def test_the_pixel_under_the_pointer_is_on_the_picture(viewer: ImageViewer) -> None:
    show(viewer, Image.from_pixels(np.full((40, 60), 7, np.uint8)))
    without = viewer.view.grab().toImage()
    middle, none = QPointF(viewer.view.rect().center()), Qt.MouseButton.NoButton
    keys = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(viewer.view, QMouseEvent(QEvent.Type.MouseMove, middle, middle, none, none, keys))
    assert viewer.view.grab().toImage() != without


def test_the_whole_image_stays_whole_until_a_hand_moves_it(viewer: ImageViewer) -> None:
    show(viewer, Image.from_pixels(np.zeros((40, 60), np.uint8)))
    scale = viewer.view.metres_per_pixel
    viewer.resize(900, 800)
    assert viewer.view.metres_per_pixel < scale
    viewer.view.zoom_at(QPointF(5, 5), 2.0)
    scale = viewer.view.metres_per_pixel
    viewer.resize(300, 300)
    assert viewer.view.metres_per_pixel == scale
