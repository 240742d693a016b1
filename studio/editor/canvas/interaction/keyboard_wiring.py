"""Wiring without a mouse: C, then arrows choose the port and its partner, Enter connects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QKeyEvent

from studio.editor.canvas.interaction.gestures import ConnectGesture

if TYPE_CHECKING:
    from studio.editor.canvas.interaction.view import CanvasView


class KeyboardWiring:
    """Up and down go through the partners of a port, left and right through the ports of the card."""

    def __init__(self, view: CanvasView, name: str) -> None:
        self.view = view
        card = view.canvas.card_for(name)
        ports = card.card.ports if card is not None else ()
        self.own = []
        for port in sorted(ports, key=lambda port: not port.starts):  # an output is what one mostly means
            probe = ConnectGesture(view.canvas, port)
            if probe.fitting_ports():
                self.own.append(port)
            probe.cancel()
        self.port = 0
        self.partner = 0
        if self.own:
            self._aim()

    @property
    def is_possible(self) -> bool:
        return bool(self.own)

    def key(self, event: QKeyEvent) -> bool:
        """True if the key was meant for the wiring."""
        match event.key():
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                self.port = (self.port + (1 if event.key() == Qt.Key.Key_Right else -1)) % len(self.own)
                self.partner = 0
                self._aim()
            case Qt.Key.Key_Up | Qt.Key.Key_Down:
                self.partner += 1 if event.key() == Qt.Key.Key_Down else -1
                self._aim()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.view.wiring = None
                self.view.finish_gesture()
            case Qt.Key.Key_Escape:
                self.give_up()
            case _:
                return False
        return True

    def give_up(self) -> None:
        self.view.wiring = None
        self.view.cancel_gesture()

    def _aim(self) -> None:
        self.view.cancel_gesture()  # before the next one: what ends makes everything bright again
        gesture = ConnectGesture(self.view.canvas, self.own[self.port])
        self.view.begin(gesture)
        partners = gesture.fitting_ports()
        self.partner %= len(partners)
        gesture.aim(partners[self.partner])
        self.view.show_item(partners[self.partner].end.node)
        own, other = self.own[self.port], partners[self.partner]
        self.view.reach.announce(f"{own.accessible_name()}, to {other.accessible_name()}")
        words = f"{gesture.message} · arrows choose, Enter connects, Esc gives up"
        at = self.view.mapFromScene(gesture.at)
        self.view.pointer_note.say(words, at, self.view.canvas.theme, good=True)
