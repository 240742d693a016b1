"""An MJCF file in the real window: one step of undo."""

from __future__ import annotations

from pathlib import Path

from studio.editor.geometry.importing import import_into
from studio.editor.window.main_window import MainWindow

CART = """<mujoco model="cart"><worldbody><body name="cart"><freejoint/><geom type="box" size="0.3 0.2 0.1"/>
<body name="mast" pos="0 0 0.1"><joint name="turn" axis="0 0 1"/><geom type="cylinder" size="0.02 0.3"/></body>
</body></worldbody></mujoco>"""


def test_it_is_one_step_of_undo(window: MainWindow, tmp_path: Path) -> None:
    window.show_session(None)
    file = tmp_path / "cart.xml"
    file.write_text(CART)
    window.vehicles.create(tmp_path / "assemblies" / "bench.xml", "assembly")
    document = window.vehicles.active
    assert document is not None
    before = document.workspace.text()
    assert import_into(document, file)
    model = document.workspace.assembled.model
    assert {"cart", "mast"} <= set(model.bodies)
    assert [each.joint.name for each in model.constraints if each.joint is not None] == ["turn"]
    assert "Imported 2 bodies" in window.status.words.text()
    document.workspace.undo()
    assert document.workspace.text() == before
    document.workspace.save()
    assert not (tmp_path / "bodies").exists(), "what was undone is not written"
    document.workspace.redo()
    document.workspace.save()
    assert {path.name for path in (tmp_path / "bodies").iterdir()} == {"cart.xml", "mast.xml"}
    window.vehicles.close_all()
