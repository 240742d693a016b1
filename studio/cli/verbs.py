"""The table of verbs. Everything else about a verb lives in its own module, which is imported only when it is used."""

from __future__ import annotations

import argparse
import importlib
from dataclasses import dataclass
from typing import Protocol, cast

from studio.cli.parser import Parser
from studio.cli.shared.help_text import HelpText


class VerbModule(Protocol):
    """What a verb's module offers."""

    EXAMPLE: str

    def configure(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, options: argparse.Namespace) -> int: ...


@dataclass(frozen=True)
class Verb:
    name: str
    summary: str
    module: str

    def load(self) -> VerbModule:
        return cast(VerbModule, importlib.import_module(self.module))


VERBS = (
    Verb("edit", "open the window", "studio.cli.edit"),
    Verb("new", "make a project or a component", "studio.cli.new"),
    Verb("check", "find errors in a project", "studio.cli.check"),
    Verb("info", "describe a project, a component or a log", "studio.cli.info"),
    Verb("run", "run a project's system and report what happened", "studio.cli.run"),
    Verb("record", "run a project's system and record it", "studio.cli.record"),
    Verb("stop", "stop a running system", "studio.cli.stop"),
    Verb("ctl", "control a running system and its components", "studio.cli.ctl"),
    Verb("convert", "convert a log from elsewhere into a Studio log", "studio.cli.convert"),
    Verb("corpus", "try every model, log and system from elsewhere below a folder", "studio.cli.corpus"),
    Verb("play", "play a log, by itself or into a project's system", "studio.cli.play"),
    Verb("replay", "feed a log into a project and compare the results", "studio.cli.replay"),
    Verb("step", "step through a log event by event, forwards and back", "studio.cli.step"),
    Verb("debug", "debug a component, from its start or at an event of a log", "studio.cli.debug"),
    Verb("test", "run the test cases of a project", "studio.cli.test"),
    Verb("compare", "compare two logs topic by topic", "studio.cli.compare"),
    Verb("model", "check, query and convert bodies and assemblies", "studio.cli.model"),
    Verb("sim", "inspect and make worlds of the embedded simulator", "studio.cli.sim"),
    Verb("gazebo", "install, run and steer a real Gazebo server", "studio.cli.gazebo"),
    Verb("profile", "write component.xml from the component's class", "studio.cli.profile"),
    Verb("bench", "compare with other libraries, side by side", "studio.cli.bench"),
    Verb("completion", "print the script for completion in bash, zsh or fish", "studio.cli.completion"),
    Verb("doctor", "check what is installed and how to get what is missing", "studio.cli.doctor"),
)


def parser_of(verb: Verb) -> Parser:
    module = verb.load()
    parser = Parser(
        prog=f"studio {verb.name}",
        description=f"{verb.summary[0].upper()}{verb.summary[1:]}.",
        epilog=f"examples:\n{module.EXAMPLE.rstrip()}",
        formatter_class=HelpText,
        allow_abbrev=False,
    )
    module.configure(parser)
    return parser
