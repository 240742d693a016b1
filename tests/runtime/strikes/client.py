"""A client as the window is one, in a process of its own: sends the requests that it reads, and prints the answers.

python -m tests.runtime.strikes.client RUN_FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from studio.errors import StudioError
from studio.runtime.client.attach import Attachment


def main() -> None:
    with Attachment(Path(sys.argv[1]), "struck client") as attachment:
        attachment.ask("take", force=True)
        print("ready", flush=True)
        for line in sys.stdin:
            request = json.loads(line)
            try:
                told = attachment.ask(request.pop("do"), timeout_s=120, **request)
            except StudioError as refused:
                told = {"ok": False, "error": str(refused)}
            print(json.dumps({"ok": told["ok"], "error": told.get("error")}), flush=True)


if __name__ == "__main__":
    main()
