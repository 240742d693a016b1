"""The layers of a map viewer: what the user wants to see, the maps that have come for it, and what is made of both."""

from __future__ import annotations

from collections.abc import Sequence

from studio.editor.panels.parts.layers_form import LayerChoice
from studio.editor.views.maps.map_layers import Layer, layer_of
from studio.editor.views.shared.map_colours import SCHEMES, scheme_for
from studio.messages import Map, Message

_Of = tuple[str, str, tuple[float, float] | None]
"""Plane, colours and range."""


class LayerStack:
    def __init__(self) -> None:
        self.main = LayerChoice("")
        self.choices = [self.main]
        """From the lowest to the topmost; the main one is chosen in the bar, and its map comes from the history."""
        self._maps: dict[LayerChoice, Map] = {}
        """The newest of each layer but the main one."""
        self._made: dict[LayerChoice, tuple[Layer, _Of]] = {}

    def take(self, choice: LayerChoice, message: Message) -> None:
        if isinstance(message, Map):
            self._maps[choice] = message
        else:
            self._maps.pop(choice, None)  # the topic's type has changed

    def move(self, choice: LayerChoice, up: int) -> None:
        place = self.choices.index(choice)
        self.choices.insert(min(max(place + up, 0), len(self.choices) - 1), self.choices.pop(place))

    def remove(self, choice: LayerChoice) -> None:
        self.choices.remove(choice)
        self._maps.pop(choice, None)

    def forget(self) -> None:
        self._maps.clear()

    def layers(self, main: Map | None) -> list[Layer]:
        """All that are to be seen and have come; those of which nothing is new stay what they are."""
        before, self._made = self._made, {}
        for choice in self.choices:
            map_ = self.map_of(choice, main)
            if map_ is None or not map_.plane_names or not choice.visible:
                continue
            plane = self.plane_of(choice, map_)
            of = (plane, choice.colours, choice.ranges.get(plane))
            layer, made_of = before.get(choice, (None, None))
            if layer is None or layer.map is not map_ or made_of != of:
                layer = layer_of(map_, plane, SCHEMES.get(choice.colours), limits=of[2])
            layer.opacity = choice.opacity
            self._made[choice] = layer, of
        return [layer for layer, _ in self._made.values()]

    def map_of(self, choice: LayerChoice, main: Map | None) -> Map | None:
        return main if choice is self.main else self._maps.get(choice)

    @staticmethod
    def plane_of(choice: LayerChoice, map_: Map) -> str:
        return choice.plane if choice.plane in map_.plane_names else map_.plane_names[0]

    def choice_of(self, layer: Layer) -> LayerChoice | None:
        return next((choice for choice, (made, _) in self._made.items() if made is layer), None)

    @staticmethod
    def turn_colours(choice: LayerChoice, layer: Layer) -> None:
        """To those that everybody can tell apart, and back."""
        safe = scheme_for(layer.plane).safe
        if safe:
            choice.colours = "" if layer.scheme.name == safe else safe

    # ---- what is kept

    def save(self) -> list[dict[str, object]]:
        return [{**choice.save(), "main": choice is self.main} for choice in self.choices]

    def restore(self, kept: object) -> Sequence[LayerChoice]:
        """Returns those that are new."""
        new = []
        for entry in kept if isinstance(kept, list) else ():
            choice = LayerChoice.restored(entry)
            if choice is None:
                continue
            if entry.get("main"):
                self.main.plane, self.main.opacity, self.main.visible = choice.plane, choice.opacity, choice.visible
                self.main.ranges = choice.ranges
                self.choices.remove(self.main)
                self.choices.append(self.main)
            else:
                self.choices.append(choice)
                new.append(choice)
        return new
