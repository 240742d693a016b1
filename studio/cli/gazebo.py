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
from studio.cli.shared.help_text import HelpText
from studio.cli.shared.outcome import FAILED, FINE, UsageError, add_json_option, print_json
from studio.model.close_matches import did_you_mean
from studio.model.geometry.library import Library
from studio.paths import model_roots
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.gazebo import doctor, local_classic
from studio.runtime.gazebo.agreement import Mismatch
from studio.runtime.gazebo.classic.client import PORT, Lost
from studio.runtime.gazebo.classic_messages import classic_messages
from studio.runtime.gazebo.classic_server import ClassicServer
from studio.runtime.gazebo.connections.address import MODERN_PREFIX, Address, Family
from studio.runtime.gazebo.connections.local import world_files
from studio.runtime.gazebo.connections.spawning import check_vehicle, replace_vehicle, sdf_of
from studio.runtime.gazebo.debian_tree import Tree
from studio.runtime.gazebo.gz_messages import PREFIXES, messages
from studio.runtime.gazebo.gz_transport.multicast import Network
from studio.runtime.gazebo.gz_transport.names import default_partition
from studio.runtime.gazebo.gz_transport.node import Node
from studio.runtime.gazebo.gz_transport.place import Place
from studio.runtime.gazebo.gz_transport.subscriptions import Sample
from studio.runtime.gazebo.local_classic import LocalClassic
from studio.runtime.gazebo.modern_server import ModernServer
from studio.runtime.gazebo.server import GazeboError, GazeboServer, Placement, Scope

EXAMPLE = """\
  studio gazebo install                       Gazebo classic 11 into your cache, without root; about 250 MB
  studio gazebo serve                         start it with an empty world, on loopback only; Ctrl-C ends it
  studio gazebo doctor                        check the installation; explains why no server is found
  studio gazebo list                          worlds, models and topics of the server
  studio gazebo spawn box box.sdf --at 1 2 0.5
  studio gazebo spawn raptor raptor           a vehicle from its assembly
  studio gazebo check raptor                  does it agree with the assembly?
  studio gazebo pause; studio gazebo step 100
  studio gazebo list --server gz:/shapes      a world of Fortress or later, in your partition
  studio gazebo topics --modern               what gz-transport (Fortress to Jetty) offers here
"""
DISCOVERY_S = 1.5
"""Each process of gz-transport tells once a second what it offers."""
CONNECT_S = 3.0
OWN_PARTITION = f"{MODERN_PREFIX}/"


def configure(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    install = _verb(verbs, "install", "install Gazebo classic 11 into your cache, without root", _install, server=False)
    install.add_argument(
        "--mirror", metavar="URL", help="Debian mirror (default: the one that this machine's apt uses)"
    )
    serve = _verb(verbs, "serve", "run an installed server until Ctrl-C", _serve)
    serve.add_argument("world", nargs="?", help="a world, for example maze, or an .sdf or .world file (default: empty)")
    serve.add_argument("--paused", action="store_true", help="start with the world paused")
    add_json_option(_verb(verbs, "doctor", "check what is installed and why no server is found", _doctor, server=False))
    add_json_option(_verb(verbs, "list", "list worlds, models and topics of a server", _list))
    topics = _verb(verbs, "topics", "list topics with their types", _topics)
    topics.add_argument("--modern", action="store_true", help="use gz-transport, instead of a classic server")
    add_json_option(topics)
    echo = _verb(verbs, "echo", "print messages of a topic as JSON, one per line", _echo)
    echo.add_argument("topic", help="for example ~/world_stats")
    echo.add_argument("--count", type=int, default=0, metavar="N", help="stop after N messages (default: Ctrl-C)")
    echo.add_argument("--modern", action="store_true", help="use gz-transport, instead of a classic server")
    spawn = _verb(verbs, "spawn", "add a model to the world", _spawn)
    spawn.add_argument("name")
    spawn.add_argument("file", help="the .sdf file of the model, or the name of an assembly, for example raptor")
    spawn.add_argument("--at", nargs=3, type=float, default=[0.0, 0.0, 0.0], metavar=("X", "Y", "Z"), help="metres")
    compare = _verb(verbs, "check", "compare a vehicle on the server with its assembly", _check)
    compare.add_argument("name", help="name of the model on the server")
    compare.add_argument("--assembly", metavar="NAME", help="assembly to compare with (default: of the same name)")
    compare.add_argument("--fix", action="store_true", help="if it differs, replace it where it is")
    add_json_option(compare)
    delete = _verb(verbs, "delete", "remove a model from the world", _delete)
    delete.add_argument("name")
    _verb(verbs, "pause", "pause the world", lambda options: _with(options, lambda server: server.pause(True)))
    _verb(verbs, "resume", "let the world run", lambda options: _with(options, lambda server: server.pause(False)))
    step = _verb(verbs, "step", "make exactly COUNT steps in a paused world", _step)
    step.add_argument("count", nargs="?", type=int, default=1, help="(default: 1)")
    reset = _verb(verbs, "reset", "reset the world to its start", _reset)
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
        parser.add_argument("--port", type=int, default=PORT, help="port of the server (default: %(default)s)")
        parser.add_argument(
            "--server",
            metavar="ADDRESS",
            help="host:port, or gz:PARTITION/WORLD for Fortress and later (gz:/WORLD: yours)",
        )
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
    world = _world_file(options.world, tree)
    for number in (signal.SIGINT, signal.SIGTERM):  # also if the shell that started this ignores Ctrl-C
        signal.signal(number, signal.default_int_handler)
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


def _world_file(name: str | None, tree: Tree) -> Path:
    if name is None:
        return tree.root / "usr/share/gazebo-11/worlds/empty.world"
    if Path(name).is_file():
        return Path(name)
    known = dict(world_files(None, tree.root))
    if name not in known:
        raise UsageError(f"there is no world and no file {name}", hint=did_you_mean(name, known))
    return known[name]


def _await_world(local: LocalClassic) -> None:
    server = ClassicServer(port=local.port)
    try:
        while local.process.poll() is None and not server.worlds():
            time.sleep(0.1)
    finally:
        server.close()


def _list(options: argparse.Namespace) -> None:
    def show(server: GazeboServer) -> None:
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
        _with(options, lambda server: _echo_from(server, options, came))


def _echo_from(server: GazeboServer, options: argparse.Namespace, came: SimpleQueue[str]) -> None:
    if not isinstance(server, ClassicServer):
        raise UsageError(
            "a topic of Fortress or later needs no server", hint=f"studio gazebo echo {options.topic} --modern"
        )
    _echo_classic(server, options, came)


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
    sdf = None
    if Path(options.file).suffix or options.file not in Library(model_roots()).assemblies():
        try:
            sdf = Path(options.file).read_text()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{options.file} cannot be read: {error}") from None

    def spawn(server: GazeboServer) -> None:
        text = sdf or sdf_of(options.file, options.name, None, is_classic=server.is_classic)
        server.spawn(options.name, text, Placement(tuple(options.at)))

    _with(options, spawn)


def _check(options: argparse.Namespace) -> int:
    assembly, found = options.assembly or options.name, list[Mismatch]()

    def compare(server: GazeboServer) -> None:
        found.extend(check_vehicle(server, assembly, options.name, None))
        if found and options.fix:
            replace_vehicle(server, assembly, options.name, None)
            found[:] = check_vehicle(server, assembly, options.name, None)

    _with(options, compare)
    if options.json:
        print_json({"agrees": not found, "mismatches": [vars(each) for each in found]})
    elif found:
        print("\n".join(each.words for each in found))
        print(f"→ studio gazebo check {options.name} --assembly {assembly} --fix")
    else:
        print(f"{options.name} agrees with the assembly {assembly}")
    return FAILED if found else FINE


def _delete(options: argparse.Namespace) -> None:
    _with(options, lambda server: server.delete(options.name))


def _step(options: argparse.Namespace) -> None:
    if options.count < 1:
        raise UsageError("at least one step", hint="e.g. studio gazebo step 100")
    _with(options, lambda server: server.step(options.count))


def _reset(options: argparse.Namespace) -> None:
    _with(options, lambda server: server.reset(Scope(options.scope)))


def _with(options: argparse.Namespace, act: Callable[[GazeboServer], object]) -> None:
    text = options.server or ""
    own = (
        text.replace(OWN_PARTITION, f"{MODERN_PREFIX}{default_partition()}/", 1)
        if text.startswith(OWN_PARTITION)
        else text
    )
    address = Address.parse(own) if own else Address(port=options.port)
    if address.family is Family.MODERN:
        _with_modern(address, act)
        return
    server = ClassicServer(address.host, address.port)
    try:
        if not server.client.wait_for_server(CONNECT_S):
            state = server.client.state
            reason = state.reason if isinstance(state, Lost) else ""
            raise GazeboError(
                f"no Gazebo classic server on port {address.port}: {reason}", hint="start one: studio gazebo serve"
            )
        act(server)
    finally:
        server.close()


def _with_modern(address: Address, act: Callable[[GazeboServer], object]) -> None:
    with Node(Place(Network.of_environment(), address.partition)) as node:
        server = ModernServer(node, address.world)
        until_ns = monotonic_ns() + int(CONNECT_S * SECOND_NS)
        while not server.is_there():
            if monotonic_ns() > until_ns:
                raise GazeboError(
                    f"no server has the world {address.world} in the partition {address.partition}",
                    hint="studio gazebo doctor",
                )
            time.sleep(0.05)
        act(server)
        server.close()
