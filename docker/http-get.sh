#!/usr/bin/env bash
# Prints a server's answer to a GET, including the headers; the image has no other program for this. Succeeds only if the status
# is 200.
#
#   http-get.sh HOST PORT PATH
set -euo pipefail

exec 3<>"/dev/tcp/$1/$2"
printf 'GET %s HTTP/1.0\r\nHost: %s:%s\r\n\r\n' "$3" "$1" "$2" >&3
answer=$(timeout 10 cat <&3)
printf '%s\n' "$answer"
[[ $answer == HTTP/1.?\ 200* ]]
