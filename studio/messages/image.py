"""Camera images."""

from __future__ import annotations

import re
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from studio.messages.errors import MessageError
from studio.messages.fields import Array, array
from studio.messages.message import Message, message

_NAMED = {
    "mono8": ("u1", 1),
    "mono16": ("u2", 1),
    "rgb8": ("u1", 3),
    "bgr8": ("u1", 3),
    "rgba8": ("u1", 4),
    "bgra8": ("u1", 4),
    "rgb16": ("u2", 3),
    "bgr16": ("u2", 3),
    "rgba16": ("u2", 4),
    "bgra16": ("u2", 4),
}
_OPENCV = re.compile(r"(8U|8S|16U|16S|32S|32F|64F)C([1-9]\d?)?")
_OPENCV_KINDS = {"8U": "u1", "8S": "i1", "16U": "u2", "16S": "i2", "32S": "i4", "32F": "f4", "64F": "f8"}
_USUAL = {("u1", 1): "mono8", ("u1", 3): "rgb8", ("u1", 4): "rgba8", ("u2", 1): "mono16"}


@message
class Image(Message):
    """An image as in ROS: `data` holds `height` rows of `step` bytes. `pixels` shows it as an array."""

    TYPE: ClassVar[str] = "Image"
    SCHEMA_NAME: ClassVar[str] = "sensor_msgs/msg/Image"

    stamp_ns: int = 0
    frame: str = ""
    height: int = 0
    width: int = 0
    encoding: str = "mono8"
    is_bigendian: int = 0
    step: int = 0
    data: Array[np.uint8] = array(np.uint8, -1)

    @classmethod
    def from_pixels(cls, pixels: NDArray[Any], encoding: str = "", *, stamp_ns: int = 0, frame: str = "") -> Self:
        """From (height, width) or (height, width, channels). Without an encoding: mono8, rgb8, 32FC1 and so on."""
        if pixels.ndim not in (2, 3):
            raise MessageError(
                f"needs pixels of shape (height, width) or (height, width, channels), got {pixels.shape}"
            )
        height, width = pixels.shape[:2]
        channels = pixels.shape[2] if pixels.ndim == 3 else 1
        native = np.ascontiguousarray(pixels, dtype=pixels.dtype.newbyteorder("<"))
        name = encoding or _encoding_for(native.dtype, channels)
        dtype, wanted = pixel_format(name)
        if (dtype.itemsize, dtype.kind, wanted) != (native.dtype.itemsize, native.dtype.kind, channels):
            raise MessageError(
                f"encoding {name!r} needs {wanted} channel(s) of {dtype}, got {channels} of {pixels.dtype}"
            )
        step = width * channels * native.dtype.itemsize
        data = native.reshape(-1).view(np.uint8)
        return cls(stamp_ns=stamp_ns, frame=frame, height=height, width=width, encoding=name, step=step, data=data)

    @property
    def pixels(self) -> NDArray[Any]:
        """(height, width) or, with several channels, (height, width, channels); a view, without copying."""
        dtype, channels = pixel_format(self.encoding)
        dtype = dtype.newbyteorder(">" if self.is_bigendian else "<")
        row_bytes = self.width * channels * dtype.itemsize
        if self.step < row_bytes or len(self.data) != self.step * self.height:
            raise MessageError(
                f"a {self.width} x {self.height} {self.encoding} image needs rows of {row_bytes} bytes or more, "
                f"got step {self.step} and {len(self.data)} bytes"
            )
        shape = (self.height, self.width, channels) if channels > 1 else (self.height, self.width)
        strides = (self.step, channels * dtype.itemsize, dtype.itemsize)[: len(shape)]
        return np.ndarray(shape, dtype, self.data, strides=strides)


def pixel_format(encoding: str) -> tuple[np.dtype[Any], int]:
    """Number type and channels of a ROS encoding name."""
    if encoding in _NAMED:
        kind, channels = _NAMED[encoding]
        return np.dtype(kind), channels
    if encoding.startswith("bayer_"):
        return np.dtype("u2" if encoding.endswith("16") else "u1"), 1
    match = _OPENCV.fullmatch(encoding)
    if match is None:
        raise MessageError(f"image encoding {encoding!r} is not known", hint="e.g. mono8, rgb8, bgr8, mono16, 32FC1")
    return np.dtype(_OPENCV_KINDS[match[1]]), int(match[2] or 1)


def _encoding_for(dtype: np.dtype[Any], channels: int) -> str:
    kind = f"{dtype.kind}{dtype.itemsize}"
    if (kind, channels) in _USUAL:
        return _USUAL[kind, channels]
    for name, known in _OPENCV_KINDS.items():
        if known == kind:
            return f"{name}C{channels}"
    raise MessageError(
        f"no image encoding holds pixels of {dtype}", hint="use uint8, uint16, float32 or name an encoding"
    )
