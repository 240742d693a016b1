"""Maps: named planes of numbers over one grid."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from studio.messages.errors import MessageError
from studio.messages.fields import Array, Texts, array, texts
from studio.messages.message import Message, message


@message
class Map(Message):
    """`planes[i, row, column]`: rows go along y, columns along x of `frame`.

    `origin_m` is the x, y of the outer corner of cell (0, 0), which covers `origin_m` to `origin_m + resolution_m`.
    """

    TYPE: ClassVar[str] = "Map"
    SCHEMA_NAME: ClassVar[str] = "studio_msgs/msg/Map"
    WIRE: ClassVar[dict[str, str]] = {"planes": "data"}
    SHAPE: ClassVar[dict[str, tuple[str, ...]]] = {"planes": ("plane_names", "rows", "columns")}

    stamp_ns: int = 0
    frame: str = ""
    resolution_m: float = 1.0
    origin_m: Array[np.float64] = array(np.float64, 2)
    plane_names: Texts = texts()
    planes: Array[np.float32] = array(np.float32, -1, -1, -1)

    def verify(self) -> None:
        if len(self.plane_names) != len(self.planes):
            raise MessageError(f"Map has {len(self.planes)} planes and {len(self.plane_names)} plane_names")
        if not self.resolution_m > 0.0:
            raise MessageError(
                f"Map.resolution_m is the length of a cell's side and has to be above 0, got {self.resolution_m}"
            )

    @property
    def rows(self) -> int:
        return int(self.planes.shape[1])

    @property
    def columns(self) -> int:
        return int(self.planes.shape[2])

    def plane(self, name: str) -> NDArray[np.float32]:
        """One plane by name, (rows, columns)."""
        try:
            index = self.plane_names.index(name)
        except ValueError:
            known = ", ".join(self.plane_names) or "none"
            raise MessageError(f"the map has no plane {name!r}", hint=f"its planes are: {known}") from None
        plane: NDArray[np.float32] = self.planes[index]
        return plane

    def cell_of(self, x_m: float, y_m: float) -> tuple[int, int] | None:
        """The (row, column) that holds a place, None outside the map."""
        row = math.floor((y_m - float(self.origin_m[1])) / self.resolution_m)
        column = math.floor((x_m - float(self.origin_m[0])) / self.resolution_m)
        return (row, column) if 0 <= row < self.rows and 0 <= column < self.columns else None

    def cells_of(self, xy_m: ArrayLike) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_]]:
        """Rows, columns and which of them are inside, for places (N, 2). Mask before you index with them."""
        places = np.asarray(xy_m, dtype=np.float64)
        with np.errstate(invalid="ignore"):
            cells = np.floor((places - self.origin_m) / self.resolution_m)
            inside = (cells >= 0).all(axis=1) & (cells < (self.columns, self.rows)).all(axis=1)
        cells = np.where(inside[:, None], cells, -1.0).astype(np.intp)
        return cells[:, 1], cells[:, 0], inside

    def position_of(self, row: int, column: int) -> tuple[float, float]:
        """x, y in metres of the centre of a cell."""
        x_m = float(self.origin_m[0]) + (column + 0.5) * self.resolution_m
        y_m = float(self.origin_m[1]) + (row + 0.5) * self.resolution_m
        return x_m, y_m
