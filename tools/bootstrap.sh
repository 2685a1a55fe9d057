#!/bin/sh
# Install what a fresh Debian or Ubuntu lacks for development, or say in one line for each what is missing and what
# that costs. Fails only when nothing can go on without it, or when the interpreter that PYTHON names is too old.
set -eu

here=$(dirname "$0")

if [ -n "${PYTHON:-}" ]; then
    # Any version of Python understands it, and says which one it is.
    probe='import sys; print("it is Python %d.%d" % sys.version_info[:2]); sys.exit(sys.version_info < (3, 11))'
    if ! found=$("${PYTHON}" -I -c "${probe}" 2>/dev/null </dev/null); then
        echo "${PYTHON} does not fit: ${found:-it cannot be run}. Python 3.11 or later is needed; make ${GOALS:-demo} PYTHON=python3.12" >&2
        exit 1
    fi
fi

missing=
[ -n "${PYTHON:-}" ] || [ -n "$(sh "${here}/find-python.sh")" ] || missing="python3-venv"
command -v bwrap >/dev/null 2>&1 || missing="${missing} bubblewrap"
[ -n "${missing}" ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing${missing:+ }${missing# } with apt-get" >&2
    export DEBIAN_FRONTEND=noninteractive
    # The names hold no blanks, and each is its own argument.
    # shellcheck disable=SC2086
    { apt-get update -qq && apt-get install -qq -y --no-install-recommends ${missing}; } >/dev/null ||
        echo "apt-get could not install ${missing# }; its messages are above" >&2
fi

if ! command -v bwrap >/dev/null 2>&1; then
    echo "bubblewrap is missing: runs are refused unless --isolation none is given, and the tests of the sandbox are skipped" >&2
fi
if [ -z "${PYTHON:-}" ] && [ -z "$(sh "${here}/find-python.sh")" ]; then
    echo "no usable Python 3.11 or later with the venv and ensurepip modules: no environment can be made; install python3-venv, or name an interpreter with 'make PYTHON=/path/to/python3'" >&2
    exit 1
fi
