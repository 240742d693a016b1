"""A long way through a log: how far it is, how to give it up, and how to be there without going it."""

from __future__ import annotations

from typing import Any

from PyQt6.QtCore import QEvent, QObject, Qt, QTimer
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QWidget

from studio.editor.panels.player.player_steering import PlayerSteering
from studio.editor.views.timeline.timeline import clock_words

SHOWN_AFTER_MS = 700
"""What is done sooner needs no words."""
PARTS = 1000
JUMP = (
    "Go there at once and leave out the events between: the components get a time jump, as in a free run."
    " Their results on the way are missing, and steps back end at the jump"
)


class PlayerWay(QFrame):
    """Over the lowest part of the time line, while the player is on its way for longer than a moment: nothing moves
    under a hand that is just dragging the cursor."""

    def __init__(self, steering: PlayerSteering, over: QWidget) -> None:
        super().__init__(over)
        self._steering, self._over = steering, over
        self.setAutoFillBackground(True)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        over.installEventFilter(self)
        self.words = QLabel()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.bar.setAccessibleName("Progress")
        self.jump = QPushButton("Jump there")
        self.jump.setToolTip(JUMP)
        self.jump.clicked.connect(steering.jump_over)
        self.cancel = QPushButton("Stop here")
        self.cancel.setToolTip("Give it up where it has come to")
        self.cancel.clicked.connect(steering.give_up)
        for button in (self.jump, self.cancel):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # who has clicked it goes on with the keys of the time line
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 2, 8, 2)
        row.setSpacing(8)
        row.addWidget(self.words)
        row.addWidget(self.bar, 1)
        row.addWidget(self.jump)
        row.addWidget(self.cancel)
        self.hide()
        self._place()
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(SHOWN_AFTER_MS)
        self._patience.timeout.connect(self._show)
        steering.way_changed.connect(self._follow)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        if event is not None and event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        height = self.sizeHint().height()
        self.setGeometry(0, self._over.height() - height, self._over.width(), height)

    def _follow(self) -> None:
        if self._steering.way is None:
            self._patience.stop()
            self.hide()
        elif self.isVisible():
            self._show()
        elif not self._patience.isActive():
            self._patience.start()

    def _show(self) -> None:
        if self._steering.way is not None:
            self.show_place(self._steering.feed.state.get("player") or {})
            self._place()
            self.show()

    def show_place(self, player: dict[str, Any]) -> None:
        """`player`: where it is by now."""
        way = self._steering.way
        if way is None or not player:
            return
        start_ns, now_ns = int(player["start_ns"]), int(player["time_ns"])
        here = clock_words(now_ns - start_ns)
        if way.to_ns is None or way.jumps:
            self.words.setText("Jumping …" if way.jumps else f"Computing … at {here}")
            self.bar.setRange(0, 0)
        else:
            self.words.setText(f"Computing the way to {clock_words(way.to_ns - start_ns)} … at {here}")
            whole = max(abs(way.to_ns - way.from_ns), 1)
            self.bar.setRange(0, PARTS)
            self.bar.setValue(max(0, min(PARTS, PARTS - abs(way.to_ns - now_ns) * PARTS // whole)))
        computes = player.get("gate") == "lockstep" and bool(self._steering.feed.state.get("components"))
        self.jump.setVisible(way.to_ns is not None and computes and not way.jumps)
        self.cancel.setVisible(not way.jumps)
