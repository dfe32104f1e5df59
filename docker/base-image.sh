#!/usr/bin/env bash
# Makes a base image for docker/Dockerfile from Debian packages, for machines that cannot pull one: a minimal Debian bookworm
# with Java and Prometheus. Requires root and debootstrap.
#
#   docker/base-image.sh [TAG]      TAG: diffindex-base by default
#
#   DEBIAN_MIRROR   the mirror of the packages; by default the one that this machine's apt uses, otherwise Debian's
set -euo pipefail

readonly SUITE=bookworm
tag=${1:-diffindex-base}
made_by=$(sha256sum <"${BASH_SOURCE[0]}" | cut -d " " -f 1)

fail() {
    echo "base-image: $1; no image was made; $2" >&2
    exit 1
}

[[ $(id -u) == 0 ]] || fail "debootstrap requires root" "run it as root, or pull debian:bookworm-slim"
command -v debootstrap >/dev/null || fail "debootstrap is missing" "install Debian's package of that name"
docker info >/dev/null 2>&1 || fail "no container engine answers" "start one, or run this script through docker/engine.sh"

mirror=${DEBIAN_MIRROR:-}
if [[ -z $mirror ]] && command -v apt-get >/dev/null; then
    # $(...) are names of apt's fields here, not command substitutions.
    # shellcheck disable=SC2016
    mirror=$(apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT) $(CREATED_BY)' |
        awk -v suite=$SUITE '$2 == suite && $3 == "main" && $4 == "Packages" { print $1; exit }')
fi
mirror=${mirror:-http://deb.debian.org/debian}
if command -v apt-config >/dev/null; then
    # A proxy that is configured for apt only.
    eval "$(apt-config shell apt_http_proxy Acquire::http::Proxy apt_https_proxy Acquire::https::Proxy)"
    [[ -z ${apt_http_proxy:-} ]] || export http_proxy=${http_proxy:-$apt_http_proxy}
    [[ -z ${apt_https_proxy:-} ]] || export https_proxy=${https_proxy:-$apt_https_proxy}
fi

folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
root=$folder/root

echo "base-image: making Debian $SUITE with Java and Prometheus; this takes about a minute" >&2
if ! debootstrap --variant=minbase --include=ca-certificates,openjdk-17-jre-headless,procps,prometheus \
    $SUITE "$root" "$mirror" >"$folder/log" 2>&1; then
    tail -n 20 "$folder/log" >&2
    fail "debootstrap failed (the end of its output is above)" \
        "check whether apt-get update works here, or set DEBIAN_MIRROR to another mirror"
fi
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/var/log/* "$root"/usr/share/{doc,info,man,locale}/*
# Credentials for the mirror must not be in the image.
sed -i 's#//[^/@ ]*@#//#' "$root/etc/apt/sources.list"
# The label tells docker/image.sh which version of this script has made the image.
tar --create --directory "$root" --one-file-system . | docker import --change 'ENV LANG=C.UTF-8' \
    --change "LABEL org.diffindex.made-by=\"$made_by\"" - "$tag" >/dev/null
echo "base-image: made $tag, $(docker image inspect --format '{{.Size}}' "$tag" | numfmt --to=si)B" >&2
