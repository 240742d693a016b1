"""Maps over the map of a viewer: watched, put in order, and composed to one picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.editor.panels.map.map_stack import LayerStack
from studio.editor.panels.map.map_things import ThingsWatch
from studio.editor.panels.parts.layers_form import NEW_OPACITY, LayerChoice, LayersForm
from studio.messages import Message

if TYPE_CHECKING:
    from studio.editor.panels.map.map_viewer import MapViewer


class MapLayering:
    def __init__(self, viewer: MapViewer, form: LayersForm, stack: LayerStack, things: ThingsWatch) -> None:
        self.viewer, self.form, self.stack, self.things = viewer, form, stack, things
        form.changed.connect(self.show_anew)
        form.wanted.connect(self.add)
        form.moved.connect(self._move)
        form.removed.connect(self.remove)

    def add(self, topic: str) -> None:
        """One more over the others, through which they can be seen."""
        choice = LayerChoice(topic, opacity=NEW_OPACITY)
        self.stack.choices.append(choice)
        self.watch(choice)
        self.show_list()
        self.viewer.settled.emit()

    def watch(self, choice: LayerChoice) -> None:
        self.viewer.look_at(_role(choice), choice.topic, lambda events: self.take(choice, events[-1].message))

    def take(self, choice: LayerChoice, message: Message) -> None:
        self.stack.take(choice, message)
        self.compose()

    def _move(self, choice: LayerChoice, up: int) -> None:
        self.stack.move(choice, up)
        self.show_list()
        self.show_anew()

    def remove(self, choice: LayerChoice) -> None:
        self.viewer.look_at(_role(choice), "", lambda _: None)
        self.stack.remove(choice)
        self.show_list()
        self.show_anew()

    def show_list(self) -> None:
        self.form.show_layers(self.stack.choices, self.stack.main, self.things.of_type("Map"))
        self.compose()

    def show_anew(self) -> None:
        """Somebody has chosen something else."""
        self.things.look(self.viewer.planned.topic)
        self.compose()
        self.viewer.settled.emit()

    def compose(self) -> None:
        shown = self.viewer.shown
        for choice in self.stack.choices:
            map_ = self.stack.map_of(choice, shown)
            if map_ is not None and map_.plane_names:
                self.form.show_planes(choice, map_.plane_names, self.stack.plane_of(choice, map_))
        self.viewer.view.show_layers(self.stack.layers(shown))


def _role(choice: LayerChoice) -> str:
    return f"layer {id(choice)}"
