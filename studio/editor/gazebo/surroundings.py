"""What the Gazebo panels need of the window, and nothing else of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from studio.editor.look.theme import Theme
from studio.model.sources import Source


class Say(Protocol):
    """In the status bar of the window."""

    def __call__(self, words: str, *, trouble: bool = False) -> object: ...


class Store(Protocol):
    """Settings that outlive the window, as texts."""

    def text(self, name: str) -> str: ...
    def set_text(self, name: str, value: str) -> None: ...


@dataclass(frozen=True)
class Surroundings:
    say: Say
    settings: Store
    theme: Callable[[], Theme]
    folder: Callable[[], Path | None]
    """Of the open project."""
    sources: Callable[[], tuple[Source, ...]]
    runs: Callable[[], bool]
    """Whether the system of the open project runs."""
    assembly: Callable[[], str]
    """The vehicle of the open project, by its name; empty if it has none."""
    show_guide: Callable[[], object]
