"""As somebody's eyes need it: high contrast, codes of types, no motion; by choice or as the platform asks."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtCore import QAbstractAnimation, QEvent, QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QImage, QPainter
from PyQt6.QtWidgets import QApplication

from studio.editor.base.settings import Settings
from studio.editor.canvas.interaction.view import CanvasView
from studio.editor.canvas.items.port_code import CODE_REACH, ink_on
from studio.editor.look.motion import MOTION, Motion
from studio.editor.look.theme import LIGHT, THEMES, contrast, theme_of
from studio.editor.look.type_codes import type_code
from studio.editor.window import appearance
from studio.editor.window.appearance import settle_motion, wanted_theme
from studio.editor.window.main_window import MainWindow
from studio.editor.window.preferences import PreferencesDialog
from studio.messages.message_types import SHIPPED


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "editor.ini")


def test_the_platform_is_asked_unless_the_user_has_chosen(
    settings: Settings, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    for asks in (False, True):
        monkeypatch.setattr(appearance, "system_wants_contrast", lambda asks=asks: asks)
        found = []
        for choice in ("system", "normal", "high"):
            settings.contrast = choice
            found.append(wanted_theme(settings).high_contrast)
        assert found == [asks, False, True]
    settings.contrast = "dazzling"
    assert settings.contrast == "system"


def test_motion_is_reduced_by_choice_or_by_the_platform(
    settings: Settings, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = Motion()
    monkeypatch.setattr(appearance, "MOTION", mine)
    for moves in (True, False):
        monkeypatch.setattr(appearance, "system_moves", lambda moves=moves: moves)
        found = []
        for choice in ("system", "full", "none"):
            settings.motion = choice
            settle_motion(settings)
            found.append(mine.lasts(120))
        assert found == [120 if moves else 0, 120, 0]
    assert not QApplication.isEffectEnabled(Qt.UIEffect.UI_AnimateMenu)


def test_who_wants_motion_again_has_the_motion_of_qt_too(settings: Settings, qapp: QApplication) -> None:
    def of_qt() -> tuple[int, bool, bool]:
        effects = (Qt.UIEffect.UI_AnimateCombo, Qt.UIEffect.UI_FadeTooltip)
        return QApplication.cursorFlashTime(), *(QApplication.isEffectEnabled(effect) for effect in effects)  # type: ignore[return-value]

    settings.motion = "full"
    settle_motion(settings)
    QApplication.setCursorFlashTime(900)
    for effect in (Qt.UIEffect.UI_General, Qt.UIEffect.UI_AnimateCombo):
        QApplication.setEffectEnabled(effect, True)
    before = of_qt()
    assert before[:2] == (900, True)
    for _ in range(2):  # what is remembered is not what was stilled
        settings.motion = "none"
        settle_motion(settings)
        settle_motion(settings)
        assert of_qt() == (0, False, False)
        settings.motion = "full"
        settle_motion(settings)
        assert of_qt() == before


def test_qt_is_asked_about_the_platform(qapp: QApplication) -> None:
    assert isinstance(appearance.system_wants_contrast(), bool) and isinstance(appearance.system_moves(), bool)


def test_preferences_reach_the_canvas_and_are_kept(window: MainWindow) -> None:
    dialog = PreferencesDialog(window)
    dialog.contrast.setCurrentIndex(dialog.contrast.findData("high"))
    dialog.contrast.activated.emit(dialog.contrast.currentIndex())
    assert window.theme is theme_of("light", high_contrast=True) and window.canvas.canvas.theme is window.theme
    dialog.safe.setChecked(True)
    assert window.canvas.canvas.theme is theme_of("light", high_contrast=True, type_codes=True)
    again = Settings(window.settings.file)
    assert (again.contrast, again.safe_colours) == ("high", True)
    window.settings.contrast = "normal"
    dialog.safe.setChecked(False)
    assert window.theme is LIGHT
    for choice, is_reduced in (("full", False), ("none", True)):
        dialog.motion.setCurrentIndex(dialog.motion.findData(choice))
        dialog.motion.activated.emit(dialog.motion.currentIndex())
        assert MOTION.is_reduced == is_reduced
    dialog.deleteLater()


def test_who_comes_back_from_the_settings_of_the_platform_is_followed(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.settings.contrast = "system"
    monkeypatch.setattr(appearance, "system_wants_contrast", lambda: True)
    QApplication.sendEvent(window, QEvent(QEvent.Type.ActivationChange))
    assert window.theme.high_contrast
    monkeypatch.setattr(appearance, "system_wants_contrast", lambda: False)
    QApplication.sendEvent(window, QEvent(QEvent.Type.ActivationChange))
    assert window.theme is LIGHT


def test_every_type_has_a_code_of_its_own() -> None:
    names = [each.__name__ for each in SHIPPED]
    assert len({type_code(name) for name in names}) == len(names)
    known = {"Range3d": "R3", "PoseTransform": "PT", "Map": "MP", "Vote": "VT", "Velocity": "VL", "Image": "IM"}
    assert {name: type_code(name) for name in known} == known
    assert [type_code(odd) for odd in ("", "a", "my_robot/GripState", "aeiou")] == ["", "A", "GS", "AE"]


@pytest.mark.parametrize("high", [False, True])
@pytest.mark.parametrize("name", THEMES)
def test_codes_can_be_read_on_every_hue(name: str, high: bool) -> None:
    theme = theme_of(name, high_contrast=high)
    for hue in (*theme.types.values(), theme.other_type):
        assert contrast(ink_on(hue), hue) >= 4.5, hue


def picture(view: CanvasView, area: QRectF) -> QImage:
    image = QImage(area.size().toSize(), QImage.Format.Format_RGB32)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    view.canvas.render(painter, QRectF(image.rect()), area)
    painter.end()
    return image


def test_a_port_has_its_code_and_arrows_end_before_it(view: CanvasView) -> None:
    view.show_theme(theme_of("light", type_codes=True))
    item = view.canvas.nodes["traverse_map"]
    port = item.card.port("terrain")
    assert port is not None
    at = item.anchor(port)
    hue = QColor(view.canvas.theme.hue("Map"))
    plate = picture(view, QRectF(at.x() - 12, at.y() - 6, 18, 12))
    colours = [plate.pixelColor(x, y).name() for x in range(18) for y in range(12)]
    assert colours.count(hue.name()) > 60 and colours.count(ink_on(hue.name()).lower()) > 5  # letters in it
    wire = next(each for each in view.canvas.wires.values() if str(each.connection.end) == "traverse_map.terrain")
    assert wire._arrow.boundingRect().right() == pytest.approx(at.x() - CODE_REACH)
    assert item.boundingRect().left() < -CODE_REACH
    view.show_theme(LIGHT)
    wire = next(each for each in view.canvas.wires.values() if str(each.connection.end) == "traverse_map.terrain")
    assert wire._arrow.boundingRect().right() == pytest.approx(at.x() - 6.5)


def test_high_contrast_has_no_fills_and_twice_the_stripe(view: CanvasView) -> None:
    item = view.canvas.nodes["terrain_map"]
    middle = item.card.height / 2
    row = QRectF(item.x(), item.y() + middle, 20, 1)
    wide = {}
    for high in (False, True):
        view.show_theme(theme_of("light", high_contrast=high))
        item = view.canvas.nodes["terrain_map"]
        line = picture(view, row)
        stripe = QColor(item._stripe()).name()
        wide[high] = sum(line.pixelColor(x, 0).name() == stripe for x in range(20))
    assert wide[True] >= wide[False] + 4
    theme = view.canvas.theme
    assert theme.node == theme.node_title == theme.canvas and theme.border == theme.control_border


def test_a_look_elsewhere_takes_a_moment_or_none(view: CanvasView, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MOTION, "is_reduced", False)
    view.zoom_to(1.0)
    view.centerOn(0, 0)
    before = view.middle()
    view.glide_to_fit()
    assert view.glide.is_on_its_way
    view.glide.finish()  # somebody takes something in hand
    there = (view.zoom, view.middle())
    view.fit()
    assert (view.zoom, view.middle()) == there and view.middle() != before
    view.glide_by(1.25)
    view.zoom_to(0.5)  # what is asked for meanwhile wins
    assert not view.glide.is_on_its_way and view.zoom == 0.5
    monkeypatch.setattr(MOTION, "is_reduced", True)
    view.glide_to_fit()
    assert not view.glide.is_on_its_way and view.zoom == pytest.approx(there[0])


def test_a_glide_ends_exactly_where_it_was_to_go(view: CanvasView, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MOTION, "is_reduced", False)
    view.zoom_to(1.3)
    view.centerOn(QPointF(300, 300))
    view.glide_to_fit()
    animation = view.glide._animation
    animation.setCurrentTime(60)
    assert animation.state() == QAbstractAnimation.State.Running
    between = view.zoom
    animation.setCurrentTime(animation.duration())
    there = (view.zoom, view.middle())
    view.fit()
    assert (view.zoom, view.middle()) == there
    assert min(1.3, there[0]) < between < max(1.3, there[0])
