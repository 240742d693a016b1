"""Clouds of other makers, read as Range3d."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from studio.messages import MessageError, PointCloud2, PointField, Range3d, decode, encode
from studio.messages.codec import codec_of

POINTS = np.arange(24, dtype=np.float32).reshape(6, 4)


def foreign(names: dict[str, int], step: int, *, order: str = "<", rows: int = 1, row_gap: int = 0) -> PointCloud2:
    """A cloud with POINTS at other offsets, in points of `step` bytes, in rows with `row_gap` bytes after each."""
    width = len(POINTS) // rows
    row_step = width * step + row_gap
    data = np.full(rows * row_step, 0xAB, np.uint8)
    for column, name in enumerate(["x", "y", "z", "range"]):
        for index, value in enumerate(POINTS[:, column] if name in names else ()):
            at = (index // width) * row_step + (index % width) * step + names[name]
            data[at : at + 4] = np.frombuffer(np.array(value, f"{order}f4").tobytes(), np.uint8)
    return PointCloud2(
        stamp_ns=5,
        frame="lidar",
        height=rows,
        width=width,
        fields=tuple(PointField(name=name, offset=offset) for name, offset in names.items()),
        is_bigendian=order == ">",
        point_step=step,
        row_step=row_step,
        data=data,
    )


@pytest.mark.parametrize(
    "cloud",
    [
        foreign({"x": 0, "y": 4, "z": 8, "range": 12}, 16),
        foreign({"x": 0, "y": 4, "z": 8, "range": 12}, 16, rows=2),
        foreign({"x": 0, "y": 4, "z": 8, "intensity": 12, "range": 16}, 32),
        foreign({"range": 1, "z": 5, "y": 9, "x": 13}, 17),
        foreign({"x": 0, "y": 4, "z": 8, "range": 20}, 24, rows=3, row_gap=5),
        foreign({"x": 0, "y": 4, "z": 8, "range": 12}, 16, order=">"),
    ],
)
def test_fields_may_lie_anywhere(cloud: PointCloud2) -> None:
    expected = Range3d(stamp_ns=5, frame="lidar", points=POINTS)
    assert decode(Range3d, encode(cloud)) == expected


def test_our_own_layout_takes_the_fast_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> Any:
        raise AssertionError("the slow way was taken")

    data = encode(Range3d(frame="laser", points=POINTS, is_dense=False))
    monkeypatch.setattr("studio.messages.point_cloud.from_cloud", refuse)
    assert decode(Range3d, data) == Range3d(frame="laser", points=POINTS, is_dense=False)


def test_the_general_codec_writes_the_same_bytes_as_the_fast_one() -> None:
    scan = Range3d(stamp_ns=7, frame="laser", points=POINTS)
    cloud = decode(PointCloud2, encode(scan))
    assert [field.name for field in cloud.fields] == ["x", "y", "z", "range"]
    assert codec_of(PointCloud2).encode(cloud) == encode(scan)


def test_missing_fields_are_named() -> None:
    cloud = foreign({"x": 0, "y": 4, "intensity": 8}, 16)
    with pytest.raises(MessageError, match="no float32 field z, range; its fields are: x, y, intensity"):
        decode(Range3d, encode(cloud))


def test_a_field_of_another_type_counts_as_missing() -> None:
    cloud = foreign({"x": 0, "y": 4, "z": 8, "range": 12}, 16)
    double = (*cloud.fields[:3], PointField(name="range", offset=12, datatype=8))
    with pytest.raises(MessageError, match="no float32 field range"):
        decode(Range3d, encode(cloud.replace(fields=double)))


@pytest.mark.parametrize(
    "lie",
    [
        {"height": 2},
        {"width": 7},
        {"width": 0xFFFFFFFF, "height": 0xFFFFFFFF},
        {"point_step": 0},
        {"point_step": 15},
        {"row_step": 0},
        {"data": np.zeros(7, np.uint8)},
    ],
)
def test_sizes_that_do_not_fit_are_refused(lie: dict[str, Any]) -> None:
    cloud = foreign({"x": 0, "y": 4, "z": 8, "range": 12}, 16)
    with pytest.raises(MessageError, match="does not fit"):
        decode(Range3d, encode(cloud.replace(**lie)))


def test_a_cloud_without_points_is_an_empty_scan() -> None:
    cloud = foreign({"x": 0, "y": 4, "z": 8, "range": 12}, 16).replace(width=0, row_step=0, data=[])
    assert len(decode(Range3d, encode(cloud))) == 0
