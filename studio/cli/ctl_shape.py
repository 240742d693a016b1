"""`studio ctl reload`, `switch` and `save`: another shape for a running system, and its state for the file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from studio.cli.outcome import FINE, print_json
from studio.cli.trust import require_trust
from studio.model.document import SystemDocument
from studio.model.opened import open_project
from studio.model.spec import Value
from studio.model.state_edits import RunningComponent, RunningState, edits_to
from studio.runtime.attach import Attachment


def reload(attachment: Attachment, options: argparse.Namespace) -> int:
    require_trust(open_project(Path(attachment.state["folder"])), options)
    reply = attachment.ask("reload", restart=options.restart, timeout_s=None)
    told = {key: reply[key] for key in ("added", "removed", "changed", "restarted")}
    lines = [f"{what}: {', '.join(names)}" for what, names in told.items() if names]
    print_json(told) if options.json else print("\n".join(lines) or "nothing has changed")
    return FINE


def save(attachment: Attachment, options: argparse.Namespace) -> int:
    """Parameters, activation and sources as they are now, written into the project's file."""
    folder = Path(attachment.state["folder"])
    document, opened = SystemDocument.load(folder), open_project(folder)
    edits = list(edits_to(document.system, opened.registry, _state(attachment.state)))
    for edit in edits:
        document.do(edit)
    document.save()
    told = {"file": str(folder / "system.xml"), "edits": [edit.label for edit in edits]}
    print_json(told) if options.json else print("\n".join(told["edits"]) or "nothing has changed")
    return FINE


def _state(state: dict[str, Any]) -> RunningState:
    components = {
        name: RunningComponent(_values(told["parameters"]), told["activation"], told["period_s"])
        for name, told in state["components"].items()
    }
    return RunningState(components, state["sources"])


def _values(parameters: dict[str, Any]) -> dict[str, Value]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in parameters.items()}


def switch(attachment: Attachment, options: argparse.Namespace) -> int:
    reply = attachment.ask("switch", sources=options.sources or None, mode=options.mode, timeout_s=None)
    told = {key: reply[key] for key in ("sources", "epoch")}
    names = ", ".join(told["sources"])
    text = f"{names}: {options.mode} from now on" if names else "nothing has changed"
    print_json(told) if options.json else print(text)
    return FINE
