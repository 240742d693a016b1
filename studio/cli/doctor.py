"""`studio doctor`: what is installed, what is missing, how to get it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict

from studio import __version__
from studio.cli.doctor_parts.examinations import Finding, examine
from studio.cli.shared.outcome import FAILED, FINE, add_json_option, print_json

EXAMPLE = """\
  studio doctor                what is installed and what is missing
  studio doctor --json         the same for scripts; exit status 1 when something needed is missing
"""
MARKS = {"ok": "ok", "missing": "MISSING", "absent": "-"}


def configure(parser: argparse.ArgumentParser) -> None:
    add_json_option(parser)


def run(options: argparse.Namespace) -> int:
    findings = list(examine())
    sick = any(finding.state == "missing" for finding in findings)
    if options.json:
        print_json({"studio": __version__, "healthy": not sick, "findings": [asdict(finding) for finding in findings]})
    else:
        print("\n".join(report(findings)))
    return FAILED if sick else FINE


def report(findings: Iterable[Finding]) -> Iterator[str]:
    """One line each, grouped; what is absent but optional says what it would be good for."""
    findings = list(findings)
    width = max(len(finding.name) for finding in findings)
    yield f"Robot Systems Studio {__version__} at {sys.prefix}"
    group = ""
    for finding, following in zip(findings, [*findings[1:], None], strict=True):
        if finding.group != group:
            group = finding.group
            yield f"\n{group}"
        yield f"  {MARKS[finding.state]:<8}{finding.name:<{width}}  {finding.detail}".rstrip()
        if finding.state != "ok" and finding.remedy and not shares_remedy(finding, following):
            yield f"  {'':<8}{'':<{width}}  to get it: {finding.remedy}"
    missing = [finding.name for finding in findings if finding.state == "missing"]
    yield f"\nrequired but missing: {', '.join(missing)}" if missing else "\nnothing needed is missing"


def shares_remedy(finding: Finding, following: Finding | None) -> bool:
    """Then it is enough to tell the remedy once, under the last of them."""
    return following is not None and following.state != "ok" and following.remedy == finding.remedy
