"""How the window looks and moves for this user: by choice, or as the platform asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QGuiApplication
from PyQt6.QtWidgets import QApplication, QStyle

from studio.editor.look.motion import MOTION
from studio.editor.look.theme import Theme, theme_of
from studio.editor.ports import WithSettings, WithTheme

if TYPE_CHECKING:
    from studio.editor.base.settings import Settings

_QT_EFFECTS = (
    Qt.UIEffect.UI_General, Qt.UIEffect.UI_AnimateMenu, Qt.UIEffect.UI_FadeMenu, Qt.UIEffect.UI_AnimateCombo,
    Qt.UIEffect.UI_AnimateTooltip, Qt.UIEffect.UI_FadeTooltip, Qt.UIEffect.UI_AnimateToolBox,
)  # fmt: skip


class _MotionOfQt:
    def __init__(self) -> None:
        self._before: tuple[dict[Qt.UIEffect, bool], int] | None = None
        """Effects, and how fast the cursor blinks, before all that was stilled; None while it is not."""

    def still(self) -> None:
        if self._before is None:
            effects = {effect: QApplication.isEffectEnabled(effect) for effect in _QT_EFFECTS}
            self._before = (effects, QApplication.cursorFlashTime())
        for effect in _QT_EFFECTS:
            QApplication.setEffectEnabled(effect, False)
        QApplication.setCursorFlashTime(0)

    def go_on(self) -> None:
        if self._before is not None:
            effects, flash_ms = self._before
            for effect, was_on in effects.items():
                QApplication.setEffectEnabled(effect, was_on)
            QApplication.setCursorFlashTime(flash_ms)
            self._before = None


_MOTION_OF_QT = _MotionOfQt()


def wanted_theme(settings: Settings) -> Theme:
    high = settings.contrast == "high" or (settings.contrast == "system" and system_wants_contrast())
    return theme_of(settings.theme, high_contrast=high, type_codes=settings.safe_colours)


def settle_motion(settings: Settings) -> None:
    """For our own animations, and for those of Qt: menus, boxes, the cursor in a text."""
    MOTION.is_reduced = settings.motion == "none" or (settings.motion == "system" and not system_moves())
    if MOTION.is_reduced:
        _MOTION_OF_QT.still()
    else:
        _MOTION_OF_QT.go_on()


def system_wants_contrast() -> bool:
    hints = QGuiApplication.styleHints()
    told = hints.accessibility() if hints is not None else None
    return told is not None and told.contrastPreference() == Qt.ContrastPreference.HighContrast


def system_moves() -> bool:
    """Qt has one word for it, which a style passes on from the platform."""
    style = QApplication.style()
    return style is None or style.styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) > 0


class Needs(WithSettings, WithTheme, Protocol):
    def show_theme(self, theme: Theme) -> None: ...


class Appearance:
    """Brings the window to what was chosen, or to what the platform asks for by now."""

    def __init__(self, window: Needs) -> None:
        self.window, self.settings = window, window.settings

    def refresh(self) -> None:
        settle_motion(self.settings)
        theme = wanted_theme(self.settings)
        if theme is not self.window.theme:
            self.window.show_theme(theme)
