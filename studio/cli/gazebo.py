"""`studio gazebo`: real Gazebo servers: get one, run it, look at it, steer it."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from google.protobuf import json_format

from studio.cli.convert import ProgressBar
from studio.cli.help_text import HelpText
from studio.cli.outcome import FAILED, FINE, UsageError, add_json_option, print_json
from studio.runtime.gazebo import doctor, local_classic
from studio.runtime.gazebo.classic.client import PORT, Lost
from studio.runtime.gazebo.classic_messages import classic_messages
from studio.runtime.gazebo.classic_server import ClassicServer
from studio.runtime.gazebo.gz_messages import PREFIXES, messages
from studio.runtime.gazebo.gz_transport.node import Node
from studio.runtime.gazebo.gz_transport.subscriptions import Sample
from studio.runtime.gazebo.local_classic import LocalClassic
from studio.runtime.gazebo.server import GazeboError, Placement, Scope

EXAMPLE = """\
  studio gazebo install                       Gazebo classic 11 into your cache, without root; about 250 MB
  studio gazebo serve                         run it with an empty world, on loopback only; Ctrl-C ends it
  studio gazebo doctor                        what is installed, and why no server is found
  studio gazebo list                          worlds, models and topics of the server
  studio gazebo spawn box box.sdf --at 1 2 0.5
  studio gazebo pause; studio gazebo step 100
  studio gazebo topics --modern               what gz-transport (Fortress to Jetty) offers here
"""
DISCOVERY_S = 1.5
"""Each process of gz-transport tells once a second what it offers."""
CONNECT_S = 3.0


def configure(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    install = _verb(verbs, "install", "install Gazebo classic 11 into your cache, without root", _install, server=False)
    install.add_argument(
        "--mirror", metavar="URL", help="Debian mirror (default: the one that this machine's apt uses)"
    )
    serve = _verb(verbs, "serve", "run an installed server until Ctrl-C", _serve)
    serve.add_argument("world", nargs="?", type=Path, help="an .sdf or .world file (default: an empty world)")
    serve.add_argument("--paused", action="store_true", help="start with the world paused")
    add_json_option(_verb(verbs, "doctor", "tell what is installed, and why no server is found", _doctor, server=False))
    add_json_option(_verb(verbs, "list", "list worlds, models and topics of a server", _list))
    topics = _verb(verbs, "topics", "list topics with their types", _topics)
    topics.add_argument("--modern", action="store_true", help="of gz-transport, instead of a classic server")
    add_json_option(topics)
    echo = _verb(verbs, "echo", "print messages of a topic as JSON, one per line", _echo)
    echo.add_argument("topic", help="for example ~/world_stats")
    echo.add_argument("--count", type=int, default=0, metavar="N", help="stop after N messages (default: Ctrl-C)")
    echo.add_argument("--modern", action="store_true", help="of gz-transport, instead of a classic server")
    spawn = _verb(verbs, "spawn", "put a model into the world", _spawn)
    spawn.add_argument("name")
    spawn.add_argument("file", type=Path, help="the .sdf file of the model")
    spawn.add_argument("--at", nargs=3, type=float, default=[0.0, 0.0, 0.0], metavar=("X", "Y", "Z"), help="metres")
    delete = _verb(verbs, "delete", "take a model out of the world", _delete)
    delete.add_argument("name")
    _verb(verbs, "pause", "pause the world", lambda options: _with(options, lambda server: server.pause(True)))
    _verb(verbs, "resume", "let the world run", lambda options: _with(options, lambda server: server.pause(False)))
    step = _verb(verbs, "step", "make exactly so many steps in a paused world", _step)
    step.add_argument("count", nargs="?", type=int, default=1, help="(default: 1)")
    reset = _verb(verbs, "reset", "bring the world back to its start", _reset)
    reset.add_argument("scope", nargs="?", choices=[each.value for each in Scope], default=Scope.ALL.value)


def run(options: argparse.Namespace) -> int:
    status = options.act(options)
    return status if isinstance(status, int) else FINE


def _verb(
    verbs: Any, name: str, summary: str, act: Callable[[argparse.Namespace], object], *, server: bool = True
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = verbs.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        formatter_class=HelpText,
        allow_abbrev=False,
    )
    if server:
        parser.add_argument("--port", type=int, default=PORT, help="of the server (default: %(default)s)")
    parser.set_defaults(act=act)
    return parser


def _install(options: argparse.Namespace) -> None:
    bar = ProgressBar()
    try:
        tree = local_classic.install(options.mirror, lambda what, part: bar.show(int(part * 1000), 1000))
    finally:
        bar.close()
    print(f"Gazebo classic 11 is in {tree.root}\nnext: studio gazebo serve")


def _doctor(options: argparse.Namespace) -> int:
    findings = doctor.examine()
    if options.json:
        print_json({"findings": doctor.plain(findings), "is_fine": doctor.is_fine(findings)})
    else:
        print(doctor.words_of(findings))
    return FINE if doctor.is_fine(findings) else FAILED


def _serve(options: argparse.Namespace) -> None:
    tree = local_classic.installed()
    if tree is None:
        raise UsageError("no Gazebo server is installed", hint="studio gazebo install")
    if options.world is not None and not options.world.is_file():
        raise UsageError(f"there is no file {options.world}")
    for number in (signal.SIGINT, signal.SIGTERM):  # also if the shell that started this ignores Ctrl-C
        signal.signal(number, signal.default_int_handler)
    world = options.world or tree.root / "usr/share/gazebo-11/worlds/empty.world"
    with tempfile.TemporaryDirectory(prefix="studio-gazebo-") as folder:
        local = LocalClassic.start(tree, world.resolve(), Path(folder), port=options.port, is_paused=options.paused)
        try:
            _await_world(local)
            print(f"{world.name} runs on port {local.port}; Ctrl-C ends it", flush=True)
            local.process.wait()
        except KeyboardInterrupt:
            print()
        finally:
            local.stop()
        if local.process.returncode not in (0, -15, -2):
            sys.stderr.write(local.log.read_text(errors="replace")[-2000:])
            raise GazeboError(
                f"the server ended with status {local.process.returncode}", hint="its last lines are above"
            )


def _await_world(local: LocalClassic) -> None:
    server = ClassicServer(port=local.port)
    try:
        while local.process.poll() is None and not server.worlds():
            time.sleep(0.1)
    finally:
        server.close()


def _list(options: argparse.Namespace) -> None:
    def show(server: ClassicServer) -> None:
        statistics, models = server.statistics(), server.entities()
        topics = {topic.name: topic.type_name for topic in server.topics()}
        if options.json:
            places = {name: {"position_m": at.position_m, "orientation": at.orientation} for name, at in models.items()}
            print_json({"worlds": server.worlds(), "models": places, "topics": topics, **vars(statistics)})
            return
        state = "paused" if statistics.is_paused else "running"
        print(f"worlds: {', '.join(server.worlds())} ({state}, {statistics.sim_time_ns / 1e9:.3f} s)")
        for name, placement in models.items():
            print(f"model   {name:30} {' '.join(f'{value:9.3f}' for value in placement.position_m)} m")
        _print_topics(topics)

    _with(options, show)


def _topics(options: argparse.Namespace) -> None:
    found: dict[str, str] = {}
    if options.modern:
        with Node() as node:
            time.sleep(DISCOVERY_S)
            found = {offer.name: offer.type_name for offer in node.offers() if not offer.is_service}
            place = node.place
        if not found and not options.json:
            print(f"no topic in the partition {place.partition}, by {place.network.address}")
    else:
        _with(options, lambda server: found.update({topic.name: topic.type_name for topic in server.topics()}))
    if options.json:
        print_json({"topics": found})
    else:
        _print_topics(found)


def _print_topics(topics: dict[str, str]) -> None:
    for name, type_name in sorted(topics.items()):
        print(f"topic   {name:45} {type_name}")


def _echo(options: argparse.Namespace) -> None:
    came: SimpleQueue[str] = SimpleQueue()
    if options.modern:
        with Node() as node:
            node.subscribe(options.topic, lambda sample: came.put(_modern_text(sample)))
            _print_lines(came, options.count)
    else:
        _with(options, lambda server: _echo_classic(server, options, came))


def _echo_classic(server: ClassicServer, options: argparse.Namespace, came: SimpleQueue[str]) -> None:
    server.statistics()
    full = server.client.full_name(options.topic)
    type_name = next((topic.type_name for topic in server.topics() if topic.name == full), None)
    if type_name is None:
        raise GazeboError(f"there is no topic {full}", hint="studio gazebo topics")
    if type_name not in classic_messages():
        raise GazeboError(f"{full} carries {type_name}, which cannot be printed")
    read = classic_messages().read
    server.client.subscribe(options.topic, type_name, lambda body: came.put(_text(read(type_name, body))))
    _print_lines(came, options.count)


def _print_lines(came: SimpleQueue[str], count: int) -> None:
    printed = 0
    while not count or printed < count:
        print(came.get(), flush=True)
        printed += 1


def _modern_text(sample: Sample) -> str:
    prefix = next((prefix for prefix in PREFIXES if sample.type_name.startswith(prefix)), None)
    if prefix is None or sample.type_name not in messages(prefix):
        return f"{sample.type_name}, {len(sample.payload)} bytes"
    return _text(messages(prefix).read(sample.type_name, sample.payload))


def _text(message: Any) -> str:
    return str(json_format.MessageToJson(message, indent=None, preserving_proto_field_name=True))


def _spawn(options: argparse.Namespace) -> None:
    try:
        sdf = options.file.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{options.file} cannot be read: {error}") from None
    _with(options, lambda server: server.spawn(options.name, sdf, Placement(tuple(options.at))))


def _delete(options: argparse.Namespace) -> None:
    _with(options, lambda server: server.delete(options.name))


def _step(options: argparse.Namespace) -> None:
    if options.count < 1:
        raise UsageError("at least one step", hint="e.g. studio gazebo step 100")
    _with(options, lambda server: server.step(options.count))


def _reset(options: argparse.Namespace) -> None:
    _with(options, lambda server: server.reset(Scope(options.scope)))


def _with(options: argparse.Namespace, act: Callable[[ClassicServer], object]) -> None:
    server = ClassicServer(port=options.port)
    try:
        if not server.client.wait_for_server(CONNECT_S):
            state = server.client.state
            reason = state.reason if isinstance(state, Lost) else ""
            raise GazeboError(
                f"no Gazebo classic server on port {options.port}: {reason}", hint="start one: studio gazebo serve"
            )
        act(server)
    finally:
        server.close()
