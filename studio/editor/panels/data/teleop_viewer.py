"""Driving with keys or the mouse: the window makes the events of a gamepad, and only while a hand holds the stick."""

from __future__ import annotations

from typing import Any

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QCheckBox, QComboBox, QPushButton, QSlider

from studio.editor.live.feed import Changes, Feed
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.viewer import RUN, Bar, Empty, Offer, Settings, Viewer, column, facts, mark, stacked
from studio.editor.views.data.stick import Stick
from studio.errors import StudioError

NOTHING = "There is no vehicle to drive. Add a teleop to the system and wire its votes or its command"
HOW = "Hold Space and drive with the arrow keys or W A S D, or drag the stick"
STOPS = "It stops when you release the stick"
HOLDING = "Holding: the vehicle stays stopped until you drive it or release Hold"
HOLD_TIP = "Keep the vehicle stopped: speed 0 is sent all the time, until you press it again or close this panel"
BRIEFLY = "Space and arrow keys"
NARROW, SLIDER_PX, SHORT_SLIDER_PX = 360, 110, 64
PERIOD_MS = 50
"""Between two events: well within what `teleop` takes for a hand that still holds on."""
DEFAULTS = {"steering_axis": 0, "speed_axis": 1, "enable_button": 0, "max_speed_m_s": 0.0}


class TeleopViewer(Viewer):
    KIND, TITLE, ICON = "teleop", "Drive", "fa6s.gamepad"

    def __init__(self, feed: Feed, theme: Theme) -> None:
        super().__init__(feed, theme)
        self.stick = Stick(theme)
        self.stick.moved.connect(self._moved)
        self.empty = Empty(self.ICON, NOTHING, theme)
        self.place, self._stack = stacked(self.empty, self.stick)
        self.setFocusProxy(self.stick)
        self.target = QComboBox()
        self.target.setAccessibleName("Driven component")
        self.target.setPlaceholderText("None yet")
        self.target.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.target.setToolTip("Receiver of the stick's events: an in port for Joy")
        self.target.activated.connect(lambda _: self._choose())
        self.most = QSlider(Qt.Orientation.Horizontal)
        self.most.setRange(10, 100)
        self.most.setValue(50)
        self.most.setFixedWidth(SLIDER_PX)
        self.most.setAccessibleName("How fast at most")
        self.most.valueChanged.connect(lambda _: self._tell())
        self.most.valueChanged.connect(lambda _: self.settled.emit())
        self.share = facts()
        self.share.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.real = QCheckBox("Drive the real vehicle")
        self.real.setToolTip("The events of the stick count as real. Without it real actuators ignore them")
        self.take_over = QPushButton("Take over")
        self.take_over.clicked.connect(lambda _: self._take_over())
        self.take_over.hide()
        self.hold = QPushButton("Hold")
        self.hold.setCheckable(True)
        self.hold.setToolTip(HOLD_TIP)
        self.hold.clicked.connect(lambda _: self.stick.setFocus())  # the next keys drive; Space here would release it
        self.hold.toggled.connect(lambda _: self._held())
        self.words = facts()
        self.words.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        column(
            self, Bar(self.target, self.hold, self.most, self.share, self.real), self.place,
            Bar(self.words, self.take_over),
        )  # fmt: skip
        self._ends: list[str] = []
        self._wanted = ""
        self._under_way = 0
        """Requests without an answer."""
        self._is_closed = False
        """Replies may still be on their way then, and there is nobody left to tell."""
        self._trouble = ""
        self._timer = QTimer(self)
        self._timer.setInterval(PERIOD_MS)
        self._timer.timeout.connect(self._beat)
        self.topics_changed()

    # ---- whom

    def save(self) -> Settings:
        return {"target": self._wanted, "most": self.most.value()}

    def restore(self, settings: Settings) -> None:
        most = settings.get("most")
        self.most.setValue(most if isinstance(most, int) else 50)
        self._wanted = str(settings.get("target", ""))
        self.topics_changed()

    def offer(self) -> Offer | None:
        return None if self.feed.is_attached else RUN

    def attached(self) -> None:
        self._under_way, self._trouble = 0, ""

    def ended(self) -> None:
        self.hold.setChecked(False)
        self.stick.let_go()
        self.topics_changed()

    def changed(self, changes: Changes) -> None:
        if changes.system or changes.components:
            self._tell()

    def topics_changed(self) -> None:
        components = self.feed.state.get("components", {})
        ends = [
            f"{name}.{port}"
            for name, told in sorted(components.items())
            for port, kind in told.get("accepts", {}).items()
            if kind == "Joy"
        ]
        if ends != self._ends:
            self._ends = ends
            self.target.clear()
            self.target.addItems(ends)
            self.target.setCurrentText(self._wanted if self._wanted in ends else next(iter(ends), ""))
        self.target.setEnabled(len(ends) > 1)
        self.empty.say(NOTHING if self.feed.is_attached else "Run a system to drive its vehicle")
        self._stack.setCurrentWidget(self.stick if ends else self.empty)
        self._tell()

    def _choose(self) -> None:
        self.hold.setChecked(False)
        self.stick.let_go()
        self._wanted = self.target.currentText()
        self.settled.emit()
        self._tell()

    def _about(self) -> dict[str, Any]:
        name = self.target.currentText().partition(".")[0]
        found: dict[str, Any] = self.feed.state.get("components", {}).get(name, {})
        return found

    def _parameters(self) -> dict[str, Any]:
        return {**DEFAULTS, **self._about().get("parameters", {})}

    def others(self) -> list[str]:
        """Behaviours that vote beside the one that is driven here: they drive on when the stick is let go."""
        name = self.target.currentText().partition(".")[0]
        topics = self.feed.state.get("topics", {})
        voters = dict.fromkeys(topic.strip("/").partition("/")[0] for topic, told in topics.items()
                               if told.get("type") == "Vote")  # fmt: skip
        return [voter for voter in voters if voter != name] if name in voters else []

    # ---- driving

    @property
    def has_the_vehicle(self) -> bool:
        """Whether the driver has a say: a hand is on the stick, or the vehicle is held."""
        return self.stick.is_held or self.hold.isChecked()

    def _held(self) -> None:
        """Taken until it is released: the same events as of a stick that is held in the middle."""
        self._moved()

    def joy(self) -> dict[str, Any]:
        """What the stick says, on the axes and the button that the component looks at."""
        told = self._parameters()
        left, ahead = self.stick.position
        axes = [0.0] * (max(int(told["steering_axis"]), int(told["speed_axis"])) + 1)
        axes[int(told["steering_axis"])] = left
        axes[int(told["speed_axis"])] = ahead * self.most.value() / 100
        buttons = [0] * (int(told["enable_button"]) + 1)
        if buttons:
            buttons[-1] = int(self.has_the_vehicle)
        return {"axes": axes, "buttons": buttons}

    def _moved(self) -> None:
        if self.has_the_vehicle:
            self._trouble = ""
            self.take_over.hide()
            if not self._timer.isActive():
                self._timer.start()
                self._send()
        else:
            self._timer.stop()
            self._send()  # at once, whatever is under way
        self._tell()

    def _beat(self) -> None:
        if self._under_way < 2:  # a slow system gets fewer events, and no queue of old ones
            self._send()

    def _send(self) -> None:
        if not self._ends or not self._can_drive():
            return
        self._under_way += 1
        is_real = self.real.isChecked() and not self.real.isHidden()  # though it may be behind the bar's ⋯
        held = self.has_the_vehicle
        self.feed.ask(
            "send", lambda _: self._arrived(held), self._refused,
            to=self.target.currentText(), message=self.joy(), real=is_real,
        )  # fmt: skip

    def _can_drive(self) -> bool:
        # Events for a system that stands would wait, and drive it later, when nobody holds the stick.
        return self.feed.is_attached and self.feed.state.get("gate") != "pause"

    def _arrived(self, held: bool) -> None:
        if self._is_closed:
            return
        self._under_way = max(self._under_way - 1, 0)
        if held and not self.has_the_vehicle:
            self._send()  # it may have overtaken the word that the hand has let go
        self._tell()

    def _refused(self, error: StudioError) -> None:
        if self._is_closed:
            return
        self._under_way = max(self._under_way - 1, 0)
        if not self._can_drive():
            # It was on its way when the system was paused. A vehicle that is held is held again when it goes on.
            if not self.hold.isChecked():
                self._timer.stop()
            self._tell()
            return
        self._timer.stop()
        self.hold.setChecked(False)
        self._trouble = f"{error.message} ({error.hint})" if error.hint else error.message
        self.take_over.setVisible(getattr(error, "kind", "") == "ControlHeld")
        self._tell()

    def _take_over(self) -> None:
        self.take_over.hide()
        self._trouble = ""
        self.feed.ask("take", lambda _: self._tell(), self._refused, force=True)

    def close_viewer(self) -> None:
        self.hold.setChecked(False)
        self.stick.let_go()
        self._timer.stop()
        self._is_closed = True
        super().close_viewer()

    # ---- telling

    def _tell(self) -> None:
        about, told = self._about(), self._parameters()
        self.real.setVisible("real" in self.feed.state.get("sources", {}).values())
        fastest = float(told["max_speed_m_s"] or 0.0)
        share = self.most.value() / 100
        is_narrow = self.width() < NARROW
        self.share.setText("" if is_narrow else f"at most {_fast(share, fastest)}")
        self.share.setToolTip(f"It drives at most {_fast(share, fastest)}")
        left, ahead = self.stick.position
        if self._trouble:
            words = f"Refused: {self._trouble}"
        elif not self._ends:
            words = ""
        elif not self._can_drive():
            words = "The system is paused: it cannot be driven"
        elif about.get("state") not in ("active", "busy"):
            words = (
                f"{self.target.currentText().partition('.')[0]} is {about.get('state')}: it drives only while active"
            )
        elif self.stick.is_held:
            words = f"{_way(ahead * share, fastest)}, {_turn(left)}"
        elif self.hold.isChecked():
            words = HOLDING
        else:
            words = f"{self._after()}. {HOW}"
        is_at_rest = words.endswith(HOW)
        if is_at_rest and is_narrow:
            self.words.setText(f"{BRIEFLY}: ≤ {_fast(share, fastest)}")
        else:  # what happens comes first; how to drive is also written around the stick
            is_whole = self.words.fontMetrics().horizontalAdvance(words) <= self.words.width()
            self.words.setText(self._after() if is_at_rest and not is_whole else words)
        others = self.others() if is_at_rest else []
        self.words.setToolTip(f"{words}\nOther behaviours: {', '.join(others)}" if others else words)
        self.hold.setVisible(bool(self._ends))
        self.hold.setEnabled(self._can_drive() or self.hold.isChecked())
        mark(self.words, "role", "error" if self._trouble else "muted")

    def _after(self) -> str:
        """What happens when the stick is let go."""
        others = self.others()
        who = f"{others[0]} drives" if len(others) == 1 else f"{len(others)} behaviours drive"
        return f"When you release the stick, {who} on; Hold keeps it stopped" if others else STOPS

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self.most.setFixedWidth(SHORT_SLIDER_PX if self.width() < NARROW else SLIDER_PX)
        self._tell()

    def show_theme(self, theme: Theme) -> None:
        super().show_theme(theme)
        self.stick.show_theme(theme)
        self.empty.show_theme(theme)


def _fast(share: float, fastest: float) -> str:
    return f"{share * fastest:.1f} m/s" if fastest else f"{share * 100:.0f} %"


def _way(ahead: float, fastest: float) -> str:
    """How fast, and which way: nobody has to know what a sign means."""
    if not ahead:
        return "Standing"
    return f"Driving {'forward' if ahead > 0 else 'back'} at {_fast(abs(ahead), fastest)}"


def _turn(left: float) -> str:
    share = round(abs(left) * 100)
    return f"steering {share} % to the {'left' if left > 0 else 'right'}" if share else "straight"
