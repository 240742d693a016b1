"""The words of one command: mistakes are told as one line with what was perhaps meant, like every other error."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import NoReturn

from studio.cli.shared.outcome import UsageError
from studio.model.close_matches import did_you_mean

_CHOICE = re.compile(r"(?P<what>.*): invalid choice: '(?P<word>.*)' \(choose from (?P<choices>.*)\)\Z", re.DOTALL)


class Parser(argparse.ArgumentParser):
    """Of one command, and of what follows it: argparse makes parsers of the same class for `project|component`."""

    def error(self, message: str) -> NoReturn:
        help_hint = f"`{self.prog} --help` explains it"
        message = message.replace("the following arguments are required: ", "missing: ").removeprefix("argument ")
        wrong = _CHOICE.match(message)
        if wrong is not None:
            choices = wrong["choices"].replace("'", "").split(", ")
            what = wrong["what"].lower() if wrong["what"].isalpha() else wrong["what"]
            said = f'unknown {what} "{wrong["word"]}"' if what.isalpha() else f"{what} cannot be {wrong['word']}"
            message, help_hint = said, did_you_mean(wrong["word"], choices)
        if message.startswith("unrecognized arguments: "):
            unknown = message.partition(": ")[2].split()[0]
            said = f"there is no option {unknown}" if unknown.startswith("-") else f"one word too many: {unknown}"
            message, help_hint = said, self._meant(unknown) or help_hint
        raise UsageError(f"{self.prog.removeprefix('studio ')}: {message}", hint=help_hint)

    def _meant(self, unknown: str) -> str:
        word = unknown.partition("=")[0]
        others = sorted(option for option in options_of(self) if option != word)  # another verb may have this very one
        close = get_close_matches(word, others, n=1)
        return f"did you mean {close[0]}?" if close else ""


def options_of(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        yield from (option for option in action.option_strings if option.startswith("--"))
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from options_of(inner)
