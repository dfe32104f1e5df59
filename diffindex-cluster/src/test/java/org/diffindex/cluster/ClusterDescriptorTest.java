package org.diffindex.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterDescriptorTest {
    @TempDir
    Path dir;

    private Path file;

    @BeforeEach
    void setUp() {
        file = dir.resolve("cluster.properties");
    }

    @Test
    void namesTheProcessesInTheirStartOrder() throws IOException {
        assertThat(ClusterDescriptor.create(2, 1, "1g").servers())
                .extracting(ServerSpec::name)
                .containsExactly("zookeeper", "namenode", "datanode", "master", "rs1", "rs2");
    }

    @Test
    void assignsDistinctPortsToEveryProcess() throws IOException {
        List<Integer> ports = ClusterDescriptor.create(3, 1, "1g").servers().stream()
                .flatMap(server -> server.ports().values().stream())
                .toList();

        assertThat(ports).hasSize(14).doesNotHaveDuplicates();
    }

    @Test
    void readsWhatItWrote() throws IOException {
        ClusterDescriptor written = ClusterDescriptor.create(3, 1, "700m");

        written.write(file);

        assertThat(ClusterDescriptor.read(file).servers()).isEqualTo(written.servers());
        assertThat(written.servers(ServerRole.REGION_SERVER))
                .allMatch(server -> server.heap().equals("700m"));
    }

    @Test
    void namesTheFileThatLacksAPort() throws IOException {
        Files.writeString(file, "region.servers=1\n");

        assertThatThrownBy(() -> ClusterDescriptor.read(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("nothing was started or stopped");
    }
}
