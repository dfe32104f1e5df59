#!/usr/bin/env bash
# The entry point of the containers of docker/compose.yaml: runs one server in the foreground, Prometheus, or the client, which
# waits for commands.
#
#   server.sh zookeeper | namenode | datanode | hmaster | regionserver | prometheus | client
#
#   HEAP            the server's heap, as for -Xmx
#   HBASE_CONF_DIR  the folder with the site files and zoo.cfg
#   SERVER_OPTS     additional options for the JVM
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
target=$root/diffindex-cli/target
conf=${HBASE_CONF_DIR:?}
role=${1:?which server}
SERVES=/tmp/serves # exists once the client has seen the cluster serve

CLASSPATH=$conf:$target/classes:$(<"$target/classpath.txt")
export CLASSPATH
read -ra options <<<"$(<"$target/classes/org/diffindex/cli/jvm.args")"
options+=(
    "-Xmx${HEAP:-256m}"
    -XX:+ExitOnOutOfMemoryError
    -Djava.net.preferIPv4Stack=true
    "-Dlog4j2.configurationFile=$conf/log4j2.properties"
    -Dlog4j.configuration=diffindex-server-log4j1.properties
)
# Only the quick compiler, which shortens a start by several seconds; for servers that do not process data.
quick=(-XX:+UseSerialGC -XX:TieredStopAtLevel=1)

# run MAIN_CLASS [ARGUMENT...]
run() {
    # shellcheck disable=SC2086 # several options
    exec java "${options[@]}" ${SERVER_OPTS:-} "$@"
}

# Waits until the cluster serves, then idles, so that `compose exec client diffindex ...` can run commands.
client() {
    rm -f $SERVES
    until said=$(diffindex list 2>&1); do
        echo "$said"
        sleep 1
    done
    touch $SERVES
    echo "The cluster serves."
    trap 'exit 0' TERM INT
    while true; do
        sleep infinity &
        wait
    done
}

case $role in
zookeeper)
    options+=("${quick[@]}")
    run org.apache.zookeeper.server.quorum.QuorumPeerMain "$conf/zoo.cfg"
    ;;
namenode)
    options+=("${quick[@]}")
    if [[ ! -d /data/name/current ]]; then
        java "${options[@]}" org.apache.hadoop.hdfs.server.namenode.NameNode -format -nonInteractive
    fi
    run org.apache.hadoop.hdfs.server.namenode.NameNode
    ;;
datanode)
    options+=(-XX:+UseSerialGC -XX:MaxDirectMemorySize=64m)
    run org.apache.hadoop.hdfs.server.datanode.DataNode
    ;;
hmaster)
    options+=("${quick[@]}" -XX:MaxDirectMemorySize=128m)
    run org.apache.hadoop.hbase.master.HMaster start
    ;;
regionserver)
    # In the small G1 regions of a small heap, each memstore chunk of 2 MB would take half as much memory again.
    options+=(-XX:+UseG1GC -XX:G1HeapRegionSize=8m -XX:MaxDirectMemorySize=256m)
    run org.apache.hadoop.hbase.regionserver.HRegionServer start
    ;;
prometheus)
    exec prometheus --config.file="$conf/prometheus.yml" --storage.tsdb.path=/data/prometheus --storage.tsdb.retention.time=2d \
        --web.listen-address=:9090 --log.level=warn
    ;;
client)
    client
    ;;
*)
    echo "server.sh: unknown server $role; nothing was started; the comment at the top of $0 lists the servers" >&2
    exit 2
    ;;
esac
