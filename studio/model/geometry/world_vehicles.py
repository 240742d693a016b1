"""Which vehicle starts at a place of a world: `start_raptor` is the place of the Raptor, as the simulators have it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from studio.errors import StudioError
from studio.model.geometry.body import Body
from studio.model.geometry.library import Library
from studio.model.geometry.one_body import one_body

START = "start"
_OF_VEHICLE = re.compile(r"start_(.+?)_?\d*\Z")


def place_of_vehicle(vehicle: str) -> str:
    return f"{START}_{vehicle}"


class WorldVehicles:
    """Reads each vehicle once."""

    def __init__(self, roots: Iterable[Path]) -> None:
        self._library = Library(roots)
        self._bodies: dict[str, Body | None] = {}

    def __call__(self, place: str) -> Body | None:
        """The shapes of the vehicle that starts at this place, as one body; None if the name tells of none."""
        if place not in self._bodies:
            name = self.vehicle_at(place)
            made = None if name is None else one_body(self._library.load(self._library.find(name)), place)
            self._bodies[place] = made
        return self._bodies[place]

    def vehicle_at(self, place: str) -> str | None:
        """The assembly that starts at a place."""
        found = _OF_VEHICLE.match(place)
        if found is None:
            return None
        known = self._library.assemblies()
        names = (place.removeprefix(f"{START}_"), found[1])
        return next((each for each in names if each in known and self._is_sound(each)), None)

    def drivable(self) -> list[str]:
        """Assemblies that can start somewhere: those with a drive."""
        sound = [name for name in self._library.assemblies() if self._is_sound(name)]
        loaded = {name: self._library.load(self._library.find(name)) for name in sound}
        return [name for name, model in loaded.items() if any(body.drive for body in model.bodies.values())]

    def _is_sound(self, name: str) -> bool:
        """What cannot be read stands for nothing here; opening it tells what is wrong with it."""
        try:
            self._library.load(self._library.find(name))
        except StudioError:
            return False
        return True
