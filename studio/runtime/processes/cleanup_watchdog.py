"""Outlives a runtime that is killed, just long enough to end what it has left. A script that needs nothing but stdlib.

The kernel kills the children of a killed process (PR_SET_PDEATHSIG), but not what those have started. The runtime
tells this process on its stdin which groups there are (`+4711`, `-4711`) and which folders to remove
(`folder /run/...`). When stdin ends without `done`, the runtime is dead.
"""

import os
import shutil
import signal
import sys


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups: set[int] = set()
    folders: list[str] = []
    for line in sys.stdin:
        word = line.rstrip("\n")
        if word == "done":
            return
        if word.startswith("folder "):
            folders.append(word.removeprefix("folder "))
        elif word.startswith("+"):
            groups.add(int(word[1:]))
        elif word.startswith("-"):
            groups.discard(int(word[1:]))
    for group in groups:
        try:
            os.killpg(group, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
        words = f"{folder}.last_words"  # see channel/run_folder.py
        if os.path.exists(words) and not os.path.getsize(words):
            os.unlink(words)


if __name__ == "__main__":
    main()
