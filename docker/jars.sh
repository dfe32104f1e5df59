#!/usr/bin/env bash
# Gathers the content of the image: the command, and every jar of its class path, which is also the class path of the servers.
# Builds this checkout first if necessary, with Maven and JDK 17.
#
#   docker/jars.sh FOLDER      FOLDER: a new folder
#
# The image has these files in /opt/diffindex, laid out as in a built checkout, so that bin/diffindex runs unchanged.
set -euo pipefail

readonly IN_IMAGE=/opt/diffindex
folder=${1:?a folder}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
built=$root/diffindex-cli/target

"$root/bin/diffindex" --version
mkdir -p "$folder/bin" "$folder/lib" "$folder/diffindex-cli/target"
cp "$root/bin/diffindex" "$folder/bin"
cp -r "$built/classes" "$folder/diffindex-cli/target"
# HDFS servers do not start without these folders on their class path; they can be empty.
mkdir -p "$folder/diffindex-cli/target/classes/webapps"/{hdfs,datanode}
IFS=: read -ra jars <<<"$(<"$built/classpath.txt")"
class_path=
for jar in "${jars[@]}"; do
    name=$(basename "$jar")
    if [[ -e $folder/lib/$name ]]; then
        echo "jars: two jars of the class path are named $name; $folder is incomplete" >&2
        exit 1
    fi
    cp "$jar" "$folder/lib"
    class_path+=${class_path:+:}$IN_IMAGE/lib/$name
done
echo "$class_path" >"$folder/diffindex-cli/target/classpath.txt"
