#!/usr/bin/env bash
# Runs a command with a container engine: with the one that is there, else, as root, with a dockerd of its own, which is
# stopped and removed when the command has ended.
#
#   docker/engine.sh [--install] COMMAND [ARGUMENT...]
#
#   --install   as root on Debian: install those of docker.io, docker-compose and debootstrap that are missing
#
# Exit code: the command's. 69 if there is no engine here that runs containers; a line says why, and the command was not run.
set -euo pipefail

readonly NO_ENGINE=69
readonly SECONDS_TO_START=60

folder= # of the dockerd that this script has started
daemon= # its process

unavailable() {
    echo "engine: $1; nothing was run" >&2
    exit $NO_ENGINE
}

has() {
    command -v "$1" >/dev/null
}

is_root() {
    [[ $(id -u) == 0 ]]
}

has_compose() {
    docker compose version >/dev/null 2>&1 || has docker-compose
}

install_missing() {
    local missing=()
    { has docker && has dockerd; } || missing+=(docker.io)
    has_compose || missing+=(docker-compose)
    has debootstrap || missing+=(debootstrap)
    ((${#missing[@]} > 0)) || return 0
    is_root || return 0
    has apt-get || return 0
    echo "engine: installing ${missing[*]}" >&2
    local log
    log=$(mktemp)
    if ! (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}") \
        >"$log" 2>&1 </dev/null; then
        tail -n 5 "$log" >&2
        echo "engine: ${missing[*]} could not be installed (above: the end of what apt-get said)" >&2
    fi
    rm -f "$log"
}

start_daemon() {
    folder=$(mktemp -d /tmp/diffindex-engine.XXXXXX)
    export DOCKER_HOST=unix://$folder/socket
    dockerd --host "$DOCKER_HOST" --data-root "$folder/data" --exec-root "$folder/exec" --pidfile "$folder/pid" \
        --bridge none >"$folder/log" 2>&1 </dev/null &
    daemon=$!
    local end=$((SECONDS + SECONDS_TO_START))
    until docker info >/dev/null 2>&1; do
        if ! kill -0 "$daemon" 2>/dev/null; then
            unavailable "dockerd ended: $(tail -n 1 "$folder/log")"
        elif ((SECONDS > end)); then
            unavailable "dockerd did not answer within $SECONDS_TO_START s: $(tail -n 1 "$folder/log")"
        fi
        sleep 0.5
    done
    echo "engine: started dockerd $(docker info --format '{{.ServerVersion}}, storage {{.Driver}}')" >&2
}

stop_daemon() {
    [[ -n $daemon ]] || return 0
    if docker info >/dev/null 2>&1; then
        # What the command has left running would hold dockerd up, and its networks would stay.
        docker ps --quiet | xargs -r docker rm --force >/dev/null
        docker network prune --force >/dev/null
    fi
    kill "$daemon" 2>/dev/null || true
    local end=$((SECONDS + 30))
    while kill -0 "$daemon" 2>/dev/null; do
        if ((SECONDS > end)); then
            echo "engine: dockerd $daemon did not end within 30 s; it is killed" >&2
            kill -KILL "$daemon"
        fi
        sleep 0.5
    done
    awk -v folder="$folder/" 'index($2, folder) == 1 { print $2 }' /proc/mounts | sort -r | xargs -r umount
    rm -rf --one-file-system "$folder"
}

# Whether the engine runs a container on a network of its own: an image of this machine's /bin/true and its libraries.
runs_containers() {
    local image=diffindex-probe network=diffindex-probe-$$ libraries works=true
    libraries=$(ldd /bin/true | grep -o '/[^ ]*')
    # shellcheck disable=SC2086 # several files
    tar --create --dereference --absolute-names /bin/true $libraries | docker import - $image >/dev/null || return 1
    docker network create "$network" >/dev/null || return 1
    docker run --rm --network "$network" --memory 64m $image /bin/true || works=false
    docker network rm "$network" >/dev/null
    docker image rm "$image" >/dev/null
    [[ $works == true ]]
}

# The command runs beside the shell, which could not pass a signal on to it otherwise.
run() {
    local command code=0
    "$@" <&0 &
    command=$!
    trap 'kill "$command" 2>/dev/null || true; wait "$command" || true; exit 130' INT TERM
    wait "$command" || code=$?
    trap 'exit 130' INT TERM
    return $code
}

# A function, so that bash has read all of it before it begins.
main() {
    local install=false code=0 said
    if [[ ${1:-} == --install ]]; then
        install=true
        shift
    fi
    if (($# == 0)); then
        sed -n '2,/^set/p' "$0" | sed -n 's/^# \{0,1\}//p' >&2
        exit 2
    fi
    [[ $install == false ]] || install_missing
    has docker || unavailable "there is no docker command here"
    has_compose || unavailable "there is neither 'docker compose' nor docker-compose here"

    trap stop_daemon EXIT
    trap 'exit 130' INT TERM
    if ! docker info >/dev/null 2>&1; then
        is_root || unavailable "no container engine answers, and only root can start one"
        has dockerd || unavailable "no container engine answers, and there is no dockerd here to start"
        start_daemon
    fi
    if ! said=$(runs_containers 2>&1); then
        unavailable "the engine answers but cannot run a container: $(tail -n 1 <<<"$said")"
    fi

    run "$@" || code=$?
    exit $code
}

main "$@"
