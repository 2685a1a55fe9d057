#!/usr/bin/env bash
# Make a Debian or Ubuntu machine able to run real Harbor trials although it reaches no container registry.
#
#   machine.sh up DIR     install what is missing, start a container engine of our own, print what to export
#   machine.sh down DIR   stop that engine
#   machine.sh lock       pin requirements.txt anew (needs uv)
#
# Everything lies below DIR but the engine's Debian packages, which only root can install, and its images and containers
# where they fit in memory. The engine listens on a socket in DIR and knows nothing of one that may already run on the
# machine. The base image is made from Debian packages, under the name that our packages ask for.
set -euo pipefail

readonly BASE=debian:bookworm-slim
readonly SUITE=bookworm
readonly INSIDE=bash,ca-certificates,curl,git,procps,python3
readonly ENGINE=(docker.io containerd runc mmdebstrap iptables)
readonly MEMORY_GB=10 # what must be free for images and containers to lie in memory

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
readonly here

say() { echo "machine: $*" >&2; }

engine() { DOCKER_HOST="unix://${place}/engine.sock" DOCKER_CONFIG="${place}/config" docker "$@"; }

# The mirror that this machine already uses.
mirror() {
    # shellcheck disable=SC2016 # apt fills the placeholder in
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1
}

install_engine() {
    local package missing=()
    for package in "${ENGINE[@]}"; do
        dpkg-query --show --showformat='${Status}' "${package}" 2>/dev/null | grep -q ' installed$' || missing+=("${package}")
    done
    [[ ${#missing[@]} -gt 0 ]] || return 0
    apt-get update -qq
    # Newer releases have the engine's client in a package of its own.
    if apt-cache show docker-cli >/dev/null 2>&1; then missing+=(docker-cli); fi
    say "installing ${missing[*]}"
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
}

# Harbor needs the second generation of the compose plugin, which some releases lack: take the one file out of the
# newest release, with a state of apt's own so that nothing else is ever installed from there.
install_plugins() {
    local plugins=${place}/config/cli-plugins state=${place}/apt
    [[ -x ${plugins}/docker-compose && -x ${plugins}/docker-buildx ]] && return 0
    say "fetching the compose plugin"
    mkdir -p "${plugins}" "${state}"/{lists/partial,cache/archives/partial,debs}
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(mirror) sid main" >"${state}/sources.list"
    local options=(
        -o "Dir::Etc::sourcelist=${state}/sources.list" -o Dir::Etc::sourceparts=/dev/null
        -o "Dir::State::lists=${state}/lists" -o "Dir::Cache=${state}/cache"
    )
    apt-get "${options[@]}" update -qq
    (cd "${state}/debs" && apt-get "${options[@]}" download -qq docker-compose docker-buildx)
    local deb
    for deb in "${state}"/debs/*.deb; do
        dpkg-deb --extract "${deb}" "${state}/extracted"
    done
    cp "${state}"/extracted/usr/libexec/docker/cli-plugins/* "${plugins}/"
    echo '{}' >"${place}/config/config.json"
}

make_base() {
    [[ -s ${place}/base.tar ]] && return 0
    say "making ${BASE} out of Debian packages"
    mmdebstrap --quiet --variant=minbase --include="${INSIDE}" "${SUITE}" "${place}/base.part.tar" \
        "deb $(mirror) ${SUITE} main"
    mv "${place}/base.part.tar" "${place}/base.tar"
}

# Trials make and remove hundreds of thousands of files, which takes a disk ten times as long.
in_memory() { echo "/dev/shm/harborsmith-$(sha256sum <<<"${place}" | head -c 12)"; }

data_root() {
    local fits
    fits=$({ df --output=avail --block-size=1G /dev/shm && grep MemAvailable /proc/meminfo; } 2>/dev/null |
        awk -v wanted="${MEMORY_GB}" '$1 + 0 >= wanted { ok++ } $1 == "MemAvailable:" && $2 >= wanted * 1048576 { ok++ } END { print ok + 0 }')
    if [[ ${fits} == 2 ]]; then in_memory; else echo "${place}/data"; fi
}

start_engine() {
    if ! engine info >/dev/null 2>&1; then
        rm -f "${place}/engine.pid"
        setsid dockerd --data-root "$(data_root)" --exec-root "${place}/exec" --pidfile "${place}/engine.pid" \
            --host "unix://${place}/engine.sock" --oom-score-adjust 0 >"${place}/engine.log" 2>&1 </dev/null &
        local round
        for ((round = 0; round < 120; round++)); do
            engine info >/dev/null 2>&1 && break
            sleep 0.5
        done
    fi
    if ! engine info >/dev/null 2>&1; then
        say "the container engine does not start: $(tail -n 3 "${place}/engine.log" | tr '\n' ' ')"
        return 1
    fi
    engine image inspect "${BASE}" >/dev/null 2>&1 || engine import "${place}/base.tar" "${BASE}" >/dev/null
}

# Harbor lives in an environment of its own: it needs a newer Python than we do, and much that we do not need.
make_venv() {
    local venv=${place}/venv wanted
    wanted=$(sha256sum "${here}/requirements.txt" | cut -d' ' -f1)
    [[ -f ${venv}/.ready && $(<"${venv}/.ready") == "${wanted}" ]] && return 0
    local python
    python=$(sh "${here}/../../tools/find-python.sh" --all | awk '$1 == "3.12" || $1 == "3.13" { sub(/^[^ ]* /, ""); print; exit }')
    if [[ -z ${python} ]]; then
        say "no Python 3.12 or 3.13 was found, which Harbor needs"
        return 1
    fi
    say "installing Harbor for ${python}"
    "${python}" -m venv --clear "${venv}"
    "${venv}/bin/python" -m pip --disable-pip-version-check -qq install --require-hashes -r "${here}/requirements.txt"
    echo "${wanted}" >"${venv}/.ready"
}

up() {
    local step
    mkdir -p "${place}"
    exec 9>"${place}/lock" && flock 9
    for step in install_engine install_plugins make_base make_venv; do
        "${step}" >&2
    done
    start_engine >&2 9>&-
    echo "DOCKER_HOST=unix://${place}/engine.sock"
    echo "DOCKER_CONFIG=${place}/config"
    echo "HARBOR_PYTHON=${place}/venv/bin/python"
}

down() {
    if [[ -s ${place}/engine.pid ]]; then
        local pid
        pid=$(<"${place}/engine.pid")
        kill "${pid}"
        timeout 60 tail --pid="${pid}" -f /dev/null
    fi
    rm -rf "$(in_memory)"
}

lock() {
    local name='machine.sh lock' harbor=0.26.0
    printf 'harbor==%s\n' "${harbor}" | uv pip compile - "${here}/../../pyproject.toml" --python-version 3.12 \
        --python-platform linux --generate-hashes --no-emit-index-url --no-annotate --quiet \
        --custom-compile-command "${name}" --output-file "${here}/requirements.txt"
}

case "${1:-} $#" in
    'up 2' | 'down 2')
        place=$2
        "$1"
        ;;
    'lock 1') lock ;;
    *)
        echo "usage: machine.sh up DIR | down DIR | lock" >&2
        exit 2
        ;;
esac
