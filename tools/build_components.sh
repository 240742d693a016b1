#!/bin/sh
# Builds the components that are programs, given by their Makefiles. Without compiler or libzmq it says how to get them and
# goes on: everything else works without these components.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || exit 0
if ! printf '#include <zmq.h>\n' | "${CC:-cc}" -E -x c - >/dev/null 2>&1; then
    names=$(for file; do basename "$(dirname "$file")"; done | paste -s -d ' ')
    echo "components: no C compiler or no libzmq here, so these are not built: $names"
    echo "components: to get both: sudo apt-get install gcc libc6-dev libzmq3-dev"
    exit 0
fi
for file; do
    "${MAKE:-make}" --silent --no-print-directory -C "$(dirname "$file")"
done
