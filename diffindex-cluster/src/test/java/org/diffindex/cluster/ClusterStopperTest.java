package org.diffindex.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the end of processes that are no servers. {@code LocalClusterIT} tests the orderly stop of a cluster. */
class ClusterStopperTest {
    private static final Duration GRACE = Duration.ofSeconds(3);

    /** A process that logs to the file of its name what a JVM does that crashes. */
    private static final String CRASHES_AT_SIGTERM =
            """
            trap 'echo "# A fatal error has been detected by the Java Runtime Environment:" >> "$0"
                  echo "#  SIGSEGV (0xb)" >> "$0"
                  exit 134' TERM
            echo ready >> "$0"
            while :; do sleep 0.1; done
            """;

    @TempDir
    Path dir;

    private final List<Process> started = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private ClusterLayout layout;
    private List<ClusterProcess> processes;

    @BeforeEach
    void create() throws IOException {
        layout = new ClusterLayout(dir);
        layout.createFolders();
        StartGate gate = new StartGate();
        processes = ClusterDescriptor.create(2, 1, "512m").servers().stream()
                .map(spec -> new ClusterProcess(layout, spec, gate))
                .toList();
    }

    @AfterEach
    void end() {
        started.forEach(Process::destroyForcibly);
    }

    private ClusterProcess sleeping(String name) throws IOException {
        return processOf(name, "sleep", "600");
    }

    private ClusterProcess processOf(String name, String... command) throws IOException {
        Process process = new ProcessBuilder(command).start();
        started.add(process);
        new PidFile(layout.pid(name)).write(process.toHandle());
        return processes.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private Map<String, String> stop() throws IOException {
        return new ClusterStopper(processes, () -> new Configuration(false), told::add, GRACE).stop();
    }

    @Test
    void reportsTheProcessesThatItHadToKill() throws Exception {
        ClusterProcess hanging = sleeping("rs1");
        hanging.suspend(); // a suspended process does not see SIGTERM
        Files.writeString(layout.log("rs1"), "waiting for regions to close\n");
        ClusterProcess orderly = sleeping("rs2");

        Map<String, String> killed = stop();

        assertThat(killed).containsOnlyKeys("rs1");
        assertThat(killed.get("rs1")).contains("rs1 did not end in time", "waiting for regions to close");
        assertThat(hanging.isAlive()).isFalse();
        assertThat(orderly.isAlive()).isFalse();
        assertThat(told).contains("rs1 did not end in time; killing it", "stopped rs2");
    }

    /** Nothing but the log tells such an end from an orderly one. */
    @Test
    void reportsTheProcessesThatCrashMeanwhile() throws Exception {
        Path log = layout.log("rs1");
        Files.writeString(log, "# A fatal error has been detected by the Java Runtime Environment:\n");
        processOf("rs1", "sh", "-c", CRASHES_AT_SIGTERM, log.toString());
        Path other = layout.log("rs2");
        Files.copy(log, other);
        sleeping("rs2");
        assertThat(Conditions.await(
                        GRACE.multipliedBy(10), () -> Files.readString(log).contains("ready")))
                .isTrue();

        Map<String, String> crashed = stop();

        assertThat(crashed).containsOnlyKeys("rs1");
        assertThat(crashed.get("rs1")).contains("rs1 crashed while it was stopped", "SIGSEGV");
        assertThat(told).contains("rs1 crashed while it was stopped", "stopped rs1");
    }

    @Test
    void reportsNoneIfAllEndInTime() throws Exception {
        ClusterProcess dataNode = sleeping("datanode");

        assertThat(stop()).isEmpty();

        assertThat(dataNode.isAlive()).isFalse();
    }
}
