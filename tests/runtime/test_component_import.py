"""How a component's code gets into a process: what a host loads for it, and from which file."""

from __future__ import annotations

import subprocess
import sys


def test_a_host_starts_without_the_xml_library() -> None:
    program = "import sys, studio.runtime.host\nsys.exit(any(name.startswith('lxml') for name in sys.modules))"
    subprocess.run([sys.executable, "-c", program], check=True)
