"""Notes on the canvases of the examples: for people in the window, who have no terminal beside it."""

from __future__ import annotations

import re
from pathlib import Path

from studio.model.xml_file import parse_hardened

COMMAND = re.compile(r"\b(studio [a-z]+|python3? |make [a-z]+|\./|--[a-z])")


def test_no_note_asks_for_a_terminal(checkout: Path) -> None:
    files = sorted((checkout / "projects").glob("*/layout.xml"))
    notes = {
        file.parent.name: note.text or "" for file in files for note in parse_hardened(file.read_bytes()).iter("note")
    }
    assert len(notes) >= 6
    assert {name: text for name, text in notes.items() if COMMAND.search(text)} == {}
