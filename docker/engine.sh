#!/usr/bin/env bash
# Runs a command with a container engine: with the one that runs here, otherwise, if run as root, with a dockerd that the script
# starts, and stops and removes when the command has ended.
#
#   docker/engine.sh [--install] COMMAND [ARGUMENT...]
#
#   --install   install docker.io, docker-compose and debootstrap if they are missing (as root, on Debian)
#
# The exit code is the command's, or 69 if no engine here runs containers; then a message says why, and the command was not run.
set -euo pipefail

readonly NO_ENGINE=69
readonly SECONDS_TO_START=60

folder= # the folder of the dockerd that this script has started
daemon= # its process id

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
        echo "engine: ${missing[*]} could not be installed (the end of the output of apt-get is above)" >&2
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
        # Containers that the command has left running would delay the end of dockerd, and its networks would remain.
        docker ps --quiet | xargs -r docker rm --force >/dev/null
        docker network prune --force >/dev/null
    fi
    kill "$daemon" 2>/dev/null || true
    local end=$((SECONDS + 30))
    while kill -0 "$daemon" 2>/dev/null; do
        if ((SECONDS > end)); then
            echo "engine: dockerd $daemon did not end within 30 s; killing it" >&2
            kill -KILL "$daemon"
        fi
        sleep 0.5
    done
    awk -v folder="$folder/" 'index($2, folder) == 1 { print $2 }' /proc/mounts | sort -r | xargs -r umount
    rm -rf --one-file-system "$folder"
}

# Succeeds if the engine runs a container on a separate network. Uses an image of this machine's /bin/true and its libraries.
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

# Runs the command in the background, because the shell could not forward a signal to it otherwise.
run() {
    local command code=0
    "$@" <&0 &
    command=$!
    trap 'kill "$command" 2>/dev/null || true; wait "$command" || true; exit 130' INT TERM
    wait "$command" || code=$?
    trap 'exit 130' INT TERM
    return $code
}

# A function, so that bash reads the whole script before it runs any of it.
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
    has docker || unavailable "the command docker is not installed"
    has_compose || unavailable "neither 'docker compose' nor docker-compose is installed"

    trap stop_daemon EXIT
    trap 'exit 130' INT TERM
    if ! docker info >/dev/null 2>&1; then
        is_root || unavailable "no container engine answers, and only root can start one"
        has dockerd || unavailable "no container engine answers, and dockerd is not installed"
        start_daemon
    fi
    if ! said=$(runs_containers 2>&1); then
        unavailable "the engine answers but cannot run a container: $(tail -n 1 <<<"$said")"
    fi

    run "$@" || code=$?
    exit $code
}

main "$@"
