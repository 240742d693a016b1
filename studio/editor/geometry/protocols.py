"""What view and panels of the geometry editor may use, and what the window expects of them. Nothing takes MainWindow.

The document makes one view and one of each panel per open vehicle, each with the same `Context`:

    GeometryView(context)      studio/editor/geometry/view/geometry_view.py, a QWidget, see `View`
    AssemblyTree(context)      panels/tree.py
    Properties(context)        panels/properties.py
    XmlPanel(context)          panels/xml_panel.py      the text of one file of the vehicle, with the marks of the diff
    Changes(context)           panels/changes.py        the difference to the saved files
    Measure(context)           panels/measure.py
    Checks(context)            panels/checks.py
    LibraryPanel(context)      panels/library.py

Each panel is a QWidget, see `Panel`. Where they are placed, their titles and icons are in
studio/editor/geometry/parts.py.

Rules:
- Edit only through `context.do` and its siblings: they say in the status bar why an edit was refused.
- Read only from `context.workspace` and `context.selection`, listen to both, and end listening in `close()`.
- A drag does one edit per mouse move with the same `merge_key`: the history makes one step of them.
- Menus and keys of the window: undo, redo, save are the window's. `actions()` of the view are put into the menu
  Geometry and the command palette.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from studio.editor.geometry.selection import Selection
from studio.editor.look.theme import Theme
from studio.model.geometry.workspace import On, Workspace
from studio.model.history import Edit


class Say(Protocol):
    """In the status bar of the window."""

    def __call__(self, words: str, *, trouble: bool = False) -> object: ...


class Ask(Protocol):
    """A question with a few answers, in a dialog; None if the user gave up. The first answer is the usual one."""

    def __call__(self, title: str, words: str, answers: Sequence[str]) -> str | None: ...


class Store(Protocol):
    """Settings that outlive the window, as texts: `geometry/snap_deg`."""

    def text(self, name: str) -> str: ...
    def set_text(self, name: str, value: str) -> None: ...


class Context(Protocol):
    """Of one open vehicle."""

    @property
    def workspace(self) -> Workspace: ...
    @property
    def selection(self) -> Selection: ...
    @property
    def settings(self) -> Store: ...
    @property
    def theme(self) -> Theme: ...

    say: Say
    ask: Ask

    def do(self, edit: Edit[Any], *, body: str = "", file: Path | None = None) -> bool:
        """As `Workspace.do`; a refusal is said in the status bar, and False."""
        ...

    def do_all(self, label: str, edits: Sequence[On], *, new_files: Mapping[Path, bytes] | None = None) -> bool:
        """As `Workspace.do_all`; a refusal is said in the status bar, and False."""
        ...

    def save(self) -> None:
        """As Ctrl+S in the window: for text panels, which take the keyboard."""
        ...

    def open(self, file: Path, line: int = 0) -> None:
        """A file in a document of its own: a body as a vehicle, anything else as text."""
        ...

    def show_panel(self, name: str) -> Any:
        """Bring a panel to the front, by its name in parts.py (`geometry_xml` ...); the panel."""
        ...


class Panel(Protocol):
    """A QWidget with these; all are optional but `close_panel`."""

    def show_theme(self, theme: Theme) -> None: ...
    def close_panel(self) -> None:
        """The document is closed: end listening and timers."""
        ...


class View(Panel, Protocol):
    """The view, beyond `Panel`."""

    def actions(self) -> Sequence[Any]:
        """QActions with text, tooltip, icon and keys: standard views, tools, nudge, mirror, duplicate."""
        ...

    def fit(self) -> None:
        """Show all of the vehicle."""
        ...

    def show_thing(self, thing: Any) -> None:
        """Bring a Thing to the middle of the view."""
        ...

    def show_live(self, joints: Mapping[str, float], scans: Mapping[str, Any], words: str) -> None:
        """While a system runs: positions of joints by name (`Raptor.front_left_steering`), and for each sensor frame
        (`RightLaser:ScanOrigin`) its points in that frame, an (n, 3) array. `words` say what they come from; empty
        ends it, and the joints are where the sliders have them."""
        ...

    def place_body(self, file: Path, at: Callable[[], Any] | None = None) -> None:
        """Add a body of the library, as if it had been dropped at the middle of the view."""
        ...
