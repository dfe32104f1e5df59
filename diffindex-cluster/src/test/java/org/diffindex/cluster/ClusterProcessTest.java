package org.diffindex.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests whether a failed start tells which process failed. */
class ClusterProcessTest {
    @TempDir
    Path dir;

    private ClusterProcess process;

    @BeforeEach
    void create() throws IOException {
        ClusterLayout layout = new ClusterLayout(dir);
        layout.createFolders();
        ServerSpec master = ClusterDescriptor.create(1, 1, "512m").servers().stream()
                .filter(spec -> spec.role() == ServerRole.MASTER)
                .findFirst()
                .orElseThrow();
        process = new ClusterProcess(layout, master, new StartGate());
    }

    @Test
    void aProcessThatEndedHasFailed() {
        ClusterException failure = catchThrowableOfType(ClusterException.class, process::requireAlive);
        assertThat(failure).hasMessageContaining("master ended while it was starting");
        assertThat(failure.failedProcess()).contains("master");
    }

    @Test
    void aProcessThatWasNotStartedHasNotFailed() throws IOException {
        int port = process.spec().mainPort();
        try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            ClusterException failure = catchThrowableOfType(ClusterException.class, process::requirePortsFree);
            assertThat(failure).hasMessageContaining("Port " + taken.getLocalPort());
            assertThat(failure.failedProcess()).isEmpty();
        }
    }
}
