"""Takes the guide's pictures of the geometry editor on the walk of a new user, by mouse and keys: a laser is added to
the Raptor, mounted, pitched, measured, mirrored, saved and driven.

    python -m tools.geometry_shots FOLDER [small] [cart [timed]]
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PyQt6.QtCore import QPoint, QPointF
from PyQt6.QtWidgets import QInputDialog, QMenu

from studio.editor.geometry.document import GeometryDocument
from studio.editor.geometry.panels.mirror_dialog import MirrorDialog
from studio.editor.geometry.panels.wheels_dialog import WheelsDialog
from studio.editor.geometry.parts import PANELS
from studio.editor.geometry.selection import BodyThing, FrameThing, Thing
from studio.editor.geometry.view.gizmo import Handle
from studio.editor.geometry.view.handled import place_of
from studio.editor.geometry.view.hands import Tool
from tools.hand import Stuck
from tools.screen_places import dock_area, dock_tab, file_field, middle, shown
from tools.stage import LARGE, ROOT, SMALL, Stage, perform

LASER, LASER_PORT = "HokuyoUrg", "hokuyo_urg"
FOOT, RAIL = FrameThing(LASER, "BottomCenter"), FrameThing("Raptor", "TopCenterRail")


def opened(stage: Stage) -> GeometryDocument:
    return stage.hand.until(lambda: stage.window.vehicles.current, "the vehicle")


def place(stage: Stage, thing: Thing) -> QPoint:
    """Of a thing in the view, on the screen."""

    def find() -> QPoint | None:
        document = stage.window.vehicles.current
        assert document is not None
        canvas, pose = document.view.canvas, place_of(document.view.stage, thing)
        if pose is None or not canvas.isVisible():
            return None
        (at,), _ = canvas.camera.project(pose[None, :3, 3], canvas.width(), canvas.height())
        found: QPoint = canvas.mapToGlobal(QPointF(*at).toPoint())
        return found

    return stage.hand.found(find, str(thing))


def open_the_vehicle(stage: Stage) -> None:
    hand, window = stage.hand, stage.window
    models = stage.robots / "models"
    shutil.copytree(ROOT / "models", models)
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=models, check=True)
    hand.key("ctrl+alt+o")
    hand.click(lambda: file_field(window), "the file dialog")
    hand.write(str(models / "assemblies" / "raptor.xml"))
    hand.rest(1.0)
    hand.key("Return")  # closes the list of completions
    hand.rest(0.5)
    if hand.see(lambda: file_field(window)) is not None:
        hand.key("Return")
    document = opened(stage)
    hand.until(lambda: document.view.canvases[0].made, "the first picture")
    hand.rest(2.0)


def add_a_laser(stage: Stage) -> None:
    hand, document = stage.hand, opened(stage)
    hand.key("ctrl+shift+b")
    hand.rest(0.5)
    hand.write("hokuyo")
    hand.rest(0.5)
    hand.key("Return")
    hand.until(lambda: LASER in document.workspace.assembled.model.bodies or None, "the laser")
    hand.key("f")
    hand.rest(1.5)
    stage.whole("geometry_added")


def panel_of(stage: Stage, name: str) -> Any:
    """Of the vehicle in front."""
    document = stage.window.vehicles.current
    assert document is not None
    return document.part(next(each for each in PANELS if each.name == name))


def row(stage: Stage, thing: Thing) -> QPoint | None:
    """Of a thing in the tree, on the screen."""
    panel = panel_of(stage, "geometry_tree")
    item = panel.item_of(thing) if panel.isVisible() else None
    if item is None:
        return None
    viewport = panel.tree.viewport()
    found: QPoint = viewport.mapToGlobal(panel.tree.visualItemRect(item).center())
    return found


def take_tool(stage: Stage, tool: Tool) -> None:
    document = opened(stage)
    stage.hand.click(lambda: middle(document.view.tools.buttons[tool]), f"the tool {tool}")


def handle_at(stage: Stage, wanted: Handle) -> tuple[QPoint, QPoint]:
    """A place of a handle where no other one is, and one a bit further along it, on the screen."""
    document = opened(stage)

    def find() -> tuple[QPoint, QPoint] | None:
        canvas, gizmo = document.view.canvas, document.view.hands.gizmo()
        if gizmo is None or wanted.axis is None:
            return None
        size = canvas.width(), canvas.height()
        if wanted.kind == "rotate":
            points, front = gizmo.ring(wanted.axis, canvas.camera, *size)
            points = points[front]
        else:
            start, tip = gizmo.arrow(wanted.axis, canvas.camera, *size)
            points = np.linspace(start, tip, 12)
        free = [place for place, at in enumerate(points[:-3]) if gizmo.at(*at, canvas.camera, *size) == wanted]
        if not free:
            return None
        first, last = (canvas.mapToGlobal(QPointF(*points[place]).toPoint()) for place in (free[-1], free[-1] + 3))
        return first, last

    return stage.hand.until(find, f"the handle {wanted}")


def drag_and_type(stage: Stage, wanted: Handle, number: str, picture: str = "") -> None:
    """A handle is dragged, and the number is typed while the button is down."""
    hand, document = stage.hand, opened(stage)
    hand.take(*handle_at(stage, wanted))
    hand.write(number)
    hand.rest(0.5)
    if picture:
        stage.part(picture, lambda: document.view)
    hand.drop()


def mount_it(stage: Stage) -> None:
    hand, document = stage.hand, opened(stage)
    take_tool(stage, "mount")
    hand.drag(place(stage, FOOT), place(stage, RAIL))
    strip = hand.until(lambda: document.view.strip, "six ways to mount it")
    hand.rest(1.0)
    if str(strip.offer.carrier) != str(RAIL):
        raise Stuck(f"it would be mounted on {strip.offer.carrier}")
    stage.part("geometry_mounting", lambda: document.view)
    hand.key("Return")
    hand.until(lambda: document.view.strip is None or None, "the mounted laser")
    hand.key("f")
    hand.rest(1.0)


def pitch_it(stage: Stage) -> None:
    hand, document = stage.hand, opened(stage)
    hand.click(lambda: row(stage, BodyThing(LASER)), "the laser in the tree")
    take_tool(stage, "rotate")
    drag_and_type(stage, Handle("rotate", 1), "15", "geometry_turning")
    hand.until(lambda: b'rpy="0 15 0"' in document.workspace.text() or None, "15 degrees of pitch")


def measure_it(stage: Stage) -> None:
    hand, window = stage.hand, stage.window
    hand.click(lambda: dock_tab(window, "geometry_measure"), "the tab Measure")
    measure = hand.see(lambda: panel_of(stage, "geometry_measure"))
    for side, frame in (("foi", f"{LASER}:ScanOrigin"), ("reference", "Raptor:FrontBumperCenter")):
        hand.click(partial(lambda side: middle(measure.fields[side]), side), f"the field {side}")
        hand.write(f"{frame}\n")
    hand.until(lambda: measure.measured, "the transform")
    hand.rest(1.5)
    stage.whole("geometry_editor")


def mirror(stage: Stage) -> None:
    """From the menu of the laser in the tree."""
    hand = stage.hand
    hand.click(lambda: row(stage, BodyThing(LASER)), "the laser in the tree", button=3)
    hand.click(lambda: menu_row(stage, "Mirror"), "Mirror")


def menu_row(stage: Stage, words: str) -> QPoint | None:
    for menu in stage.window.findChildren(QMenu):
        for action in menu.actions() if menu.isVisible() else ():
            if action.text() == words:
                return menu.mapToGlobal(menu.actionGeometry(action).center())
    return None


def mirror_it(stage: Stage) -> None:
    """On the middle plane, left and right are the same; beside it, a copy goes to the other side at once."""
    hand, window, document = stage.hand, stage.window, opened(stage)
    mirror(stage)
    hand.until(lambda: shown(window, MirrorDialog), "the question which sides")
    hand.rest(0.5)
    stage.whole("geometry_mirroring")
    hand.key("Escape")
    hand.until(lambda: shown(window, MirrorDialog) is None, "the end of the question")
    take_tool(stage, "move")
    drag_and_type(stage, Handle("move", 1), "0.4")
    hand.until(lambda: b'xyz="0 0.4 0"' in document.workspace.text() or None, "0.4 m to the left")
    mirror(stage)
    hand.until(lambda: f"{LASER}_mirrored" in document.workspace.assembled.model.bodies or None, "the mirrored laser")
    take_tool(stage, "select")
    hand.rest(1.0)
    stage.whole("geometry_mirrored")


def undo_and_redo_all(stage: Stage) -> None:
    hand, document = stage.hand, opened(stage)
    workspace = document.workspace
    texts, count = hand.see(workspace.texts), len(hand.see(lambda: workspace.history.labels))
    hand.key(*["ctrl+z"] * count)
    hand.until(lambda: not workspace.is_modified or None, "the file as it was")
    hand.key(*["ctrl+y"] * count)
    hand.until(lambda: workspace.texts() == texts or None, "all of it again")


def save_it(stage: Stage) -> None:
    hand, window, document = stage.hand, stage.window, opened(stage)
    hand.click(lambda: dock_tab(window, "geometry_xml"), "the tab XML")
    hand.rest(1.0)
    stage.part("geometry_editor_lines", lambda: dock_area(window, "geometry_xml"))
    hand.key("ctrl+s")
    hand.until(lambda: not document.workspace.is_modified or None, "the saved files")
    told = subprocess.run(["git", "diff", "--numstat"], cwd=stage.robots / "models", check=True, capture_output=True)
    print(told.stdout.decode(), flush=True)
    if any(line.split()[1] != "0" for line in told.stdout.decode().splitlines()):
        raise Stuck("saving changed more than it added")


def lasers(stage: Stage) -> list[str]:
    """Topics with scans that have come."""
    topics: dict[str, Any] = stage.window.live.feed.state.get("topics", {})
    return [name for name, told in topics.items() if ("hokuyo" in name or "/laser" in name) and told.get("count")]


def drive_it(stage: Stage) -> None:
    hand, window = stage.hand, stage.window
    hand.key("ctrl+F5")
    hand.until(lambda: shown(window, QInputDialog), "the question for a world")
    hand.rest(0.5)
    hand.key("Return")
    hand.until(lambda: len(lasers(stage)) == 2 or None, "scans of both lasers")
    newest = f"/simulator/{LASER_PORT}_mirrored"
    scan = hand.until(lambda: next((v for v in window.viewers.open.values() if v.KIND == "scan"), None), "the scan")
    print(hand.see(lambda: lasers(stage)), scan.save(), flush=True)
    if hand.see(scan.save).get("topic") != newest:
        raise Stuck(f"the first viewer does not show {newest}")
    name = hand.see(lambda: next(name for name, each in window.viewers.open.items() if each is scan))
    hand.click(lambda: dock_tab(window, name), "the tab of the scan")


def new_document(stage: Stage, words: str) -> GeometryDocument:
    """By the command palette."""
    hand, window = stage.hand, stage.window
    before = hand.see(lambda: window.vehicles.current)
    hand.key("ctrl+shift+p")
    hand.rest(0.5)
    hand.write(words)
    hand.key("Return")
    hand.until(lambda: window.vehicles.current is not before, words)
    document = opened(stage)
    hand.until(lambda: document.view.canvases[0].made, "the first picture")
    return document


def ground(stage: Stage, x: float, y: float) -> QPoint:
    """A point of the ground in the view, on the screen."""
    document = stage.window.vehicles.current
    assert document is not None
    canvas = document.view.canvas
    (at,), _ = canvas.camera.project(np.array([[x, y, 0.0]]), canvas.width(), canvas.height())
    found: QPoint = canvas.mapToGlobal(QPointF(*at).toPoint())
    return found


def draw_a_yard(stage: Stage) -> None:
    """A world of four walls and three obstacles, with the mouse."""
    hand = stage.hand
    document = new_document(stage, "new world")
    hand.key("w")
    for x, y in ((-6.0, -5.0), (8.0, -5.0), (8.0, 5.0), (-6.0, 5.0)):
        hand.click(partial(ground, stage, x, y), f"the corner {x} {y}")
    stage.whole("geometry_wall")
    hand.click(lambda: ground(stage, -6.0, -5.0), "the first corner")
    hand.until(lambda: document.selection.current, "the wall")
    hand.key("Escape")
    for keys, x, y in (("shift+b", 4.0, 2.0), ("shift+c", 2.0, -3.0), ("shift+o", -3.0, 3.0)):
        hand.key(keys)
        hand.click(partial(ground, stage, x, y), f"the place of {keys}")
    hand.key("shift+b")
    hand.click(lambda: ground(stage, 5.0, -1.0), "the place of the long box")
    hand.until(lambda: document.selection.current == BodyThing("box2"), "the long box")
    hand.write("1 3 1.5")
    hand.rest(0.6)
    stage.whole("geometry_size")
    hand.key("Return", "f")
    stage.whole("geometry_world")
    print(f"a world drawn: {hand.clicks} clicks, {hand.keys} keys so far", flush=True)


def build_a_cart(stage: Stage) -> None:
    """From nothing to a drive in a world that is drawn in the window, with the mouse and few keys."""
    hand, window = stage.hand, stage.window
    began = time.monotonic()
    document = new_document(stage, "new body")
    body = document.workspace.name
    hand.key("shift+b")
    hand.until(lambda: document.selection.current, "the new box")
    hand.write("0.6 0.4 0.2")
    hand.key("Return")
    hand.key("shift+w")
    hand.until(lambda: shown(window, WheelsDialog), "the sizes of the wheels")
    hand.key("Return")
    hand.until(lambda: document.workspace.assembled.model.bodies[body].drive, "the wheels")
    hand.see(window.activateWindow)  # no window manager does it when a dialog closes
    hand.key("shift+l")
    hand.until(lambda: document.workspace.assembled.model.bodies[body].sensors, "the laser")
    hand.key("f")
    stage.whole("geometry_cart")
    print(f"a cart built: {time.monotonic() - began:.0f} s, {hand.clicks} clicks, {hand.keys} keys", flush=True)
    draw_a_yard(stage)
    hand.key("ctrl+F5")
    hand.until(lambda: shown(window, QInputDialog), "the question for a vehicle")
    hand.see(lambda: shown(window, QInputDialog).activateWindow())  # type: ignore[union-attr]
    hand.rest(0.5)
    hand.key("Return")
    hand.until(lambda: lasers(stage) or None, "scans")
    told = f"{time.monotonic() - began:.0f} s, {hand.clicks} clicks, {hand.keys} keys"
    print(f"a cart from nothing to its first scan in a world that was drawn: {told}", flush=True)
    hand.rest(3.0)
    name, stick = hand.see(lambda: next(pair for pair in window.viewers.open.items() if pair[1].KIND == "teleop"))
    hand.click(lambda: dock_tab(window, name), "the tab of the sticks")
    ahead: list[float] = []
    watch = hand.see(lambda: window.live.feed.watch("/simulator/odometry", lambda events: ahead.append(
        float(events[-1].message.position[0]))))  # fmt: skip
    at = hand.found(lambda: middle(stick), "the sticks")
    hand.take(at, at - QPoint(0, 120))
    hand.rest(4.0)
    hand.drop()
    hand.see(watch.close)
    print(f"driven {ahead[-1] - ahead[0]:.2f} m", flush=True)
    stage.whole("geometry_cart_driven")


def without_pictures(stage: Stage) -> None:
    """What a person needs is timed."""
    stage.themes = ()


STEPS = (
    open_the_vehicle, add_a_laser, mount_it, pitch_it, measure_it, mirror_it, undo_and_redo_all, save_it, drive_it,
)  # fmt: skip


if __name__ == "__main__":
    is_small = "small" in sys.argv[2:]
    cart = (without_pictures, build_a_cart) if "timed" in sys.argv[2:] else (build_a_cart,)
    steps = cart if "cart" in sys.argv[2:] else STEPS
    size, ending = (SMALL, "_small") if is_small else (LARGE, "")
    sys.exit(perform(steps, Path(sys.argv[1]), size=size, in_turn=True, ending=ending))
