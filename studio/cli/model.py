"""`studio model`: bodies and assemblies: what is in them, whether they are sound, and where frames are."""

from __future__ import annotations

import argparse
import importlib
from typing import Final

from studio.cli.shared.help_text import HelpText

EXAMPLE = """\
  studio model info raptor                                       bodies, frames, joints and sensors; by name or file
  studio model check models/assemblies/raptor.xml                exit status 1 when something is wrong
  studio model transform Flea:ImagePlane Raptor:FrontBumperCenter --model raptor
  studio model tree raptor                                       print the tree of frames and constraints
  studio model diff raptor my_raptor.xml                         what two say differently
  studio model convert raptor raptor.sdf                         for Gazebo; .urdf for ROS; and back to XML
"""

VERBS: Final = {
    "info": "list bodies, frames, joints and sensors",
    "check": "find errors in a model, alone or against an SDF file, a system or a log",
    "transform": "print the pose of one frame in another",
    "tree": "print the tree of frames and constraints",
    "diff": "list the differences of two models",
    "convert": "convert to SDF and URDF, and from them",
}


def configure(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="|".join(VERBS))
    for name, summary in VERBS.items():
        module = importlib.import_module(f"studio.cli.model_parts.{name}")
        inner = verbs.add_parser(
            name,
            help=summary,
            description=f"{summary[0].upper()}{summary[1:]}.",
            epilog=f"examples:\n{module.EXAMPLE.rstrip()}",
            formatter_class=HelpText,
            allow_abbrev=False,
        )
        module.configure(inner)
        inner.set_defaults(act=module.run)


def run(options: argparse.Namespace) -> int:
    status: int = options.act(options)
    return status
