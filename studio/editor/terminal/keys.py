"""What a terminal sends for a key. Those that are the window's stay with it."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QKeyEvent

_ARROWS = {Qt.Key.Key_Up: "A", Qt.Key.Key_Down: "B", Qt.Key.Key_Right: "C", Qt.Key.Key_Left: "D"}
_EDITING = {
    Qt.Key.Key_Home: "1", Qt.Key.Key_Insert: "2", Qt.Key.Key_Delete: "3", Qt.Key.Key_End: "4",
    Qt.Key.Key_PageUp: "5", Qt.Key.Key_PageDown: "6",
}  # fmt: skip
_PLAIN = {
    Qt.Key.Key_Return: b"\r", Qt.Key.Key_Enter: b"\r", Qt.Key.Key_Backspace: b"\x7f", Qt.Key.Key_Tab: b"\t",
    Qt.Key.Key_Backtab: b"\x1b[Z", Qt.Key.Key_Escape: b"\x1b",
}  # fmt: skip
_WITH_CONTROL = {
    Qt.Key.Key_Space: b"\0", Qt.Key.Key_At: b"\0", Qt.Key.Key_BracketLeft: b"\x1b", Qt.Key.Key_Backslash: b"\x1c",
    Qt.Key.Key_BracketRight: b"\x1d", Qt.Key.Key_AsciiCircum: b"\x1e", Qt.Key.Key_Underscore: b"\x1f",
}  # fmt: skip

_Modifier = Qt.KeyboardModifier
_CONTROL, _SHIFT, _ALT = _Modifier.ControlModifier, _Modifier.ShiftModifier, _Modifier.AltModifier


def bytes_of(event: QKeyEvent, *, application: bool = False) -> bytes:
    """Nothing for keys of the window: function keys, Ctrl+Shift, Ctrl with a digit. `application`: as asked for."""
    held, key = event.modifiers() & (_CONTROL | _SHIFT | _ALT), event.key()
    escape = b"\x1b" if held & _ALT else b""
    if key in _ARROWS:
        return _arrow(_ARROWS[Qt.Key(key)], held, application)
    if key in _EDITING:
        return f"\x1b[{_EDITING[Qt.Key(key)]}~".encode() if not held & _SHIFT else b""
    if held & _CONTROL:
        return escape + _control(key) if not held & _SHIFT or key == Qt.Key.Key_Underscore else b""
    if key in _PLAIN:
        return escape + _PLAIN[Qt.Key(key)]
    text = event.text()
    return escape + text.encode() if text and text.isprintable() else b""


def _arrow(letter: str, held: Qt.KeyboardModifier, application: bool) -> bytes:
    if held & _SHIFT:
        return b""
    number = 1 + 2 * bool(held & _ALT) + 4 * bool(held & _CONTROL)
    if number > 1:
        return f"\x1b[1;{number}{letter}".encode()
    return f"\x1b{'O' if application else '['}{letter}".encode()


def _control(key: int) -> bytes:
    if Qt.Key.Key_A <= key <= Qt.Key.Key_Z:
        return bytes([key - Qt.Key.Key_A + 1])
    return _WITH_CONTROL.get(Qt.Key(key), b"")
