"""What all views of one vehicle share: the vehicle as it is shown, joints, look, tool, gesture. No widgets in here.

A gesture shows what it would do by `preview`: a model that is not the document's. Nothing is edited before it ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from studio.editor.geometry.protocols import Context
from studio.editor.geometry.selection import BodyThing, Ghost, Thing
from studio.editor.geometry.view.description import Description, Meshes, describe
from studio.editor.geometry.view.drawing import Draughtsman, Drawing
from studio.editor.geometry.view.handled import place_of
from studio.editor.geometry.view.look import Look
from studio.editor.geometry.view.snapping import Snap
from studio.editor.views.scene.batches import Floats, moved
from studio.model.geometry.assembly import Model
from studio.model.geometry.linkage import Part

SMALLEST_FRAME_M, LARGEST_FRAME_M = 0.02, 0.5
LARGEST_PLACE_M = 1.5
"""Of the places of a world, which is seen from far away."""
LEAST_WORLD_M = 8.0
"""Around the middle of a new world: room to draw in."""
GRID_STEPS_M = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0)


class Stage:
    def __init__(self, context: Context, meshes: Meshes) -> None:
        self.context = context
        self.workspace = context.workspace
        self.selection = context.selection
        self.snap = Snap.restored(context.settings)
        self.look = Look()
        self.positions: dict[str, float] = {}
        """Of joints, as the sliders have them."""
        self.live: Mapping[str, float] | None = None
        """Of joints of the running system; None while none runs."""
        self.live_words = ""
        self.scans: dict[str, Floats] = {}
        """Points that sensors of the running system see, by frame and in its axes."""
        self.touching: frozenset[tuple[str, int]] = frozenset()
        self.preview: Model | None = None
        self._meshes = meshes
        self._draughtsman = Draughtsman(context.theme)
        self._description: Description | None = None
        self._ghost: Description | None = None
        self._drawing: Drawing | None = None
        self._listeners: list[Callable[[], object]] = []
        self.centre: Floats = np.zeros(3)
        self.radius_m = 1.0
        self._ends = [self.workspace.listen(lambda _: self.vehicle_changed()), self.selection.listen(self.changed)]
        self.measure_size()

    # ---- what is shown

    @property
    def model(self) -> Model:
        return self.preview if self.preview is not None else self.workspace.assembled.model

    @property
    def description(self) -> Description:
        """Of the vehicle as it is shown."""
        if self._description is None or self._description.model is not self.model or self._waits():
            self._description = describe(self.model, self._meshes, self._description)
        return self._description

    @property
    def drawing(self) -> Drawing:
        if self._drawing is None:
            middle = np.array([self.centre[0], self.centre[1], 0.0])
            grid = (middle, self.grid_m)
            self._drawing = self._draughtsman.draw(
                self.description, self.joints, self.seen, grid, self.scans, self._described_ghost()
            )
        return self._drawing

    def _described_ghost(self) -> tuple[Ghost, Description] | None:
        ghost = self.selection.ghost
        if ghost is None:
            self._ghost = None
            return None
        self._ghost = describe(ghost.model, self._meshes, self._ghost)
        return ghost, self._ghost

    @property
    def joints(self) -> Mapping[str, float]:
        return self.description.linkage.with_followers({**self.positions, **(self.live or {})})

    @property
    def seen(self) -> Look:
        """The look with what is selected now."""
        chosen = self.selection
        return replace(
            self.look, hidden=chosen.hidden, selected=chosen.selected, hovered=chosen.hovered, path=chosen.path,
            touching=self.touching,
        )  # fmt: skip

    @property
    def grid_m(self) -> float:
        return next((step for step in GRID_STEPS_M if step * 10 >= self.radius_m), GRID_STEPS_M[-1])

    def missing(self) -> list[str]:
        """Meshes that cannot be drawn."""
        return [words for body in self.description.bodies.values() for words in body.missing]

    def _waits(self) -> bool:
        assert self._description is not None
        return any(body.waits for body in self._description.bodies.values())

    # ---- changing

    def listen(self, listener: Callable[[], object]) -> None:
        self._listeners.append(listener)

    def forget(self, listener: Callable[[], object]) -> None:
        self._listeners.remove(listener)

    def changed(self) -> None:
        """Something looks different."""
        self._drawing = None
        for listener in list(self._listeners):
            listener()

    def vehicle_changed(self) -> None:
        self.selection.forget_missing(self.workspace.assembled.model)
        self.changed()

    def show_preview(self, model: Model | None) -> None:
        if model is not self.preview:
            self.preview = model
            self.changed()

    def set_look(self, look: Look) -> None:
        if look != self.look:
            self.look = look
            self.changed()

    def set_joint(self, name: str, position: float) -> None:
        self.positions[name] = position
        self.changed()

    def show_theme(self) -> None:
        self._draughtsman.show_theme(self.context.theme)
        self.changed()

    def close(self) -> None:
        for end in self._ends:
            end()

    # ---- where things are

    def pose_of(self, part: Part) -> Floats:
        return self.drawing.poses[part]

    def measure_size(self) -> None:
        """A ball around everything, for the camera, and the size of frames, which is that of the vehicle."""
        self.centre, self.radius_m = self.ball(None)
        most = LARGEST_PLACE_M if self.workspace.is_world else LARGEST_FRAME_M
        frame_m = min(max(round(self.radius_m * 0.09, 3), SMALLEST_FRAME_M), most)
        self.look = replace(self.look, frame_m=frame_m)
        self.changed()

    def ball(self, body: str | None) -> tuple[Floats, float]:
        """Around one body, or around all that are not hidden."""
        poses = self.description.poses(self.joints)
        points = [np.zeros((0, 3))]
        for name, marks in self.description.bodies.items():
            if name == body or (body is None and name not in self.selection.hidden):
                points += [moved(s.faces.points.reshape(-1, 3), poses[Part(name, s.on)]) for s in marks.solids]
                points += [(poses[Part(name, f.on)] @ f.pose)[None, :3, 3] for f in marks.frames]
        around = np.concatenate(points)
        if not len(around):
            return np.zeros(3), 1.0
        low, high = around.min(axis=0), around.max(axis=0)
        least = LEAST_WORLD_M if self.workspace.is_world and body is None else 0.05
        return (low + high) / 2, max(float(np.linalg.norm(high - low)) / 2, least)

    def thing_ball(self, thing: Thing) -> tuple[Floats, float]:
        """Around one thing."""
        if isinstance(thing, BodyThing):
            return self.ball(thing.body)
        pose = place_of(self, thing)
        return (self.centre, self.radius_m) if pose is None else (pose[:3, 3], self.radius_m / 5)
