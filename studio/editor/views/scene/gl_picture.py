"""Paints a scene with OpenGL, off the screen, into a picture.

Not into a QOpenGLWidget: where GL is software, such a widget makes every repaint of its whole window three to six
times slower, and the window is made anew when the first one comes into it. A picture of 800 x 600 is 2 MB to copy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from PyQt6.QtCore import QSize
from PyQt6.QtGui import QColor, QImage, QOffscreenSurface, QOpenGLContext, QSurfaceFormat
from PyQt6.QtOpenGL import QOpenGLFramebufferObject, QOpenGLFramebufferObjectFormat

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
        self._gl = self._functions()
        self.renderer = bytes(self._gl.glGetString(self._gl.GL_RENDERER) or b"").decode(errors="replace")
        self._is_software = any(word in self.renderer.lower() for word in SOFTWARE)
        self.words = "software GL" if self._is_software else "OpenGL"
        self._buffer: QOpenGLFramebufferObject | None = None

    def _functions(self) -> Any:
        try:
            import OpenGL

            OpenGL.ERROR_CHECKING = False  # asks GL after each call, which costs more than the call
            OpenGL.ERROR_LOGGING = False
            from OpenGL import GL
        except ImportError as error:
            raise NoGl(f"PyOpenGL is missing: {error}") from None
        return GL

    def paint(self, scene: Scene, camera: Camera, width: int, height: int, ground: QColor) -> QImage:
        """A picture of this size, in pixels of the screen."""
        if not self._context.makeCurrent(self._surface):
            raise NoGl("the OpenGL context is lost")
        buffer = self._sized(width, height)
        buffer.bind()
        self._begin(camera, width, height, ground)
        view = camera.view_matrix()
        for thing in scene.things:
            self._gl.glLoadMatrixd(np.ascontiguousarray((view @ thing.pose).T))
            for batch in thing.batches:
                self._draw(batch)
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
        gl = self._gl
        gl.glViewport(0, 0, width, height)
        gl.glClearColor(ground.redF(), ground.greenF(), ground.blueF(), 1.0)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT)
        gl.glEnable(gl.GL_DEPTH_TEST)
        gl.glEnable(gl.GL_BLEND)
        # The picture itself stays opaque: of half a colour Qt would make another one on a bright ground.
        gl.glBlendFuncSeparate(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA, gl.GL_ONE, gl.GL_ONE_MINUS_SRC_ALPHA)
        # Edges lie in their faces: the faces are pushed back a little, so that the edges are seen.
        gl.glEnable(gl.GL_POLYGON_OFFSET_FILL)
        gl.glPolygonOffset(1.0, 1.0)
        gl.glMatrixMode(gl.GL_PROJECTION)
        gl.glLoadMatrixd(np.ascontiguousarray(camera.projection(width, height).T))
        gl.glMatrixMode(gl.GL_MODELVIEW)

    def _draw(self, batch: Batch) -> None:
        if not len(batch.points):
            return
        gl = self._gl
        if isinstance(batch, Points):
            gl.glPointSize(batch.size)
            mode, corners = gl.GL_POINTS, 1
        elif isinstance(batch, Lines):
            gl.glLineWidth(batch.width)
            mode, corners = gl.GL_LINES, 2
        else:
            mode, corners = gl.GL_TRIANGLES, 3
        places = np.ascontiguousarray(batch.points.reshape(-1, 3), np.float32)
        colours = np.repeat(batch.colours, corners, axis=0) if corners > 1 else np.ascontiguousarray(batch.colours)
        gl.glEnableClientState(gl.GL_VERTEX_ARRAY)
        gl.glEnableClientState(gl.GL_COLOR_ARRAY)
        gl.glVertexPointer(3, gl.GL_FLOAT, 0, places)
        gl.glColorPointer(4, gl.GL_UNSIGNED_BYTE, 0, colours)
        gl.glDrawArrays(mode, 0, len(places))
        gl.glDisableClientState(gl.GL_COLOR_ARRAY)
        gl.glDisableClientState(gl.GL_VERTEX_ARRAY)
