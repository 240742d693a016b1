#!/bin/sh
# First step of the set-up: some Python 3 that runs, to run tools/setup.py with. That one picks the Python of .venv.
set -eu
cd "$(dirname "$0")/.."
for python in /usr/bin/python3 /usr/local/bin/python3 python3; do
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' >/dev/null 2>&1; then
        exec "$python" -m tools.setup "$@"
    fi
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "set-up: no Python 3 here, installing python3 and python3-venv"
    apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends python3 python3-venv >/dev/null
    exec /usr/bin/python3 -m tools.setup "$@"
fi
echo "set-up: no Python 3 here; install one first: sudo apt-get install python3 python3-venv" >&2
exit 1
