"""`studio model check`: everything that is wrong with a model."""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from pathlib import Path

from studio.cli.model_parts.named import add_model, find, library, load
from studio.cli.shared.outcome import FAILED, FINE, add_json_option, print_json, problem_json, summary_of
from studio.cli.shared.places import find_project
from studio.errors import Problem, Severity
from studio.model.geometry.assembly import Model
from studio.model.geometry.closer_look import look_closer, unused_frames
from studio.model.geometry.differences import Tolerance, differences
from studio.model.geometry.flat_model import content_of
from studio.model.geometry.import_model import SUFFIXES, import_model
from studio.model.geometry.measured import check_measured
from studio.model.geometry.rules import check_file, check_model
from studio.model.geometry_check import check_system_against, find_geometry
from studio.model.loaded_project import open_project

EXAMPLE = """\
  studio model check raptor
  studio model check models/assemblies/raptor.xml --json
  studio model check raptor --unused                        also frames that no constraint, joint or sensor uses
  studio model check raptor --against worlds/raptor.sdf     ranges, fields of view, rates, poses, missing frames
  studio model check raptor --system projects/my_raptor     frames, ranges, rates, drive as the components are set
  studio model check raptor --log drive.mcap                rates, ranges, angles and frames as they were recorded
"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument("--against", metavar="FILE", help="another model: SDF, URDF or XML; differences are errors")
    parser.add_argument("--system", metavar="PROJECT", help="a project whose components use the model")
    parser.add_argument("--log", metavar="LOG", help="a log that its sensors made")
    parser.add_argument(
        "--within-mm", type=float, default=1.0, metavar="MM", help="largest distance of two poses (default: 1)"
    )
    parser.add_argument(
        "--within-deg", type=float, default=0.1, metavar="DEG", help="largest angle between them (default: 0.1)"
    )
    parser.add_argument("--unused", action="store_true", help="list unused frames, too")
    parser.add_argument("--strict", action="store_true", help="warnings count as errors")
    add_json_option(parser)


def run(options: argparse.Namespace) -> int:
    is_cut = False
    if Path(options.model).suffix.lower() in SUFFIXES and Path(options.model).is_file():
        imported = import_model(Path(options.model))
        model = imported.model
        problems = [Problem(note, "warning", options.model) for note in imported.notes]
        problems += check_model(model, is_assembly=len(model.bodies) > 1)
    else:
        found = library()
        path = find(options.model, found)
        loaded, problems = check_file(path, found)
        if loaded is None:
            return _tell(options, problems)
        model = loaded
    is_compared = options.against or options.system or options.log
    if not is_compared and not any(problem.severity == "error" for problem in problems):
        problems += look_closer(model)
        problems += unused_frames(model) if options.unused else []
    if options.against:
        tolerance = Tolerance(options.within_mm / 1000, math.radians(options.within_deg), 1e-6)
        hint = f"the first is {options.model}, the second {options.against}"
        for each in differences(model, load(options.against), tolerance):
            more_there = each.what == "missing" and each.other
            if more_there and ":" in each.subject:
                continue  # a world may have more frames than anybody measured
            severity: Severity = "warning" if more_there else "error"
            problems.append(Problem(each.message, severity, options.against, None, hint, each.subject))
    if options.system:
        problems += _against_system(model, options.system)
    if options.log:
        # Inside, because reading logs takes more than looking at a model does.
        from studio.cli.shared.log_file import find_log, unfinished
        from studio.runtime.recording.facts.log_measures import geometry_of, measures_of

        log = find_log(options.log)
        problems += check_measured(model, measures_of(log), options.log)
        problems += _against_geometry_of(model, geometry_of(log), options.log)
        is_cut = unfinished(log)
    status = _tell(options, problems)
    return status or (FAILED if is_cut else FINE)


def _against_geometry_of(model: Model, recorded: Model | None, log: str) -> list[Problem]:
    """Where the geometry that the log was recorded with is another one."""
    hint = f"the first is {model.name}, the second that of the log"
    told = differences(model, recorded) if recorded is not None else []
    return [Problem(each.message, "warning", log, None, hint, each.subject) for each in told]


def _against_system(model: Model, project: str) -> list[Problem]:
    opened = open_project(find_project(project))
    file = str(opened.project.system_file)
    problems = [replace(problem, file=file) for problem in check_system_against(model, opened.system, opened.registry)]
    use = opened.system.geometry
    if use is None:
        hint = 'add <geometry assembly="..."/>'
        problems.append(Problem("the system has no geometry: its system.xml names no model", "warning", file, 1, hint))
    else:
        theirs = find_geometry(use, opened.folder).model
        if theirs is not None and content_of(theirs).digest != content_of(model).digest:
            line = use.origin.line if use.origin else None
            message = f"the geometry of the system is another one: {use.assembly}"
            problems.append(Problem(message, "warning", file, line, f"studio model diff {model.name} {use.assembly}"))
    return problems


def _tell(options: argparse.Namespace, problems: list[Problem]) -> int:
    failed = any(options.strict or problem.severity == "error" for problem in problems)
    if options.json:
        print_json({"model": options.model, "ok": not failed, "problems": [problem_json(each) for each in problems]})
    else:
        for problem in problems:
            print(problem)
        print(f"{options.model}: {summary_of(problems)}")
    return FAILED if failed else FINE
