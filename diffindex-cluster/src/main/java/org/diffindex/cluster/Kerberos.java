package org.diffindex.cluster;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The Kerberos realm of a cluster's servers. HBase, HDFS and ZooKeeper then admit only clients that have authenticated
 * themselves, HBase's AccessController checks the permissions of each, and HBase's and HDFS's connections are
 * encrypted. ZooKeeper's are not; its nodes are writable by HBase alone. A DataNode does without the TLS of its pages
 * and without a privileged port, as HDFS permits for tests.
 *
 * <p>The keytab has the keys of {@code hbase/localhost}, as which the servers of HBase and HDFS run, of {@code
 * zookeeper/localhost}, and of {@code HTTP/localhost} for the NameNode's pages.
 *
 * <p>The JVM that starts, restarts or stops the cluster is one of its clients. It must know the realm ({@code
 * java.security.krb5.conf}), and be logged in, in order to see that the cluster serves.
 *
 * @param krb5Conf the configuration of Kerberos, which is copied into the cluster's folder and is that of its processes
 * @param realm the name of the realm
 * @param keytab the keys of the servers
 */
public record Kerberos(Path krb5Conf, String realm, Path keytab) {
    private static final String HOST = "localhost";

    Map<String, String> core() {
        Map<String, String> site = new LinkedHashMap<>();
        site.put("hadoop.security.authentication", "kerberos");
        site.put("hadoop.rpc.protection", "privacy");
        return site;
    }

    Map<String, String> hdfs() {
        Map<String, String> site = new LinkedHashMap<>();
        site.put("dfs.block.access.token.enable", "true");
        site.put("dfs.namenode.kerberos.principal", principal("hbase"));
        site.put("dfs.namenode.keytab.file", keytab.toString());
        site.put("dfs.namenode.kerberos.internal.spnego.principal", principal("HTTP"));
        site.put("dfs.web.authentication.kerberos.principal", principal("HTTP"));
        site.put("dfs.web.authentication.kerberos.keytab", keytab.toString());
        site.put("dfs.datanode.kerberos.principal", principal("hbase"));
        site.put("dfs.datanode.keytab.file", keytab.toString());
        site.put("dfs.data.transfer.protection", "privacy");
        site.put("dfs.encrypt.data.transfer.cipher.suites", "AES/CTR/NoPadding");
        site.put("ignore.secure.ports.for.testing", "true");
        return site;
    }

    /** Returns the settings of HBase, except for the coprocessors. */
    Map<String, String> hbase() {
        Map<String, String> site = new LinkedHashMap<>();
        site.put("hbase.security.authentication", "kerberos");
        site.put("hbase.security.authorization", "true");
        site.put("hbase.rpc.protection", "privacy");
        site.put("hbase.master.kerberos.principal", principal("hbase"));
        site.put("hbase.master.keytab.file", keytab.toString());
        site.put("hbase.regionserver.kerberos.principal", principal("hbase"));
        site.put("hbase.regionserver.keytab.file", keytab.toString());
        site.put("hbase.zookeeper.quorum", HOST); // the host of its principal
        site.put("hbase.zookeeper.server.kerberos.principal", principal("zookeeper"));
        site.put("hbase.zookeeper.server.keytab.file", keytab.toString());
        site.put("hbase.zookeeper.client.kerberos.principal", principal("hbase"));
        site.put("hbase.zookeeper.client.keytab.file", keytab.toString());
        site.put(
                "hbase.zookeeper.property.authProvider.1",
                "org.apache.zookeeper.server.auth.SASLAuthenticationProvider");
        site.put("hbase.zookeeper.property.kerberos.removeHostFromPrincipal", "true");
        site.put("hbase.zookeeper.property.kerberos.removeRealmFromPrincipal", "true");
        return site;
    }

    private String principal(String service) {
        return service + "/" + HOST + "@" + realm;
    }
}
