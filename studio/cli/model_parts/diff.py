"""`studio model diff`: what two models say differently."""

from __future__ import annotations

import argparse

from studio.cli.model_parts.named import add_model, load
from studio.cli.shared.outcome import FAILED, FINE, add_json_option, print_json
from studio.model.geometry.differences import differences

EXAMPLE = """\
  studio model diff raptor my_raptor.xml                exit status 1 when they differ
  studio model diff raptor exported/raptor.sdf --json
"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_model(parser, "one", "A")
    add_model(parser, "other", "B")
    add_json_option(parser)


def run(options: argparse.Namespace) -> int:
    found = differences(load(options.one), load(options.other))
    if options.json:
        print_json({"identical": not found, "differences": [vars(each) for each in found]})
    else:
        for each in found:
            print(each.message)
        count = f"{len(found)} difference{'s' if len(found) > 1 else ''}" if found else "no difference"
        print(f"{options.one} and {options.other}: {count}")
    return FAILED if found else FINE
