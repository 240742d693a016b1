"""Processes that are born instead of started."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from studio.runtime.processes.fork_client import ForkClient
from studio.runtime.processes.fork_server import Birth, _receive
from studio.runtime.processes.orphan_reaping import Child, adoption
from tests.waiting import await_true

HAS_NUMBA = """\
import sys

def main():
    return 3 if "numba" in sys.modules else 4
"""
SAYS = """\
import os, sys

def main():
    print(os.getppid(), os.getsid(0) == os.getpid(), sys.argv[1:], os.environ.get("COLOUR"), os.getcwd(), flush=True)
    print("complaint", file=sys.stderr, flush=True)
    return 7
"""
WAITS = """\
import time

def main():
    time.sleep(600)
"""


COUNTS = """\
import os

def main():
    return len([number for number in range(3, 100) if os.path.exists(f"/proc/self/fd/{number}")])
"""


IGNORES = """\
import signal

def main():
    return len([number for number in signal.valid_signals() if signal.getsignal(number) is signal.SIG_IGN])
"""


LEAVES = """\
import atexit, sys, threading
from pathlib import Path

class Taken:
    def __del__(self):
        self.file.touch()

class Careless:
    def __init__(self, path):
        self.me, self.file = self, path.open("w")
        self.file.write("of one that nobody refers to")

taken = Taken()

def main():
    global kept
    folder = Path(sys.argv[1])
    taken.file = folder / "taken"
    Careless(folder / "lost")
    kept = (folder / "kept").open("w")
    kept.write("never closed")
    print("said", end="")
    atexit.register((folder / "at_exit").touch)
    threading.Timer(0.1, (folder / "thread").touch).start()
    sys.exit(9)
"""


@pytest.fixture(scope="module")
def fork_client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkClient]:
    """Of all tests here: a fork server takes a second to start."""
    folder = tmp_path_factory.mktemp("modules")
    (folder / "says_where_it_is.py").write_text(SAYS)
    (folder / "waits_for_ever.py").write_text(WAITS)
    (folder / "has_numba.py").write_text(HAS_NUMBA)
    (folder / "counts_descriptors.py").write_text(COUNTS)
    (folder / "counts_ignored_signals.py").write_text(IGNORES)
    (folder / "leaves.py").write_text(LEAVES)
    sys.path.insert(0, str(folder))
    fork_client = ForkClient()
    with pytest.MonkeyPatch.context() as patient:  # a machine that has much to do is no defect of what is tested
        patient.setattr("studio.runtime.processes.fork_client.READY_WITHIN_S", 50.0)
        patient.setattr("studio.runtime.processes.fork_client.ANSWER_WITHIN_S", 30.0)
        yield fork_client
    fork_client.close()
    sys.path.remove(str(folder))


def born(fork_client: ForkClient, module: str, outputs: tuple[int, int], *words: str) -> Child:
    environment = {**os.environ, "COLOUR": "green"}
    child = fork_client.bear(module, words, title=f"studio {module}", environment=environment, outputs=outputs)
    assert child is not None
    return child


def fork_server_of(fork_client: ForkClient) -> psutil.Process:
    """Not any fork server among our children: the runtimes of other tests have theirs in this very process."""
    return psutil.Process(fork_client._fork_servers[()].process.pid)


def test_a_born_process_is_a_child_like_any_other(fork_client: ForkClient) -> None:
    reading, writing = os.pipe()
    complaints, complaining = os.pipe()
    child = born(fork_client, "says_where_it_is", (writing, complaining), "one", "two words")
    os.close(writing)
    os.close(complaining)
    assert child.wait(20) == 7
    assert child.poll() == child.returncode == 7
    with os.fdopen(reading) as said, os.fdopen(complaints) as complained:
        assert said.read() == f"{os.getpid()} True ['one', 'two words'] green {os.getcwd()}\n"
        assert complained.read() == "complaint\n"


def test_it_ends_as_any_program_but_for_taking_all_apart(fork_client: ForkClient, tmp_path: Path) -> None:
    """Every page that it shared with the fork server was copied, only to be freed."""
    with (tmp_path / "output").open("wb") as output:
        assert born(fork_client, "leaves", (output.fileno(), 2), str(tmp_path)).wait(20) == 9
    written = {file.name: file.read_text() for file in tmp_path.iterdir()}
    files = {"kept": "never closed", "lost": "of one that nobody refers to", "output": "said"}
    assert written == {**files, "at_exit": "", "thread": ""}


def test_it_ignores_no_signals_but_those_of_any_python(fork_client: ForkClient) -> None:
    """The fork server ignores Ctrl-C, and must not pass that on."""
    usual = {signal.SIGPIPE, signal.SIGXFSZ}
    assert born(fork_client, "counts_ignored_signals", (2, 2)).wait(20) == len(usual)


def test_it_can_be_waited_for_and_ended(fork_client: ForkClient) -> None:
    child = born(fork_client, "waits_for_ever", (2, 2))
    assert child.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(0.05)
    await_true(lambda: psutil.Process(child.pid).cmdline()[0] == "studio waits_for_ever", "its own name")
    child.kill()
    assert child.wait(20) == -signal.SIGKILL
    child.terminate()  # of one that is gone: nothing happens


def test_a_killed_fork_server_takes_nobody_along_and_is_replaced(fork_client: ForkClient) -> None:
    first = born(fork_client, "waits_for_ever", (2, 2))
    fork_server = fork_server_of(fork_client)
    fork_server.kill()
    psutil.wait_procs([fork_server], 5)
    second = born(fork_client, "waits_for_ever", (2, 2))
    assert first.poll() is second.poll() is None
    for child in (first, second):
        child.kill()
        child.wait(20)


def test_a_twin_takes_the_place_of_a_killed_fork_server(fork_client: ForkClient) -> None:
    """It has everything imported: on a busy machine the next child would otherwise wait for seconds."""
    born(fork_client, "says_where_it_is", (2, 2)).wait(20)
    fork_client.insure()
    for _ in range(3):
        fork_server, twin = fork_server_of(fork_client), fork_client._twins[()].process.pid
        assert psutil.Process(twin).cmdline()[0] == "studio fork server"
        fork_server.kill()
        psutil.wait_procs([fork_server], 5)
        assert born(fork_client, "says_where_it_is", (2, 2)).wait(20) == 7
        assert fork_server_of(fork_client).pid == twin
        fork_client.insure()


def test_a_killed_twin_is_replaced(fork_client: ForkClient) -> None:
    born(fork_client, "says_where_it_is", (2, 2)).wait(20)
    fork_client.insure()
    twin = psutil.Process(fork_client._twins[()].process.pid)
    twin.kill()
    await_true(lambda: twin.status() == psutil.STATUS_ZOMBIE, "the twin to be dead")
    fork_client.renew()
    assert not twin.is_running()
    fork_client.insure()
    assert fork_client._twins[()].alive


def test_variables_that_are_read_at_the_start_hold(fork_client: ForkClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fork server that was started before one of them changed would pass on what it had read."""
    born(fork_client, "says_where_it_is", (2, 2)).wait(20)
    before = fork_server_of(fork_client).pid
    born(fork_client, "says_where_it_is", (2, 2)).wait(20)
    assert fork_server_of(fork_client).pid == before
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    born(fork_client, "says_where_it_is", (2, 2)).wait(20)
    assert fork_server_of(fork_client).pid != before


def test_the_born_and_the_fork_server_end_with_a_killed_parent(tmp_path: Path) -> None:
    (tmp_path / "waits_for_ever.py").write_text(
        "import os, time\nfrom studio.runtime.base.process import die_with_parent\n\n"
        "def main():\n    die_with_parent()\n    time.sleep(600)\n"
    )
    code = (
        "import os, time\nfrom studio.runtime.processes.fork_client import fork_client\n"
        "environment = {**os.environ, 'STUDIO_PARENT': str(os.getpid())}\n"
        "child = fork_client.bear('waits_for_ever', [], title='studio x', environment=environment, outputs=(2, 2))\n"
        "print(child.pid, fork_client._fork_servers[()].process.pid, flush=True)\ntime.sleep(600)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment) as parent:
        assert parent.stdout is not None
        family = [psutil.Process(int(number)) for number in parent.stdout.readline().split()]
        assert len(family) == 2
        parent.kill()
    _gone, alive = psutil.wait_procs(family, 10)
    assert not alive


def test_all_that_is_open_in_a_born_process_is_its_own(fork_client: ForkClient) -> None:
    assert born(fork_client, "counts_descriptors", (2, 2)).wait(20) == 0


def test_a_fork_server_that_stands_still_is_given_up(fork_client: ForkClient, monkeypatch: pytest.MonkeyPatch) -> None:
    born(fork_client, "says_where_it_is", (2, 2)).wait(20)
    standing = fork_server_of(fork_client)
    standing.suspend()
    with monkeypatch.context() as impatient:
        impatient.setattr("studio.runtime.processes.fork_client.ANSWER_WITHIN_S", 0.3)
        assert fork_client.bear("waits_for_ever", (), title="studio x", environment={}, outputs=(2, 2)) is None
    assert not standing.is_running()
    assert born(fork_client, "says_where_it_is", (2, 2)).wait(20) == 7, "by the next one"


def test_who_is_wanted_before_it_is_ready_is_started_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine that has very much to do nobody waits for it again and again, and its work is not thrown away."""
    fork_client = ForkClient()
    monkeypatch.setattr("studio.runtime.processes.fork_client.READY_WITHIN_S", 0.0)
    words = {"title": "studio x", "environment": dict(os.environ), "outputs": (2, 2)}
    assert fork_client.bear("waits_for_ever", (), **words) is None  # type: ignore[arg-type]
    first = fork_client._fork_servers[()]
    assert first.alive and first.is_good
    monkeypatch.setattr("studio.runtime.processes.fork_client.READY_WITHIN_S", 50.0)
    monkeypatch.setattr("studio.runtime.processes.fork_client.ANSWER_WITHIN_S", 30.0)
    child = fork_client.bear("json.tool", ("--help",), **words)  # type: ignore[arg-type]
    assert child is not None and fork_client._fork_servers[()] is first
    child.wait(20)
    fork_client.close()


def test_who_is_born_too_late_does_not_live(fork_client: ForkClient, tmp_path: Path) -> None:
    """Who asked has given up and started another one: there must not be two."""
    fork_server = fork_client._fork_server(())
    assert fork_server is not None and fork_server._await_ready()
    output, (reading, writing) = tmp_path / "output", os.pipe()
    birth = Birth("says_where_it_is", [], "studio x", dict(os.environ), sys.path, "")
    with adoption, output.open("wb") as file:
        child = Child(fork_server._ask(birth, [0, file.fileno(), file.fileno(), reading]))
    os.close(reading)
    assert child.poll() is None, "it waits for its permit"
    os.close(writing)
    assert child.wait(20) == 0 and output.read_bytes() == b""


def test_orphans_of_others_that_come_meanwhile_are_no_zombies() -> None:
    with adoption, adoption:
        pass
    with adoption:
        with adoption:  # another thread, or another fork client
            pass
        shell = subprocess.Popen(["sh", "-c", "sleep 0.2 & echo $!"], stdout=subprocess.PIPE, start_new_session=True)
        assert shell.stdout is not None
        orphan = psutil.Process(int(shell.stdout.readline()))
        shell.wait()
        await_true(lambda: orphan.ppid() != shell.pid, "it to be adopted")
        assert orphan.ppid() == os.getpid()
    shell.stdout.close()

    def is_buried() -> bool:
        adoption.bury_strays()
        return not orphan.is_running()

    await_true(is_buried, "the orphan to have ended, and to be gone")


def test_a_folder_that_is_gone_keeps_nobody_from_being_born(
    fork_client: ForkClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert born(fork_client, "has_numba", (2, 2)).wait(20) == 4


def test_a_runtime_without_standard_streams_has_children_too(tmp_path: Path) -> None:
    (tmp_path / "says.py").write_text("def main():\n    print('here I am', flush=True)\n    return 5\n")
    code = (
        "import os, sys\nfor number in range(3):\n    os.close(number)\n"
        "from studio.runtime.processes.fork_client import fork_client\n"
        "output = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY)\noutput = os.dup2(output, 7)\n"
        "child = fork_client.bear('says', [], title='studio x', environment=dict(os.environ), outputs=(7, 7))\n"
        "sys.exit(child.wait(30))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    output = tmp_path / "output"
    assert subprocess.run([sys.executable, "-c", code, output], env=environment, check=False).returncode == 5
    assert output.read_text() == "here I am\n"


def test_libraries_are_there_for_those_who_want_them(fork_client: ForkClient) -> None:
    def status(*libraries: str) -> int:
        words = {"title": "studio x", "environment": dict(os.environ), "outputs": (2, 2), "libraries": libraries}
        child = fork_client.bear("has_numba", (), **words)  # type: ignore[arg-type]
        assert child is not None
        return child.wait(20)

    assert (status("numba", "numpy"), status()) == (3, 4)


def test_who_goes_without_having_read_the_last_answer_leaves_no_traceback() -> None:
    line, asking = socket.socketpair()
    line.send(b"the answer")
    asking.close()
    assert _receive(line) is None
    line.close()
