package org.diffindex.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.diffindex.client.Coprocessors;

/** The configuration files of a cluster: of HBase, HDFS and their clients, and of Kerberos. */
final class ClusterSites {
    private static final String LOOPBACK = "127.0.0.1";

    private static final String ACCESS_CONTROLLER = "org.apache.hadoop.hbase.security.access.AccessController";

    /** The coprocessors that check permissions and give out tokens, by setting; they precede others. */
    private static final Map<String, String> ACCESS_COPROCESSORS = Map.of(
            "hbase.coprocessor.master.classes",
            ACCESS_CONTROLLER,
            "hbase.coprocessor.regionserver.classes",
            ACCESS_CONTROLLER,
            "hbase.coprocessor.region.classes",
            "org.apache.hadoop.hbase.security.token.TokenProvider," + ACCESS_CONTROLLER);

    private final ClusterLayout layout;
    private final ClusterDescriptor cluster;
    private final ClusterOptions options;

    ClusterSites(ClusterLayout layout, ClusterDescriptor cluster, ClusterOptions options) {
        this.layout = layout;
        this.cluster = cluster;
        this.options = options;
    }

    void write() throws IOException {
        SiteFile.write(layout.coreSite(), core());
        SiteFile.write(layout.hdfsSite(), hdfs());
        SiteFile.write(layout.hbaseSite(), hbase());
        Optional<Kerberos> kerberos = options.kerberos();
        if (kerberos.isPresent()) {
            Files.copy(kerberos.get().krb5Conf(), layout.krb5Conf());
        }
    }

    Map<String, String> core() {
        Map<String, String> site = new LinkedHashMap<>();
        site.put("fs.defaultFS", fileSystem());
        site.put("hadoop.tmp.dir", layout.tmp().toString());
        options.kerberos().ifPresent(kerberos -> site.putAll(kerberos.core()));
        return site;
    }

    Map<String, String> hdfs() {
        ServerSpec nameNode = cluster.server(ServerRole.NAMENODE);
        Map<String, String> site = new LinkedHashMap<>();
        int dataNodes = cluster.servers(ServerRole.DATANODE).size();
        site.put("dfs.replication", Integer.toString(Math.min(2, dataNodes)));
        site.put("dfs.namenode.name.dir", layout.nameNodeData().toUri().toString());
        site.put("dfs.namenode.rpc-address", address(nameNode, "rpc"));
        site.put("dfs.namenode.http-address", address(nameNode, "http"));
        site.put("dfs.namenode.safemode.extension", "0");
        site.put("dfs.namenode.safemode.min.datanodes", "1");
        // The folder and the ports of a DataNode are on its command line.
        site.put("dfs.datanode.hostname", "localhost");
        if (dataNodes > 1) {
            // A DataNode that has ended is declared dead after 20 s, not after ten minutes.
            site.put("dfs.heartbeat.interval", "1");
            site.put("dfs.namenode.heartbeat.recheck-interval", "5000");
            site.put("dfs.namenode.stale.datanode.interval", "5000");
            site.put("dfs.namenode.avoid.read.stale.datanode", "true");
            site.put("dfs.namenode.avoid.write.stale.datanode", "true");
        }
        // With one or two DataNodes there is none to replace a dead one.
        site.put("dfs.client.block.write.replace-datanode-on-failure.policy", "NEVER");
        options.kerberos().ifPresent(kerberos -> site.putAll(kerberos.hdfs()));
        return site;
    }

    Map<String, String> hbase() {
        ServerSpec master = cluster.server(ServerRole.MASTER);
        Map<String, String> site = new LinkedHashMap<>();
        site.put("hbase.cluster.distributed", "true");
        site.put("hbase.rootdir", fileSystem() + "/hbase");
        site.put("hbase.tmp.dir", layout.tmp().toString());
        site.put("hbase.zookeeper.quorum", LOOPBACK);
        site.put(
                "hbase.zookeeper.property.clientPort",
                Integer.toString(cluster.server(ServerRole.ZOOKEEPER).port("client")));
        site.put("hbase.zookeeper.property.clientPortAddress", LOOPBACK);
        site.put("hbase.zookeeper.property.dataDir", layout.zookeeperData().toString());
        site.put(
                "zookeeper.session.timeout",
                Long.toString(options.sessionTimeout().toMillis()));
        site.put("hbase.master.hostname", "localhost");
        site.put("hbase.master.ipc.address", LOOPBACK);
        site.put("hbase.master.port", Integer.toString(master.port("rpc")));
        site.put("hbase.master.info.bindAddress", LOOPBACK);
        site.put("hbase.master.info.port", Integer.toString(master.port("info")));
        // All region servers are local, so the master need not wait for more.
        site.put("hbase.master.wait.on.regionservers.maxtostart", Integer.toString(cluster.regionServers()));
        // The ports of a region server are on its command line.
        site.put("hbase.unsafe.regionserver.hostname", "localhost");
        site.put("hbase.regionserver.ipc.address", LOOPBACK);
        site.put("hbase.regionserver.info.bindAddress", LOOPBACK);
        site.put("hbase.wal.split.to.hfile", "false");
        site.put("hbase.envvars.logging.disabled", "true");
        ShortWaits.SETTINGS.forEach((setting, millis) -> site.put(setting, Integer.toString(millis)));
        if (options.diffIndex()) {
            site.put("hbase.coprocessor.master.classes", Coprocessors.INDEX_MASTER_OBSERVER);
            site.put("hbase.coprocessor.regionserver.classes", Coprocessors.INDEX_SERVER_ENDPOINT);
        }
        options.kerberos().ifPresent(kerberos -> {
            site.putAll(kerberos.hbase());
            ACCESS_COPROCESSORS.forEach(
                    (setting, first) -> site.merge(setting, first, (others, access) -> access + "," + others));
        });
        site.putAll(options.siteProperties());
        return site;
    }

    private String fileSystem() {
        return "hdfs://" + address(cluster.server(ServerRole.NAMENODE), "rpc");
    }

    static String address(ServerSpec server, String portName) {
        return LOOPBACK + ":" + server.port(portName);
    }
}
