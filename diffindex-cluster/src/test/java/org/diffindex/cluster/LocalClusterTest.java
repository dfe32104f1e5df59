package org.diffindex.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests a cluster none of whose processes runs. {@code LocalClusterIT} tests the rest. */
class LocalClusterTest {
    @TempDir
    Path dir;

    @Test
    void existsAfterItsCreation() throws IOException {
        assertThat(LocalCluster.exists(dir)).isFalse();

        LocalCluster created =
                LocalCluster.create(dir, ClusterOptions.defaults().withRegionServers(2));

        assertThat(LocalCluster.exists(dir)).isTrue();
        assertThat(LocalCluster.open(dir).status()).isEqualTo(created.status());
        assertThat(created.regionServers()).containsExactly("rs1", "rs2");
        assertThat(created.layout().hbaseSite()).exists();
        assertThat(created.status()).noneMatch(ProcessStatus::isUp);
    }

    @Test
    void isNotCreatedTwiceInOneFolder() throws IOException {
        LocalCluster.create(dir, ClusterOptions.defaults());
        byte[] before = Files.readAllBytes(new ClusterLayout(dir).descriptor());

        assertThatThrownBy(() -> LocalCluster.create(dir, ClusterOptions.defaults()))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining("There is already a cluster in " + dir);
        assertThat(new ClusterLayout(dir).descriptor()).hasBinaryContent(before);
    }

    @Test
    void refusesToOpenAFolderWithoutACluster() {
        assertThatThrownBy(() -> LocalCluster.open(dir))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining("No cluster in " + dir);
    }

    @Test
    void doesNotKnowOtherProcesses() throws IOException {
        LocalCluster cluster =
                LocalCluster.create(dir, ClusterOptions.defaults().withRegionServers(1));

        assertThatThrownBy(() -> cluster.kill("rs2"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("No process rs2 in this cluster; it has zookeeper, namenode, datanode, master, rs1");
    }

    @Test
    void refusesToKillAProcessThatIsNotRunning() throws IOException {
        LocalCluster cluster = LocalCluster.create(dir, ClusterOptions.defaults());

        assertThatThrownBy(() -> cluster.kill("rs2"))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining("rs2 is not running; nothing was killed");
        assertThatThrownBy(() -> cluster.suspend("rs2")).hasMessageContaining("no signal was sent");
        cluster.stop();
        cluster.destroy();
    }

    @Test
    void neverTouchesAnotherProcessThatHasTheSamePid() throws IOException {
        LocalCluster cluster = LocalCluster.create(dir, ClusterOptions.defaults());
        Process other = new ProcessBuilder("sleep", "600").start();
        try {
            Files.writeString(cluster.layout().pid("rs1"), other.pid() + "\n" + Instant.EPOCH + "\n");

            assertThatThrownBy(() -> cluster.kill("rs1")).hasMessageContaining("is not running");
            cluster.stop();
            cluster.destroy();

            assertThat(other.isAlive()).isTrue();
        } finally {
            other.destroyForcibly();
        }
    }

    @Test
    void reportsProcessesThatEndedByThemselves() throws Exception {
        LocalCluster cluster = LocalCluster.create(dir, ClusterOptions.defaults());
        Process ended = new ProcessBuilder("sleep", "600").start();
        new PidFile(cluster.layout().pid("rs1")).write(ended.toHandle());
        assertThat(cluster.endedByThemselves()).isEmpty();

        ended.destroyForcibly().waitFor();
        Files.writeString(cluster.layout().log("rs1"), "first\nABORTING region server rs1\nlast words\n");

        assertThat(cluster.endedByThemselves()).containsOnlyKeys("rs1");
        assertThat(cluster.endedByThemselves().get("rs1"))
                .contains("rs1 has ended by itself", "logs/rs1.log", "ABORTING region server rs1", "last words");
        cluster.destroy();
        assertThat(cluster.endedByThemselves()).isEmpty();
    }

    /** This JVM ends: a process that another thread starts now would outlive it. */
    @Test
    void startsNoProcessOnceItIsDestroyedForGood() throws Exception {
        LocalCluster cluster = LocalCluster.create(dir, ClusterOptions.defaults());
        Process process = new ProcessBuilder("sleep", "600").start();
        new PidFile(cluster.layout().pid("rs1")).write(process.toHandle());

        cluster.destroyForGood();

        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThatThrownBy(() -> cluster.restart("zookeeper"))
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining("zookeeper was not started, because its cluster was destroyed for good");
        assertThat(cluster.status()).noneMatch(ProcessStatus::isUp);
        assertThat(cluster.layout().log("zookeeper")).doesNotExist();
    }

    @Test
    void doesNotStartOnATakenPort() throws IOException {
        LocalCluster cluster = LocalCluster.create(dir, ClusterOptions.defaults());
        ProcessStatus last = cluster.status().get(cluster.status().size() - 1);
        int port = last.ports().get("rpc");

        try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(cluster::start)
                    .isInstanceOf(ClusterException.class)
                    .hasMessageContaining("Port " + taken.getLocalPort() + " of rs3 is in use");
        }
        assertThat(cluster.status()).noneMatch(ProcessStatus::isUp);
    }

    @Test
    void isNotStartedTwiceConcurrently() throws IOException {
        LocalCluster cluster = LocalCluster.create(dir, ClusterOptions.defaults());

        StartLock.hold(cluster.layout().lock("cluster"), "it", () -> assertThatThrownBy(cluster::start)
                .isInstanceOf(ClusterException.class)
                .hasMessageContaining("Another command is starting the cluster in " + dir));
    }

    @Test
    void refusesInvalidOptions() {
        assertThatThrownBy(() -> ClusterOptions.defaults().withRegionServers(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not 0");
        assertThatThrownBy(() -> ClusterOptions.defaults().withHeap("lots"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("lots");
    }

    /** HDFS does not accept a space; a colon would cut a class path, a comma a list of folders. */
    @Test
    void refusesAFolderThatItsProcessesCouldNotUse() {
        Map.of("two words", "contains a space", "12:30", "contains ':'", "a,b", "contains a comma")
                .forEach((name, why) -> {
                    Path folder = dir.resolve(name);
                    assertThatThrownBy(() -> LocalCluster.create(folder, ClusterOptions.defaults()))
                            .isInstanceOf(ClusterException.class)
                            .hasMessageContaining(why);
                    assertThat(folder).doesNotExist();
                });
    }
}
