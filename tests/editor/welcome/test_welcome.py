"""The first page: what was open lately, what runs can be attached to, and the four things that people come for."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QPushButton, QWidget

from studio.editor.base.recent import RecentBook, age_words
from studio.editor.base.settings import Settings
from studio.editor.look.theme import LIGHT
from studio.editor.welcome.welcome import GUIDE, Welcome
from studio.editor.welcome.welcome_learn import WORKFLOWS, Learn
from studio.editor.welcome.welcome_recent import GONE, RecentList, _short
from studio.editor.welcome.welcome_tiles import A_COPY, Tile, example_projects, heading_of
from studio.runtime.client import running_systems
from studio.runtime.client.running_systems import RunningSystem


def test_a_system_that_runs_without_a_window_is_offered(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "rover"
    (folder / "system.xml").parent.mkdir()
    (folder / "system.xml").write_text("<system/>")
    runs = RunningSystem("run", "rover", str(folder), "simulated", "run", 1, 0.0)
    monkeypatch.setattr(running_systems, "running_systems", lambda: [runs, runs])
    page = Welcome(Settings(tmp_path / "editor.ini"), LIGHT)
    page.refresh()
    page.draw_pictures()
    wanted: list[Path] = []
    page.project_wanted.connect(wanted.append)
    rows = [each for each in page.findChildren(QWidget) if each.accessibleName() == "Attach to rover"]
    assert len(rows) == 1
    QTest.mouseClick(rows[0], Qt.MouseButton.LeftButton)
    assert wanted == [folder]


def test_the_guide_begins_with_four_tiles_and_has_every_page(qapp: QApplication) -> None:
    learn = Learn(GUIDE, LIGHT)
    wanted: list[Path] = []
    learn.page_wanted.connect(wanted.append)
    tiles = [each for each in learn.findChildren(QPushButton) if each.menu() is None]
    for tile in tiles:
        tile.click()
    assert wanted == [GUIDE / name for name, _, _ in WORKFLOWS] and all(page.is_file() for page in wanted)
    assert len(learn.pages.actions()) == len(list(GUIDE.glob("*.md")))


def test_only_of_examples_it_is_said_that_a_copy_is_saved(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Projects of one's own are among the tiles where $STUDIO_PATH names their folder."""
    examples = example_projects()
    assert heading_of(examples)[0] == "Examples" and "a copy" in heading_of(examples)[1]
    own = tmp_path / "projects" / "another"
    own.mkdir(parents=True)
    (own / "system.xml").write_text("<system/>")
    monkeypatch.setenv("STUDIO_PATH", str(tmp_path))
    assert example_projects() == [*examples, own]
    assert heading_of([*examples, own])[0] == "Examples and your own" and "copy" not in heading_of([own])[1]
    tips = [Tile(folder, LIGHT).toolTip() for folder in (examples[0], own)]
    assert tips == [A_COPY, f"Your own, saved where it is: {own}"]


def at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


@pytest.mark.parametrize(
    ("then", "words"),
    [
        ("2026-03-12T14:59:30", "just now"),
        ("2026-03-12T15:05:00", "just now"),  # the clock was set back
        ("2026-03-12T14:48:00", "12 min ago"),
        ("2026-03-12T13:50:00", "1 hour ago"),
        ("2026-03-12T12:10:00", "2 hours ago"),
        ("2026-03-12T00:10:00", "14 hours ago"),
        ("2026-03-11T23:50:00", "yesterday"),
        ("2026-03-11T00:10:00", "yesterday"),
        ("2026-03-09T23:50:00", "3 days ago"),
        ("2026-03-01T12:00:00", "01 Mar"),
        ("2025-03-01T12:00:00", "01 Mar 2025"),
    ],
)
def test_ages_are_told_by_the_calendar(then: str, words: str) -> None:
    assert age_words(at(then), at("2026-03-12T15:00:00")) == words


def test_an_hour_across_midnight_is_an_hour() -> None:
    assert age_words(at("2026-03-11T23:30:00"), at("2026-03-12T01:00:00")) == "1 hour ago"


@pytest.fixture
def book(tmp_path: Path) -> RecentBook:
    """A project, a log, and a project that is gone; opened at 0, 60 and 120 s."""
    made = Settings(tmp_path / "editor.ini").recents
    now = iter((0.0, 60.0, 120.0))
    made.now_s = lambda: next(now)
    (tmp_path / "gone").mkdir()
    made.add(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    (tmp_path / "drive.mcap").write_bytes(b"")
    made.add(tmp_path / "drive.mcap", "log", "2 min 04 s")
    (tmp_path / "rover").mkdir()
    (tmp_path / "rover" / "system.xml").write_text("<system/>")
    made.add(tmp_path / "rover")
    made.now_s = lambda: 180.0
    return made


def test_projects_and_logs_stand_in_one_list_and_each_opens_as_what_it_is(book: RecentBook, qapp: QApplication) -> None:
    recent = RecentList(book, LIGHT)
    names = [row.path.name for _, row in recent.rows]
    assert names == ["rover", "drive.mcap", "gone"]
    opened: list[tuple[str, str]] = []
    recent.project_wanted.connect(lambda path: opened.append(("project", path.name)))
    recent.log_wanted.connect(lambda path: opened.append(("log", path.name)))
    for _, row in recent.rows:
        QTest.mouseClick(row, Qt.MouseButton.LeftButton)
        QTest.keyClick(row, Qt.Key.Key_Return)
    assert opened == [("project", "rover")] * 2 + [("log", "drive.mcap")] * 2, "what is gone cannot be opened"
    assert recent.rows[1][1].place.text() == "2 min 04 s"
    assert recent.rows[2][1].place.text() == GONE


def test_many_recent_projects_do_not_make_the_window_taller_than_a_small_screen(
    tmp_path: Path, qapp: QApplication
) -> None:
    """At 1280 x 800 the status bar lay below the screen, also when the page was hidden."""
    settings = Settings(tmp_path / "editor.ini")
    for number in range(12):
        folder = tmp_path / f"rover_{number}"
        folder.mkdir()
        (folder / "system.xml").write_text("<system/>")
        settings.recents.add(folder)
    page = Welcome(settings, LIGHT)
    page.refresh()
    assert page.minimumSizeHint().height() < 560


def test_ages_stay_right_while_the_page_is_looked_at(book: RecentBook, qapp: QApplication) -> None:
    recent = RecentList(book, LIGHT)
    assert [row.age.text() for _, row in recent.rows] == ["1 min ago", "2 min ago", ""]
    book.now_s = lambda: 120.0 + 3 * 3600
    recent._timer.timeout.emit()
    assert [row.age.text() for _, row in recent.rows] == ["3 hours ago", "3 hours ago", ""]


def test_one_is_removed_by_its_button_or_by_key_and_the_focus_goes_on(book: RecentBook, qapp: QApplication) -> None:
    recent = RecentList(book, LIGHT)
    recent.show()
    assert [row.remove.isVisible() for _, row in recent.rows] == [False, False, True]
    recent.rows[0][1].setFocus()
    QTest.keyClick(recent.rows[0][1], Qt.Key.Key_Delete)
    assert [row.path.name for _, row in recent.rows] == ["drive.mcap", "gone"]
    assert recent.focusWidget() is recent.rows[0][1]
    recent.rows[1][1].remove.click()
    assert [each.place.name for each in book.all()] == ["drive.mcap"]
    recent.close()


def test_projects_of_an_older_list_are_taken_over_and_nonsense_is_left_out(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "editor.ini")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "system.xml").write_text("<system/>")
    settings.set_names("recent", [str(tmp_path / "old")])
    assert settings.recent() == [tmp_path / "old"]
    settings.recents.add(tmp_path)
    assert [each.place for each in settings.recents.all()] == [tmp_path, tmp_path / "old"]
    settings.set_text("recent_things", '[1, {"path": 2}, {"path": "/a", "kind": "log", "opened_s": 1}]')
    assert [each.path for each in settings.recents.all()] == ["/a"]
    settings.set_text("recent_things", "[")
    assert settings.recents.all() == []


def test_places_at_home_are_told_shortly() -> None:
    assert [_short(Path.home() / "robots"), _short(Path.home()), _short(Path("/srv/robots"))] == [
        "~/robots",
        "~",
        "/srv/robots",
    ]


def test_a_card_has_room_for_all_of_its_description(qapp: QApplication) -> None:
    tile = Tile(Path("somewhere"), LIGHT)
    tile.words = "A noisy sine."
    few = tile.height_for(240)
    tile.words = "The Raptor finds its way through a world of blocks: terrain maps grow while it drives. " * 3
    assert tile.height_for(240) > tile.height_for(340) > few
