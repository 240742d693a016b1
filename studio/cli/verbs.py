"""The table of verbs. Everything else about a verb lives in its own module, which is imported only when it is used."""

from __future__ import annotations

import argparse
import importlib
from dataclasses import dataclass
from typing import Protocol, cast


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
    Verb("check", "check a project and tell what is wrong", "studio.cli.check"),
    Verb("info", "describe a project, a component or a log", "studio.cli.info"),
    Verb("run", "run a project's system and tell what happened", "studio.cli.run"),
    Verb("record", "run a project's system and record it", "studio.cli.record"),
    Verb("stop", "end a running system", "studio.cli.stop"),
    Verb("ctl", "steer a running system and its components, read and set properties", "studio.cli.ctl"),
    Verb("convert", "make a Studio log of a log from elsewhere", "studio.cli.convert"),
    Verb("play", "play a log, by itself or into a project's system", "studio.cli.play"),
    Verb("replay", "feed a log into a project and tell whether the same comes out", "studio.cli.replay"),
    Verb("step", "go through a log event by event, forwards and back", "studio.cli.step"),
    Verb("debug", "a component under a debugger, from its start or at an event of a log", "studio.cli.debug"),
    Verb("compare", "compare two logs topic by topic", "studio.cli.compare"),
    Verb("model", "check bodies and assemblies, ask where frames are, convert them", "studio.cli.model"),
    Verb("sim", "worlds of the embedded simulator: look at them, make new ones", "studio.cli.sim"),
    Verb("profile", "write component.xml from the component's class", "studio.cli.profile"),
    Verb("bench", "compare with other libraries, side by side", "studio.cli.bench"),
    Verb("doctor", "tell what is installed, what is missing and how to get it", "studio.cli.doctor"),
)
