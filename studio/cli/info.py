"""`studio info`: describes a project, a component or a log."""

from __future__ import annotations

import argparse
from pathlib import Path

from studio.cli.shared.outcome import FAILED, FINE, UsageError, add_json_option, print_json
from studio.cli.shared.places import component_at, component_names, project_at, project_names
from studio.model.close_matches import did_you_mean

EXAMPLE = """\
  studio info projects/first_steps           components, wires, topics
  studio info low_pass                       ports and parameters of a component, by type or folder
  studio info first_steps --json             the same for scripts
  studio info drive.mcap                     topics, events and gaps of a log; a ROS 2 bag's folder, too
  studio info logs/                          the logs in a folder
  studio info drive.mcap --why /filter/smooth:17    its causes, back to the sensor, with their times
  studio info drive.mcap --latency /arbiter/command  every path from a sensor to a topic, and how long it takes
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "subject",
        metavar="PROJECT|COMPONENT|LOG",
        help="a folder, a name on the search path, a log, or a folder of logs",
    )
    parser.add_argument("--why", metavar="TOPIC:NUMBER", help="the causes of this event of a log")
    parser.add_argument(
        "--latency", metavar="TOPIC", help="the paths from sensors to this topic of a log, with their times"
    )
    add_json_option(parser)


def run(options: argparse.Namespace) -> int:
    # Inside, so that each kind of subject loads only what it needs.
    project = project_at(options.subject)
    component = component_at(options.subject) if project is None else None
    if project is None and component is None and (_may_be_log(options.subject) or options.why or options.latency):
        return _describe_log(options)
    if project is not None:
        from studio.cli.info_parts.describe_project import project_json, project_text
        from studio.model.loaded_project import open_project

        opened = open_project(project)
        print_json(project_json(opened)) if options.json else print("\n".join(project_text(opened)))
    elif component is not None:
        from studio.cli.info_parts.describe_component import component_json, component_text
        from studio.model.component_xml import read_profile
        from studio.model.spec import PROFILE

        spec = read_profile(component / PROFILE)
        print_json(component_json(spec)) if options.json else print("\n".join(component_text(spec)))
    else:
        hint = did_you_mean(options.subject, [*project_names(), *component_names()])
        raise UsageError(f"there is no project or component {options.subject}", hint=hint)
    return FINE


def _may_be_log(text: str) -> bool:
    from studio.runtime.recording.importers import is_log

    return text.endswith(".mcap") or is_log(Path(text))


def _describe_log(options: argparse.Namespace) -> int:
    from studio.cli.info_parts.info_log import log_json, log_text, why, why_json, why_text
    from studio.cli.shared.log_file import find_log, unfinished

    named = Path(options.subject)
    if named.is_dir() and not options.latency and not options.why:
        from studio.cli.info_parts.info_folder import folder_json, folder_text, is_sound
        from studio.runtime.recording.importers import recordings_in

        recordings = recordings_in(named)
        if len(recordings) > 1:
            listed = folder_json(named, recordings)
            print_json(listed) if options.json else print("\n".join(folder_text(listed)))
            return FINE if is_sound(listed) else FAILED
    path = find_log(options.subject)
    if options.latency:
        from studio.cli.info_parts.info_latency import found, latency_json, latency_text

        paths = found(path, options.latency)
        print_json(latency_json(paths)) if options.json else print("\n".join(latency_text(paths)))
        return FAILED if unfinished(path) else FINE
    if options.why:
        chain = why(path, options.why)
        print_json(why_json(chain)) if options.json else print("\n".join(why_text(chain)))
        return FAILED if unfinished(path) else FINE
    told = log_json(path, quiet=options.json)
    print_json(told) if options.json else print("\n".join(log_text(told)))
    return FINE if told["finished"] and not told["stopped"] else FAILED
