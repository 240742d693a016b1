"""The short description of a component on the command line."""

from __future__ import annotations

import argparse
from pathlib import Path

from studio.cli.shared.outcome import UsageError
from studio.errors import StudioError
from studio.messages import MessageTypes
from studio.runtime.scaffold.description import Description, DescriptionError, Port, Setting, described, number_or_flag


def describe(options: argparse.Namespace, project: Path) -> Description:
    """What the options of `studio new component` say; UsageError tells what would be right."""
    types = MessageTypes.builtin().with_folder(project)
    inputs = [parse_port(text, "--in", types, may_keep=True) for text in options.inputs]
    outputs = [parse_port(text, "--out", types) for text in options.outputs]
    settings = [parse_setting(text) for text in options.parameters]
    try:
        return described(
            options.name, inputs, outputs, settings,
            category=options.category, period_s=options.period, doc=options.doc,
        )  # fmt: skip
    except DescriptionError as error:
        raise UsageError(error.message, hint=error.hint) from None


def parse_port(text: str, option: str, types: MessageTypes, *, may_keep: bool = False) -> Port:
    name, _, rest = text.partition(":")
    type_name, _, keep = rest.partition(":")
    if not type_name or (keep and not may_keep):
        example = "pose:PoseTransform:latest" if may_keep else "terrain:Map"
        raise UsageError(f"{option} {text} is not a port", hint=f"name:type, e.g. {option} {example}")
    if keep not in ("", "all", "latest") and not (keep.isdecimal() and int(keep) > 0):
        raise UsageError(
            f"{option} {text}: {keep!r} is not a number of messages to keep",
            hint="all, latest, or a number of messages",
        )
    try:
        types.get(type_name)
    except StudioError as error:
        raise UsageError(f"{option} {text}: {error.message}", hint=error.hint) from None
    return Port(name, type_name, keep or "all")


def parse_setting(text: str) -> Setting:
    name, separator, rest = text.partition("=")
    if not separator:
        raise UsageError(f"--parameter {text} has no default", hint=f"e.g. --parameter {name or 'gain'}=1.0")
    number, _, unit = rest.rpartition(":")
    default = number_or_flag(number)
    if number and default is not None:
        return Setting(name, default, unit.strip())
    default = number_or_flag(rest)
    return Setting(name, rest if default is None else default)
