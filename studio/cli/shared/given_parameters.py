"""`--set component.parameter=value`: other values for one run, without a change of the project."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from studio.cli.shared.outcome import UsageError
from studio.errors import StudioError
from studio.model.given_parameters import GivenParameter, with_parameters
from studio.model.loaded_project import LoadedProject


def add_set_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        dest="given",
        metavar="COMPONENT.PARAMETER=VALUE",
        type=_given,
        help="another value of a parameter, for this run only; may be repeated",
    )
    parser.set_defaults(text=None)


def _given(text: str) -> GivenParameter:
    place, equals, value = text.partition("=")
    component, dot, name = place.partition(".")
    if not (equals and component and dot and name):
        raise argparse.ArgumentTypeError(f"{text!r} is not COMPONENT.PARAMETER=VALUE, for example filter.cutoff_hz=2.5")
    return GivenParameter(component, name, value)


def given_words(options: argparse.Namespace) -> Iterator[str]:
    """As they stood on the command line."""
    for each in options.given:
        yield from ("--set", f"{each.component}.{each.name}={each.text}")


def as_given(opened: LoadedProject, options: argparse.Namespace) -> LoadedProject:
    """The project with the values of `--set`; its system as text is in `options.text` then, as with `--system`. One
    that has errors stays as it is: they are reported first."""
    if not options.given or any(problem.severity == "error" for problem in opened.problems):
        return opened
    try:
        opened, options.text = with_parameters(opened, options.given, options.text)
    except StudioError as error:
        raise UsageError(f"--set: {error.message}", hint=error.hint) from None
    return opened
