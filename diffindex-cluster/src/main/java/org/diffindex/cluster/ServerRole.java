package org.diffindex.cluster;

import java.util.List;

/** The roles of a cluster's processes, in the order in which they start. */
enum ServerRole {
    ZOOKEEPER("org.apache.hadoop.hbase.zookeeper.HQuorumPeer", "128m", "client"),
    NAMENODE("org.apache.hadoop.hdfs.server.namenode.NameNode", "256m", "rpc http"),
    DATANODE("org.apache.hadoop.hdfs.server.datanode.DataNode", "256m", "data ipc http"),
    MASTER("org.apache.hadoop.hbase.master.HMaster", "512m", "rpc info"),
    REGION_SERVER("org.apache.hadoop.hbase.regionserver.HRegionServer", ClusterOptions.DEFAULT_HEAP, "rpc info");

    private final String mainClass;
    private final String heap;
    private final String portNames;

    ServerRole(String mainClass, String heap, String portNames) {
        this.mainClass = mainClass;
        this.heap = heap;
        this.portNames = portNames;
    }

    String mainClass() {
        return mainClass;
    }

    /** Returns its default heap, as for {@code -Xmx}. */
    String heap() {
        return heap;
    }

    /** Returns the names of the ports that it listens on; clients use the first. */
    List<String> portNames() {
        return List.of(portNames.split(" ", -1));
    }

    /** Returns the arguments after the main class on its command line. */
    List<String> arguments() {
        return this == MASTER || this == REGION_SERVER ? List.of("start") : List.of();
    }

    /** Returns the name of its process; region servers are numbered from 1, DataNodes from the second on. */
    String processName(int number) {
        return switch (this) {
            case ZOOKEEPER -> "zookeeper";
            case NAMENODE -> "namenode";
            case DATANODE -> number == 1 ? "datanode" : "datanode" + number;
            case MASTER -> "master";
            case REGION_SERVER -> "rs" + number;
        };
    }
}
