"""Paints a scene with OpenGL, off the screen, into a picture.

Not into a QOpenGLWidget: where GL is software, such a widget makes every repaint of its whole window three to six
times slower, and the window is made anew when the first one comes into it. A picture of 800 x 600 is 2 MB to copy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QSize
from PyQt6.QtGui import QColor, QImage, QOffscreenSurface, QOpenGLContext, QSurfaceFormat
from PyQt6.QtOpenGL import QOpenGLFramebufferObject, QOpenGLFramebufferObjectFormat

from studio.editor.views.scene import gl_calls as gl
from studio.editor.views.scene.batches import Batch, Lines, Points, Scene, is_glass
from studio.editor.views.scene.buffers import Buffers
from studio.editor.views.scene.camera import Camera

WITHOUT_GL = ("offscreen", "minimal", "vnc", "linuxfb")
"""Platforms of Qt on which a context can be made that then fails."""
SOFTWARE = ("llvmpipe", "softpipe", "swrast", "software")
SAMPLES = 4
"""Per pixel, where there is hardware for it; software takes three times as long with them."""
MOST_QUADS = 9000


def wanted_format() -> QSurfaceFormat:
    wanted = QSurfaceFormat()
    wanted.setVersion(2, 1)
    wanted.setDepthBufferSize(24)
    return wanted


class NoGl(Exception):
    """Why there is no OpenGL here; the other painter is used then."""


class GlPicture:
    most_quads = MOST_QUADS

    def __init__(self, surface: QOffscreenSurface) -> None:
        """By the thread that paints; the surface was made by the window's."""
        self._surface = surface
        self._context = QOpenGLContext()
        self._context.setFormat(wanted_format())
        if not self._context.create():
            raise NoGl("no OpenGL context can be made")
        if not surface.isValid() or not self._context.makeCurrent(surface):
            raise NoGl("the OpenGL context cannot be used")
        try:
            self._calls, self.renderer = gl.calls_of(self._context), gl.renderer_of(self._context)
        except gl.MissingCall as missing:
            raise NoGl(f"this OpenGL has no {missing}") from None
        self._buffers = Buffers(self._calls)
        self._is_software = any(word in self.renderer.lower() for word in SOFTWARE)
        self.words = "software GL" if self._is_software else "OpenGL"
        self._buffer: QOpenGLFramebufferObject | None = None

    def paint(self, scene: Scene, camera: Camera, width: int, height: int, ground: QColor) -> QImage:
        """A picture of this size, in pixels of the screen."""
        if not self._context.makeCurrent(self._surface):
            raise NoGl("the OpenGL context is lost")
        buffer = self._sized(width, height)
        buffer.bind()
        self._begin(scene, camera, width, height, ground)
        self._draw_all(scene, camera.view_matrix())
        # Or software GL would paint when the picture is asked for. PyQt holds Python's lock meanwhile, and the whole
        # window would stand still, here for 0.9 s; this call gives it away.
        self._calls.glFinish()
        picture = buffer.toImage()
        buffer.release()
        self._buffers.drop_unused()
        return picture

    def _sized(self, width: int, height: int) -> QOpenGLFramebufferObject:
        size = QSize(width, height)
        if self._buffer is None or self._buffer.size() != size:
            wanted = QOpenGLFramebufferObjectFormat()
            wanted.setAttachment(QOpenGLFramebufferObject.Attachment.Depth)
            wanted.setSamples(0 if self._is_software else SAMPLES)
            self._buffer = QOpenGLFramebufferObject(size, wanted)
        if not self._buffer.isValid():
            raise NoGl("no picture can be painted off the screen")
        return self._buffer

    def _begin(self, scene: Scene, camera: Camera, width: int, height: int, ground: QColor) -> None:
        calls = self._calls
        calls.glViewport(0, 0, width, height)
        calls.glClearColor(ground.redF(), ground.greenF(), ground.blueF(), 1.0)
        calls.glClear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT)
        calls.glEnable(gl.DEPTH_TEST)
        calls.glEnable(gl.BLEND)
        # The picture itself stays opaque: of half a colour Qt would make another one on a bright ground.
        calls.glBlendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA)
        # Edges lie in their faces: the faces are pushed back a little, so that the edges are seen.
        calls.glEnable(gl.POLYGON_OFFSET_FILL)
        calls.glPolygonOffset(1.0, 1.0)
        calls.glMatrixMode(gl.PROJECTION)
        self._load(camera.projection(width, height))
        calls.glMatrixMode(gl.MODELVIEW)
        if scene.section is None:
            calls.glDisable(gl.CLIP_PLANE0)
        else:
            self._load(camera.view_matrix())
            plane = np.array(scene.section, np.float64)
            calls.glClipPlane(gl.CLIP_PLANE0, plane.ctypes.data)
            calls.glEnable(gl.CLIP_PLANE0)

    def _draw_all(self, scene: Scene, view: NDArray[np.float64]) -> None:
        """What is solid; then what shines through, which hides nothing; then what is seen through all."""
        layers: tuple[list[tuple[NDArray[np.float64], Batch]], ...] = ([], [], [])
        for thing in scene.things:
            for batch in thing.batches:
                if len(batch.points):
                    layers[_layer(batch)].append((thing.pose, batch))
        for number, layer in enumerate(layers):
            self._calls.glDepthMask(number == 0)
            (self._calls.glDisable if number == 2 else self._calls.glEnable)(gl.DEPTH_TEST)
            for pose, batch in layer:
                self._load(view @ pose)
                self._draw(batch, scene.pixel)
        self._calls.glDepthMask(True)  # or nothing is cleared for the next picture

    def _load(self, matrix: NDArray[np.float64]) -> None:
        by_columns = np.ascontiguousarray(matrix.T, np.float64)
        self._calls.glLoadMatrixd(by_columns.ctypes.data)

    def _draw(self, batch: Batch, pixel: float) -> None:
        calls = self._calls
        if isinstance(batch, Points):
            calls.glPointSize(batch.size * pixel)
        elif isinstance(batch, Lines):
            calls.glLineWidth(batch.width * pixel)
        self._buffers.draw(batch)


def _layer(batch: Batch) -> int:
    if isinstance(batch, Lines) and batch.is_on_top:
        return 2
    return 1 if is_glass(batch) else 0
