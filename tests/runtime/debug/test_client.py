"""The client against a real debugpy in a real process."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from studio.editor.code import looks
from studio.runtime.debug.client import DapClient, DebugRefused
from studio.runtime.host.survey import unpack

ROOT = Path(__file__).resolve().parents[3]
TARGET = """\
import sys, threading
sys.path.insert(0, {root!r})
import debugpy
import numpy as np
print(debugpy.listen(("127.0.0.1", 0))[1], flush=True)
pause = threading.Event()


def handle(grid, n):
    row = grid[n % 3]
    total = float(row.sum())
    return total


grid = np.arange(12, dtype=np.float32).reshape(3, 4)
n = 0
while True:
    handle(grid, n)
    n += 1
    pause.wait(0.01)
"""
TOTAL_LINE = 11


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, int]]:
    file = tmp_path_factory.mktemp("debugged") / "target.py"
    file.write_text(TARGET.format(root=str(ROOT)))
    command = [sys.executable, "-Xfrozen_modules=off", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        yield file, int(process.stdout.readline())
        process.kill()


class Heard:
    def __init__(self) -> None:
        self.stops: Queue[dict[str, Any]] = Queue()
        self.said: Queue[str] = Queue()
        self.ended: Queue[bool] = Queue()

    def event(self, name: str, body: dict[str, Any]) -> None:
        if name == "stopped":
            self.stops.put(body)
        elif name == "output" and body.get("category") == "stdout":
            self.said.put(str(body["output"]))

    def end(self) -> None:
        self.ended.put(True)


def test_a_process_is_attached_stopped_looked_at_stepped_and_left(target: tuple[Path, int]) -> None:
    file, port = target
    heard = Heard()
    client = DapClient(socket.create_connection(("127.0.0.1", port)), heard.event, heard.end)
    points = [{"line": TOTAL_LINE, "condition": "n % 3 == 1"}, {"line": TOTAL_LINE - 1, "logMessage": "n is {n}"}]
    placed = client.attach({str(file): points}, ["uncaught"])
    assert [each["verified"] for each in placed[str(file)]] == [True, True]
    stop = heard.stops.get(timeout=20)
    assert stop["reason"] == "breakpoint"
    frames = client.ask("stackTrace", threadId=stop["threadId"], startFrame=0, levels=5).result(20)["stackFrames"]
    assert (frames[0]["name"], frames[0]["line"]) == ("handle", TOTAL_LINE)

    def evaluate(expression: str) -> str:
        answer = client.ask("evaluate", expression=expression, frameId=frames[0]["id"], context="clipboard")
        return str(answer.result(20)["result"])

    known = looks.told(evaluate(looks.known_of(["n", "row", "grid.shape", "total"])))
    assert known["row"] == {"type": "ndarray", "words": "(4,) float32 [4, 5, 6, 7]", "array": True}
    assert known["grid.shape"]["words"] == "(3, 4)" and "total" not in known, "it has no value yet"
    told = looks.told(evaluate(looks.array_of("grid")))
    assert unpack(told).tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    with pytest.raises(DebugRefused, match="NameError"):
        client.ask("evaluate", expression="nothing_of_that_name", frameId=frames[0]["id"], context="repl").result(20)
    client.ask("next", threadId=stop["threadId"]).result(20)
    assert heard.stops.get(timeout=20)["reason"] == "step"
    client.ask("continue", threadId=stop["threadId"]).result(20)
    assert heard.said.get(timeout=20).startswith("n is ") and heard.stops.get(timeout=20)["reason"] == "breakpoint"
    client.close()
    assert heard.ended.get(timeout=20)
    with pytest.raises(DebugRefused, match="has ended"):
        client.ask("threads").result(20)


def test_a_socket_without_a_listener_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(DebugRefused, match="cannot be reached: No such file"):
        DapClient.connect(tmp_path / "nobody", lambda *_: None, lambda: None)
