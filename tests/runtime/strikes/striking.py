"""An attacker who kills, stops or continues a process while sources are switched, and what must hold afterwards."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

import psutil

from studio.model.sources import SOURCE_MODES
from studio.runtime.base.interpreter import module_command
from studio.runtime.channel.run_folder import shared_folder
from studio.runtime.client.attach import Attachment
from studio.runtime.client.running_systems import RunningSystem, running_systems
from tests.conftest import ROOT
from tests.running_project import RunningProject
from tests.runtime.strikes.staged_runtime import END, RESUME, STAGES
from tests.runtime.test_switching_table import Model
from tests.waiting import await_true

PROVIDERS = {"real": "device", "simulated": "model"}
NOTICED_S = 2.5
"""So long a process that stands still is taken for hung."""
BROKER_REPLACED_S = 8.0
GONE_WITHIN_S = 5.0
"""What a killed runtime leaves behind: one second is promised, on a machine that has nothing else to do."""
SWITCHED_WITHIN_S = 90.0


class Strike(NamedTuple):
    """`stop_s`: it is stopped for so long, and then continued or killed. `late_s`: how long after the stage began."""

    stage: str
    victim: str
    kills: bool = True
    stop_s: float = 0.0
    late_s: float = 0.0

    def __str__(self) -> str:
        stopped = f"stopped for {self.stop_s:g} s" if self.stop_s else ""
        how = " and ".join(word for word in (stopped, "killed" if self.kills else "") if word)
        when = f"{self.late_s * 1e3:.0f} ms into" if self.late_s else "before"
        return f"{self.victim} {how} {when} {self.stage}"


def killed(stage: str, victim: str) -> Strike:
    return Strike(stage, victim)


def stopped(stage: str, victim: str, stop_s: float) -> Strike:
    return Strike(stage, victim, kills=False, stop_s=stop_s)


def stopped_and_killed(stage: str, victim: str) -> Strike:
    """It has got the request of this stage, and has done nothing about it."""
    return Strike(stage, victim, stop_s=0.2)


COMPONENTS = ("filter", "mover", "leaving", "coming")
VICTIMS = ("broker", "recorder", "runtime", "client", *COMPONENTS)


def every_strike() -> Iterator[Strike]:
    for stage in STAGES:
        for victim in VICTIMS:
            if is_there(stage, victim):
                yield killed(stage, victim)
                yield stopped_and_killed(stage, victim)
                yield stopped(stage, victim, 0.3)
                yield stopped(stage, victim, BROKER_REPLACED_S if victim == "broker" else NOTICED_S)


def is_there(stage: str, victim: str) -> bool:
    """Of the two providers: the old one ends within the replan, and the new one is started there."""
    first = STAGES.index(stage) <= STAGES.index("replan")
    return {"leaving": first, "coming": not first}.get(victim, True)


def suits(strike: Strike, model: Model, request: str) -> bool:
    """Whether there is such a stage, and such a process, in a switch from here."""
    if request == model.mode or (strike.stage == RESUME and model.stands == "paused"):
        return False
    return {"leaving": model.mode, "coming": request}.get(strike.victim) != "logged"


def requests_for(strike: Strike, model: Model) -> list[str]:
    return [mode for mode in SOURCE_MODES if suits(strike, model, mode)]


class Line:
    """To a staged runtime: goes through its stages, and strikes at one of them."""

    def __init__(self, folder: Path) -> None:
        self.address = folder / "stages"
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.address))
        self._listener.listen(1)
        self.reached: list[str] = []
        """Stages of the switch that goes on."""
        self.at_stage: Callable[[str], float] = lambda _: 0.0
        """Called when a stage is reached, before the switch goes on. So many seconds later it is called once more."""
        self.ended = threading.Event()
        self.failure: Exception | None = None
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        connection, _ = self._listener.accept()
        with connection, connection.makefile("rb") as reader:
            try:
                for raw in reader:
                    self._take(connection, raw.decode().strip())
            except Exception as failure:  # the runtime is gone, or nobody could be struck
                self.failure = failure
        self.ended.set()

    def _take(self, connection: socket.socket, stage: str) -> None:
        self.reached.append(stage)
        late_s = self.at_stage(stage)
        connection.sendall(b"\n")
        if late_s:
            time.sleep(late_s)
            self.at_stage(stage)
        if stage == END:
            self.ended.set()

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(5)


class Client:
    """In a process of its own, so that it can be struck."""

    def __init__(self, run: Path) -> None:
        words = module_command("tests.runtime.strikes.client", str(run))
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=_environment(), cwd=ROOT
        )
        assert self._read() == "ready\n"

    @property
    def pid(self) -> int:
        return self._process.pid

    def _read(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def ask(self, **request: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()

    def answer(self) -> dict[str, Any] | None:
        """None: it was killed."""
        raw = self._read()
        return json.loads(raw) if raw else None

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                _closed(pipe)


def _closed(pipe: IO[str] | None) -> None:
    assert pipe is not None
    pipe.close()


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


@dataclass
class Struck:
    """What one strike has met: for the words of a failure."""

    strike: Strike
    pid: int = 0
    happened: bool = False


class Arena:
    """A recorded system whose sources are switched under attack, and the model that walks beside it."""

    def __init__(self, project: Path, folder: Path, seed: int, *, careless: bool = False) -> None:
        self._project, self._folder = project, folder
        self._careless = careless
        self.choose = random.Random(seed)
        self._stack = ExitStack()
        self._runs = 0
        self._timers: list[threading.Timer] = []
        self._family: list[psutil.Process] = []
        """What the runtime had started when it was struck."""

    def __enter__(self) -> Arena:
        self._begin()
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if error is not None and self.process.poll() is None:
            self._show_threads()
        self._end()

    def _show_threads(self) -> None:
        """Where each thread of the runtime is: printed with the failure, as the system is gone afterwards."""
        self.process.send_signal(signal.SIGUSR1)
        time.sleep(1.0)
        print((self.log.parent / "output").read_text()[-20_000:])

    def _begin(self) -> None:
        self._runs += 1
        folder = self._folder / f"run{self._runs}"
        folder.mkdir()
        self.log = folder / "log.mcap"
        self.model = Model()
        self.line = Line(folder)
        self._stack.callback(self.line.close)
        words = ["run", str(self._project), "--stay", "--gate", "auto", "--record", str(self.log)]
        command = module_command("tests.runtime.strikes.staged_runtime", str(self.line.address))
        output = self._stack.enter_context((folder / "output").open("wb+"))
        self.process = subprocess.Popen(
            [*command, *(["--careless"] if self._careless else []), *words], stdin=subprocess.DEVNULL, stdout=output,
            stderr=output, start_new_session=True, env=_environment(), cwd=ROOT,
        )  # fmt: skip
        self._stack.callback(self._end_process)
        self.system = self._await_start(folder / "output")
        attachment = self._stack.enter_context(Attachment(self.system.run_folder, "watcher"))
        self.watched = RunningProject(attachment)
        self._new_client()

    def _await_start(self, output: Path) -> RunningSystem:
        found: list[RunningSystem] = []

        def started() -> bool:
            assert self.process.poll() is None, output.read_text()
            found[:] = [system for system in running_systems() if system.pid == self.process.pid]
            return bool(found)

        await_true(started, "the system to start")
        return found[0]

    def _new_client(self) -> None:
        self.client = Client(self.system.run_folder)
        self._stack.callback(self.client.close)

    def _end_process(self) -> None:
        for timer in self._timers:
            timer.join()
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise

    def _end(self) -> None:
        self._stack.close()

    # One switch under attack.

    def switch(self, strike: Strike) -> None:
        """From wherever the model is, to a source with which this strike can be."""
        self._go_where_it_can_be(strike)
        request = self.choose.choice(requests_for(strike, self.model))
        if self.model.mode == "real" and not self.model.stands:
            self._ask("set", component="mover", name="armed", value=True)
        print(f"{self.model.mode} -> {request}{' paused' if self.model.stands else ''}: {strike}", flush=True)
        struck = self._attack(strike, request)
        assert struck.happened, f"{strike} found nobody: {self.line.failure!r}; stages: {self.line.reached}"
        if strike.victim == "runtime" and strike.kills:
            self._leaves_nothing()
            self._end()
            self._begin()
            return
        if strike.victim == "client" and strike.kills:
            self.client.close()
            self._new_client()
        self.model = self.model.after(request)
        self._await_processes()
        if self.model.stands and strike.kills and strike.victim in COMPONENTS:
            assert self.watched.state["gate"] == "pause"
            self._do("run")  # the activation of a component that died in a paused system waits at the gate
        self._holds()

    def _go_where_it_can_be(self, strike: Strike) -> None:
        while not requests_for(strike, self.model):
            self._do(self.choose.choice([request for request in self.model.can() if request != "end"]))

    def be_paused(self) -> None:
        if not self.model.stands:
            self._do("pause")

    def stand_or_run(self) -> None:
        """Now and then a system that is paused is switched, and one with another gate."""
        others = [request for request in self.model.can() if request in ("run", "pause", "free", "lockstep")]
        if self.choose.random() < 0.5 or self.model.stands:
            self._do(self.choose.choice(others))

    def _do(self, request: str) -> None:
        if request in SOURCE_MODES:
            self._ask("switch", mode=request)
        else:
            self._ask("gate", **{"mode" if request in ("run", "pause") else "kind": request})
        self.model = self.model.after(request)

    def _ask(self, do: str, **fields: object) -> None:
        self.client.ask(do=do, **fields)
        told = self.client.answer()
        assert told is not None and told["ok"], (do, fields, told)

    def _attack(self, strike: Strike, request: str) -> Struck:
        struck = Struck(strike)
        before = self.model
        leaving = self._pid("leaving", before, request) if strike.victim == "leaving" else 0  # not listed later

        def at_stage(stage: str) -> float:
            if stage != strike.stage or struck.happened:
                return 0.0
            if strike.late_s and not struck.pid:
                struck.pid = leaving or self._pid(strike.victim, before, request)
                return strike.late_s
            struck.pid = struck.pid or leaving or self._pid(strike.victim, before, request)
            self._hit(struck)
            return 0.0

        self.line.reached.clear()
        self.line.ended.clear()
        self.line.at_stage = at_stage
        self.client.ask(do="switch", mode=request)
        assert self.line.ended.wait(SWITCHED_WITHIN_S), f"the switch has not ended; stages: {self.line.reached}"
        assert self.line.failure is None or strike.victim == "runtime", self.line.failure
        if not (strike.kills and strike.victim in ("client", "runtime")):
            told = self.client.answer()
            assert told is not None and told["ok"], (told, self.line.reached)
        return struck

    def _hit(self, struck: Struck) -> None:
        struck.happened = True
        self._family = psutil.Process(self.process.pid).children(recursive=True)
        stop_s = struck.strike.stop_s
        last = signal.SIGKILL if struck.strike.kills else signal.SIGCONT
        if not stop_s:
            _send(struck.pid, last)
            return
        _send(struck.pid, signal.SIGSTOP)
        self._timers.append(threading.Timer(stop_s, _send, [struck.pid, last]))
        self._timers[-1].start()

    def _pid(self, victim: str, before: Model, request: str) -> int:
        if victim == "runtime":
            return self.process.pid
        if victim == "client":
            return self.client.pid
        name = {"leaving": PROVIDERS.get(before.mode), "coming": PROVIDERS.get(request)}.get(victim) or victim
        found: list[int] = []

        def is_there() -> bool:  # the snapshot is a little late
            told = self.watched.state["processes"].get(name)
            found[:] = [told["pid"]] if told and told["pid"] else []
            return bool(found)

        await_true(is_there, f"a process {name}")
        return found[0]

    # What must hold.

    def _await_processes(self) -> None:
        def all_run() -> bool:
            told = self.watched.state["processes"].values()
            return all(each["condition"] == "running" for each in told)

        for timer in self._timers:
            timer.join()
        self._timers.clear()
        await_true(all_run, "all processes to run", 60)

    def _holds(self) -> None:
        """The row of the table."""
        state = self.watched.state
        assert set(state["sources"].values()) == {self.model.mode}, self.watched.brief()
        self.watched.holds(self.model.asked, runs=not self.model.stands)
        state = self.watched.state
        assert state["components"]["mover"]["parameters"]["armed"] is False, "disarmed by every switch"
        self._is_recorded()

    def _is_recorded(self) -> None:
        """What the recorder has written grows; a paused system writes the trace of nothing."""
        if self.model.stands:
            return
        before = self.watched.state["recorder"]
        await_true(lambda: self.watched.state["recorder"] != before, f"more to be recorded than {before}")

    def _leaves_nothing(self) -> None:
        """The runtime was killed."""
        run = self.system.run_folder
        self.process.wait()
        await_true(lambda: not run.exists() and shared_folder(self.system.run) is None, "its folders to go", 20)
        await_true(lambda: not [each for each in self._family if _lives(each)], "its processes to go", GONE_WITHIN_S)


def _send(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):  # a hung broker is replaced, and an old provider may have ended when it is late
        os.kill(pid, number)


def _lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
