"""What is selected in the geometry editor: shared by view, tree and properties, so that all of them show the same.

    selection = Selection()
    end = selection.listen(lambda: view.update())           # after every change; `end()` ends it
    selection.choose(FrameThing("Raptor", "TopCenterRail"))  # in place of what was selected
    selection.toggle(BodyThing("Flea"))                      # Ctrl + click
    selection.hover(None)

Bodies, constraints and joints are named as in `workspace.assembled.model`, with the prefixes of included assemblies.

A panel that needs a thing from the user asks for it; the next fitting click in view or tree answers it and selects
nothing. Escape in view or tree calls `give_up_pick`.

    selection.ask(Pick("Click the frame of interest", (FrameThing, BodyThing), take))

No Qt, and nothing that belongs to one document stays in it: `forget_missing` drops what an edit has removed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from studio.model.geometry.assembly import Model


@dataclass(frozen=True)
class VehicleThing:
    """The whole assembly."""


@dataclass(frozen=True)
class BodyThing:
    body: str

    def __str__(self) -> str:
        return self.body


@dataclass(frozen=True)
class FrameThing:
    body: str
    frame: str

    def __str__(self) -> str:
        return f"{self.body}:{self.frame}"


@dataclass(frozen=True)
class ConstraintThing:
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class JointThing:
    body: str
    """Empty for the joint of a constraint."""
    joint: str

    def __str__(self) -> str:
        """As `transforms.set_joint` has it."""
        return f"{self.body}.{self.joint}" if self.body else self.joint


@dataclass(frozen=True)
class SensorThing:
    body: str
    sensor: str

    def __str__(self) -> str:
        return f"{self.body}.{self.sensor}"


@dataclass(frozen=True)
class ShapeThing:
    body: str
    index: int
    """Among the shapes of its body."""


Thing = VehicleThing | BodyThing | FrameThing | ConstraintThing | JointThing | SensorThing | ShapeThing


@dataclass(frozen=True)
class Pick:
    """A question that a click answers."""

    words: str
    """Said to the user while it waits: `Click the frame of reference`."""
    kinds: tuple[type, ...]
    take: Callable[[Thing], object]
    given_up: Callable[[], object] = lambda: None


@dataclass(frozen=True, eq=False)
class Ghost:
    """Where another model has what differs: drawn beside the vehicle."""

    model: Model
    subjects: frozenset[str]
    """`Flea`, `Flea:ImagePlane`, `RightLaser.scan`."""
    name: str
    """Of the file."""


class Selection:
    def __init__(self) -> None:
        self._selected: tuple[Thing, ...] = ()
        self._hovered: Thing | None = None
        self._hidden: frozenset[str] = frozenset()
        self._path: tuple[str, ...] = ()
        self._ghost: Ghost | None = None
        self._pick: Pick | None = None
        self._listeners: list[Callable[[], object]] = []

    # ---- what is selected

    @property
    def selected(self) -> tuple[Thing, ...]:
        """In the order in which they were selected."""
        return self._selected

    @property
    def current(self) -> Thing | None:
        """The one selected last: what properties and gizmo are for."""
        return self._selected[-1] if self._selected else None

    def choose(self, *things: Thing) -> None:
        """In place of what was selected; nothing clears it. Answers the open question if it fits."""
        pick = self._pick
        if pick is not None and len(things) == 1 and isinstance(things[0], pick.kinds):
            self._pick = None
            self._tell()
            pick.take(things[0])
        elif things != self._selected:
            self._selected = things
            self._tell()

    def toggle(self, thing: Thing) -> None:
        others = tuple(each for each in self._selected if each != thing)
        self.choose(*(others if thing in self._selected else (*others, thing)))

    def forget_missing(self, model: Model) -> None:
        """Drop what is not in the vehicle any more."""
        kept = tuple(each for each in self._selected if is_in(model, each))
        hovered = self._hovered if self._hovered is not None and is_in(model, self._hovered) else None
        hidden = frozenset(each for each in self._hidden if each in model.bodies)
        if (kept, hovered, hidden) != (self._selected, self._hovered, self._hidden):
            self._selected, self._hovered, self._hidden = kept, hovered, hidden
            self._tell()

    # ---- what is below the mouse

    @property
    def hovered(self) -> Thing | None:
        return self._hovered

    def hover(self, thing: Thing | None) -> None:
        if thing != self._hovered:
            self._hovered = thing
            self._tell()

    # ---- what is hidden in the view

    @property
    def hidden(self) -> frozenset[str]:
        """Bodies."""
        return self._hidden

    def hide(self, bodies: Collection[str]) -> None:
        """These and no others."""
        if frozenset(bodies) != self._hidden:
            self._hidden = frozenset(bodies)
            self._tell()

    # ---- the measured path

    @property
    def path(self) -> tuple[str, ...]:
        """Frames as `Body:Frame` that the view joins by a dashed line, in order; set by the measure panel."""
        return self._path

    def show_path(self, frames: Collection[str]) -> None:
        if tuple(frames) != self._path:
            self._path = tuple(frames)
            self._tell()

    # ---- what another model has elsewhere

    @property
    def ghost(self) -> Ghost | None:
        """Drawn beside the vehicle; set by the checks while they compare."""
        return self._ghost

    def show_ghost(self, ghost: Ghost | None) -> None:
        if ghost is not self._ghost:
            self._ghost = ghost
            self._tell()

    # ---- questions

    @property
    def pick(self) -> Pick | None:
        """The question that the next fitting click answers."""
        return self._pick

    def ask(self, pick: Pick) -> None:
        """In place of a question that is open, which is given up."""
        self.give_up_pick()
        self._pick = pick
        self._tell()

    def give_up_pick(self) -> None:
        pick, self._pick = self._pick, None
        if pick is not None:
            self._tell()
            pick.given_up()

    def listen(self, listener: Callable[[], object]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _tell(self) -> None:
        for listener in list(self._listeners):
            listener()


def is_in(model: Model, thing: Thing) -> bool:
    match thing:
        case VehicleThing():
            return True
        case ConstraintThing(name):
            return any(each.name == name for each in model.constraints)
        case JointThing("", joint):
            return any(each.joint is not None and each.joint.name == joint for each in model.constraints)
    body = model.bodies.get(thing.body)
    if body is None:
        return False
    match thing:
        case FrameThing(_, frame):
            return any(each.name == frame for each in body.frames)
        case JointThing(_, joint):
            return body.joint(joint) is not None
        case SensorThing(_, sensor):
            return any(each.name == sensor for each in body.sensors)
        case ShapeThing(_, index):
            return 0 <= index < len(body.shapes)
    return True
