#!/usr/bin/env bash
# Builds the image of docker/Dockerfile, even on machines that cannot pull images, and on machines that reach Debian and Maven
# Central through a proxy, through Maven settings, or with a certificate of their own.
#
#   docker/image.sh [TAG]      TAG: diffindex by default
#
#   BASE_IMAGE    the base image; by default debian:bookworm-slim if it is present or can be pulled, otherwise the image that
#                 docker/base-image.sh makes
#   JARS=image    build the jars in the image even if this machine has Maven; by default they are built here, which is faster
set -euo pipefail

readonly DEBIAN=debian:bookworm-slim MADE_HERE=diffindex-base MADE_BY=org.diffindex.made-by
readonly SECONDS_TO_PULL=60
tag=${1:-diffindex}
cd "$(dirname "${BASH_SOURCE[0]}")/.."

is_present() {
    docker image inspect "$1" >/dev/null 2>&1
}

# Succeeds if the base image that was made here is one that docker/base-image.sh would make now: an earlier one may lack packages.
is_made_here() {
    local made_by
    made_by=$(docker image inspect --format "{{index .Config.Labels \"$MADE_BY\"}}" $MADE_HERE 2>/dev/null) || return 1
    [[ $made_by == "$(sha256sum <docker/base-image.sh | cut -d " " -f 1)" ]]
}

# Sets base to an image that is present.
choose_base() {
    base=${BASE_IMAGE:-$DEBIAN}
    if [[ -n ${BASE_IMAGE:-} ]] || is_present "$base"; then
        return
    elif is_made_here; then
        base=$MADE_HERE
    elif ! timeout $SECONDS_TO_PULL docker pull --quiet "$base" >/dev/null 2>&1; then
        echo "image: $base cannot be pulled here; making a base image from Debian packages" >&2
        base=$MADE_HERE
        docker/base-image.sh $base
    fi
}

# Gathers what a build in the image needs from this machine: the certificates that its administrator trusts, and Maven's settings.
gather_host_settings() {
    local settings=target/docker-host
    rm -rf $settings
    mkdir -p $settings/certificates
    find /usr/local/share/ca-certificates -name '*.crt' -exec cp {} $settings/certificates \; 2>/dev/null || true
    if [[ -e ~/.m2/settings.xml ]]; then
        cp ~/.m2/settings.xml $settings
    fi
}

# The jars are gathered first, so that the checkout can be built again while the image is made.
rm -rf target/docker
jars=${JARS:-}
if [[ -z $jars ]]; then
    jars=image
    if command -v mvn >/dev/null && command -v "${JAVA_HOME:+$JAVA_HOME/bin/}javac" >/dev/null; then
        jars=host
    fi
fi
if [[ $jars == host ]]; then
    docker/jars.sh target/docker
    echo "image: gathered the jars" >&2
else
    gather_host_settings
fi
choose_base

arguments=(--build-arg "BASE_IMAGE=$base" --build-arg "JARS=$jars")
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
    [[ -z ${!name:-} ]] || arguments+=(--build-arg "$name")
done
log=target/docker-build.log
echo "image: building $tag on $base, with jars built in the $jars (log: $log)" >&2
code=0
docker build --network host "${arguments[@]}" --tag "$tag" --file docker/Dockerfile . >$log 2>&1 || code=$?
rm -rf target/docker target/docker-host
if ((code != 0)); then
    tail -n 20 $log >&2
    echo "image: the build failed (the end of $log is above); $tag was not changed" >&2
    exit 1
fi
