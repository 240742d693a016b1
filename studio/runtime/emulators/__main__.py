"""`python -m studio.runtime.emulators`: devices for projects/real_bench, on pseudo-terminals."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from studio.errors import StudioError
from studio.runtime.channel.run_folder import private_folder
from studio.runtime.emulators import FOLDER
from studio.runtime.emulators.gps import Gps
from studio.runtime.emulators.lms200 import Lms200
from studio.runtime.emulators.pty_port import Device, Faults, PtyPort
from studio.runtime.emulators.urg import Urg
from studio.runtime.emulators.vehicle import Vehicle

DEVICES: dict[str, Callable[[], Device]] = {"lms200": Lms200, "urg": Urg, "gps": Gps, "vehicle": Vehicle}

EXAMPLE = """\
examples:
  python -m studio.runtime.emulators                     all four, for projects/real_bench, until Ctrl-C
  python -m studio.runtime.emulators gps --noise 0.2     one of them, with garbage before every fifth sentence
  python -m studio.runtime.emulators --unplug-every 10   every ten seconds all cables are out for two
"""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m studio.runtime.emulators",
        description="Emulated devices on pseudo-terminals. They speak the protocols of the real ones.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("devices", nargs="*", metavar="DEVICE", help=f"of {', '.join(DEVICES)} (default: all)")
    parser.add_argument("--folder", type=Path, default=FOLDER, help=f"where their ports appear (default: {FOLDER})")
    parser.add_argument("--noise", type=float, default=0.0, metavar="P", help="chance of garbage before a telegram")
    parser.add_argument("--flip", type=float, default=0.0, metavar="P", help="chance of a wrong bit in a telegram")
    parser.add_argument("--cut", type=float, default=0.0, metavar="P", help="chance that a telegram's end is missing")
    parser.add_argument("--slow", type=float, default=1.0, metavar="F", help="how much slower than its baud rate")
    parser.add_argument("--unplug-every", type=float, default=0.0, metavar="S", help="pull all cables for two seconds")
    options = parser.parse_args(arguments)
    for name in options.devices:
        if name not in DEVICES:
            parser.error(f"there is no device {name!r}; there are {', '.join(DEVICES)}")
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    try:
        _run(options, ended)
    except StudioError as error:
        print(f"emulators: {error}", file=sys.stderr)
        return 1
    return 0


def _run(options: argparse.Namespace, ended: threading.Event) -> None:
    folder = private_folder(options.folder, "use --folder")
    faults = Faults(options.noise, options.flip, options.cut, max(1.0, options.slow))
    with ExitStack() as stack:
        names = options.devices or list(DEVICES)
        ports = [stack.enter_context(PtyPort(DEVICES[name](), folder / name, faults)) for name in names]
        for port in ports:
            print(f"{port.link}  {port.device.baud} baud", flush=True)
        while not ended.wait(options.unplug_every or None):
            for port in ports:
                port.unplug()
            print("cables out", flush=True)
            ended.wait(2.0)
            for port in ports:
                port.plug_in()
            print("cables in", flush=True)


if __name__ == "__main__":
    sys.exit(main())
