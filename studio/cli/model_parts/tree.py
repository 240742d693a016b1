"""`studio model tree`: what is bound to what."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from studio.cli.model_parts.named import add_model, load
from studio.cli.shared.outcome import FINE, UsageError, add_json_option, print_json
from studio.model.close_matches import did_you_mean
from studio.model.geometry.linkage import Branch, Linkage, Part, link

EXAMPLE = """\
  studio model tree raptor
  studio model tree raptor --root Flea                  hung up by the camera
  studio model tree pioneer_2dx --json
"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument("--root", metavar="BODY", help="the body on top (the first)")
    add_json_option(parser)


def run(options: argparse.Namespace) -> int:
    model = load(options.model)
    if options.root is not None and options.root not in model.bodies:
        raise UsageError(f"there is no body {options.root}", hint=did_you_mean(options.root, model.bodies))
    linkage = link(model, options.root)
    roots = [group[0] for group in linkage.groups()]
    if options.json:
        print_json({"model": model.name, "roots": [_json(linkage, root) for root in roots]})
    else:
        for root in roots:
            print("\n".join(_text(linkage, root, "", "")))
        for loop in linkage.loops:
            print(f"loop: {loop.edge.name} closes {loop.edge.start} - {loop.edge.end}")
    return FINE


def _children(linkage: Linkage, part: Part) -> list[Part]:
    return [child for child in linkage.order if child in linkage.branches and linkage.branches[child].parent == part]


def _json(linkage: Linkage, part: Part) -> dict[str, Any]:
    branch = linkage.branches.get(part)
    return {
        "part": str(part),
        "via": branch.edge.name if branch else None,
        "moves": branch.edge.moves if branch else False,
        "children": [_json(linkage, child) for child in _children(linkage, part)],
    }


def _text(linkage: Linkage, part: Part, head: str, tail: str) -> Iterator[str]:
    branch = linkage.branches.get(part)
    yield f"{head}{part}{_via(branch) if branch else ''}"
    children = _children(linkage, part)
    for child in children:
        last = child is children[-1]
        yield from _text(linkage, child, tail + ("└─ " if last else "├─ "), tail + ("   " if last else "│  "))


def _via(branch: Branch) -> str:
    edge, joint = branch.edge, branch.edge.joint
    kind = f", {joint.kind}" if joint is not None else ""
    if edge.constraint is None:
        return f"  ({joint.kind if joint else ''} at {joint.at if joint else ''})"
    return f"  ({edge.name}: {edge.constraint.start} - {edge.constraint.end}{kind})"
