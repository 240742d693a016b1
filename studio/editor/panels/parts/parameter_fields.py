"""One field per parameter, with the widget that suits its kind. A field reports a value; it never edits the model."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

from PyQt6.QtCore import QEvent, QObject, QPoint, Qt, pyqtSignal
from PyQt6.QtGui import QResizeEvent, QWheelEvent
from PyQt6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QCompleter,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QSizePolicy,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.breaking_label import BreakingLabel
from studio.editor.panels.parts.name_label import NameLabel
from studio.editor.project.session import Session
from studio.errors import StudioError
from studio.model.geometry_check import names_a_frame
from studio.model.parameter_choices import choices_of
from studio.model.parameter_sets import readable_set
from studio.model.parts import Component
from studio.model.spec import ComponentSpec, ParameterSpec, Value, format_value

SEVERAL = "—"
Choices = Callable[[], Sequence[str]]
_NOTHING = {
    "frame": "The system has no geometry: choose it in the inspector of the system",
    "vehicle": "The system has no geometry: choose it in the inspector of the system",
    "device": "No serial device is plugged in",
    "topic": "No component publishes anything yet",
}
SLIDER_STEPS = 1000
LABEL_PX, MOST_LABEL_PX = 88, 150
"""Of the names of parameters: with it the narrowest panel has room for a value and its unit."""


class ParameterField(QWidget):
    """A label, a widget, a unit, and an accent bar that resets when the value is not the default."""

    changed = pyqtSignal(str, object, bool)
    """Name, value (None resets), and whether it is one of many from a slider that moves."""
    pick_wanted = pyqtSignal()
    """A frame is to be clicked in the view of the vehicle."""
    world_wanted = pyqtSignal(str)
    """The world that the parameter names is to be opened."""
    slide_began = pyqtSignal()
    """What the slider tells from now on is another change than before."""

    def __init__(
        self, spec: ParameterSpec, theme: Theme, choices: Choices | None = None, folder: Path | None = None
    ) -> None:
        """`choices`: what the parameter can name, asked anew each time; `folder`: where paths of files start."""
        super().__init__()
        self.spec, self._choices, self._folder = spec, choices, folder
        self.theme = theme
        self.label = NameLabel(spec.name)
        self.label.setMinimumWidth(LABEL_PX)
        self.label.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.label.give_room(LABEL_PX)
        self.bar = QToolButton()
        self.bar.setFixedWidth(9)
        self.bar.setAccessibleName(f"Reset {spec.name}")
        self.bar.clicked.connect(lambda: self.changed.emit(spec.name, None, False))
        self.error = BreakingLabel()
        self.error.setProperty("role", "error")
        self.error.hide()
        self.editor = self._editor()
        self.editor.setAccessibleName(spec.name)
        self.editor.setAccessibleDescription(spec.doc)
        self.label.setToolTip(about(spec))
        self.editor.setToolTip(about(spec))
        row = QHBoxLayout()
        row.setSpacing(3)
        row.addWidget(self.label)
        row.addWidget(self.bar)
        row.addWidget(self.editor, 1)
        if spec.kind == "file":
            row.addWidget(self._browse())
        if names_a_frame(spec):
            row.addWidget(self._pick_in_view())
        if spec.kind == "world":
            row.addWidget(self._open_world())
            self.editor.installEventFilter(self)
        if spec.unit:
            unit = QLabel(spec.unit)
            unit.setProperty("role", "muted")
            row.addWidget(unit)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(row)
        self.slider = self._slider()
        if self.slider is not None:
            self._inset = QHBoxLayout()
            self._inset.setContentsMargins(LABEL_PX + 15, 0, 2, 0)
            self._inset.addWidget(self.slider)
            column.addLayout(self._inset)
        column.addWidget(self.error)
        self._running: Value | None = None
        self.running = QPushButton()
        self.running.setProperty("link", "true")
        self.running.setToolTip("It was set while the system runs. Click to write it into the system")
        self.running.clicked.connect(self._keep_running)
        self.running.hide()
        column.addWidget(self.running, 0, Qt.AlignmentFlag.AlignRight)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """A wide panel has room for long names; the slider stands below the value, wherever that is."""
        super().resizeEvent(event)
        width = label_width(self.width())
        self.label.give_room(width)
        if self.slider is not None:
            self._inset.setContentsMargins(width + 15, 0, 2, 0)

    # ---- showing

    def show_running(self, value: Value | None) -> None:
        """What the running component has, if that is not what the system says; None if it is."""
        self._running = value
        self.running.setVisible(value is not None)
        if value is not None:
            self.running.setText(f"runs with {self.spec.format(value)}: keep")

    def _keep_running(self) -> None:
        if self._running is not None:
            self.changed.emit(self.spec.name, self._running, False)

    def show_value(
        self, value: Value | None, *, is_default: bool, text: str | None = None, back_to: Value | None = None
    ) -> None:
        """`value` None: the selected ones differ, or `text` is what the file says and cannot be read. `back_to`: what
        the parameter set or the component's type says."""
        self._filling = True
        shown = text if text is not None else SEVERAL if value is None else self.spec.format(value)
        if isinstance(self.editor, QCheckBox):
            state = (
                Qt.CheckState.PartiallyChecked
                if value is None
                else Qt.CheckState.Checked
                if value
                else Qt.CheckState.Unchecked
            )
            self.editor.setTristate(value is None)
            self.editor.setCheckState(state)
        elif isinstance(self.editor, QComboBox):
            self.editor.setCurrentIndex(self.editor.findText(shown))
        elif isinstance(self.editor, QLineEdit):
            self.editor.setText("" if value is None and text is None else shown)
            if not self.editor.hasFocus():
                self.editor.setCursorPosition(0)  # of what has no room one reads the beginning, not the end
            self.editor.setPlaceholderText(SEVERAL if value is None else "")
        if self.slider is not None and isinstance(value, int | float):
            self.slider.setValue(self._to_slider(float(value)))
        self._say("")
        if text is not None:
            self._check_text(text)
        colour = "transparent" if is_default else self.theme.accent
        self.bar.setStyleSheet(
            f"background: {colour}; border: 0; border-radius: 1px; min-height: 22px; padding: 0; margin: 0 3px;"
        )
        self.bar.setEnabled(not is_default)
        unit = f" {self.spec.unit}" if self.spec.unit else ""
        to = f" to {self.spec.format(back_to)}{unit}" if back_to not in (None, "") else ""
        self.bar.setToolTip("" if is_default else f"Set in this system. Click to reset{to}")
        self._filling = False

    # ---- widgets

    def _editor(self) -> QWidget:
        spec = self.spec
        self._filling = False
        if spec.kind == "bool":
            box = QCheckBox()
            box.clicked.connect(lambda on: self._take(bool(on)))
            return box
        if spec.choices:
            combo = narrow_box()
            combo.setMinimumWidth(64)  # with label and unit no wider than the narrowest panel
            combo.addItems([spec.format(choice) for choice in spec.choices])
            combo.activated.connect(lambda index: self._take(spec.choices[index]))
            combo.installEventFilter(_CalmWheel(combo))
            return combo
        line = QLineEdit()
        line.setMinimumWidth(48)
        # It takes what is left. With a width of its own Qt would take some of the label's, more where a unit is long.
        line.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        line.editingFinished.connect(self._typed)
        line.textEdited.connect(self._check_text)
        if self._choices is not None:
            self._offer(line, self._choices)
        return line

    def _offer(self, line: QLineEdit, choices: Choices) -> None:
        """Pick one of them from the list at its end; others can still be typed: frames of the world, worlds by seed."""
        completer = QCompleter(list(choices()), line)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.activated.connect(lambda text: self._take(str(text)))
        line.setCompleter(completer)
        pick = line.addAction(icon("mdi6.chevron-down", self.theme.muted), QLineEdit.ActionPosition.TrailingPosition)
        assert pick is not None
        what = "frame" if names_a_frame(self.spec) else self.spec.kind
        pick.setText(f"Pick a {what} for {self.spec.name}")
        pick.setToolTip(f"Pick a {what} from those that are there")
        pick.triggered.connect(lambda: self._pick(line, choices(), what))

    def _pick(self, line: QLineEdit, words: Sequence[str], what: str) -> None:
        menu = QMenu(line)
        if not words:
            empty = menu.addAction(_NOTHING.get(what, f"There is no {what} to choose"))
            assert empty is not None
            empty.setEnabled(False)
        for word in words:
            entry = menu.addAction(word)
            assert entry is not None
            entry.triggered.connect(lambda _=False, word=word: self._take(word))
        menu.popup(line.mapToGlobal(QPoint(0, line.height())))

    def _slider(self) -> QSlider | None:
        spec = self.spec
        if spec.kind not in ("int", "float") or spec.minimum is None or spec.maximum is None or spec.choices:
            return None
        slider = QSlider(Qt.Orientation.Horizontal)
        slider.setRange(0, SLIDER_STEPS)
        slider.setMinimumWidth(40)
        slider.setAccessibleName(f"{spec.name}, slider")
        slider.valueChanged.connect(self._slid)
        slider.sliderPressed.connect(self.slide_began)
        slider.sliderReleased.connect(self.slide_began)  # what the keys do after a drag is not part of it
        slider.installEventFilter(_CalmWheel(slider))
        return slider

    def _pick_in_view(self) -> QToolButton:
        button = QToolButton()
        button.setIcon(icon("mdi6.axis-arrow", self.theme.muted))
        button.setToolTip("Click a frame in the view of the vehicle")
        button.setAccessibleName(f"Click the frame for {self.spec.name} in the view")
        button.clicked.connect(lambda _: self.pick_wanted.emit())
        return button

    def _open_world(self) -> QToolButton:
        button = QToolButton()
        button.setIcon(icon("mdi6.earth", self.theme.muted))
        button.setToolTip("Open this world; a double click on its name does it, too")
        button.setAccessibleName(f"Open the world of {self.spec.name}")
        button.clicked.connect(lambda _: self._want_world())
        return button

    def _want_world(self) -> None:
        if isinstance(self.editor, QLineEdit):
            self.world_wanted.emit(self.editor.text().strip())

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        if event is not None and event.type() == QEvent.Type.MouseButtonDblClick and watched is self.editor:
            self._want_world()
            return True
        return super().eventFilter(watched, event)

    def _browse(self) -> QToolButton:
        button = QToolButton()
        button.setText("…")
        button.setAccessibleName(f"Choose a file for {self.spec.name}")
        button.clicked.connect(self._choose_file)
        return button

    def _choose_file(self) -> None:
        start = str(self._folder) if self._folder is not None else ""
        name, _ = QFileDialog.getOpenFileName(self, f"File for {self.spec.name}", start)
        if name:
            inside = self._folder is not None and Path(name).is_relative_to(self._folder)
            self._take(str(Path(name).relative_to(self._folder)) if self._folder and inside else name)

    # ---- values

    def _typed(self) -> None:
        assert isinstance(self.editor, QLineEdit)
        text = self.editor.text()
        if not self.editor.isModified() or (not text and self.editor.placeholderText()):
            return
        self.editor.setModified(False)
        try:
            value = self.spec.parse(text)
        except StudioError as error:
            self._say(error.message + (f" ({error.hint})" if error.hint else ""))
            return
        self._take(value)

    def _check_text(self, text: str) -> None:
        try:
            self.spec.parse(text)
            self._say("")
        except StudioError as error:
            self._say(error.message + (f" ({error.hint})" if error.hint else ""))

    def _slid(self, place: int) -> None:
        if self._filling:
            return
        value = self._from_slider(place)
        self.changed.emit(self.spec.name, value, True)

    def _take(self, value: Value) -> None:
        if not self._filling:
            self.changed.emit(self.spec.name, value, False)

    def _to_slider(self, value: float) -> int:
        low, high, warp = self._scale()
        return round(SLIDER_STEPS * (warp(value) - warp(low)) / (warp(high) - warp(low))) if high > low else 0

    def _from_slider(self, place: int) -> Value:
        low, high, warp = self._scale()
        at = warp(low) + (warp(high) - warp(low)) * place / SLIDER_STEPS
        value = math.exp(at) if warp is not _same else at
        value = min(high, max(low, float(f"{value:.3g}")))
        return round(value) if self.spec.kind == "int" else value

    def _scale(self) -> tuple[float, float, Callable[[float], float]]:
        """Ranges over many powers of ten are walked in equal ratios."""
        low, high = float(self.spec.minimum or 0.0), float(self.spec.maximum or 0.0)
        return (low, high, math.log) if low > 0 and high / low >= 1000 else (low, high, _same)

    def _say(self, trouble: str) -> None:
        self.error.setText(trouble)
        self.error.setVisible(bool(trouble))
        self.editor.setProperty("wrong", "true" if trouble else "false")
        style = self.editor.style()
        if style is not None:
            style.unpolish(self.editor)
            style.polish(self.editor)


class _CalmWheel(QObject):
    """A wheel that scrolls the form must not change the values it passes over."""

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        if isinstance(event, QWheelEvent) and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return super().eventFilter(watched, event)


def label_width(width: int) -> int:
    """Of the names in a form of this width: values of all rows begin at one place."""
    return max(LABEL_PX, min(MOST_LABEL_PX, width * 2 // 5))


def narrow_box() -> QComboBox:
    """As wide as the panel allows, not as its longest entry wants: panels never scroll sideways."""
    box = QComboBox()
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(5)
    return box


def about(spec: ParameterSpec) -> str:
    lines = [f"<b>{spec.name}</b> · {spec.kind}{f' in {spec.unit}' if spec.unit else ''}"]
    if spec.doc:
        lines.append(spec.doc)
    if spec.minimum is not None or spec.maximum is not None:
        lines.append(f"from {_bound(spec.minimum)} to {_bound(spec.maximum)}")
    lines.append(f"default {format_value(spec.default)}")
    return "<br>".join(lines)


def _bound(number: float | None) -> str:
    return "anything" if number is None else f"{number:g}"


def _same(value: float) -> float:
    return value


def field_for(session: Session, spec: ParameterSpec, theme: Theme) -> ParameterField:
    """With a list to choose from, where the parameter names something that can be listed."""
    is_named = names_a_frame(spec) or spec.kind in ("world", "vehicle", "topic", "device")

    def choices() -> list[str]:
        found = session.opened.geometry()  # a geometry that cannot be read has no frames: the problems say why
        model = found.model if found is not None else None
        return choices_of(spec, session.system, session.registry, session.folder, model)

    return ParameterField(spec, theme, choices if is_named else None, session.folder)


def value_of(component: Component, spec: ComponentSpec, name: str) -> tuple[Value | None, str]:
    """The value a parameter has, or None and the text that cannot be read."""
    parameter = spec.parameter(name)
    assert parameter is not None
    if name in component.parameters:
        text = component.parameters[name]
        try:
            return parameter.parse(text), text
        except StudioError:
            return None, text
    return readable_set(component, spec, component.parameter_set).get(name, parameter.default), ""
