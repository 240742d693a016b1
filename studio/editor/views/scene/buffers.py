"""Batches in the memory of the graphics driver: given to it once, and drawn as often as the camera moves.

A batch that is in no scene any more gives its memory back. Batches are told apart by identity, not by what they hold.
"""

from __future__ import annotations

import weakref
from ctypes import byref, c_uint
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from studio.editor.views.scene import gl_calls as gl
from studio.editor.views.scene.batches import Batch, Lines, Points

CORNER = np.dtype([("place", "<f4", 3), ("colour", "u1", 4)])


@dataclass
class _Kept:
    batch: weakref.ref[Batch]
    handle: c_uint
    mode: int
    corners: int


class Buffers:
    """Only for the thread whose context is current."""

    def __init__(self, calls: SimpleNamespace) -> None:
        self._calls = calls
        self._kept: dict[int, _Kept] = {}
        self._drawn: set[int] = set()

    def __len__(self) -> int:
        return len(self._kept)

    def draw(self, batch: Batch) -> None:
        kept = self._of(batch)
        calls = self._calls
        calls.glBindBuffer(gl.ARRAY_BUFFER, kept.handle)
        calls.glEnableClientState(gl.VERTEX_ARRAY)
        calls.glEnableClientState(gl.COLOR_ARRAY)
        calls.glVertexPointer(3, gl.FLOAT, CORNER.itemsize, None)
        calls.glColorPointer(4, gl.UNSIGNED_BYTE, CORNER.itemsize, CORNER["place"].itemsize)
        calls.glDrawArrays(kept.mode, 0, kept.corners)
        calls.glBindBuffer(gl.ARRAY_BUFFER, 0)

    def drop_unused(self) -> None:
        """After a picture: whatever it did not show."""
        for key in [key for key in self._kept if key not in self._drawn]:
            self._calls.glDeleteBuffers(1, byref(self._kept.pop(key).handle))
        self._drawn.clear()

    def _of(self, batch: Batch) -> _Kept:
        key = id(batch)
        kept = self._kept.get(key)
        if kept is None or kept.batch() is not batch:
            if kept is not None:
                self._calls.glDeleteBuffers(1, byref(kept.handle))
            kept = self._kept[key] = self._given(batch)
        self._drawn.add(key)
        return kept

    def _given(self, batch: Batch) -> _Kept:
        calls, data, handle = self._calls, corners_of(batch), c_uint()
        calls.glGenBuffers(1, byref(handle))
        calls.glBindBuffer(gl.ARRAY_BUFFER, handle)
        calls.glBufferData(gl.ARRAY_BUFFER, data.nbytes, data.ctypes.data, gl.STATIC_DRAW)
        mode = gl.POINTS if isinstance(batch, Points) else gl.LINES if isinstance(batch, Lines) else gl.TRIANGLES
        return _Kept(weakref.ref(batch), handle, mode, len(data))


def corners_of(batch: Batch) -> np.ndarray:
    """Place and colour of each corner, side by side."""
    places = batch.points.reshape(-1, 3)
    made = np.empty(len(places), CORNER)
    made["place"] = places
    made["colour"] = np.repeat(batch.colours, len(places) // len(batch.colours), axis=0)
    return made
