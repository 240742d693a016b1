"""The few calls of OpenGL that a scene needs, straight from the context.

Not PyOpenGL: importing it takes a second, in which Python's lock goes back and forth between the importing thread and
the window's, and a window that shows its first scene stood still for half a second. Calls through ctypes give the lock
away, which those of PyQt do not.
"""

from __future__ import annotations

from ctypes import CFUNCTYPE, c_char_p, c_float, c_int, c_ssize_t, c_ubyte, c_uint, c_void_p
from types import SimpleNamespace
from typing import Any

from PyQt6.QtGui import QOpenGLContext

COLOR_BUFFER_BIT, DEPTH_BUFFER_BIT = 0x4000, 0x0100
DEPTH_TEST, BLEND, POLYGON_OFFSET_FILL, CLIP_PLANE0 = 0x0B71, 0x0BE2, 0x8037, 0x3000
ONE, SRC_ALPHA, ONE_MINUS_SRC_ALPHA = 1, 0x0302, 0x0303
MODELVIEW, PROJECTION = 0x1700, 0x1701
VERTEX_ARRAY, COLOR_ARRAY = 0x8074, 0x8076
POINTS, LINES, TRIANGLES = 0x0000, 0x0001, 0x0004
FLOAT, UNSIGNED_BYTE = 0x1406, 0x1401
ARRAY_BUFFER, STATIC_DRAW = 0x8892, 0x88E4
RENDERER = 0x1F01

_TAKES: dict[str, tuple[Any, ...]] = {
    "glViewport": (c_int, c_int, c_int, c_int),
    "glClearColor": (c_float, c_float, c_float, c_float),
    "glClear": (c_uint,),
    "glEnable": (c_uint,),
    "glBlendFuncSeparate": (c_uint, c_uint, c_uint, c_uint),
    "glPolygonOffset": (c_float, c_float),
    "glMatrixMode": (c_uint,),
    "glLoadMatrixd": (c_void_p,),
    "glPointSize": (c_float,),
    "glLineWidth": (c_float,),
    "glEnableClientState": (c_uint,),
    "glDisableClientState": (c_uint,),
    "glVertexPointer": (c_int, c_uint, c_int, c_void_p),
    "glColorPointer": (c_int, c_uint, c_int, c_void_p),
    "glDrawArrays": (c_uint, c_int, c_int),
    "glDepthMask": (c_ubyte,),
    "glDisable": (c_uint,),
    "glClipPlane": (c_uint, c_void_p),
    "glGenBuffers": (c_int, c_void_p),
    "glDeleteBuffers": (c_int, c_void_p),
    "glBindBuffer": (c_uint, c_uint),
    "glBufferData": (c_uint, c_ssize_t, c_void_p, c_uint),
    "glFinish": (),
}


class MissingCall(Exception):
    """A driver without one of the calls."""


def calls_of(context: QOpenGLContext) -> SimpleNamespace:
    """The calls by their names, for the context that is current; arrays are given by their address."""
    return SimpleNamespace(**{name: CFUNCTYPE(None, *takes)(_address(context, name)) for name, takes in _TAKES.items()})


def renderer_of(context: QOpenGLContext) -> str:
    told = CFUNCTYPE(c_char_p, c_uint)(_address(context, "glGetString"))(RENDERER)
    return (told or b"").decode(errors="replace")


def _address(context: QOpenGLContext, name: str) -> int:
    found = int(context.getProcAddress(name.encode()) or 0)
    if not found:
        raise MissingCall(name)
    return found
