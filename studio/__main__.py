"""`python -m studio`: the same as the `studio` command."""

import os
import sys

if not sys.flags.safe_path and sys.path and sys.path[0] == os.getcwd() != os.path.dirname(os.path.dirname(__file__)):
    del sys.path[0]  # `-m` puts the working directory first: a `zmq.py` lying there would run

from studio.cli import main

sys.exit(main())
