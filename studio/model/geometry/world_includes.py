"""Models of other files that a world includes: what they look like, if they are on this machine."""

from __future__ import annotations

from pathlib import Path

from studio.errors import StudioError
from studio.model.geometry.assembly import Model
from studio.model.geometry.body import Body
from studio.model.geometry.import_model import import_model
from studio.model.geometry.one_body import one_body
from studio.model.geometry.poses import HERE
from studio.model.geometry.sdf_include import find_included
from studio.model.geometry.world import WorldInclude


class WorldIncludes:
    """Reads each file once, and again when it was written since."""

    def __init__(self) -> None:
        self._read: dict[Path, tuple[int, Model | StudioError]] = {}
        self._bodies: dict[tuple[str, bool], tuple[Model, Body]] = {}
        """By the name of the include, and whether it stands where the model says: the same object as long as the model
        is the same."""

    def __call__(self, include: WorldInclude, world: str | None) -> Body | None:
        """Its shapes as one body; None if the file is not here, or cannot be read. `world`: the file that includes
        it."""
        model = self.model_of(include, world)
        if not isinstance(model, Model):
            return None
        key = include.name, include.pose == HERE
        known = self._bodies.get(key)
        if known is None or known[0] is not model:
            # Without a pose of its own an include stands where the model says.
            body = one_body(model, include.name, model.pose.matrix if include.pose == HERE else None)
            known = self._bodies[key] = model, body
        return known[1]

    def model_of(self, include: WorldInclude, world: str | None) -> Model | StudioError | None:
        """Or why it cannot be read; None if it is not on this machine."""
        file = find_included(include.uri, Path(world)) if world else None
        if file is None:
            return None
        try:
            stamp = file.stat().st_mtime_ns
        except OSError:
            return None
        known = self._read.get(file)
        if known is None or known[0] != stamp:
            try:
                known = stamp, import_model(file).model
            except StudioError as error:
                known = stamp, error
            self._read[file] = known
        return known[1]
