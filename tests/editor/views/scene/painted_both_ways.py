"""One scene by OpenGL and by Qt, on whatever display there is: who painted, and the colours at some places, as JSON.

And `held`: for which part of a long painting no other thread of Python could run.
"""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from threading import Event, Thread
from time import perf_counter

import numpy as np
from PyQt6.QtGui import QColor, QImage
from PyQt6.QtWidgets import QApplication, QWidget

from studio.editor.views.scene.batches import Lines, Placed, Points, Scene, Triangles, all_of
from studio.editor.views.scene.camera import PRESETS, Camera
from studio.editor.views.scene.painted_picture import PaintedPicture
from studio.editor.views.scene.picture_thread import Job, Made, PictureThread

PLACES = ((100, 90), (100, 130), (30, 20), (158, 60))
BEHIND_GLASS = (175, 166)


def scene() -> Scene:
    """From above: a red sheet over a green one; a blue line to the right, and a thing that was moved to the left.

    And at the lower right a stripe of grey glass over a white sheet.
    """
    sheet = np.array([[[-1, -1, 0], [1, -1, 0], [0, 1, 0]]], float)
    red, green = (Triangles(sheet * size + np.array([0, 0, z]), all_of(colour, 1)) for size, z, colour in (
        (1.0, 1.0, (255, 0, 0, 255)), (3.0, 0.0, (0, 255, 0, 255)),
    ))  # fmt: skip
    line = Lines(np.array([[[2.0, -5.0, 2.0], [2.0, 5.0, 2.0]]]), all_of((0, 0, 255, 255), 1), 6.0)
    aside = np.eye(4)
    aside[:3, 3] = (-2.8, 3.2, 0.0)
    corner = np.eye(4)
    corner[:3, 3] = (3.2, -2.9, 0.0)
    white = Triangles(sheet, all_of((255, 255, 255, 255), 1))
    glass = Lines(np.array([[[-1.0, -0.3, 0.1], [1.0, -0.3, 0.1]]]), all_of((116, 126, 138, 90), 1), 8.0)
    behind = Points(np.array([[0.0, 0.0, 50.0]]), all_of((9, 9, 9, 255), 1), 40.0)
    return Scene((Placed((red, line, behind)), Placed((green,)), Placed((red,), aside), Placed((white, glass), corner)))


def colours(picture: QImage) -> list[str]:
    return [picture.pixelColor(x, y).name() for x, y in PLACES]


def behind_glass(picture: QImage) -> tuple[int, ...]:
    return picture.pixelColor(*BEHIND_GLASS).getRgb()[:3]


def large_scene() -> Scene:
    """So much that software needs a while."""
    random = np.random.default_rng(1)
    sheets = random.uniform(-4.0, 4.0, (6000, 3, 3))
    return Scene((Placed((Triangles(sheets, all_of((200, 100, 50, 255), len(sheets))),)),))


class Beats:
    """Another thread, which only wants to run now and then."""

    def __init__(self) -> None:
        self.at: list[float] = [perf_counter()]
        self._ended = Event()
        Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while not self._ended.wait(0.002):
            self.at.append(perf_counter())

    def longest_s(self) -> float:
        self._ended.set()
        return max(later - sooner for sooner, later in pairwise([*self.at, perf_counter()]))


def main() -> int:
    app = QApplication(sys.argv[:1])
    owner = QWidget()
    camera = Camera(distance_m=10.0)
    camera.look_from(PRESETS[1])
    pictures = PictureThread(owner)
    found: list[Made] = []
    pictures.made.connect(lambda made: (found.append(made), app.quit()))
    pictures.paint(Job(scene(), camera, 200, 180, "#000000"))
    app.exec()
    maker = pictures.maker
    assert maker is not None
    words = maker.words
    beats, began = Beats(), perf_counter()
    pictures.paint(Job(large_scene(), camera, 600, 500, "#000000"))
    app.exec()
    share = beats.longest_s() / (perf_counter() - began)
    pictures.close()
    by_qt = PaintedPicture().paint(scene(), camera, 200, 180, QColor("#000000"))
    glass = [behind_glass(picture) for picture in (found[0].picture, by_qt)]
    told = {"words": words, "gl": colours(found[0].picture), "qt": colours(by_qt), "glass": glass, "held": share}
    print(json.dumps(told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
