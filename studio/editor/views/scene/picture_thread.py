"""Paints pictures of scenes beside the window's work: the first takes long, as software GL compiles what it needs."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Protocol

from PyQt6.QtCore import QObject, pyqtSignal
from PyQt6.QtGui import QColor, QGuiApplication, QImage, QOffscreenSurface

from studio.editor.views.scene.batches import Scene
from studio.editor.views.scene.camera import Camera
from studio.editor.views.scene.gl_picture import WITHOUT_GL, GlPicture, NoGl, wanted_format
from studio.editor.views.scene.painted_picture import PaintedPicture
from studio.runtime.base.clock import monotonic_ns


class PictureMaker(Protocol):
    words: str
    renderer: str
    most_quads: int

    def paint(self, scene: Scene, camera: Camera, width: int, height: int, ground: QColor) -> QImage: ...


@dataclass(frozen=True)
class Job:
    scene: Scene
    camera: Camera
    """A copy: the window goes on moving its own."""
    width: int
    height: int
    ground: str


@dataclass(frozen=True)
class Made:
    job: Job
    picture: QImage
    took_ms: float


class PictureThread(QObject):
    made = pyqtSignal(object)
    """Made."""

    def __init__(self, parent: QObject, *, without_gl: str = "") -> None:
        """`without_gl`: why no OpenGL shall be tried."""
        super().__init__(parent)
        self._without_gl = without_gl
        self.maker: PictureMaker | None = None
        """None until the first picture is asked for."""
        self.why_no_gl = ""
        self._surface: QOffscreenSurface | None = None
        self._news = threading.Condition()
        self._job: Job | None = None
        self._ended = False
        self._thread: threading.Thread | None = None

    def paint(self, job: Job) -> None:
        """The newest job replaces one that was not begun."""
        if self._thread is None:
            platform = QGuiApplication.platformName()
            if self._without_gl:
                self.why_no_gl = self._without_gl
            elif platform in WITHOUT_GL:
                self.why_no_gl = f"Qt's platform {platform} has none"
            else:
                self._surface = QOffscreenSurface()  # Qt wants it made by the window's thread
                self._surface.setFormat(wanted_format())
                self._surface.create()
            self._thread = threading.Thread(target=self._work, name="scene", daemon=True)
            self._thread.start()
        with self._news:
            self._job = job
            self._news.notify()

    def close(self) -> None:
        with self._news:
            self._ended = True
            self._news.notify()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _work(self) -> None:
        self.maker = self._chosen()
        while True:
            with self._news:
                self._news.wait_for(lambda: self._ended or self._job is not None)
                job, self._job = self._job, None
                if self._ended or job is None:
                    break
            began_ns = monotonic_ns()
            picture = self._paint(job)
            self.made.emit(Made(job, picture, (monotonic_ns() - began_ns) / 1e6))
        self.maker = None  # a context ends where it was made

    def _chosen(self) -> PictureMaker:
        if self._surface is not None:
            try:
                return GlPicture(self._surface)
            except NoGl as error:
                self.why_no_gl = str(error)
        return PaintedPicture()

    def _paint(self, job: Job) -> QImage:
        assert self.maker is not None
        ground = QColor(job.ground)
        try:
            return self.maker.paint(job.scene, job.camera, job.width, job.height, ground)
        except NoGl as error:  # a driver that gives up: go on without it
            self.why_no_gl, self.maker = str(error), PaintedPicture()
            return self.maker.paint(job.scene, job.camera, job.width, job.height, ground)
