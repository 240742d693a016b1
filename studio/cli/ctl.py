"""`studio ctl`: steers a running system and its components (CoRoBA's crc), reads and writes properties."""

from __future__ import annotations

import argparse
import re
from typing import Any

from studio.cli.ctl_parts.breakpoints import add_break_options, set_break, show_breaks
from studio.cli.ctl_parts.debug import add_debug_options, debug, go_on, into
from studio.cli.ctl_parts.edit import edit
from studio.cli.ctl_parts.gate import again, back, gate, go_to, held, set_gate, step
from studio.cli.ctl_parts.hand import call, send
from studio.cli.ctl_parts.player import add_player_options, player
from studio.cli.ctl_parts.record import add_record_options, record
from studio.cli.ctl_parts.shape import reload, reset, save, switch
from studio.cli.ctl_parts.show import show_list, show_log, show_output
from studio.cli.ctl_parts.values import arm, get, set_value, watch
from studio.cli.shared.help_text import HelpText
from studio.cli.shared.outcome import FINE, UsageError, add_json_option, print_json
from studio.cli.shared.trust import add_trust_option
from studio.errors import StudioError
from studio.model.sources import SOURCE_MODES
from studio.runtime.client.attach import Attachment
from studio.runtime.client.running_systems import find_running

EXAMPLE = """\
  studio ctl list                            running systems and their components
  studio ctl list filter                     the properties of a component
  studio ctl get filter.cutoff_hz            or rdk://host/component/property
  studio ctl set filter.cutoff_hz 3.5        a restart of the component keeps the value
  studio ctl watch filter.smooth --for 5     each value of an output; each change of a parameter or state
  studio ctl pause                           the whole system; studio ctl step 3; studio ctl start
  studio ctl pause filter                    it ignores events until studio ctl wakeup filter
  studio ctl stop filter                     handle no events; studio ctl start filter: handle them again
  studio ctl deactivate filter               the same; studio ctl activate filter: handle them again
  studio ctl mode signal periodic --period 0.02   studio ctl mode camera trigger; studio ctl trigger camera: once
  studio ctl reset filter                    leave the error state; studio ctl start filter: and become active again
  studio ctl reset                           restart the simulation: vehicles go back to their start
  studio ctl restart filter                  restart its process
  studio ctl reload                          apply an edit of system.xml; unchanged components keep running
  studio ctl call filter.get_smooth          the value of an out port; services take a request in JSON
  studio ctl send filter.raw 1.5             send a message; its results count as simulated
  studio ctl send teleop.joy '{"axes": [0.2, 0.5]}' --rate 10 --for 3
  studio ctl link tuner.cutoff filter.cutoff_hz   a parameter follows an output or another parameter; studio ctl unlink
  studio ctl destroy filter                  remove it from the running system; studio ctl host filter sinks: move it
  studio ctl switch simulated                all sources; studio ctl switch real laser: one of them
  studio ctl arm car                         let a real actuator move; studio ctl disarm car: stop it
  studio ctl resume car                      let it move again after a safety stop; it must be armed
  studio ctl record start logs/ --topics '/laser/*'   start recording; studio ctl record: its state; ... record stop
  studio ctl record bookmark "the dog ran by"     set a bookmark in the log
  studio ctl player                          position, speed and streams of the log that is played
  studio ctl player off '/laser/*'           do not play these; studio ctl player next /odom; studio ctl player burst 10
  studio ctl player until '/laser/ranges/ranges_m.min < 0.5'   studio ctl player seek 12.5; studio ctl player rate max
  studio ctl save                            write edits, parameters, modes and sources into system.xml
  studio ctl log --follow                    log lines of components; studio ctl output filter: output of its process
  studio ctl break /pose --if 'position.x > 3'   stop before such an event; --after, --count 10, --wait 60
  studio ctl debug filter                    print how a debug client can attach; --vscode, --off
  studio ctl debug c_filter --gdb            a program in another language; the system is paused while gdb holds it
  studio ctl continue                        continue all components; studio ctl into: stop in the next handler
  studio ctl break --error filter            stop when a handler fails; studio ctl breaks: list breakpoints and hits
  studio ctl gate pause                      the same as studio ctl pause; studio ctl gate: print its state
  studio ctl step 3                          deliver three events; studio ctl held: list the next ones
  studio ctl back 3                          go three events back, in lockstep
  studio ctl back --topic /filter/smooth     back to before the last event of a topic; studio ctl goto 0: to the start
  studio ctl gate run --kind lockstep        same results every time, steps back are possible; no source may be real
  studio ctl again filter                    restart with its current code and replay to this event; Ctrl-C cancels
"""

COMPONENT_VERBS = {
    "activate": "let components handle events",
    "deactivate": "let components handle no events",
    "trigger": "let components in mode trigger act once",
    "arm": "let real actuators move; a switch of sources or a restart disarms them",
    "disarm": "stop real actuators and refuse commands to them",
    "resume": "let real actuators move again after a safety stop",
}
SYSTEM_OR_COMPONENT = {
    "start": "activate components, after a reset or wakeup if necessary; without a name: continue the system",
    "pause": "let components ignore events but keep their state; without a name: pause the system",
    "wakeup": "continue paused components; without a name: continue the system",
    "reset": "bring components out of the error state; without a name: restart the simulation",
    "stop": "deactivate components (`studio stop` ends the whole system)",
}

MODES = ("event", "periodic", "trigger")
PROPERTY = "component.parameter, component.port or component.state"


def configure(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    listing = _verb(verbs, "list", "list running systems and their components, or the properties of a component")
    listing.add_argument("component", metavar="COMPONENT", nargs="?", help="(default: all running systems)")
    for name, text in SYSTEM_OR_COMPONENT.items():
        _verb(verbs, name, text, changes=True).add_argument("components", metavar="COMPONENT", nargs="*")
    for name, text in COMPONENT_VERBS.items():
        _verb(verbs, name, text, changes=True).add_argument("components", metavar="COMPONENT", nargs="+")
    mode = _verb(verbs, "mode", "set when a component acts: event, periodic or trigger", changes=True)
    mode.add_argument("component", metavar="COMPONENT")
    mode.add_argument("activation", metavar="MODE", choices=MODES, help=", ".join(MODES))
    mode.add_argument("--period", type=float, metavar="SECONDS", help="of mode periodic")
    getting = _verb(verbs, "get", "print the values of properties")
    getting.add_argument("properties", metavar="PROPERTY", nargs="+", help=PROPERTY)
    setting = _verb(verbs, "set", "set a parameter", changes=True)
    setting.add_argument("property", metavar="PROPERTY", help="component.parameter")
    setting.add_argument("value", metavar="VALUE", help="written as in system.xml: 2.0, true, text, '1.0 2.0'")
    watching = _verb(verbs, "watch", "print properties when they change, one line each (with --json one object each)")
    watching.add_argument("properties", metavar="PROPERTY", nargs="+", help=PROPERTY)
    watching.add_argument("--for", dest="seconds", type=float, metavar="SECONDS", help="(default: until Ctrl-C)")
    watching.add_argument("--count", type=int, metavar="N", help="end after this number of values")
    watching.add_argument(
        "--interval", type=float, default=0.0, metavar="SECONDS", help="shortest time between two values"
    )
    watching.add_argument("--period", type=float, metavar="SECONDS", help="print at this period, not on change")
    calling = _verb(verbs, "call", "call a service of a component, or ask a port: component.get_PORT", changes=True)
    calling.add_argument("service", metavar="COMPONENT.SERVICE")
    calling.add_argument(
        "request", metavar="JSON", nargs="?", help="the request: its fields in JSON, or the value of its only field"
    )
    calling.add_argument("--deadline", type=float, default=1.0, metavar="SECONDS", help="(default: 1)")
    sending = _verb(verbs, "send", "send a message to an in port, or publish it on a topic", changes=True)
    sending.add_argument("to", metavar="PORT|TOPIC", help="component.port of an input, or a topic: /robot/joy")
    sending.add_argument("message", metavar="JSON", help="its fields in JSON, or the value of its only field")
    sending.add_argument("--rate", type=float, metavar="HZ", help="again and again")
    sending.add_argument(
        "--for", dest="seconds", type=float, metavar="SECONDS", help="with --rate (default: until Ctrl-C)"
    )
    sending.add_argument("--count", type=int, metavar="N", help="with --rate: number of messages")
    sending.add_argument(
        "--real", action="store_true", help="counts as real, like a joystick: armed actuators follow it"
    )
    linking = _verb(verbs, "link", "let a parameter follow an output or another parameter", changes=True)
    linking.add_argument("start", metavar="FROM", help="component.port or component.parameter")
    linking.add_argument("end", metavar="PARAMETER", help="component.parameter")
    unlinking = _verb(verbs, "unlink", "end a link; the parameter keeps its value", changes=True)
    unlinking.add_argument("end", metavar="PARAMETER", help="component.parameter")
    destroying = _verb(verbs, "destroy", "remove components and their wires from the running system", changes=True)
    destroying.add_argument("components", metavar="COMPONENT", nargs="+")
    hosting = _verb(verbs, "host", "move a component into another process; it restarts there", changes=True)
    hosting.add_argument("component", metavar="COMPONENT")
    hosting.add_argument("host", metavar="HOST", nargs="?", default="", help="(default: a process of its own)")
    restarting = _verb(verbs, "restart", "end the process of a component and start it again", changes=True)
    restarting.add_argument("component", metavar="COMPONENT")
    gating = _verb(verbs, "gate", "let events pass or hold them; without a mode: print the state", changes=True)
    gating.add_argument("mode", metavar="MODE", nargs="?", choices=("run", "pause"), help="run or pause")
    gating.add_argument(
        "--rate", type=float, metavar="X", help="speed, times real time, where the wall clock is not the system clock"
    )
    gating.add_argument(
        "--kind",
        choices=("lockstep", "free"),
        help="lockstep: one event at a time, the same result every time, steps back are possible",
    )
    steps = _verb(verbs, "step", "deliver exactly N events, then pause", changes=True)
    _add_count(steps)
    steps.add_argument("--topic", metavar="TOPIC", help="continue until N events of this topic were delivered")
    backwards = _verb(verbs, "back", "go N events back, in lockstep", changes=True)
    _add_count(backwards)
    backwards.add_argument("--topic", metavar="TOPIC", help="to before the last N events of this topic")
    place = _verb(verbs, "goto", "go to an event by its number, or to a time, in lockstep", changes=True)
    place.add_argument("position", metavar="N", nargs="?", type=int, help="number of the event; 0 is the start")
    place.add_argument("--time", type=float, metavar="SECONDS", help="of the log, from its start")
    _verb(verbs, "held", "list the events that are delivered next")
    code = _verb(verbs, "again", "restart a component with its current code and replay to this event", changes=True)
    code.add_argument("component", metavar="COMPONENT")
    follow = _verb(
        verbs, "reload", "apply changes of the project's file; unchanged components keep running", changes=True
    )
    follow.add_argument("--restart", action="store_true", help="restart components that cannot change while they run")
    add_trust_option(follow)
    other = _verb(verbs, "switch", "switch sources to real, simulated or logged; actuators stop", changes=True)
    other.add_argument("mode", metavar="MODE", choices=SOURCE_MODES, help=", ".join(SOURCE_MODES))
    other.add_argument("sources", metavar="SOURCE", nargs="*", help="(default: all)")
    add_record_options(
        _verb(verbs, "record", "start or stop recording, or print the state of the recording", changes=True)
    )
    add_player_options(_verb(verbs, "player", "control log playback, or print its state", changes=True))
    _verb(verbs, "save", "write the system as it is now (edits, parameters, modes, sources) into the project's file")
    add_debug_options(_verb(verbs, "debug", "let debug clients attach to the process of a component", changes=True))
    resume = _verb(verbs, "continue", "continue every component that a debugger holds", changes=True)
    resume.add_argument("--pause", action="store_true", help="but leave the system paused")
    _verb(verbs, "into", "deliver the next event, and stop at the first line of its handlers", changes=True)
    add_break_options(
        _verb(verbs, "break", "stop the system at an event, a state, an error or a latency", changes=True)
    )
    _verb(verbs, "breaks", "list event breakpoints with their hits")
    log = _verb(verbs, "log", "print recent log lines of components, and what happened to processes")
    log.add_argument(
        "--follow", action="store_true", help="print new lines, too, until Ctrl-C or the end of the system"
    )
    output = _verb(verbs, "output", "print the output of a component's process")
    output.add_argument("component", metavar="COMPONENT", help="or host, broker, recorder")


class _IfGiven(argparse.Action):
    """Of a word that may be left out: then what an option says stays."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: Any = None) -> None:
        if values is not None:
            setattr(namespace, self.dest, values)


def _add_count(parser: argparse.ArgumentParser) -> None:
    """`step 5` and `step --count 5`."""
    parser.add_argument("--count", dest="count", metavar="N", type=int, default=1, help="the same as N (1)")
    parser.add_argument("count", metavar="N", nargs="?", type=int, action=_IfGiven, help="how many (default: 1)")


def _verb(verbs: Any, name: str, text: str, *, changes: bool = False) -> argparse.ArgumentParser:
    examples = [line for line in EXAMPLE.splitlines() if re.search(rf"studio ctl {name}\b", line)]
    parser: argparse.ArgumentParser = verbs.add_parser(
        name, help=text, description=f"{text[0].upper()}{text[1:]}.", allow_abbrev=False,
        epilog="\n".join(["examples:", *examples]),
        formatter_class=HelpText,
    )  # fmt: skip
    parser.add_argument("--run", metavar="SYSTEM", help="which system, by project or run, if more than one is running")
    if changes:
        parser.add_argument("--take-over", action="store_true", help="take control, even if another client has it")
    add_json_option(parser)
    return parser


def run(options: argparse.Namespace) -> int:
    if options.verb == "list" and options.component is None:
        return show_list(options)
    system = find_running(options.run)
    with Attachment(system.run_folder, "studio ctl") as attachment:
        if getattr(options, "take_over", False):
            attachment.ask("take", force=True)
        return _obey(attachment, options)


ELSEWHERE = {
    "debug": debug,
    "continue": go_on,
    "into": into,
    "break": set_break,
    "breaks": show_breaks,
    "call": call,
    "send": send,
    "link": edit,
    "unlink": edit,
    "destroy": edit,
    "host": edit,
    "get": get,
    "set": set_value,
    "watch": watch,
    "output": show_output,
    "log": show_log,
    "reload": reload,
    "switch": switch,
    "record": record,
    "player": player,
    "save": save,
    "gate": gate,
    "step": step,
    "back": back,
    "goto": go_to,
    "held": held,
    "again": again,
    "arm": arm,
    "disarm": arm,
}
"""Verbs with modules of their own."""


def _obey(attachment: Attachment, options: argparse.Namespace) -> int:
    if options.verb in ELSEWHERE:
        return ELSEWHERE[options.verb](attachment, options)
    match options.verb:
        case "list":
            return show_list(options, attachment.state)
        case "restart":
            reply = attachment.ask("restart", name=options.component, timeout_s=70.0)
            told = {key: reply[key] for key in ("host", "components")}
            return _tell(told, options, f"{', '.join(told['components'])}: restarted")
        case "mode":
            return _mode(attachment, options)
        case "stop" if not options.components:
            raise UsageError("ctl stop: name a component", hint="`studio stop` ends the whole system")
        case "start" | "wakeup" if not options.components:
            return set_gate(attachment, options, "run")
        case "pause" if not options.components:
            return set_gate(attachment, options, "pause")
        case "reset" if not options.components:
            return reset(attachment, options)
    return _command(attachment, options)


def _tell(told: dict[str, Any], options: argparse.Namespace, text: str) -> int:
    print_json(told) if options.json else print(text)
    return FINE


def _mode(attachment: Attachment, options: argparse.Namespace) -> int:
    fields = {"component": options.component, "activation": options.activation, "period_s": options.period}
    effect = attachment.ask("mode", **fields)["effect"]
    every = "" if options.period is None else f", every {options.period:g} s"
    return _tell({**fields, "effect": effect}, options, f"{options.component}: {options.activation}{every}, {effect}")


def _command(attachment: Attachment, options: argparse.Namespace) -> int:
    effects: dict[str, str] = {}
    for component in options.components:
        for verb in _life_cycle(attachment, component, options.verb):
            command = {"do": verb}
            effects[component] = attachment.ask("command", component=component, command=command)["effect"]
    done = {"start": "started", "stop": "stopped", "reset": "reset", "wakeup": "woken up", "trigger": "triggered"}
    word = done.get(options.verb, options.verb.removesuffix("e") + "ed")
    text = "\n".join(f"{component}: {word}, {effect}" for component, effect in effects.items())
    return _tell({"verb": options.verb, "components": effects}, options, text)


def _life_cycle(attachment: Attachment, component: str, verb: str) -> list[str]:
    """The commands that a verb of CoRoBA stands for, given what state the component is in."""
    state = attachment.state["components"].get(component, {}).get("state")
    match verb, state:
        case "start", "paused":
            return ["wakeup"]
        case "start", "error":
            return ["reset", "activate"]
        case "start", "active" | "busy":
            raise StudioError(f"{component} is active already")
        case "start", _:
            return ["activate"]
        case "stop", _:
            return ["deactivate"]
    return [verb]
