"""Where help is shown: as a tab of the open project's window, or in the place of the first page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from studio.editor.help.view import HelpView
from studio.editor.look.icons import icon

if TYPE_CHECKING:
    from PyQt6.QtWidgets import QStackedWidget

    from studio.editor.docking.docks import Docks
    from studio.editor.look.theme import Theme

DOCK = "help"


class Place(Protocol):
    """What help needs of the window."""

    docks: Docks
    pages: QStackedWidget
    theme: Theme

    @property
    def has_session(self) -> bool: ...


class HelpController:
    def __init__(self, window: Place, docs: Path) -> None:
        self.window, self.docs = window, docs
        self.view: HelpView | None = None

    def show(self, page: Path | None = None) -> HelpView:
        """A page; without one the page of the guide that was read last, and First steps in the beginning."""
        view = self.view or self._make()
        if page is not None:
            view.show_page(page)
        elif view.browser.file is None or not view.browser.file.is_relative_to(self.docs):
            view.show_first()
        self._put(view)
        view.browser.setFocus()
        return view

    def close(self) -> None:
        """Its tab goes with it, or the first page comes back; what was read last is remembered."""
        view, docks = self.view, self.window.docks
        if view is None:
            return
        if self.window.pages.currentWidget() is view:
            self.window.pages.setCurrentIndex(0)
        self.window.pages.removeWidget(view)
        view.hide()
        view.setParent(None)
        docks.remove(DOCK)

    def project_changed(self) -> None:
        """Help on the first page goes with it; a tab stays a tab."""
        if self.view is not None and self.window.pages.indexOf(self.view) >= 0:
            self.close()

    def show_theme(self, theme: Theme) -> None:
        if self.view is not None:
            self.view.show_theme(theme)
        if self.window.docks.has(DOCK):
            self.window.docks.set_icon(DOCK, icon("mdi6.help-circle-outline", theme.muted))

    def _make(self) -> HelpView:
        self.view = HelpView(self.docs, self.window.theme)
        self.view.close_wanted.connect(self.close)
        return self.view

    def _put(self, view: HelpView) -> None:
        window, docks = self.window, self.window.docks
        view.close_button.setVisible(not window.has_session)
        if not window.has_session:
            if window.pages.indexOf(view) < 0:
                window.pages.addWidget(view)
                docks.remove(DOCK)  # only now: it would take the view along
            window.pages.setCurrentWidget(view)
            return
        if not docks.has(DOCK):
            window.pages.removeWidget(view)
            docks.add_viewer(DOCK, "Help", view, "tab", beside="system", close=self.close)
            docks.set_icon(DOCK, icon("mdi6.help-circle-outline", window.theme.muted))
            view.show()
        docks.show(DOCK)
