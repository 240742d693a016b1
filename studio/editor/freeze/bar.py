"""The freeze bar: that the whole system stands, where, who waits for it, and every way to go on."""

from __future__ import annotations

from collections.abc import Mapping

from PyQt6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PyQt6.QtGui import QAction, QColor, QPainter, QPaintEvent, QRegion
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QMenu, QMenuBar, QSizePolicy, QToolButton, QWidget

from studio.editor.freeze.key_button import KeyButton
from studio.editor.live.standing import StopReason, brief, headline, plain_sentence, sentence, shortest
from studio.editor.look.fonts import text_font
from studio.editor.look.icons import icon, pixmap
from studio.editor.look.theme import Theme, mixed
from studio.runtime.base.deltas import Snapshot

LINE = 3
LEAST_WORDS = 260
"""Where it stands is said in so many pixels, before there is room for more buttons or for the title."""
ROOM_FOR_ALL = 1000
"""From here on every button is shown; otherwise some of them are in the menu."""
BUTTONS = (
    ("run.start", "fa6s.play", "Continue", "F5"),
    ("debug.line", "mdi6.debug-step-over", "Line", "F10"),
    ("debug.into", "mdi6.debug-step-into", "Into", "F11"),
    ("debug.out", "mdi6.debug-step-out", "Out", "⇧F11"),
    ("run.back", "mdi6.step-backward", "Event back", "⇧F6"),
    ("run.step", "mdi6.step-forward", "Event", "F6"),
)
"""Action, icon, word, key; the actions know whether they can be done, and say why not."""
KEPT = ("run.start", "debug.line", "run.step")
"""In a narrow window; the others are in a menu."""
IN_MENU = ("debug.into", "debug.out", "debug.handler", "run.back", "run.next_of_stream")


class FreezeBar(QWidget):
    """Lies in the row of the menus, right of them, where nothing else ever is: when the system freezes, nothing in the
    window moves, and nothing is covered."""

    def __init__(self, theme: Theme, actions: Mapping[str, QAction], row: QMenuBar) -> None:
        super().__init__(row)
        self.theme = theme
        self._actions = actions
        self._row = row
        self._texts: tuple[str, ...] = ("",)
        """Where it stands, the longest first."""
        self.setAccessibleName("The system is frozen")
        self.mark, self.title, self.words = QLabel(), QLabel(), QLabel()
        self.title.setFont(text_font(12.5, 600))
        self.words.setFont(text_font(12))
        self.words.setTextFormat(Qt.TextFormat.RichText)
        self.words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.buttons: dict[str, KeyButton] = {}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 0, 6, 0)
        layout.setSpacing(6)
        layout.addWidget(self.mark)
        layout.addWidget(self.title)
        layout.addWidget(self.words, 1)
        for name, picture, word, keys in BUTTONS:
            button = KeyButton(picture, word, keys, theme, filled=name == "run.start")
            button.clicked.connect(actions[name].trigger)
            self.buttons[name] = button
            if name in ("debug.line", "run.back"):
                layout.addSpacing(8)
            layout.addWidget(button)
        self.more = QToolButton()
        self.more.setIconSize(QSize(16, 16))
        self.more.setFixedSize(26, 22)
        self.more.setAccessibleName("More ways to continue")
        self.more.setToolTip("More ways to continue")
        self.more.clicked.connect(self._open_more)
        layout.addWidget(self.more)
        for name in self.buttons:
            actions[name].changed.connect(self._follow_actions)
        row.installEventFilter(self)
        self.show_theme(theme)
        self.hide()

    def show_stand(self, stand: StopReason | None, state: Snapshot) -> None:
        """Nothing of it while the system does not stand, or goes on without the one that does."""
        is_shown = stand is not None and not stand.runs_on
        if is_shown and stand is not None:
            self.title.setText(headline(stand))
            words = sentence(stand, state)
            self._texts = words, words.rpartition(" · ")[0] or words, brief(stand), shortest(stand)
            for label in (self.mark, self.title, self.words):
                label.setToolTip(f"<b>{headline(stand)}</b><br>{words}")
            # For people who hear the window. Qt tells a screen reader that both have changed; it could also be alerted,
            # but PyQt6 knows nothing of QAccessible, and on Linux Qt passes no alert on.
            self.setAccessibleName(headline(stand))
            self.setAccessibleDescription(plain_sentence(stand, state))
            self._follow_actions()
            self.fit()
        self.setVisible(is_shown)

    def fit(self) -> None:
        """Right of the menus, over the height of their row; words and buttons as there is room."""
        menus = self._row.actions()
        left = self._row.actionGeometry(menus[-1]).right() + 14 if menus else 0
        self.setGeometry(left, 0, max(0, self._row.width() - left), self._row.height())
        has_room = self.width() >= ROOM_FOR_ALL
        for name, button in self.buttons.items():
            button.setVisible(has_room or name in KEPT)
        shown = [button for button in self.buttons.values() if not button.isHidden()]
        room = self.width() - sum(button.width() + 6 for button in shown) - self.more.width() - 70
        self.title.setVisible(room - self.title.sizeHint().width() > LEAST_WORDS)
        room -= self.title.sizeHint().width() if not self.title.isHidden() else 0
        for text in self._texts:
            self.words.setText(text)
            if self.words.sizeHint().width() <= room:
                break

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.mark.setPixmap(pixmap("fa6s.snowflake", theme.frozen, 14, self.devicePixelRatioF()))
        self.title.setStyleSheet(f"color: {theme.text};")
        self.words.setStyleSheet(f"color: {theme.text};")
        self.more.setIcon(icon("mdi6.dots-horizontal", theme.text))
        for button in self.buttons.values():
            button.theme = theme
            button.update()
        self.update()

    def _follow_actions(self) -> None:
        for name, button in self.buttons.items():
            action = self._actions[name]
            button.setEnabled(action.isEnabled())
            button.setToolTip(action.toolTip())

    def _open_more(self) -> None:
        menu = QMenu(self)
        for name in IN_MENU:
            menu.addAction(self._actions[name])
        menu.popup(self.more.mapToGlobal(QPoint(self.more.width() - menu.sizeHint().width(), self.more.height())))

    # ---- Qt

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        if event is not None and event.type() in (QEvent.Type.Resize, QEvent.Type.FontChange, QEvent.Type.Show):
            self.fit()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter, theme = QPainter(self), self.theme
        painter.fillRect(self.rect(), QColor(mixed(theme.frozen, theme.window, 0.2)))
        painter.fillRect(0, 0, LINE, self.height(), QColor(theme.frozen))


class IceFrame(QWidget):
    """Three pixels of ice at the edges of what stands still; nothing is moved by it, and every click goes through."""

    def __init__(self, parent: QWidget, theme: Theme) -> None:
        super().__init__(parent)
        self.theme = theme
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    def fit(self, top: int) -> None:
        """Around the parent, from below the band of its sources on."""
        parent = self.parentWidget()
        assert parent is not None
        self.setGeometry(0, top, parent.width(), max(0, parent.height() - top))
        inner = self.rect().adjusted(LINE, LINE, -LINE, -LINE)
        self.setMask(QRegion(self.rect()).subtracted(QRegion(inner)))  # what lies below is painted without it
        self.raise_()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter, ice = QPainter(self), QColor(self.theme.frozen)
        painter.fillRect(0, 0, LINE, self.height(), ice)
        painter.fillRect(self.width() - LINE, 0, LINE, self.height(), ice)
        for y in (0, self.height() - LINE):
            painter.fillRect(0, y, self.width(), LINE, ice)
