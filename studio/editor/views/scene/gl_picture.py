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
from studio.editor.views.scene.batches import Batch, Lines, Points, Scene
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
        self._is_software = any(word in self.renderer.lower() for word in SOFTWARE)
        self.words = "software GL" if self._is_software else "OpenGL"
        self._buffer: QOpenGLFramebufferObject | None = None

    def paint(self, scene: Scene, camera: Camera, width: int, height: int, ground: QColor) -> QImage:
        """A picture of this size, in pixels of the screen."""
        if not self._context.makeCurrent(self._surface):
            raise NoGl("the OpenGL context is lost")
        buffer = self._sized(width, height)
        buffer.bind()
        self._begin(camera, width, height, ground)
        view = camera.view_matrix()
        for thing in scene.things:
            self._load(view @ thing.pose)
            for batch in thing.batches:
                self._draw(batch)
        # Or software GL would paint when the picture is asked for. PyQt holds Python's lock meanwhile, and the whole
        # window would stand still, here for 0.9 s; this call gives it away.
        self._calls.glFinish()
        picture = buffer.toImage()
        buffer.release()
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

    def _begin(self, camera: Camera, width: int, height: int, ground: QColor) -> None:
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

    def _load(self, matrix: NDArray[np.float64]) -> None:
        by_columns = np.ascontiguousarray(matrix.T, np.float64)
        self._calls.glLoadMatrixd(by_columns.ctypes.data)

    def _draw(self, batch: Batch) -> None:
        if not len(batch.points):
            return
        calls = self._calls
        if isinstance(batch, Points):
            calls.glPointSize(batch.size)
            mode, corners = gl.POINTS, 1
        elif isinstance(batch, Lines):
            calls.glLineWidth(batch.width)
            mode, corners = gl.LINES, 2
        else:
            mode, corners = gl.TRIANGLES, 3
        places = np.ascontiguousarray(batch.points.reshape(-1, 3), np.float32)
        colours = np.ascontiguousarray(np.repeat(batch.colours, corners, axis=0), np.uint8)
        calls.glEnableClientState(gl.VERTEX_ARRAY)
        calls.glEnableClientState(gl.COLOR_ARRAY)
        calls.glVertexPointer(3, gl.FLOAT, 0, places.ctypes.data)
        calls.glColorPointer(4, gl.UNSIGNED_BYTE, 0, colours.ctypes.data)
        calls.glDrawArrays(mode, 0, len(places))
        calls.glDisableClientState(gl.COLOR_ARRAY)
        calls.glDisableClientState(gl.VERTEX_ARRAY)
