"""Completion, signatures and help for Python code, in a process of its own: jedi may take seconds.

    python -m studio.editor.code.analysis_worker

Reads requests as lines of JSON and answers each with one line: {"id", "found"}, or {"id", "error"}. jedi only reads
code; nothing of a project is imported or run, and no compiled extension outside of Studio's own path is loaded.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TextIO

from studio.installation import how_to_install
from studio.runtime.base.process import die_with_parent

if TYPE_CHECKING:
    import jedi

NO_JEDI = f"No completion, jedi is missing: {how_to_install('editor')}"
MOST = 400
"""Names in a list; nobody reads more."""
MOST_LINES = 14
"""Of a description."""


def completions(script: jedi.Script, line: int, column: int) -> list[list[str]]:
    """Names and what they are; constants, private names and those of Python itself come last."""
    found = script.complete(line, column)
    found.sort(key=lambda one: (one.name.startswith("__"), one.name.startswith("_"), one.name.isupper()))
    return [[one.name, one.type] for one in found[:MOST]]


def signatures(script: jedi.Script, line: int, column: int) -> list[str | int]:
    """The call that is being written, with where its current parameter begins and ends; empty without one."""
    for found in script.get_signatures(line, column):
        text = found.to_string().replace("\n", " ")
        params = found.params
        begin = end = 0
        if found.index is not None and found.index < len(params):
            words = params[found.index].to_string()
            begin = max(0, text.find(words, text.find("(")))
            end = begin + len(words) if begin else 0
        return [text, begin, end]
    return []


def description(script: jedi.Script, line: int, column: int) -> list[str]:
    """What a name is, and what its documentation says."""
    for found in script.help(line, column):
        if found.type == "keyword":
            return []
        calls = [call.to_string() for call in found.get_signatures()[:2]]
        types = [] if calls else [one.name for one in found.infer()[:2] if one.name != found.name]
        head = calls or [f"{found.name}: {' | '.join(types)}" if types else f"{found.type} {found.name}"]
        doc = found.docstring(raw=True).strip().splitlines()
        text = "\n".join([*doc[:MOST_LINES], *(["…"] if len(doc) > MOST_LINES else [])])
        return ["\n".join(head), text]
    return []


KINDS: dict[str, Callable[[Any, int, int], list[Any]]] = {
    "complete": completions, "signature": signatures, "hover": description,
}  # fmt: skip


def answer(request: dict[str, Any]) -> list[Any]:
    import jedi  # takes a moment, which nobody waits for before the first request

    # Our own interpreter: asking for another would start one more process.
    project = jedi.Project(request["project"], load_unsafe_extensions=False)
    script = jedi.Script(
        request["text"], path=request["path"], project=project, environment=jedi.InterpreterEnvironment()
    )
    return KINDS[request["kind"]](script, request["line"], request["column"])


def serve(requests: TextIO, replies: TextIO) -> None:
    for line in requests:
        request = json.loads(line)
        reply: dict[str, Any] = {"id": request["id"]}
        try:
            reply["found"] = answer(request)
        except ImportError:
            reply["error"] = NO_JEDI
        except Exception as error:  # jedi fails on code that is half written; the next keystroke asks again
            reply["found"], reply["failed"] = [], f"{type(error).__name__}: {error}"
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


if __name__ == "__main__":
    die_with_parent()
    os.nice(5)  # the window and the robot come first
    serve(sys.stdin, sys.stdout)
