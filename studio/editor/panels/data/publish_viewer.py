"""Doing by hand what components do: send a message of any type, once or at a rate, and call services."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import (
    QWIDGETSIZE_MAX,
    QCheckBox,
    QComboBox,
    QCompleter,
    QDoubleSpinBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
    QWidget,
)

from studio.editor.live.feed import Feed
from studio.editor.live.values import value_lines, value_words
from studio.editor.look.fonts import code_font
from studio.editor.look.theme import Theme
from studio.editor.panels.data.message_form import FormError, MessageForm
from studio.editor.panels.data.message_text import error_words, read_json
from studio.editor.panels.parts.viewer import RUN, Bar, Empty, Offer, Settings, Viewer, column, mark, muted, stacked
from studio.errors import StudioError
from studio.messages import MessageTypes
from studio.messages.plain_data import as_plain, from_plain

NOTHING = "Run a system to send messages to its components and call their services"
SEND, CALL = "Send a message", "Call a service"
MOST_HZ = 50.0
DEADLINE_S = 5.0
NARROW, SHORT_DEED, BEHIND = 420, 84, 76
"""Pixels: below this width what is done is told by its first word, so that there is room for whom it is done to."""
AGAIN, STOP = "Send at", "Stop"


class PublishViewer(Viewer):
    KIND, TITLE, ICON = "publish", "Publish", "mdi6.message-draw"

    def __init__(self, feed: Feed, theme: Theme) -> None:
        super().__init__(feed, theme)
        self.deed = QComboBox()
        self.deed.addItems([SEND, CALL])
        self.deed.setAccessibleName("Action")
        self.deed.activated.connect(lambda _: self._offer())
        self.target = QComboBox()
        self.target.setEditable(True)
        self.target.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.target.setMinimumContentsLength(22)
        self.target.setAccessibleName("Receiver")
        self.target.setToolTip("An in port gets the message alone; a topic reaches all its subscribers")
        completer = self.target.completer()
        if completer is not None:
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self.target.currentTextChanged.connect(lambda _: self._chosen())
        self.type = muted()
        self.as_json = QToolButton()
        self.as_json.setText("JSON")
        self.as_json.setCheckable(True)
        for property_ in ("framed", "segment"):
            self.as_json.setProperty(property_, True)
        self.as_json.setToolTip("The message as JSON instead of a form")
        self.as_json.clicked.connect(self._turn)
        self.form = MessageForm()
        self.form.sent.connect(self.send)
        self.form.changed.connect(self._edited)
        self.text = QPlainTextEdit()
        self.text.setFont(code_font(12))
        self.text.setAccessibleName("Message as JSON")
        self.text.textChanged.connect(self._edited)
        self.empty = Empty(self.ICON, NOTHING, theme)
        self.place, self._stack = stacked(self.empty, self.form, self.text)
        self.answer = QLabel()
        self.answer.setWordWrap(True)
        self.answer.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.answer.setContentsMargins(12, 4, 12, 8)
        self.answer.setAccessibleName("Result")
        column(
            self, Bar(self.deed, self.target, self.type, self.as_json), self.place, Bar(*self._doing()), self.answer
        ).setStretch(3, 0)
        self._ends: dict[str, str] = {}
        """What can be chosen -> the type of the message that it takes."""
        self._kept = ""
        """What was typed, of the target of this name and before there was a system to type it for."""
        self._wanted = ""
        self._waits = False
        self._sent = 0
        self._going: dict[str, Any] = {}
        """What is sent again and again: half of a number that is just being typed never is."""
        self._is_edited = False
        """Since it was sent."""
        self._deeds = 0
        """How many there were: an answer that comes after the next one is not told."""
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._again)
        self.topics_changed()

    def _doing(self) -> list[QWidget]:
        self.once = QPushButton("Send")
        self.once.setProperty("primary", True)
        self.once.clicked.connect(lambda _: self.send())
        self.rate = QDoubleSpinBox()
        self.rate.setRange(0.1, MOST_HZ)
        self.rate.setValue(10.0)
        self.rate.setDecimals(1)
        self.rate.setSuffix(" Hz")
        self.rate.setAccessibleName("Rate")
        self.rate.valueChanged.connect(lambda _: self._set_pace())
        self.repeat = QPushButton(AGAIN)
        self.repeat.setCheckable(True)
        self.repeat.setToolTip("Send repeatedly until you press it again. Enter sends edits made meanwhile")
        self.repeat.clicked.connect(self._go_on)
        self.real = QCheckBox("as real")
        self.real.setToolTip(
            "A message sent by hand counts as simulated: real actuators ignore it and its results.\n"
            "Ticked, it counts as real: you are then responsible for what moves, as with a joystick"
        )
        self.take_over = QPushButton("Take over")
        self.take_over.setToolTip("Another client controls this system: take control, and do it")
        self.take_over.clicked.connect(lambda _: self._take_over())
        self.take_over.hide()
        box = QWidget()
        row = QHBoxLayout(box)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.repeat)
        row.addWidget(self.rate)
        self._pace = box
        return [self.once, box, self.real, self.take_over, muted()]

    # ---- what can be chosen

    def save(self) -> Settings:
        return {
            "deed": self.deed.currentText(), "target": self.target.currentText() or self._wanted,
            "message": self._typed(), "json": self.as_json.isChecked(), "rate_hz": self.rate.value(),
        }  # fmt: skip

    def restore(self, settings: Settings) -> None:
        self.deed.setCurrentText(CALL if settings.get("deed") == CALL else SEND)
        rate = settings.get("rate_hz")
        self.rate.setValue(float(rate) if isinstance(rate, int | float) else 10.0)
        self._wanted, self._kept = str(settings.get("target", "")), str(settings.get("message", ""))
        self.as_json.setChecked(bool(settings.get("json")))
        self._offer()

    def offer(self) -> Offer | None:
        return None if self.feed.is_attached else RUN

    def attached(self) -> None:
        self._stop()
        self.tell("")

    def topics_changed(self) -> None:
        self._offer()

    def ended(self) -> None:
        self._stop()
        self._offer()

    def close_viewer(self) -> None:
        self._stop()
        super().close_viewer()

    def _offer(self) -> None:
        """In ports first, which reach one component; then topics, which reach all who listen."""
        calls = self.deed.currentText() == CALL
        ends: dict[str, str] = {}
        for name, told in sorted(self.feed.state.get("components", {}).items()):
            if calls:
                ends |= {f"{name}.{service}": str(types[0]) for service, types in told.get("services", {}).items()}
            else:
                ends |= {f"{name}.{port}": str(kind) for port, kind in told.get("accepts", {}).items()}
        if not calls:
            topics = self.feed.state.get("topics", {})
            ends |= {name: str(told.get("type")) for name, told in sorted(topics.items())}
        self._wanted = self.target.currentText() or self._wanted
        self.once.setText("Call" if calls else "Send")
        self._pace.setVisible(not calls)
        if calls:
            self._stop()
        if ends != self._ends:
            self._ends = ends
            self.target.blockSignals(True)
            self.target.clear()
            self.target.addItems(list(ends))
            wanted = self._wanted if self._wanted in ends else next(iter(ends), self._wanted)
            self.target.setCurrentText(wanted)
            self.target.blockSignals(False)
            self._chosen()
        elif not ends:
            self._chosen()

    @property
    def type_name(self) -> str:
        return self._ends.get(self.target.currentText(), "")

    def _types(self) -> MessageTypes:
        folder = self.feed.state.get("folder")
        return MessageTypes.builtin().with_folder(Path(folder)) if folder else MessageTypes.builtin()

    def _chosen(self) -> None:
        """Another target: its message, with what was typed where the type is the same."""
        name = self.target.currentText()
        kind = self.type_name
        self.real.setVisible("real" in self.feed.state.get("sources", {}).values())
        self.once.setEnabled(bool(kind))
        self.repeat.setEnabled(bool(kind))
        if not kind:
            self.type.setText("")
            self.empty.say(f"{name} is not in this system. Choose another" if self._ends and name else NOTHING)
            self._stack.setCurrentWidget(self.empty)
            return
        if kind != self.type.text():
            self._stop()
            self.tell("")  # what was wrong with another message
            self.type.setText(kind)
            self._show_type(kind)
        self._turn(self.as_json.isChecked(), carry=False)
        self.retitle(f"{self.TITLE} {name}")
        self.settled.emit()

    def _show_type(self, kind: str) -> None:
        try:
            message_class = self._types().get(kind)
        except StudioError as error:
            self.tell(error.message, wrong=True)
            self.form.show_type(None)
            self.text.setPlainText("{}")
            return
        self.form.show_type(message_class)
        self.text.setPlainText(json.dumps(as_plain(message_class()), indent=2))
        kept, self._kept = self._kept, ""
        try:
            data = as_plain(from_plain(message_class, json.loads(kept))) if kept else {}
        except (ValueError, StudioError):
            return  # of a type that was another then
        if data:
            self.form.show_values(data)
            self.text.setPlainText(json.dumps(data, indent=2))

    def _turn(self, on: bool, *, carry: bool = True) -> None:
        """Between form and JSON, with what was typed."""
        if carry:
            try:
                if on:
                    self.text.setPlainText(json.dumps(self.form.values(), indent=2))
                elif self.type_name:
                    self.form.show_values(self._checked(read_json(self.text.toPlainText())))
            except StudioError as error:
                self.as_json.setChecked(not on)
                self.tell(error_words(error), wrong=True)
                return
            self.tell("")
        self._stack.setCurrentWidget(self.text if on else self.form)

    def _typed(self) -> str:
        if not self.type_name:
            return self._kept
        try:
            return self.text.toPlainText() if self.as_json.isChecked() else json.dumps(self.form.values())
        except FormError:
            return ""

    # ---- doing it

    def message(self) -> dict[str, Any]:
        """What is typed, checked against its type."""
        data = read_json(self.text.toPlainText()) if self.as_json.isChecked() else self.form.values()
        return self._checked(data)

    def _checked(self, data: Any) -> dict[str, Any]:
        checked: dict[str, Any] = as_plain(from_plain(self._types().get(self.type_name), data))
        return checked

    def send(self) -> None:
        """Once, now."""
        if not self.type_name:
            return
        try:
            message = self.message()
        except StudioError as error:
            self._stop()
            self._deeds += 1
            self.tell(error_words(error), wrong=True)
            return
        self._going, self._is_edited = message, False
        name = self.target.currentText()
        if self.deed.currentText() == CALL:
            self.tell(f"{name} was called…")
            component, _, service = name.partition(".")
            self._ask(
                "call", self._replied, timeout_s=DEADLINE_S + 5, component=component, service=service,
                request=message, deadline_s=DEADLINE_S,
            )  # fmt: skip
        else:
            if not self._timer.isActive():
                self.tell(f"{name}: on its way…")
            self._deliver()

    def _deliver(self) -> None:
        is_real = self.real.isChecked() and not self.real.isHidden()  # though it may be behind the bar's ⋯
        self._ask("send", self._delivered, to=self.target.currentText(), message=self._going, real=is_real)

    def _ask(self, do: str, done: Callable[[dict[str, Any]], None], **fields: Any) -> None:
        """Only the answer to the last deed is told: an earlier one would hide what became of it."""
        self._waits = True
        self._deeds += 1
        deed = self._deeds
        self.feed.ask(
            do,
            lambda reply: done(reply) if deed == self._deeds else None,
            lambda error: self._refused(error) if deed == self._deeds else None,
            **fields,
        )

    def _edited(self) -> None:
        self._is_edited = True
        self.settled.emit()

    def _go_on(self, on: bool) -> None:
        self._sent = 0
        if on:
            self.repeat.setText(STOP)
            self._set_pace()
            self._timer.start()
            self.send()
        else:
            self._stop()

    def _set_pace(self) -> None:
        self._timer.setInterval(max(int(1000 / self.rate.value()), 1))
        self.settled.emit()

    def _again(self) -> None:
        if not self._waits:  # late ones are left out, not caught up with
            self._deliver()

    def _stop(self) -> None:
        self._timer.stop()
        self.repeat.setChecked(False)
        self.repeat.setText(AGAIN)
        self._waits = False

    def _delivered(self, reply: dict[str, Any]) -> None:
        self._waits = False
        self._sent += 1
        times = f", {self._sent} time{'' if self._sent == 1 else 's'}" if self._timer.isActive() else ""
        words = f"{reply.get('to')}: sent{times}, takes effect {reply.get('effect')}"
        changed = reply.get("simulated") or []
        if changed:
            words += f". From now on what follows from {', '.join(changed)} counts as simulated: no real actuator obeys"
        if self._timer.isActive() and self._is_edited:
            words += ". Press Enter to send the new values"
        self.tell(words)

    def _replied(self, reply: dict[str, Any]) -> None:
        self._waits = False
        answer = reply.get("reply")
        words = " · ".join(value_lines(answer)) if isinstance(answer, dict) else value_words(answer)
        self.tell(f"{reply.get('type')} after {float(reply.get('seconds', 0)) * 1000:.0f} ms: {words[:2000]}")
        self.answer.setToolTip(json.dumps(answer, ensure_ascii=False, indent=2)[:2000])

    def _refused(self, error: StudioError) -> None:
        self._stop()
        self.tell(f"Refused: {error_words(error)}", wrong=True)
        self.take_over.setVisible(getattr(error, "kind", "") == "ControlHeld")

    def _take_over(self) -> None:
        self.take_over.hide()
        self.feed.ask("take", lambda _: self.send(), self._refused, force=True)

    def tell(self, words: str, *, wrong: bool = False) -> None:
        self.take_over.hide()
        mark(self.answer, "role", "error" if wrong else "muted")
        self.answer.setText(words)
        self.answer.setVisible(bool(words))

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """In a narrow panel one still sees to whom it goes."""
        super().resizeEvent(event)
        is_narrow = self.width() < NARROW
        self.type.setVisible(not is_narrow)  # its fields are below
        self.deed.setMaximumWidth(SHORT_DEED if is_narrow else QWIDGETSIZE_MAX)
        self.target.setMaximumWidth(self.width() - SHORT_DEED - BEHIND if is_narrow else QWIDGETSIZE_MAX)

    def show_theme(self, theme: Theme) -> None:
        super().show_theme(theme)
        self.empty.show_theme(theme)
