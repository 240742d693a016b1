"""Windows and timers of Qt that are there, where a test has used Qt at all."""

from __future__ import annotations

import gc
import sys
from typing import Any

MADE_BY_QT = frozenset({"QTipLabel"})
"""Windows that no code of ours makes: one tooltip, which Qt keeps for the next."""


def delete() -> None:
    """What a running window does between two events."""
    if (app := _application()) is not None:
        from PyQt6.QtCore import QEvent

        app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        app.processEvents()


def windows() -> dict[object, str]:
    """Widgets that belong to no other object. The list of a completer belongs to the field that has its keys."""
    if (app := _application()) is None:
        return {}
    from PyQt6 import sip

    alone = [each for each in app.topLevelWidgets() if each.parent() is None and each.focusProxy() is None]
    ours = [each for each in alone if each.metaObject().className() not in MADE_BY_QT]
    return {("widget", sip.unwrapinstance(each)): f"widget {_name(each)}" for each in ours}


def timers() -> dict[object, str]:
    """Those that run and belong to no other object; only of what the collector looks at: see gc.freeze."""
    if _application() is None:
        return {}
    from PyQt6 import sip
    from PyQt6.QtCore import QTimer

    found: dict[object, str] = {}
    kinds: dict[type, bool] = {}
    for each in gc.get_objects():
        kind = type(each)
        if kinds.get(kind) is None:
            kinds[kind] = issubclass(kind, QTimer)
        if kinds[kind] and not sip.isdeleted(each) and each.isActive() and each.parent() is None:
            found[("timer", sip.unwrapinstance(each))] = f"timer {_name(each)} of {each.interval()} ms"
    return found


def _application() -> Any:
    core = sys.modules.get("PyQt6.QtWidgets")
    return core.QApplication.instance() if core is not None else None


def _name(each: Any) -> str:
    said = each.objectName() or (each.windowTitle() if each.isWidgetType() else "")
    return f"{type(each).__name__} {said}".strip()
