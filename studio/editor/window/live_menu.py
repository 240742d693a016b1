"""What can be done to components, as entries of the canvas' context menu: their state, their mode, their host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QMenu

from studio.editor.live.state import LOOKS
from studio.editor.look.icons import icon
from studio.model.parts import Component
from studio.model.source_making import MakeSource
from studio.model.sources import SourceMode
from studio.model.spec import Activation
from studio.model.system_edits import SetActivation, SetHost

if TYPE_CHECKING:
    from studio.editor.window.main_window import MainWindow

ACTIVATIONS: dict[Activation, str] = {"event": "On event", "periodic": "Periodically", "trigger": "On trigger"}
MAKES: dict[SourceMode, str] = {"real": "Real", "simulated": "Simulated"}
OBEYS = {
    "run.activate": {"inactive", "created", "paused"},
    "run.deactivate": {"active", "busy", "paused"},
    "run.reset": {"error"},
    "run.trigger": {"active"},
    "run.restart": set(LOOKS),
}
"""In which states a command makes sense."""


def add_component_entries(menu: QMenu, window: MainWindow) -> None:
    """For what is selected; nothing, if that is no component."""
    system = window.session.system
    nodes = [system.node(name) for name in window.canvas.canvas.selected_nodes()]
    components = [node for node in nodes if isinstance(node, Component)]
    if not components:
        return
    running = window.live.feed.state.get("components", {})
    told = [running[component.name] for component in components if component.name in running]
    if len(components) == 1:
        menu.addAction(window.actions_by_id["tools.source"])
        menu.addAction(window.actions_by_id["help.component"])
        menu.addAction(window.actions_by_id["run.test"])
    if told:
        menu.addAction(window.actions_by_id["debug.attach"])
    menu.addSeparator()
    for name, fitting in OBEYS.items():
        fits = any(each["state"] in fitting for each in told)
        if fits and (name != "run.trigger" or any(each["activation"] == "trigger" for each in told)):
            menu.addAction(window.actions_by_id[name])
    if len(components) == 1:
        _add_modes(menu, window, components[0])
        _add_source_making(menu, window, components[0])
    _add_hosts(menu, window, components)
    menu.addSeparator()


def _add_modes(menu: QMenu, window: MainWindow, component: Component) -> None:
    spec = window.session.registry.get(component.type)
    if spec is None or len(spec.activations) < 2:
        return
    sub = menu.addMenu("Acts")
    assert sub is not None
    now = component.mode or spec.activations[0]
    for activation in spec.activations:
        period_s = (component.period_s or spec.period_s) if activation == "periodic" else None
        edit = SetActivation(component.name, activation, period_s)
        entry = _choice(sub, ACTIVATIONS[activation], chosen=activation == now)
        entry.triggered.connect(lambda _=False, edit=edit: window.session.do(edit))


def _add_source_making(menu: QMenu, window: MainWindow, component: Component) -> None:
    """Data that may come from elsewhere one day: a log, a simulator, the real thing."""
    spec = window.session.registry.get(component.type)
    if spec is None or not any(port.direction == "out" for port in spec.ports):
        return
    sub = menu.addMenu("Turn into a data source")
    assert sub is not None
    for mode, words in MAKES.items():
        entry = sub.addAction(words)
        assert entry is not None
        entry.setIcon(icon(window.theme.origins[mode].icon, window.theme.muted))
        edit = MakeSource(component.name, mode, spec.ports)
        entry.triggered.connect(lambda _=False, edit=edit: window.session.do(edit))


def _add_hosts(menu: QMenu, window: MainWindow, components: list[Component]) -> None:
    hosts = [host.name for host in window.session.system.hosts]
    if not hosts:
        return
    sub = menu.addMenu("Host")
    assert sub is not None
    now = {component.host for component in components}
    names = tuple(component.name for component in components)
    for host in ("", *hosts):
        entry = _choice(sub, host or "Own process", chosen=now == {host})
        edit = SetHost(names, host)
        entry.triggered.connect(lambda _=False, edit=edit: window.session.do(edit))


def _choice(menu: QMenu, text: str, *, chosen: bool) -> QAction:
    entry = menu.addAction(text)
    assert entry is not None
    entry.setCheckable(True)
    entry.setChecked(chosen)
    return entry
