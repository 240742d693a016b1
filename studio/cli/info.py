"""`studio info`: describes a project or a component."""

from __future__ import annotations

import argparse

from studio.cli.outcome import FINE, UsageError, add_json_option, print_json
from studio.cli.places import component_at, component_names, project_at, project_names
from studio.model.close_matches import did_you_mean

EXAMPLE = """\
  studio info projects/first_steps           components, wires, topics
  studio info low_pass                       ports and parameters of a component, by type or folder
  studio info first_steps --json             the same for scripts
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("subject", metavar="PROJECT|COMPONENT", help="a folder, or a name on the search path")
    add_json_option(parser)


def run(options: argparse.Namespace) -> int:
    # Inside, so that each kind of subject loads only what it needs.
    project = project_at(options.subject)
    component = component_at(options.subject) if project is None else None
    if project is not None:
        from studio.cli.describe_project import project_json, project_text
        from studio.cli.opened import open_project

        opened = open_project(project)
        print_json(project_json(opened)) if options.json else print("\n".join(project_text(opened)))
    elif component is not None:
        from studio.cli.describe_component import component_json, component_text
        from studio.model.component_xml import read_profile
        from studio.model.spec import PROFILE

        spec = read_profile(component / PROFILE)
        print_json(component_json(spec)) if options.json else print("\n".join(component_text(spec)))
    else:
        hint = did_you_mean(options.subject, [*project_names(), *component_names()])
        raise UsageError(f"there is no project or component {options.subject}", hint=hint)
    return FINE
