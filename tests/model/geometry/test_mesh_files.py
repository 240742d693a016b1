"""Meshes of each kind, written by hand: the same pyramid, wherever the file puts it, and files that are none."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path

import numpy as np
import pytest

from studio.model.geometry.mesh_files import READABLE, MeshData, MeshError, mesh_from, read_mesh_file, simplified

CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 2)]
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]


def stl() -> bytes:
    records = b"".join(
        struct.pack("<12fH", 0, 0, 0, *(value for corner in face for value in CORNERS[corner]), 0) for face in FACES
    )
    return b"\0" * 80 + struct.pack("<I", len(FACES)) + records


def text_stl() -> bytes:
    lines = ["solid pyramid"]
    for face in FACES:
        lines += [
            "facet normal 0 0 0",
            "outer loop",
            *(f"vertex {x} {y} {z}" for x, y, z in (CORNERS[c] for c in face)),
        ]
        lines += ["endloop", "endfacet"]
    return "\n".join([*lines, "endsolid"]).encode()


def obj() -> bytes:
    faces = [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES]
    return "\n".join([*(f"v {x} {y} {z}" for x, y, z in CORNERS), *faces]).encode()


def gltf() -> bytes:
    places, index = np.array(CORNERS, "<f4").tobytes(), np.array(FACES, "<u2").tobytes()
    told = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 2]},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24},
        ],
        "buffers": [{
            "byteLength": 72,
            "uri": "data:application/octet-stream;base64," + base64.b64encode(places + index).decode(),
        }],
    }  # fmt: skip
    return json.dumps(told).encode()


def dae() -> bytes:
    numbers = " ".join(str(value) for corner in CORNERS for value in corner)
    index = " ".join(str(corner) for face in FACES for corner in face)
    return f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="12">{numbers}</float_array><technique_common>
<accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>{index}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>""".encode()


@pytest.mark.parametrize(
    ("data", "ending"), [(stl(), ".stl"), (text_stl(), ".stl"), (obj(), ".obj"), (gltf(), ".gltf"), (dae(), ".dae")]
)
def test_each_format_gives_the_same_pyramid(data: bytes, ending: str) -> None:
    corners = mesh_from(data, "pyramid", ending).corners
    volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    assert len(corners) == 4 and volume == pytest.approx(1 / 3)
    assert corners.reshape(-1, 3).max(axis=0).tolist() == [1.0, 1.0, 2.0]


@pytest.mark.parametrize("ending", READABLE)
@pytest.mark.parametrize("data", [b"", b"solid nothing", b"<xml/>", b"\0" * 200])
def test_a_broken_file_is_an_error_that_names_it(data: bytes, ending: str) -> None:
    with pytest.raises(MeshError, match="hull"):
        mesh_from(data, "hull", ending, by="cart.xml", line=7)


def test_a_missing_file_and_an_unknown_kind_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(MeshError, match=r"cart\.xml:7: there is no mesh .*relative to the file"):
        read_mesh_file(tmp_path / "hull.stl", by="cart.xml", line=7)
    (tmp_path / "hull.max").touch()
    with pytest.raises(MeshError, match=r"cannot read \.max .*convert it to one of \.stl"):
        read_mesh_file(tmp_path / "hull.max")


def test_a_mirrored_mesh_still_looks_outwards() -> None:
    corners = mesh_from(stl(), "pyramid", ".stl").scaled((-1.0, 1.0, 1.0)).corners
    assert np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() > 0


def test_a_large_mesh_is_simplified_to_about_as_many_faces_as_wanted() -> None:
    side = 300
    across, along = np.meshgrid(np.linspace(0, 1, side), np.linspace(0, 1, side))
    vertices = np.stack([across, along, np.sin(6 * across) * 0.1], axis=2).reshape(-1, 3)
    first = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).reshape(-1)
    faces = np.concatenate(
        [np.stack([first, first + 1, first + side + 1], 1), np.stack([first, first + side + 1, first + side], 1)]
    )
    made = simplified(MeshData(vertices, faces), 5000)
    assert 500 < len(made.faces) <= 5000
    assert np.abs(made.vertices.max(axis=0) - vertices.max(axis=0)).max() < 0.05, "as large as before"
