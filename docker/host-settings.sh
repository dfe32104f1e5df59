#!/usr/bin/env bash
# For a build of the jars in the image: installs the certificates and Maven settings that docker/image.sh has put into
# target/docker-host, if any.
set -euo pipefail

settings=$(dirname "${BASH_SOURCE[0]}")/../target/docker-host
[[ -d $settings ]] || exit 0
if compgen -G "$settings/certificates/*.crt" >/dev/null; then
    cp "$settings"/certificates/*.crt /usr/local/share/ca-certificates
    update-ca-certificates
fi
if [[ -e $settings/settings.xml ]]; then
    mkdir -p ~/.m2
    cp "$settings/settings.xml" ~/.m2
fi
