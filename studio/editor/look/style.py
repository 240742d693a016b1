"""Turns a theme into what Qt needs: a palette for Fusion and one style sheet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from string import Template

from PyQt6.QtGui import QColor, QPalette
from PyQt6.QtWidgets import QApplication, QWidget

from studio.editor.look.fonts import text_font
from studio.editor.look.theme import Theme

ARROWS = Path(__file__).parent / "arrows"
"""Of fields that open or count: once a field is styled, Qt draws none of its own."""
# No rule may look for something far around a widget ("A B"): whenever a panel opens or moves, Qt asks that of every
# widget in it and in its neighbours, all the way up. Classes, names and "A > B" are found at once.
_SHEET = Template("""
QMainWindow, QDialog { background: $window; }
QDialog { border: 1px solid $border; }
QMenuBar { background: $window; border-bottom: 1px solid $border; padding: 1px 6px; }
QMenuBar::item { padding: 4px 9px; border-radius: 3px; background: transparent; }
QMenuBar::item:selected { background: $selection; }
QMenu { background: $panel; border: 1px solid $control_border; padding: 4px; }
QMenu::item { padding: 5px 22px 5px 12px; border-radius: 3px; }
QMenu::icon { padding-left: 8px; }
QMenu::item:selected { background: $selection; color: $text; }
QMenu::item:disabled { color: $disabled; }
QMenu::separator { height: 1px; background: $border; margin: 4px 6px; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QToolTip { background: $tooltip; color: $text; border: 1px solid $control_border; padding: 5px 7px; }
QToolBar { background: $window; border: 0; border-bottom: 1px solid $border; padding: 7px 8px; spacing: 4px; }
QToolBar::separator { background: $border; width: 1px; margin: 3px 6px; }
QStatusBar { background: $window; border-top: 1px solid $border; }
QStatusBar::item { border: 0; }

QPushButton, QToolButton[framed="true"] {
  background: $header; border: 1px solid $border; border-radius: 4px; padding: 0 10px; min-height: 26px; }
QToolButton { background: transparent; border: 1px solid transparent; border-radius: 4px; padding: 0 6px;
  min-height: 26px; }
QPushButton:hover, QToolButton:hover { background: $hover; border-color: $control_border; }
QPushButton:checked { background: $selection; border-color: $accent; font-weight: 600; }
QPushButton:focus, QToolButton:focus { border: 2px solid $focus; }
QToolButton[segment="true"] { border-color: $control_border; }
QToolButton[segment="true"]:checked { background: $selection; border-color: $accent; color: $text; font-weight: 600; }
QPushButton:disabled, QToolButton:disabled { color: $disabled; }
QPushButton[primary="true"] { background: $accent_fill; color: $on_accent; border-color: $accent_fill;
  font-weight: 600; }
QPushButton[primary="true"]:focus { border: 2px solid $focus; }
QPushButton[primary="true"]:disabled { background: $header; color: $disabled; border-color: $border; }
QPushButton[link="true"] { background: transparent; border: 1px solid transparent; color: $accent; padding: 0 2px;
  min-height: 20px; }
QPushButton[link="true"]:hover { text-decoration: underline; }
QPushButton[link="true"]:focus { border: 1px solid $focus; }

QLineEdit, QComboBox, QSpinBox, QDoubleSpinBox, QPlainTextEdit {
  background: $field; border: 1px solid $control_border; border-radius: 3px; padding: 0 7px; min-height: 26px;
  selection-background-color: $accent_fill; selection-color: $on_accent; }
QPlainTextEdit { padding: 4px; }
QLineEdit:focus, QComboBox:focus { border: 2px solid $focus; padding: 0 6px; min-height: 24px; }
QPlainTextEdit:focus { border: 2px solid $focus; padding: 3px; }
QLineEditIconButton, QLineEditIconButton:hover { background: transparent; border: 0; padding: 0; min-height: 0; }
QLineEdit:disabled, QComboBox:disabled { color: $disabled; border-color: $border; }
QLineEdit[wrong="true"] { border: 2px solid $error; padding: 0 6px; min-height: 24px; }
QComboBox::drop-down { border: 0; width: 20px; }
QComboBox::down-arrow { image: url("$arrows/down_$name.svg"); width: 10px; height: 10px; }
QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button, QDoubleSpinBox::down-button { border: 0;
  width: 18px; }
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow { image: url("$arrows/up_$name.svg"); width: 9px; height: 9px; }
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow { image: url("$arrows/down_$name.svg"); width: 9px; height: 9px; }
QCheckBox { spacing: 7px; }
QCheckBox::indicator, QTreeView::indicator { width: 14px; height: 14px; border: 1px solid $control_border;
  border-radius: 3px;
  background: $field; }
QCheckBox::indicator:checked, QTreeView::indicator:checked { background: $accent_fill; border-color: $accent_fill;
  image: url("$arrows/check.svg"); }
QCheckBox::indicator:focus { border: 2px solid $focus; }
QRadioButton { spacing: 7px; }
QRadioButton::indicator { width: 14px; height: 14px; border: 1px solid $control_border; border-radius: 8px;
  background: $field; }
QRadioButton::indicator:checked { width: 6px; height: 6px; border: 5px solid $accent_fill; background: $on_accent; }
QRadioButton::indicator:focus { border-color: $focus; }
QRadioButton:disabled { color: $disabled; }
QComboBoxListView { background: $panel; border: 1px solid $control_border;
  selection-background-color: $selection;
  selection-color: $text; outline: 0; }

QTreeView, QTableView, QListView { background: $panel; border: 0; outline: 0; alternate-background-color: $alternate;
  selection-background-color: $selection; selection-color: $text; }
QsciSciListBox { border: 1px solid $control_border; }
QTreeView::item, QListView::item { min-height: 24px; border: 0; }
QTreeView::item:hover, QListView::item:hover, QTableView::item:hover { background: $hover; }
QTreeView::item:selected, QListView::item:selected, QTableView::item:selected { background: $selection;
  color: $text; }
QHeaderView { background: $header; border: 0; }
QHeaderView::section { background: $header; color: $muted; border: 0; border-right: 1px solid $border;
  border-bottom: 1px solid $border; padding: 4px 8px; font-weight: 500; }
QScrollArea { background: transparent; border: 0; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: $border; border-radius: 4px; margin: 1px; min-height: 28px; min-width: 28px; }
QScrollBar::handle:hover { background: $control_border; }
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page { background: none;
  width: 0; height: 0; }
QTabWidget::pane { border: 0; border-top: 1px solid $border; }
QTabBar::tab { background: transparent; color: $muted; padding: 5px 11px; border: 0;
  border-top: 2px solid transparent; }
QTabBar::tab:selected { color: $text; background: $panel; border-top: 2px solid $accent; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:focus { border: 2px solid $focus; }
QSlider::groove:horizontal { height: 3px; background: $border; border-radius: 1px; }
QSlider::handle:horizontal { background: $accent_fill; width: 12px; margin: -5px 0; border-radius: 6px; }
QSlider::handle:horizontal:focus { border: 2px solid $focus; }

ads--CDockContainerWidget { background: $window; }
ads--CDockContainerWidget > QSplitter { padding: 4px; }
QSplitter::handle { background: $window; }
ads--CDockAreaWidget { background: $panel; border: 1px solid $border; }
ads--CDockAreaTitleBar { background: $header; border-bottom: 1px solid $border; min-height: 28px; max-height: 28px;
  padding: 0; }
ads--CDockWidget { background: $panel; border: 0; }
ads--CDockWidgetTab { background: transparent; border: 0; border-top: 2px solid transparent;
  border-right: 1px solid $border;
  padding: 0 6px; min-height: 26px; }
ads--CDockWidgetTab[activeTab="true"] { background: $panel; border-top: 2px solid $accent; }
ads--CElidingLabel { color: $muted; }
ads--CDockWidgetTab[activeTab="true"] > ads--CElidingLabel { color: $text; }
#tabCloseButton { background: transparent; border: 0; min-height: 16px; padding: 0; }
ads--CTitleBarButton { padding: 0 3px; min-height: 22px; background: transparent; border: 0; }
ads--CTitleBarButton:hover { background: $hover; }
ads--CTitleBarButton::menu-indicator { image: none; }
#dockWidgetScrollArea { background: $panel; border: 0; padding: 0; }

QLabel[role="muted"] { color: $muted; }
QLabel[role="subject"] { font-weight: 600; }
QLabel[role="section"] { font-weight: 600; background: $header; border-top: 1px solid $border;
  border-bottom: 1px solid $border;
  padding: 4px 10px; }
QLabel[role="error"] { color: $error; }
QFrame[role="card"] { background: $panel; border: 1px solid $control_border; border-radius: 6px; }
QFrame[role="rule"] { background: $border; max-height: 1px; border: 0; }
QFrame[role="notice"] { background: $selection; border: 0; border-top: 1px solid $border;
  border-bottom: 1px solid $border; }
Rail { background: $window; border: 0; border-right: 1px solid $border; }
RailButton { padding: 0; }
RailButton:checked { background: $selection; border-color: $accent; }
ZoomBar { border: 0; }
ZoomButton { min-height: 22px; padding: 0 2px; }
""")


def apply_theme(app: QApplication, theme: Theme) -> None:
    app.setStyle("Fusion")
    app.setPalette(palette_of(theme))
    app.setFont(text_font(13))
    app.setStyleSheet(sheet_of(theme))


@contextmanager
def unstyled() -> Iterator[None]:
    """Inside, widgets are moved without the style sheet. With it Qt computes the style of a panel and of everything in
    it each time it gets another parent, some four thousand times for another layout of the window; so it is computed
    once for each widget, at the end.
    """
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    sheet = app.styleSheet()
    app.setStyleSheet("")
    try:
        yield
    finally:
        app.setStyleSheet(sheet)


def dress(widget: QWidget, sheet: str) -> None:
    """Give a widget a style sheet of its own, if it has another one: that has all of its style computed anew, which is
    too much for what is told with every piece of news.
    """
    if widget.styleSheet() != sheet:
        widget.setStyleSheet(sheet)


def sheet_of(theme: Theme) -> str:
    colours = {field.name: getattr(theme, field.name) for field in fields(theme)}
    words = {name: colour for name, colour in colours.items() if isinstance(colour, str)}
    return _SHEET.substitute(words, arrows=ARROWS.as_posix())


def palette_of(theme: Theme) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for where, colour in {
        role.Window: theme.window, role.WindowText: theme.text, role.Base: theme.field, role.Text: theme.text,
        role.AlternateBase: theme.alternate, role.Button: theme.header, role.ButtonText: theme.text,
        role.ToolTipBase: theme.tooltip, role.ToolTipText: theme.text, role.Highlight: theme.accent_fill,
        role.HighlightedText: theme.on_accent, role.Link: theme.accent, role.PlaceholderText: theme.muted,
        role.Mid: theme.border, role.Dark: theme.border, role.Light: theme.hover, role.Midlight: theme.hover,
        role.Shadow: theme.border, role.BrightText: theme.error, role.Accent: theme.accent_fill,
    }.items():  # fmt: skip
        palette.setColor(where, QColor(colour))
    for where in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, where, QColor(theme.disabled))
    return palette
