package org.diffindex.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterSitesTest {
    private static final String MASTER_COPROCESSORS = "hbase.coprocessor.master.classes";

    @TempDir
    Path dir;

    private ClusterLayout layout;
    private ClusterDescriptor cluster;

    @BeforeEach
    void setUp() throws IOException {
        layout = new ClusterLayout(dir);
        layout.createFolders();
        cluster = ClusterDescriptor.create(3, 1, "1g");
    }

    @Test
    void configuresAClientToFindZooKeeper() throws IOException {
        sites(ClusterOptions.defaults()).write();

        Configuration client = SiteFile.readFolder(layout.conf());
        assertThat(client.get("hbase.zookeeper.quorum")).isEqualTo("127.0.0.1");
        assertThat(client.getInt("hbase.zookeeper.property.clientPort", 0))
                .isEqualTo(cluster.server(ServerRole.ZOOKEEPER).port("client"));
        assertThat(client.get("fs.defaultFS"))
                .isEqualTo("hdfs://127.0.0.1:"
                        + cluster.server(ServerRole.NAMENODE).port("rpc"));
    }

    @Test
    void enablesDiffIndexByDefault() {
        assertThat(sites(ClusterOptions.defaults()).hbase())
                .containsEntry(MASTER_COPROCESSORS, "org.diffindex.server.IndexMasterObserver")
                .containsEntry("hbase.wal.split.to.hfile", "false");
        assertThat(sites(ClusterOptions.defaults().withoutDiffIndex()).hbase()).doesNotContainKey(MASTER_COPROCESSORS);
    }

    @Test
    void listensOnTheLoopbackAddressOnly() {
        ClusterSites sites = sites(ClusterOptions.defaults());

        assertThat(sites.hbase())
                .containsEntry("hbase.master.ipc.address", "127.0.0.1")
                .containsEntry("hbase.regionserver.ipc.address", "127.0.0.1")
                .containsEntry("hbase.zookeeper.property.clientPortAddress", "127.0.0.1");
        assertThat(ClusterSites.address(cluster.server(ServerRole.DATANODE), "data"))
                .startsWith("127.0.0.1:");
        assertThat(sites.hdfs().get("dfs.namenode.rpc-address")).startsWith("127.0.0.1:");
    }

    @Test
    void appliesTheOptions() {
        Map<String, String> hbase = sites(ClusterOptions.defaults()
                        .withSessionTimeout(Duration.ofSeconds(7))
                        .with("hbase.master.hostname", "here"))
                .hbase();

        assertThat(hbase)
                .containsEntry("zookeeper.session.timeout", "7000")
                .containsEntry("hbase.master.hostname", "here");
    }

    @Test
    void escapesValuesForXml() throws IOException {
        SiteFile.write(layout.hbaseSite(), Map.of("a", "x < y & z > \"w\""));

        assertThat(SiteFile.readFolder(layout.conf()).get("a")).isEqualTo("x < y & z > \"w\"");
    }

    @Test
    void reportsAFolderWithoutASiteFile() {
        assertThatThrownBy(() -> SiteFile.readFolder(dir.resolve("elsewhere")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("No hbase-site.xml in " + dir.resolve("elsewhere"));
    }

    private ClusterSites sites(ClusterOptions options) {
        return new ClusterSites(layout, cluster, options);
    }
}
