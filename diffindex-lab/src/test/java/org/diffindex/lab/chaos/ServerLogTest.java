package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerLogTest {
    private static final String TIME = "2026-11-20T10:00:30,123";

    @TempDir
    Path dir;

    private ServerLog log(String... lines) throws IOException {
        Path file = dir.resolve("rs1.log");
        Files.writeString(file, String.join("\n", lines) + "\n");
        return ServerLog.read(file);
    }

    @Test
    void anEntryHasTheLinesThatFollowItUpToTheNext() throws IOException {
        ServerLog log = log(
                TIME + " ERROR [main] HRegionServer: ***** ABORTING region server rs1: lost *****",
                "java.io.IOException: lost",
                "\tat a.B.c(B.java:1)",
                "2026-11-20T10:00:31,000 INFO  [main] HRegionServer: ended");
        assertThat(log.aborts()).singleElement().satisfies(entry -> {
            assertThat(entry.time()).isEqualTo(TIME);
            assertThat(entry.text()).endsWith("\tat a.B.c(B.java:1)").doesNotContain("ended");
        });
        assertThat(log.errors()).isEmpty();
    }

    @Test
    void findsOurErrorsInMessagesAndStackTraces() throws IOException {
        ServerLog log = log(
                TIME + " ERROR [h-1] IndexObserver: Diff-Index failed unexpectedly",
                TIME + " WARN  [h-2] RSRpcServices: call failed",
                "java.io.IOException: Diff-Index failed unexpectedly: null",
                TIME + " ERROR [h-3] IndexObserver: no definition; the region refuses writes",
                TIME + " WARN  [h-4] RSRpcServices: the region is busy");
        assertThat(log.errors()).hasSize(3);
        assertThat(log.aborts()).isEmpty();
    }

    @Test
    void aPauseCountsUnlessGarbageCollectionExplainsMostOfIt() throws IOException {
        String pause = TIME + " INFO  [pause] JvmPauseMonitor: Detected pause in JVM or host machine (eg GC): pause of"
                + " approximately %dms";
        String collected = "GC pool 'G1 Young Generation' had collection(s): count=1 time=%dms";
        assertThat(log(pause.formatted(3_000), "No GCs detected").pauses()).hasSize(1);
        assertThat(log(pause.formatted(3_000), collected.formatted(100)).pauses())
                .hasSize(1);
        assertThat(log(pause.formatted(3_000), collected.formatted(1_501)).pauses())
                .isEmpty();
        assertThat(log(pause.formatted(3_000), collected.formatted(800), collected.formatted(800))
                        .pauses())
                .as("pauses, which collections explain together")
                .isEmpty();
        assertThat(log(TIME + " WARN  [s] Sleeper: We slept 12345ms instead of 3000ms")
                        .pauses())
                .hasSize(1);
    }

    @Test
    void findsTheStartsOfMastersAndRegionServers() throws IOException {
        assertThat(log(
                                TIME + " INFO  [main] HMaster: STARTING service HMaster",
                                TIME + " INFO  [main] HRegionServer: STARTING executorService HRegionServer",
                                TIME + " INFO  [main] DataNode: STARTING service DataNode")
                        .starts())
                .hasSize(2);
    }

    @Test
    void aLogThatDoesNotExistOrIsNotTextHasNoEntries() throws IOException {
        assertThat(ServerLog.read(dir.resolve("none.log")).aborts()).isEmpty();
        Path file = dir.resolve("cut.log");
        Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe, '\n', 'x'});
        assertThat(ServerLog.read(file).errors()).isEmpty();
    }

    @Test
    void timesAreOfTheLocalZone() {
        long first = new ServerLog.Entry(TIME, "").millis();
        long second = new ServerLog.Entry("2026-11-20T10:00:31,125", "").millis();
        assertThat(second - first).isEqualTo(1_002);
    }
}
