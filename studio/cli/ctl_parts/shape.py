"""`studio ctl reload`, `switch` and `save`: another shape for a running system, and its state for the file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from studio.cli.shared.outcome import FINE, print_json
from studio.cli.shared.trust import require_trust
from studio.model.document import SYSTEM_FILE, SystemDocument
from studio.model.files import FileError
from studio.model.loaded_project import open_project
from studio.model.spec import Value
from studio.model.state_edits import RunningComponent, RunningState, edits_to
from studio.runtime.client.attach import Attachment


def reload(attachment: Attachment, options: argparse.Namespace) -> int:
    require_trust(open_project(Path(attachment.state["folder"])), options)
    return told_change(attachment.ask("reload", restart=options.restart, timeout_s=None), options)


def followed(attachment: Attachment, folder: Path) -> tuple[SystemDocument, bool]:
    """The system that runs: the file, with the edits that were made since; and whether the file was changed, too."""
    told = attachment.ask("system")
    return SystemDocument.load(folder, str(told["text"]).encode()), bool(told["file_changed"])


def told_change(reply: dict[str, Any], options: argparse.Namespace) -> int:
    told = {key: reply[key] for key in ("added", "removed", "changed", "restarted")}
    lines = [f"{what}: {', '.join(names)}" for what, names in told.items() if names]
    print_json(told) if options.json else print("\n".join(lines) or "nothing has changed")
    return FINE


def save(attachment: Attachment, options: argparse.Namespace) -> int:
    """The system as it runs now, with its parameters, activation and sources, written into the project's file."""
    folder = Path(attachment.state["folder"])
    (document, file_changed), opened = followed(attachment, folder), open_project(folder)
    if file_changed:
        hint = "studio ctl reload takes the file and discards the changes of the running system"
        raise FileError("both the file and the running system were edited", file=folder / SYSTEM_FILE, hint=hint)
    before = (folder / SYSTEM_FILE).read_bytes()
    edits = list(edits_to(document.system, opened.registry, _state(attachment.state)))
    for edit in edits:
        document.do(edit)
    document.save(overwrite=True)
    labels = [edit.label for edit in edits]
    if not labels and (folder / SYSTEM_FILE).read_bytes() != before:
        labels = ["Edit the system"]
    told = {"file": str(folder / SYSTEM_FILE), "edits": labels}
    print_json(told) if options.json else print("\n".join(labels) or "nothing has changed")
    return FINE


def _state(state: dict[str, Any]) -> RunningState:
    components = {
        name: RunningComponent(_values(told["parameters"]), told["activation"], told["period_s"])
        for name, told in state["components"].items()
    }
    return RunningState(components, state["sources"])


def _values(parameters: dict[str, Any]) -> dict[str, Value]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in parameters.items()}


def reset(attachment: Attachment, options: argparse.Namespace) -> int:
    reply = attachment.ask("reset", timeout_s=None)
    told = {key: reply[key] for key in ("components", "epoch")}
    text = f"{', '.join(told['components'])}: restarted, in epoch {told['epoch']}"
    print_json(told) if options.json else print(text)
    return FINE


def switch(attachment: Attachment, options: argparse.Namespace) -> int:
    reply = attachment.ask("switch", sources=options.sources or None, mode=options.mode, timeout_s=None)
    told = {key: reply[key] for key in ("sources", "epoch")}
    names = ", ".join(told["sources"])
    text = f"{names}: {options.mode} from now on" if names else "nothing has changed"
    if not names and told["epoch"] is not None:
        text = f"a new epoch, {told['epoch']}: values sent by hand no longer count"
    print_json(told) if options.json else print(text)
    return FINE
