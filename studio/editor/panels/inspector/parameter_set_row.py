"""Which named set the parameters come from, what differs from it, and all that is done with sets."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import (
    QHBoxLayout,
    QInputDialog,
    QLineEdit,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.look.typed_names import keep_to_names
from studio.editor.panels.parts.breaking_label import BreakingLabel
from studio.editor.panels.parts.name_label import NameLabel
from studio.editor.panels.parts.parameter_fields import LABEL_PX, label_width, narrow_box
from studio.editor.project.session import Session
from studio.model.parameter_sets import (
    DuplicateParameterSet,
    RemoveParameterSet,
    RenameParameterSet,
    SaveParameterSet,
    differing,
    free_set_name,
    readable_set,
    set_names,
    texts_to_save,
)
from studio.model.parts import Component
from studio.model.spec import ComponentSpec, format_value
from studio.model.system_edits import Compound, SetParameters, SetParameterSet, SystemEdit, shown

NO_SET = "none"
FIRST_NAME = "my_set"
DIALOG_WIDTH = 400
BAR_PX = 12
"""The bar that resets a parameter, with the gap before it: here is none."""


class ParameterSetRow(QWidget):
    def __init__(self, session: Session, names: list[str], theme: Theme) -> None:
        super().__init__()
        self.session, self.names, self.theme = session, names, theme
        self.ask_name: Callable[[str, str, str], str] = self._ask_name
        """Title, verb and proposal; empty if nobody wants it."""
        self.box = narrow_box()
        self.box.setAccessibleName("Parameter set")
        self.box.setMinimumWidth(64)  # with label and button no wider than the narrowest panel
        self.box.activated.connect(lambda index: self._choose(str(self.box.itemData(index))))
        self.more = QToolButton()
        self.more.setIcon(icon("mdi6.dots-horizontal", theme.muted))
        self.more.setToolTip("Save, rename, duplicate or delete a set")
        self.more.setAccessibleName("Actions for presets")
        self.more.clicked.connect(self._open_menu)
        self.words = BreakingLabel()
        self.words.setProperty("role", "muted")
        self.save, self.back = self._link("Save into the set"), self._link("Back to the set")
        self.save.clicked.connect(self._update)
        self.back.clicked.connect(self._go_back)
        self._lay_out()
        self.fill()

    def _link(self, text: str) -> QPushButton:
        button = QPushButton(text)
        button.setProperty("link", "true")
        return button

    def _lay_out(self) -> None:
        label = self.label = NameLabel("Set")
        label.setMinimumWidth(LABEL_PX + BAR_PX)
        label.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        label.give_room(LABEL_PX + BAR_PX)
        label.setToolTip("Values that belong together, under a name")
        row = QHBoxLayout()
        row.setSpacing(3)
        for widget, stretch in ((label, 0), (self.box, 1), (self.more, 0)):
            row.addWidget(widget, stretch)
        links = QHBoxLayout()
        links.setSpacing(12)
        for link in (self.save, self.back):
            links.addWidget(link)
        links.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(row)
        layout.addWidget(self.words)
        layout.addLayout(links)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self.label.give_room(label_width(self.width()) + BAR_PX)

    # ---- what is

    def _parts(self) -> list[tuple[Component, ComponentSpec]]:
        components = [self.session.system.component(name) for name in self.names]
        return [(each, self.session.registry.require(each.type)) for each in components]

    def _common(self) -> list[str]:
        """Sets that all of them have."""
        parts = self._parts()
        return [name for name in set_names(*parts[0]) if all(name in set_names(*part) for part in parts)]

    @property
    def chosen(self) -> str | None:
        """None where the selected ones have different ones."""
        found = {component.parameter_set for component, _ in self._parts()}
        return found.pop() if len(found) == 1 else None

    @property
    def is_own(self) -> bool:
        """Whether the chosen one belongs to this system, so that it can be changed."""
        return bool(self.chosen) and all(self.chosen in component.parameter_sets for component, _ in self._parts())

    def fill(self) -> None:
        """With what the system says now."""
        parts, chosen = self._parts(), self.chosen
        self.box.clear()
        self.box.addItem(NO_SET, "")
        for name in self._common():
            self.box.addItem(name, name)
            self.box.setItemData(self.box.count() - 1, _about(*parts[0], name), Qt.ItemDataRole.ToolTipRole)
        if chosen and chosen not in self._common():
            self.box.addItem(f"{chosen} (missing)", chosen)
        self.box.setCurrentIndex(-1 if chosen is None else self.box.findData(chosen))
        self.box.setToolTip(_about(*parts[0], chosen) if chosen else "Defaults, and the values below")
        self._tell_differences(parts)

    def _tell_differences(self, parts: list[tuple[Component, ComponentSpec]]) -> None:
        names = list(dict.fromkeys(name for part in parts for name in differing(*part)))
        differ = bool(self.chosen) and bool(names)
        listed = " and ".join(names) if len(names) < 3 else f"{len(names)} values"
        verb = "differs" if len(names) == 1 else "differ"
        self.words.setText(f"{listed} {verb} from {self.chosen}")
        self.words.setToolTip("\n".join(_difference(*parts[0], name) for name in names) if len(parts) == 1 else "")
        self.words.setVisible(differ)
        self.back.setVisible(differ)
        self.back.setToolTip(f"Take {', '.join(names)} from {self.chosen} again")
        self.save.setVisible(differ and self.is_own)
        self.save.setToolTip(f"{self.chosen} has the values that are shown, from now on")

    # ---- what is done

    def menu(self) -> QMenu:
        menu = QMenu(self)
        chosen, own = self.chosen, self.is_own
        menu.setToolTipsVisible(True)
        self._add(menu, "Save the values as a set…", self._save_as, True, "")
        menu.addSeparator()
        which = chosen or "the set"
        why = "" if own else _why_not(chosen)
        self._add(menu, f"Rename {which}…", self._rename, own, why)
        self._add(menu, f"Duplicate {which}…", self._duplicate, bool(chosen), _why_not(chosen) if not chosen else "")
        self._add(menu, f"Delete {which}", self._remove, own, why or "The values stay as they are, set by themselves")
        return menu

    def _add(self, menu: QMenu, text: str, do: Callable[[], None], enabled: bool, words: str) -> None:
        entry = menu.addAction(text)
        assert entry is not None
        entry.triggered.connect(lambda _=False: do())
        entry.setEnabled(enabled)
        entry.setToolTip(words)

    def _open_menu(self) -> None:
        menu = self.menu()
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.more.mapToGlobal(QPoint(0, self.more.height())))

    def _choose(self, name: str) -> None:
        if name != self.chosen:
            self._do([SetParameterSet(each, name) for each in self.names])

    def _save_as(self) -> None:
        parts = self._parts()
        name = self.ask_name("Save the values as a set", "Save", free_set_name(parts, FIRST_NAME))
        if not name:
            return
        if any(name in set_names(*part) for part in parts):
            self.session.refused.emit(f"There is a set {name} already (choose another name)")
            return
        self._do([SaveParameterSet(each.name, name, texts_to_save(each, spec)) for each, spec in parts])

    def _update(self) -> None:
        name = self.chosen
        if name:
            self._do([SaveParameterSet(each.name, name, texts_to_save(each, spec)) for each, spec in self._parts()])

    def _go_back(self) -> None:
        found = [(each.name, differing(each, spec)) for each, spec in self._parts()]
        self._do([SetParameters(name, dict.fromkeys(values)) for name, values in found if values])

    def _rename(self) -> None:
        old = self.chosen
        new = self.ask_name(f"Rename the set {old}", "Rename", old) if old else ""
        if old and new and new != old:
            self._do([RenameParameterSet(each, old, new) for each in self.names])

    def _duplicate(self) -> None:
        old, parts = self.chosen, self._parts()
        new = self.ask_name(f"Duplicate the set {old}", "Duplicate", free_set_name(parts, old)) if old else ""
        if old and new:
            texts = {each.name: _texts(each, spec, old) for each, spec in parts}
            self._do([DuplicateParameterSet(each, old, new, texts[each]) for each in self.names])

    def _remove(self) -> None:
        name = self.chosen
        if name:
            self._do([RemoveParameterSet(each, name) for each in self.names])

    def _do(self, edits: list[SystemEdit]) -> None:
        if len(edits) == 1:
            self.session.do(edits[0])
        elif edits:
            what = edits[0].label.partition(" of ")[0]
            self.session.do(Compound(f"{what} of {shown(self.names)}", tuple(edits)))
        self.fill()

    def _ask_name(self, title: str, verb: str, proposal: str) -> str:
        dialog = QInputDialog(self.window())
        dialog.setWindowTitle(title)
        dialog.setLabelText("Name of the set")
        dialog.setTextValue(proposal)
        dialog.setOkButtonText(verb)
        field = dialog.findChild(QLineEdit)
        if field is not None:
            keep_to_names(field)
        dialog.resize(DIALOG_WIDTH, dialog.sizeHint().height())
        fine = dialog.exec() == QInputDialog.DialogCode.Accepted
        dialog.deleteLater()
        return "_".join(dialog.textValue().split()) if fine else ""


def _texts(component: Component, spec: ComponentSpec, name: str) -> dict[str, str]:
    """What a set says, as it is written."""
    if name in component.parameter_sets:
        return dict(component.parameter_sets[name])
    return {parameter: format_value(value) for parameter, value in readable_set(component, spec, name).items()}


def _about(component: Component, spec: ComponentSpec, name: str) -> str:
    """Whose it is, and what it says."""
    whose = "of this system" if name in component.parameter_sets else f"brought along by {spec.type}"
    values = [f"{key} = {text}" for key, text in _texts(component, spec, name).items()]
    return "\n".join([f"{name}, {whose}", *(values or ["every value is the default"])])


def _difference(component: Component, spec: ComponentSpec, name: str) -> str:
    declared = spec.parameter(name)
    if declared is None:
        return f"{spec.type} has no {name}"
    said = readable_set(component, spec, component.parameter_set).get(name, declared.default)
    unit = f" {declared.unit}" if declared.unit else ""
    return f"{name}: {component.parameters[name]}{unit}, in {component.parameter_set} {format_value(said)}{unit}"


def _why_not(chosen: str | None) -> str:
    if chosen is None:
        return "The selected components have different sets"
    return "It belongs to the component's type: duplicate it to change it" if chosen else "Choose a set first"
