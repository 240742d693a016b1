#!/usr/bin/env python3
"""Tries every model, log and system from elsewhere below a folder: `studio corpus`, for a checkout."""

import sys

from studio.cli.command import main

if __name__ == "__main__":
    sys.exit(main(["corpus", *sys.argv[1:]]))
