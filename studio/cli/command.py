"""Entry of the `studio` command: finds the verb, runs it, and turns errors into one line and an exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches

from studio import __version__
from studio.cli.shared.colours import BOLD, RED, paint
from studio.cli.shared.compiled_code import make_room
from studio.cli.shared.outcome import FAILED, FINE, INTERRUPTED, WRONG_USE, UsageError, error_json, print_json
from studio.cli.verbs import VERBS, Verb, parser_of
from studio.errors import StudioError
from studio.runtime.base.child_signals import pass_on_default_signals


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit status: 0 fine, 1 the check failed, 2 wrong use, 130 interrupted."""
    make_room()
    pass_on_default_signals()
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        status = dispatch(words)
        sys.stdout.flush()
        return status
    except StudioError as error:
        return _refuse(error, words)
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        _stop_writing()
        return FINE
    except OSError as error:
        if error.filename is None:
            raise
        return _refuse(StudioError(error.strerror or str(error), file=error.filename), words)
    except SystemExit as leaving:  # argparse has printed its help
        return leaving.code if isinstance(leaving.code, int) else FINE


def _refuse(error: StudioError, words: list[str]) -> int:
    status = WRONG_USE if isinstance(error, UsageError) else FAILED
    if "--json" in words:  # also where the words themselves could not be understood
        try:
            print_json(error_json(error, status))
            sys.stdout.flush()
        except BrokenPipeError:
            _stop_writing()
    return complain(error, status)


def _stop_writing() -> None:
    """The reader of our output (head, less) has had enough; Python would complain again when it closes stdout."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def dispatch(words: list[str]) -> int:
    if len(words) > 1 and words[0] in ("-h", "--help", "help"):
        words = [*words[1:], "--help"]
    if not words:
        words = ["edit"]
    if words[0] in ("-h", "--help", "help"):
        print(overview())
        return FINE
    if words[0] in ("-V", "--version"):
        print(f"Robot Systems Studio {__version__}")
        return FINE
    verb = find_verb(words[0])
    return verb.load().run(parser_of(verb).parse_args(words[1:]))


def find_verb(name: str) -> Verb:
    verbs = {verb.name: verb for verb in VERBS}
    if name in verbs:
        return verbs[name]
    close = get_close_matches(name, verbs, n=1)
    raise UsageError(
        f"there is no command {name!r}",
        hint=f"did you mean `studio {close[0]}`?" if close else "`studio --help` lists them",
    )


def overview() -> str:
    width = max(len(verb.name) for verb in VERBS)
    verbs = "\n".join(f"  studio {paint(verb.name.ljust(width), BOLD)}  {verb.summary}" for verb in VERBS)
    return (
        "usage: studio COMMAND ...\n\nMake, check and run robot systems. Without a command the window opens.\n\n"
        f"commands:\n{verbs}\n\n"
        "`studio COMMAND --help` explains a command, with examples. `studio --version` prints the version.\n"
        "Exit status: 0 success, 1 a check or component failed, 2 wrong use."
    )


MOST_OTHERS = 9


def complain(error: StudioError, status: int) -> int:
    print(f"{paint('studio:', BOLD, RED, stream=sys.stderr)} {error}", file=sys.stderr)
    for other in error.others[:MOST_OTHERS]:
        print(f"        {other}", file=sys.stderr)
    if len(error.others) > MOST_OTHERS:
        print(f"        and {len(error.others) - MOST_OTHERS} more", file=sys.stderr)
    return status
