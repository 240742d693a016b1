"""What a word of a `studio` command line could be, by the parsers of the verbs and what is there now."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from studio.cli.shared.places import component_names, find_project, project_names
from studio.cli.verbs import VERBS, parser_of
from studio.errors import StudioError

LOG_ENDINGS = (".mcap", ".bag", ".db3", ".log", ".log.gz", ".clf", ".clf.gz", ".mcap.zstd", ".db3.zstd")
LONGEST_ABOUT = 60


class Candidate(NamedTuple):
    word: str
    about: str = ""


def candidates(words: Sequence[str]) -> list[Candidate]:
    """For the last of the words, which may be empty or half of one; without the command's own name."""
    *before, current = words
    try:
        found = list(_possible(before, current))
    except (StudioError, OSError, RuntimeError):  # an unreadable project or folder, an unknown ~user: no candidates
        return []
    return [Candidate(each.word, _short(each.about)) for each in found if each.word.startswith(current)]


def _possible(before: Sequence[str], current: str) -> Iterable[Candidate]:
    if not before or before[0] == "help":
        return [Candidate(verb.name, verb.summary) for verb in VERBS]
    verb = next((verb for verb in VERBS if verb.name == before[0]), None)
    return _walk(parser_of(verb), before[1:], current, before) if verb is not None else []


def _walk(
    parser: argparse.ArgumentParser, before: Sequence[str], current: str, words: Sequence[str]
) -> Iterable[Candidate]:
    options = {option: action for action in parser._actions for option in action.option_strings}
    places = [action for action in parser._actions if not action.option_strings]
    wanted: argparse.Action | None = None
    """The option whose values come now; `left` of them."""
    left = 0.0
    for number, word in enumerate(before):
        if word in options:
            wanted, left = options[word], _count(options[word])
        elif left > 0:
            left -= 1
        elif places and isinstance(places[0], argparse._SubParsersAction):
            inner = places[0].choices.get(word)
            return _walk(inner, before[number + 1 :], current, words) if inner is not None else []
        elif places and places[0].nargs not in ("*", "+"):
            places.pop(0)
    if current.startswith("-"):
        return _options(parser)
    if wanted is not None and 0 < left < float("inf"):
        return _values(wanted, words, current)
    if wanted is not None and left:
        return [*_values(wanted, words, current), *(_values(places[0], words, current) if places else ())]
    return _values(places[0], words, current) if places else _options(parser)


def _count(action: argparse.Action) -> float:
    """How many words follow an option."""
    if action.nargs is None:
        return 1
    return action.nargs if isinstance(action.nargs, int) else float("inf")


def _options(parser: argparse.ArgumentParser) -> Iterator[Candidate]:
    for action in parser._actions:
        if action.help != argparse.SUPPRESS:
            yield from (Candidate(each, action.help or "") for each in action.option_strings if each.startswith("--"))


def _values(action: argparse.Action, words: Sequence[str], current: str) -> Iterable[Candidate]:
    if isinstance(action, argparse._SubParsersAction):
        return [Candidate(each.dest, each.help or "") for each in action._choices_actions]
    if action.choices is not None:
        return [Candidate(str(each)) for each in action.choices if each != "complete"]
    kinds = str(action.metavar or "").split("|")
    found: list[Candidate] = []
    for kind in kinds:
        found += _KINDS.get(kind, _nothing)(words, current)
    return found


# What there is, by the name that `--help` gives to a value.


def _nothing(words: Sequence[str], current: str) -> Iterable[Candidate]:
    return ()


def _projects(words: Sequence[str], current: str) -> Iterable[Candidate]:
    yield from (Candidate(name, "project") for name in project_names())
    if "/" in current or current.startswith((".", "~")):
        yield from _paths(current, lambda path: False)


def _components(words: Sequence[str], current: str) -> Iterable[Candidate]:
    """Of the running system for `studio ctl`, of the project where one is named, else all that are known."""
    if words[0] == "ctl":
        return [Candidate(name, str(each["type"])) for name, each in _state(words).get("components", {}).items()]
    if words[0] in ("run", "debug"):
        return [Candidate(each.name, each.type) for each in _system(words).components]
    return [Candidate(name, "component") for name in component_names()]


def _properties(words: Sequence[str], current: str) -> Iterator[Candidate]:
    from studio.cli.shared.property_names import properties_of

    state = _state(words)
    for component in state.get("components", {}):
        yield from (Candidate(f"{component}.{each.name}", each.kind) for each in properties_of(state, component))


def _parameters(words: Sequence[str], current: str) -> Iterator[Candidate]:
    return (each for each in _properties(words, current) if each.about == "parameter")


def _given(words: Sequence[str], current: str) -> Iterator[Candidate]:
    from studio.model.given_parameters import settable_parameters
    from studio.model.loaded_project import open_project

    return (Candidate(f"{name}=", "parameter") for name in settable_parameters(open_project(_named_project(words))))


def _services(words: Sequence[str], current: str) -> Iterator[Candidate]:
    for component, each in _state(words).get("components", {}).items():
        yield from (Candidate(f"{component}.{service}", "service") for service in each.get("services", {}))
        yield from (Candidate(f"{component}.get_{port}", "out port") for port in each.get("outputs", {}))


def _ports(words: Sequence[str], current: str) -> Iterator[Candidate]:
    for component, each in _state(words).get("components", {}).items():
        yield from (Candidate(f"{component}.{port}", kind) for port, kind in each.get("accepts", {}).items())


def _sources(words: Sequence[str], current: str) -> Iterator[Candidate]:
    return (Candidate(name, str(mode)) for name, mode in _state(words).get("sources", {}).items())


def _systems(words: Sequence[str], current: str) -> Iterator[Candidate]:
    from studio.runtime.client.running_systems import running_systems

    return (Candidate(each.project, f"running, {each.mode}") for each in running_systems())


def _topics(words: Sequence[str], current: str) -> Iterable[Candidate]:
    """Of the running system for `studio ctl`; of a log or project that is named in the command."""
    if words[0] == "ctl":
        return [Candidate(name, str(each["type"])) for name, each in _state(words).get("topics", {}).items()]
    log = next((Path(word) for word in words[1:] if word.endswith(".mcap") and Path(word).is_file()), None)
    if log is not None:
        return _topics_of_log(log)
    from studio.model.loaded_project import open_project
    from studio.model.wiring import topics_of

    opened = open_project(_named_project(words))
    return [Candidate(topic, kind) for topic, kind, _ in topics_of(opened.system, opened.registry)]


def _topics_of_log(path: Path) -> list[Candidate]:
    from studio.runtime.recording import LogReader

    with LogReader(path) as log:
        return [
            Candidate(name, topic.schema.name) for name, topic in log.topics.items() if not name.startswith("/_studio/")
        ]


def _events(words: Sequence[str], current: str) -> Iterable[Candidate]:
    return [Candidate(f"{each.word}:", each.about) for each in _topics(words, current)]


def _logs(words: Sequence[str], current: str) -> Iterator[Candidate]:
    return _paths(current, lambda path: path.name.endswith(LOG_ENDINGS))


def _models(words: Sequence[str], current: str) -> Iterator[Candidate]:
    return _paths(current, lambda path: path.suffix in (".xml", ".sdf", ".urdf"))


def _paths(current: str, is_wanted: Callable[[Path], bool]) -> Iterator[Candidate]:
    """Files of a kind, and folders, which are written with a slash."""
    start = current.rpartition("/")[0] + "/" if "/" in current else ""
    folder = Path(start).expanduser() if start else Path()
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") and not current.rpartition("/")[2].startswith("."):
            continue
        if path.is_dir():
            yield Candidate(f"{start}{path.name}/", "folder")
        elif is_wanted(path):
            yield Candidate(f"{start}{path.name}")


_KINDS: dict[str, Callable[[Sequence[str], str], Iterable[Candidate]]] = {
    "PROJECT": _projects,
    "COMPONENT": _components,
    "NAME": lambda words, current: _components(words, current) if words[0] == "debug" else (),
    "PROPERTY": _properties,
    "PARAMETER": _parameters,
    "COMPONENT.PARAMETER=VALUE": _given,
    "FROM": _properties,
    "COMPONENT.SERVICE": _services,
    "COMPONENT.PORT": _ports,
    "SOURCE": _sources,
    "SYSTEM": _systems,
    "TOPIC": _topics,
    "PATTERN": _topics,
    "TOPIC:NUMBER": _events,
    "TOPIC:SEQUENCE": _events,
    "LOG": _logs,
    "GOLDEN": _logs,
    "OUT": _logs,
    "IN": _logs,
    "A": _logs,
    "B": _logs,
    "MODEL": _models,
}


# The running system or project that the other words name.


def _state(words: Sequence[str]) -> dict[str, Any]:
    from studio.runtime.client.attach import Attachment
    from studio.runtime.client.running_systems import find_running

    wanted = next((after for word, after in pairwise(words) if word == "--run"), None)
    with Attachment(find_running(wanted).run_folder, "studio completion") as attachment:
        return attachment.state


def _system(words: Sequence[str]) -> Any:
    from studio.model.loaded_project import open_project

    return open_project(_named_project(words)).system


def _named_project(words: Sequence[str]) -> Path:
    for word in words[1:]:
        if not word.startswith("-"):
            try:
                return find_project(word)
            except StudioError:
                continue
    raise StudioError("no project is named")


def _short(about: str) -> str:
    line = " ".join(about.split())
    return line if len(line) <= LONGEST_ABOUT else f"{line[: LONGEST_ABOUT - 1]}…"
