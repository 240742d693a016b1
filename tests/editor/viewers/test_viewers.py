"""Viewers in the window: any number of each, in any layout, kept with the project."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from studio.editor.panels.plot.plot_viewer import PlotViewer
from studio.editor.project.session import Session
from studio.editor.views.shared.field_drag import Field, fields_in, mime_of
from studio.editor.window.main_window import MainWindow


def test_fields_travel_by_drag_and_drop() -> None:
    fields = [Field("/a/b", "x.min"), Field("/c", "y[2]")]
    assert fields_in(mime_of(fields)) == fields
    assert fields_in(None) == []


class TestInTheWindow:
    def test_any_number_of_each_and_all_of_them_come_back_with_the_project(
        self, window: MainWindow, qtbot: QtBot
    ) -> None:
        viewers = window.viewers
        for name in ("map", "map", "plot", "votes"):
            window.trigger(f"viewer.{name}")
        qtbot.waitUntil(lambda: len(viewers.open) == 4, timeout=30_000)  # what is imported for them comes beside
        assert list(viewers.open) == ["map.1", "map.2", "plot.1", "votes.1"]
        plot = viewers.open["plot.1"]
        assert isinstance(plot, PlotViewer)
        plot.add(Field("/a/b", "data"))
        viewers.close("map.1")
        kept = viewers.save()
        folder = window.session.folder
        window.show_session(None)
        assert not viewers.open
        window.show_session(Session.open(folder))
        assert viewers.save() == kept
        assert not any(window.docks.is_closed(name) for name in viewers.open)

    def test_another_layout_leaves_them_open(self, window: MainWindow) -> None:
        window.viewers.add("topics")
        window.viewers.add("scan")
        for number in (1, 2, 1):
            window.layouts.choose_number(number)
            assert not any(window.docks.is_closed(name) for name in window.viewers.open)

    def test_both_themes(self, window: MainWindow) -> None:
        for name in ("map", "votes", "scan", "plot", "topics"):
            window.viewers.add(name)
        window.switch_theme()
        window.switch_theme()
        assert not window.grab().isNull()

    def test_what_was_kept_wrongly_is_left_out(self, window: MainWindow) -> None:
        for text in ("", "{", "[1]", '{"viewers": 1}', '{"viewers": [1]}', '{"viewers": [{"kind": "nonsense"}]}',
                     '{"viewers": [{"kind": "map", "settings": 3, "name": 7}]}'):  # fmt: skip
            window.viewers.restore(text)
        assert list(window.viewers.open) == ["7"]
