"""Forks the processes of a run, with all that they need already imported.

Importing numpy, pyzmq and the runtime takes half a second of work, numba another one; a fork of a process that has
done it takes a few milliseconds. Requests come in on stdin, which is a socket. The first argument tells which
components to make ahead (host/ahead.py), the others name libraries to import beforehand. Nothing here starts a thread
or opens a socket of ZeroMQ, because neither survives a fork.

What is born becomes the child of the runtime, not of this process: its parent ends at once, and the runtime says for
this moment that it is the one who adopts orphans (PR_SET_CHILD_SUBREAPER). So the runtime can wait for it, the kernel
ends it with the runtime, and this process may die without taking anybody along. It does nothing before the runtime
has permitted it to live: one that is born after the runtime has given up waiting for it must not run beside another.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import signal
import socket
import struct
import sys
import warnings
from dataclasses import dataclass
from typing import Any

from setproctitle import setproctitle

from studio.errors import StudioError
from studio.runtime.base.child_signals import FOR_CHILDREN
from studio.runtime.base.fast_exit import run_and_leave
from studio.runtime.base.process import die_with_parent
from studio.runtime.host.ahead import Prepared

LENGTH = struct.Struct("!I")
STREAMS = 3
"""Input, output and errors of the new process: descriptors that come with a request. A pipe with its permit follows."""
PRELOADED = ("studio.runtime.host.host", "studio.runtime.broker.broker", "studio.runtime.recording.recorder.recorder")
WARMERS = {"mujoco": "studio.runtime.sim.warm", "numba": "studio.runtime.processes.warm_numba"}
"""Libraries that take long to import and to get going -> the module that does both."""


@dataclass(frozen=True)
class Birth:
    """What a process is to be."""

    module: str
    """Its `main()` is the process."""
    arguments: list[str]
    title: str
    environment: dict[str, str]
    paths: list[str]
    folder: str
    """Its working directory; empty where the runtime's own is gone."""

    def pack(self) -> bytes:
        content = json.dumps(vars(self)).encode()
        return LENGTH.pack(len(content)) + content


def main() -> int:
    """Ends when the line does: with the runtime, however that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    line = socket.socket(fileno=os.dup(0))
    order, *libraries = sys.argv[1:] or [""]
    for name in (*PRELOADED, *(WARMERS[library] for library in libraries)):
        importlib.import_module(name)
    try:
        prepared = Prepared(order) if order else None
    except StudioError:  # the host will say why when it starts, if it is anybody's fault
        return 1
    # The threads of numpy's algebra are known to survive a fork; Python can only count them, and warns.
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    gc.collect()
    gc.freeze()  # the collector would otherwise write into pages that all children share
    if not order:  # or it is called after its host
        setproctitle("studio fork server")
    line.sendall(LENGTH.pack(0))  # it can be asked from now on
    while (received := _receive(line)) is not None:
        birth, descriptors = received
        if prepared is not None and not prepared.is_current():
            return 0  # the line ends with it, and who asked goes to another one
        if _fork(line):
            line.close()
            permit = descriptors.pop()
            if os.read(permit, 1):
                os.close(permit)
                return _live(birth, descriptors)
            os._exit(0)
        for descriptor in descriptors:
            os.close(descriptor)
    return 0


def _receive(line: socket.socket) -> tuple[Birth, list[int]] | None:
    """The next request; None when nobody is left to ask."""
    try:
        head, descriptors, _, _ = socket.recv_fds(line, LENGTH.size, STREAMS + 1)
    except ConnectionResetError:  # so a line ends whose other side went without having read the last answer
        return None
    if len(head) < LENGTH.size:
        return None
    left = LENGTH.unpack(head)[0]
    content = bytearray()
    while len(content) < left:
        piece = line.recv(left - len(content))
        if not piece:
            return None
        content += piece
    fields: dict[str, Any] = json.loads(content)
    return Birth(**fields), descriptors


def _fork(line: socket.socket) -> bool:
    """True in the new process. Here its number is told, once it has been adopted; 0 if the system has no room."""
    reading, writing = os.pipe()
    try:
        middle = os.fork()
    except OSError:
        middle = -1
    if middle == 0:
        return _fork_again(reading, writing)
    os.close(writing)
    number = b""
    if middle > 0:
        number = os.read(reading, LENGTH.size)
        os.waitpid(middle, 0)
    os.close(reading)
    line.sendall(number or LENGTH.pack(0))
    return False


def _fork_again(reading: int, writing: int) -> bool:
    try:
        child = os.fork()
    except OSError:
        os._exit(1)
    if child:
        os.write(writing, LENGTH.pack(child))
        os._exit(0)
    os.close(reading)
    os.close(writing)
    return True


def _live(birth: Birth, streams: list[int]) -> int:
    os.setsid()
    for number in (*FOR_CHILDREN, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    for target, stream in enumerate(streams):
        os.dup2(stream, target)
        os.close(stream)
    if birth.folder:
        os.chdir(birth.folder)
    os.environ.clear()
    os.environ.update(birth.environment)
    sys.path[:] = birth.paths
    importlib.invalidate_caches()
    if "numpy.random" in sys.modules:  # Python's own generator sees to this by itself
        sys.modules["numpy.random"].seed()
    setproctitle(birth.title)
    module = importlib.import_module(birth.module)
    sys.argv = [str(module.__file__), *birth.arguments]
    status: int = module.main()
    return status


if __name__ == "__main__":
    run_and_leave(main)
