"""`studio ctl link`, `unlink`, `destroy` and `host`: edits of a running system that leave its file as it is.

The same edits as in the editor, made on what the runtime follows at the moment; `studio ctl save` writes them down.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from studio.cli.ctl_parts.shape import followed, told_change
from studio.cli.shared.property_names import SCHEME
from studio.errors import StudioError
from studio.model.document import SYSTEM_FILE
from studio.model.loaded_project import open_project
from studio.model.parts import Component, Endpoint, Link
from studio.model.system import System
from studio.model.system_edits import Connect, Disconnect, RemoveNodes, SetHost, SystemEdit
from studio.model.wiring import why_no_link
from studio.runtime.client.attach import Attachment


def edit(attachment: Attachment, options: argparse.Namespace) -> int:
    folder = Path(attachment.state["folder"])
    document, _ = followed(attachment, folder)
    for each in _edits(document.system, folder, options):
        document.do(each)
    text = document.texts()[folder / SYSTEM_FILE].decode()
    return told_change(attachment.ask("reload", text=text, timeout_s=None), options)


def _edits(system: System, folder: Path, options: argparse.Namespace) -> list[SystemEdit]:
    match options.verb:
        case "link":
            return [Connect(_link(system, folder, options.start, options.end))]
        case "unlink":
            end = _end(options.end)
            found = tuple(link for link in system.links if link.end == end)
            if not found:
                linked = ", ".join(f"{link.end} to {link.start}" for link in system.links) or "none"
                raise StudioError(f"{end} is not linked to anything", hint=f"links: {linked}")
            return [Disconnect(found)]
        case "destroy":
            return [RemoveNodes(tuple(options.components))]
        case _:
            return [_move(system, options.component, options.host)]


def _move(system: System, component: str, host: str) -> SystemEdit:
    if not isinstance(system.node(component), Component):
        raise StudioError(f"{component} is a source: set the host of its provider instead")
    return SetHost((component,), host)


def _link(system: System, folder: Path, start: str, end: str) -> Link:
    link = Link(_end(start), _end(end))
    reason = why_no_link(system, open_project(folder).registry, link)
    if reason:
        raise StudioError(f"cannot link {link.end} to {link.start}: {reason}")
    return link


def _end(text: str) -> Endpoint:
    if text.startswith(SCHEME):
        text = ".".join(text.removeprefix(SCHEME).split("/")[1:])
    return Endpoint.parse(text)
