"""`studio convert`: makes a Studio log of one from elsewhere, or of ours with another compression; and RtsProfiles."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from studio.cli.convert_rts import export_profile, import_profile, is_profile_file
from studio.cli.shared.columns import columns
from studio.cli.shared.outcome import FINE, UsageError, add_json_option, print_json
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.base.log_compression import CHOICES
from studio.runtime.recording import LogReader
from studio.runtime.recording.facts.annotated_copy import copy_with_bookmarks
from studio.runtime.recording.facts.carmen_writer import write_carmen
from studio.runtime.recording.importers import FORMS, ImportReport, import_log, other_form
from studio.runtime.recording.repair.repair import repair

EXAMPLE = """\
  studio convert intel.log.gz intel.mcap                     a CARMEN log
  studio convert drive/ drive.mcap --compression lz4         a ROS 2 bag
  studio convert old.bag old.mcap --json                     a ROS 1 bag; the report for scripts
  studio convert drive.mcap marked.mcap --bookmark 12.5 "the dog ran by"
  studio convert broken.mcap saved.mcap --repair             all intact events; lists what was lost
  studio convert campus.log campus.mcap --spacing 0.05       a log without stamps: one line every 50 ms
  studio convert drive.mcap drive.log --to carmen            its laser and odometry, for CARMEN
  studio convert my_robot my_robot.rts.xml --to rtsprofile   for RTSystemEditor; lists what it leaves out
  studio convert arm_system.xml arm_system                   from RTSystemEditor: a new project
"""
CLEAR_LINE = "\r\x1b[K"
QUIET_NS = 2 * SECOND_NS
"""Nobody needs a progress bar for less."""
REDRAW_NS = SECOND_NS // 10
BAR_CELLS = 30


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Convert another log into a Studio log. The content decides the format, not the name: "
        f"{FORMS}. An RtsProfile becomes a project."
    )
    parser.add_argument("source", metavar="IN", type=Path, help="file or folder to read; it is not changed")
    parser.add_argument("output", metavar="OUT", type=Path, help="file to write, e.g. drive.mcap; must not exist")
    parser.add_argument(
        "--to",
        choices=("rtsprofile", "carmen"),
        help="write a project as RTSystemEditor's XML, or laser and odometry of a Studio log as a CARMEN log",
    )
    parser.add_argument("--compression", choices=CHOICES, help="compression of the new log (default: none)")
    parser.add_argument(
        "--spacing",
        type=float,
        default=0.1,
        metavar="S",
        help="seconds between lines of a log without stamps (default: 0.1)",
    )
    parser.add_argument(
        "--bookmark", nargs=2, action="append", default=[], metavar=("SECONDS", "TEXT"),
        help="add a bookmark to an MCAP log, in seconds from its start; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--repair", action="store_true", help="copy all intact events of a damaged or unfinished MCAP log"
    )
    add_json_option(parser)


def run(options: argparse.Namespace) -> int:
    if not options.source.exists():
        raise UsageError(f"there is no file {options.source}")
    if options.output.exists():
        raise UsageError(f"{options.output} exists already", hint="files are never overwritten: choose another name")
    if not options.output.parent.is_dir():
        raise UsageError(f"there is no folder {options.output.parent}", hint="make it first")
    if options.to == "carmen":
        return _export_carmen(options)
    if options.to is not None:
        return export_profile(options)
    if is_profile_file(options.source):
        return import_profile(options)
    if not 0.0 < options.spacing <= 3600.0:
        raise UsageError(f"lines cannot be {options.spacing:g} s apart", hint="e.g. --spacing 0.1")
    bar = ProgressBar()
    if options.repair:
        return _repair(options, bar)
    options.compression = options.compression or "none"
    if options.bookmark:
        return _bookmark(options, bar)
    try:
        report = import_log(
            options.source,
            options.output,
            compression=options.compression,
            spacing_s=options.spacing,
            progress=bar.show,
        )
    finally:
        bar.close()
    if options.json:
        print_json(report.to_json())
    else:
        print("\n".join(report_text(report)))
    return FINE


def _export_carmen(options: argparse.Namespace) -> int:
    report = write_carmen(options.source, options.output)
    if options.json:
        print_json({"output": str(report.path), "scans": report.scans, "odometry": report.odometry})
    else:
        print(f"{report.path}: {report.scans} scans and {report.odometry} positions of the wheels, as a CARMEN log")
    return FINE


class ProgressBar:
    """On a terminal, and not before two seconds have passed."""

    def __init__(self) -> None:
        self._on = sys.stderr.isatty()
        self._next_ns = monotonic_ns() + QUIET_NS
        self._shown = False

    def show(self, done: int, total: int) -> None:
        now_ns = monotonic_ns()
        if self._on and total > 0 and now_ns >= self._next_ns:
            share = min(1.0, done / total)
            cells = int(share * BAR_CELLS)
            bar = "█" * cells + "·" * (BAR_CELLS - cells)
            print(f"{CLEAR_LINE}{bar} {share:4.0%}, Ctrl-C ends", end="", file=sys.stderr, flush=True)
            self._next_ns = now_ns + REDRAW_NS
            self._shown = True

    def close(self) -> None:
        if self._shown:
            print(CLEAR_LINE, end="", file=sys.stderr, flush=True)


def _repair(options: argparse.Namespace, bar: ProgressBar) -> int:
    if options.bookmark or options.compression:
        hint = "repair it first, then convert the copy"
        raise UsageError("use --repair alone, without --bookmark and --compression", hint=hint)
    _refuse_others(options, "only MCAP files can be repaired", "studio convert without --repair reads its intact part")
    try:
        report = repair(options.source, options.output, progress=bar.show)
    finally:
        bar.close()
    print_json(report.to_json()) if options.json else print(report)
    return FINE


def _refuse_others(options: argparse.Namespace, what: str, hint: str) -> None:
    """A log of another kind, told before it is taken for a damaged MCAP file."""
    form = other_form(options.source)
    if form:
        raise UsageError(f"{options.source} is a {form}; {what}", hint=hint)


def _bookmark(options: argparse.Namespace, bar: ProgressBar) -> int:
    _refuse_others(options, "bookmarks need an MCAP log", "convert it first, then set them in the copy")
    with LogReader(options.source) as log:
        start_ns, length_s = log.start_ns, (log.end_ns - log.start_ns) / SECOND_NS
    marks = [(start_ns + round(_moment(at, length_s) * SECOND_NS), text) for at, text in options.bookmark]
    try:
        events = copy_with_bookmarks(
            options.source, options.output, marks, compression=options.compression, progress=bar.show
        )
    finally:
        bar.close()
    if options.json:
        print_json(
            {"source": str(options.source), "log": str(options.output), "events": events, "bookmarks": len(marks)}
        )
    else:
        print(f"{options.output}: {events} events, {len(marks)} of them new bookmarks")
    return FINE


def _moment(text: str, length_s: float) -> float:
    try:
        at_s = float(text)
    except ValueError:
        raise UsageError(f"{text!r} is not a number of seconds", hint='e.g. --bookmark 12.5 "the dog ran by"') from None
    if not 0.0 <= at_s <= length_s:
        raise UsageError(f"{text} s is not in this log", hint=f"it is {length_s:.3f} s long")
    return at_s


def report_text(report: ImportReport) -> Iterator[str]:
    seconds = (report.end_ns - report.start_ns) / SECOND_NS
    yield f"{report.output}: {report.event_count} events over {seconds:.1f} s, from {report.form} {report.source}"
    yield from columns([(topic.name, topic.type, str(topic.count), topic.source) for topic in report.topics.values()])
    if report.not_mapped:
        yield "left out"
        yield from columns([(name, str(entry.count), entry.reason) for name, entry in report.not_mapped.items()])
    if report.damage_count:
        yield f"damaged and skipped: {report.damage_count}"
        yield from (f"  {damage}" for damage in report.damages)
        if report.damage_count > len(report.damages):
            yield f"  and {report.damage_count - len(report.damages)} more"
    if report.notes:
        yield "how it was read"
        yield from (f"  {note}" for note in report.notes)
