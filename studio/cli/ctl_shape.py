"""`studio ctl reload` and `switch`: another shape for a system that goes on running."""

from __future__ import annotations

import argparse
from pathlib import Path

from studio.cli.opened import open_project
from studio.cli.outcome import FINE, print_json
from studio.cli.trust import require_trust
from studio.runtime.attach import Attachment


def reload(attachment: Attachment, options: argparse.Namespace) -> int:
    require_trust(open_project(Path(attachment.state["folder"])), options)
    reply = attachment.ask("reload", restart=options.restart, timeout_s=None)
    told = {key: reply[key] for key in ("added", "removed", "changed", "restarted")}
    lines = [f"{what}: {', '.join(names)}" for what, names in told.items() if names]
    print_json(told) if options.json else print("\n".join(lines) or "nothing has changed")
    return FINE


def switch(attachment: Attachment, options: argparse.Namespace) -> int:
    reply = attachment.ask("switch", sources=options.sources or None, mode=options.mode, timeout_s=None)
    told = {key: reply[key] for key in ("sources", "epoch")}
    names = ", ".join(told["sources"])
    text = f"{names}: {options.mode} from now on" if names else "nothing has changed"
    print_json(told) if options.json else print(text)
    return FINE
