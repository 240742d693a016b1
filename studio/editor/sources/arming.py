"""Real actuators: the dialog before they may move, and what takes the permission away again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PyQt6.QtCore import QEvent, QEventLoop, QObject, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import (
    QApplication,
    QCheckBox,
    QDialog,
    QDoubleSpinBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from studio.editor.live.effects import Actuator
from studio.editor.live.feed import Feed
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.model.spec import ARMED, SAFETY_STOP
from studio.runtime.base.clock import SECOND_NS, monotonic_ns

TWICE_WITHIN_NS = SECOND_NS * 2 // 5
DISARMED_WITHIN_MS = 5000
"""When the window is left: how long it waits for the answer."""
LOOK_EVERY_MS = 250
CANCEL, SENSORS, ARM = 0, 1, 2


class ArmDialog(QDialog):
    """Ends with CANCEL, SENSORS (real, but nothing moves) or ARM. Escape is the safe answer."""

    def __init__(
        self, parent: QWidget, theme: Theme, vehicle: str, actuators: tuple[Actuator, ...], words: str, *, runs: bool,
        chosen: bool = False,
    ) -> None:  # fmt: skip
        """`chosen`: the sources are real already, only arming is asked for."""
        super().__init__(parent)
        self.setWindowTitle("Arm the real vehicle?" if chosen else "Use the real vehicle?")
        self.setFixedWidth(500)
        self.vehicle = vehicle
        names = " and ".join(actuator.name for actuator in actuators)
        mark = QLabel()
        origin = theme.origins["real"]
        mark.setPixmap(icon(origin.icon, origin.on_fill).pixmap(22, 22))
        mark.setFixedSize(38, 38)
        mark.setAlignment(Qt.AlignmentFlag.AlignCenter)
        mark.setStyleSheet(f"background: {origin.fill}; border-radius: 4px;")
        title = QLabel(
            f"{vehicle} can move without warning" if runs else f"{vehicle} is real, and moves only when armed"
        )
        title.setStyleSheet("font-size: 15px; font-weight: 600;")
        what = QLabel(words)
        what.setProperty("role", "muted")
        what.setWordWrap(True)
        head, texts = QHBoxLayout(), QVBoxLayout()
        head.setSpacing(12)
        head.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        texts.addWidget(title)
        texts.addWidget(what)
        head.addLayout(texts, 1)
        limited = [actuator for actuator in actuators if actuator.speed]
        self.checks = [
            QCheckBox("The area is clear and a person holds the hardware stop"),
            QCheckBox("I have tested this system in simulation today"),
        ]
        self.speed = QDoubleSpinBox()
        self.speed.setRange(0.05, max((actuator.speed_m_s for actuator in limited), default=20.0) or 20.0)
        self.speed.setValue(min((actuator.speed_m_s for actuator in limited), default=1.0))
        self.speed.setSingleStep(0.1)
        self.speed.setSuffix(" m/s")
        self.speed.setAccessibleName("Speed limit for this run")
        self.name = QLineEdit()
        self.name.setAccessibleName("The vehicle's name")
        self.cancel, self.sensors, self.arm = QPushButton("Cancel"), QPushButton("Use without arming"), QPushButton()
        self.arm.setText("Arm")
        self.sensors.setToolTip("The sensors are real, and every command to the vehicle is refused")
        self.sensors.setVisible(not chosen)
        self.arm.setProperty("primary", "true")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 14)
        layout.setSpacing(10)
        layout.addLayout(head)
        for check in self.checks:
            check.toggled.connect(self._look)
            layout.addWidget(check)
        if limited:
            row = QHBoxLayout()
            row.addWidget(QLabel("Speed limit for this run"))
            row.addWidget(self.speed)
            row.addStretch(1)
            layout.addLayout(row)
        self.hint = QLabel(f"Type {vehicle} to arm {names}")
        self.hint.setProperty("role", "muted")
        layout.addWidget(self.hint)
        layout.addWidget(self.name)
        after = (
            "After a safety stop it resumes without you, because the system file says so (after_stop)."
            if any(actuator.resumes for actuator in actuators)
            else "After a safety stop it stays stopped until you resume it."
        )
        note = QLabel(
            f"Stop, another source, or five minutes without moving disarm it. {after} This is not a certified stop."
        )
        note.setProperty("role", "muted")
        note.setWordWrap(True)
        layout.addWidget(note)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        for button, result in ((self.cancel, CANCEL), (self.sensors, SENSORS), (self.arm, ARM)):
            button.setAutoDefault(button is self.cancel)
            button.clicked.connect(lambda _, result=result: self.done(result))
            buttons.addWidget(button)
        layout.addLayout(buttons)
        self._runs = runs
        if not runs:
            for widget in (*self.checks, self.speed, self.name):
                widget.setEnabled(False)
            self.hint.setText("It can be armed when the system runs: the orange band has a button for it")
        self.name.textChanged.connect(self._look)
        self.cancel.setDefault(True)
        self.cancel.setFocus()
        self._look()

    def _look(self) -> None:
        typed = self.name.text().strip().lower() == self.vehicle.lower()
        ready = self._runs and typed and all(check.isChecked() for check in self.checks)
        self.arm.setEnabled(ready)
        missing = "Tick both boxes" if not all(check.isChecked() for check in self.checks) else "Type its name"
        self.arm.setToolTip(
            "Commands move it from now on" if ready else missing if self._runs else "Run the system first"
        )


class Arming(QObject):
    """Knows who is armed; arms, and disarms by hand, by Escape twice, or when the window leaves.

    Five minutes without moving disarm it, too: the actuator sees to that itself, as no window may be there any more.
    """

    changed = pyqtSignal()
    looked = pyqtSignal()
    """Some while somebody is armed has passed, or something was heard: ages are others."""
    told = pyqtSignal(str)
    refused = pyqtSignal(str)

    def __init__(self, feed: Feed, parent: QObject) -> None:
        super().__init__(parent)
        self.feed = feed
        self.armed: tuple[str, ...] = ()
        self.stopped: dict[str, str] = {}
        """Those that a safety stop holds, and why; also one that is disarmed since its process ended."""
        self._asked: set[str] = set()
        """To disarm, by us."""
        self._counts: dict[str, int] = {}
        self._heard_ns = 0
        """When the running system last said anything."""
        self._commanded_ns: int | None = None
        """When a command last came; None while none has since it was armed."""
        self._escaped_ns = 0
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_EVERY_MS)
        self._timer.timeout.connect(self._look_around)
        feed.changed.connect(lambda _: self._hear())
        feed.ended.connect(lambda _: self._look())

    def known(self) -> dict[str, dict[str, Any]]:
        """Components of the running system that can be armed."""
        told = self.feed.state.get("components", {})
        return {name: each for name, each in told.items() if ARMED in each["parameters"]}

    def arm(self, actuators: tuple[Actuator, ...], speed_m_s: float) -> None:
        for actuator in actuators:
            if actuator.speed:
                self._set(actuator.name, actuator.speed, speed_m_s, partial(self._arm, actuator.name))
            else:
                self._arm(actuator.name)

    def _set(self, component: str, name: str, value: object, done: Callable[[], object]) -> None:
        self.feed.ask("set", lambda _: done(), self._failed, component=component, name=name, value=value)

    def _arm(self, name: str) -> None:
        self._set(name, ARMED, True, partial(self.told.emit, f"{name} is armed: commands move it from now on"))

    def resume(self) -> None:
        """Let those go on that a safety stop holds."""
        for name in self.stopped:
            if name in self.armed:
                done = partial(self._went_on, name)
                self.feed.ask("command", done, self._failed, component=name, command={"do": "resume"})

    def _went_on(self, name: str, _: dict[str, Any]) -> None:
        self.told.emit(f"{name} resumed: commands move it again")

    def disarm(self, why: str = "by hand") -> None:
        """Everybody, at once."""
        self._asked = set(self.armed)
        for name in self.armed or tuple(self.known()):
            self._set(name, ARMED, False, partial(self.told.emit, f"{name} is disarmed {why}"))

    def disarm_and_wait(self) -> bool:
        """True when nothing is armed any more. If that cannot be had, it is told why."""
        if not self.armed:
            return True
        self._asked = set(self.armed)
        loop = QEventLoop()
        waiting, failed = set(self.armed), list[str]()

        def answered(name: str, _: dict[str, Any]) -> None:
            waiting.discard(name)
            if not waiting:
                loop.quit()

        def refused(error: Exception) -> None:
            failed.append(str(error))
            loop.quit()

        for name in self.armed:
            self.feed.ask("set", partial(answered, name), refused, component=name, name=ARMED, value=False)
        QTimer.singleShot(DISARMED_WITHIN_MS, loop.quit)
        if waiting and not failed:
            loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
        if waiting:
            why = failed[0] if failed else "the system does not answer"
            self.refused.emit(f"{', '.join(sorted(waiting))} cannot be disarmed, so the window stays: {why}")
        return not waiting

    def _failed(self, error: Exception) -> None:
        self.refused.emit(str(error))

    @property
    def link_age_s(self) -> float:
        """For how long nothing was heard of the running system, and so of what it moves."""
        return (monotonic_ns() - self._heard_ns) / SECOND_NS

    @property
    def command_age_s(self) -> float | None:
        """Since the last command to somebody who is armed; None while none has come since."""
        return None if self._commanded_ns is None else (monotonic_ns() - self._commanded_ns) / SECOND_NS

    def _hear(self) -> None:
        self._heard_ns = monotonic_ns()
        self._look()
        if self.armed:
            self._look_around()

    def _look(self) -> None:
        self._look_for_armed()
        stops = {name: str(told.get("shown", {}).get(SAFETY_STOP, "")) for name, told in self.known().items()}
        stopped = {name: why for name, why in stops.items() if why}
        if stopped != self.stopped:
            for name in stopped.keys() - self.stopped.keys():
                self.refused.emit(f"{name} has stopped: {stopped[name]}")
            self.stopped = stopped
            self.changed.emit()

    def _look_for_armed(self) -> None:
        known = self.known()
        armed = tuple(name for name, told in known.items() if told["parameters"][ARMED])
        if armed != self.armed:
            for name in set(self.armed) - set(armed) - self._asked:
                if name in known:  # a fault, or nobody has commanded it for long
                    self.told.emit(f"{name} has disarmed itself: see the console for the reason")
            self.armed = armed
            self._asked.clear()
            self._counts, self._commanded_ns = self._commands(), None
            self._timer.start() if armed else self._timer.stop()
            app = QApplication.instance()
            assert app is not None
            app.installEventFilter(self) if armed else app.removeEventFilter(
                self
            )  # it sees every event: not for nothing
            self.changed.emit()

    def _commands(self) -> dict[str, int]:
        """Topic -> how many commands to those who are armed."""
        topics = self.feed.state.get("topics", {})
        components = self.feed.state.get("components", {})
        return {
            topic: int(topics[topic]["count"])
            for name in self.armed
            for heard in components.get(name, {}).get("inputs", {}).values()
            for topic in heard
            if topic in topics
        }

    def _look_around(self) -> None:
        counts = self._commands()
        if counts != self._counts:
            self._counts, self._commanded_ns = counts, monotonic_ns()
        self.looked.emit()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Escape twice, in any window of ours; it reaches who has the focus all the same."""
        if (
            self.armed
            and isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_Escape
            and not event.isAutoRepeat()
            and isinstance(watched, QWidget)
        ):
            now_ns = monotonic_ns()
            if 20_000_000 < now_ns - self._escaped_ns < TWICE_WITHIN_NS:
                self.disarm("by Escape, pressed twice")
                self._escaped_ns = 0
            elif now_ns - self._escaped_ns >= TWICE_WITHIN_NS:
                self._escaped_ns = now_ns
        return False
