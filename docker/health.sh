#!/usr/bin/env bash
# Succeeds if the server of this container is healthy; for the health checks of docker/compose.yaml.
#
#   health.sh zookeeper | namenode | datanode | hmaster | regionserver | prometheus | client
set -euo pipefail

here=$(dirname "${BASH_SOURCE[0]}")

# bean PORT NAME REGEX: succeeds if the server's JMX bean matches the regular expression.
bean() {
    local answer
    answer=$("$here/http-get.sh" 127.0.0.1 "$1" "/jmx?qry=$2")
    [[ $answer =~ $3 ]]
}

case ${1:?which server} in
zookeeper)
    exec 3<>/dev/tcp/127.0.0.1/2181
    echo srvr >&3
    answer=$(timeout 5 cat <&3)
    [[ $answer == *Mode:* ]]
    ;;
namenode)
    bean 9870 Hadoop:service=NameNode,name=NameNodeStatus '"State" : "active"'
    ;;
datanode)
    # The DataNode has registered with the NameNode.
    bean 9864 Hadoop:service=DataNode,name=DataNodeInfo 'RUNNING'
    ;;
hmaster)
    # The master is active or backup. An active master may still wait for region servers.
    bean 16010 Hadoop:service=HBase,name=Master,sub=Server '"tag.isActiveMaster"'
    ;;
regionserver)
    # The region server has registered with the active master.
    bean 16030 Hadoop:service=HBase,name=RegionServer,sub=Server '"tag.serverName": "[^"]'
    ;;
prometheus)
    "$here/http-get.sh" 127.0.0.1 9090 /-/ready >/dev/null
    ;;
client)
    [[ -e /tmp/serves ]]
    ;;
*)
    echo "health.sh: unknown server $1" >&2
    exit 2
    ;;
esac
