#!/bin/bash
# Applies the reference solution to the workspace, which is the current directory.
set -euo pipefail
reference=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)/reference
if [ ! -d "$reference" ]; then
    echo "this scenario ships no reference solution" >&2
    exit 1
elif [ -f "$reference/solve.sh" ]; then
    exec bash "$reference/solve.sh"
fi
cp -R -- "$reference/." .
