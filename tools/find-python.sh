#!/bin/sh
# Print usable Python interpreters of version 3.11 or later, newest first, as lines "VERSION PATH".
#
#   find-python.sh          those on PATH
#   find-python.sh --all    also those in the folders of version managers; one for each minor version
#
# Every candidate is run, since a name on PATH proves nothing: version managers put placeholders there that only say
# which version is not selected. Usable means: a final release that can make a virtual environment with pip in it.
set -eu

probe='
import sys
import ensurepip, venv
if sys.version_info < (3, 11) or sys.version_info.releaselevel != "final":
    sys.exit(1)
print("%d.%d" % sys.version_info[:2], sys.executable)
'

folders=$(printf '%s' "${PATH}" | tr ':' '\n')
if [ "${1:-}" = --all ]; then
    for folder in "${PYENV_ROOT:-${HOME:-/nonexistent}/.pyenv}"/versions/*/bin /opt/python/*/bin /usr/local/bin; do
        folders="${folders}
${folder}"
    done
fi

printf '%s\n' "${folders}" | while IFS= read -r folder; do
    for candidate in "${folder}"/python3 "${folder}"/python3.1[1-9]; do
        if [ -f "${candidate}" ] && [ -x "${candidate}" ]; then
            "${candidate}" -I -c "${probe}" 2>/dev/null </dev/null || true
        fi
    done
done | awk '!seen[$1]++' | sort -t. -k2,2nr
