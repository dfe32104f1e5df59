package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which aborts a fault explains, with logs as region servers write them. */
class AbortCausesTest {
    private static final String TIME = "2026-11-20T10:00:30,000";
    private static final String YOU_ARE_DEAD = TIME
            + " ERROR [regionserver/localhost:1] regionserver.HRegionServer: ***** ABORTING region server"
            + " localhost,1,2: org.apache.hadoop.hbase.YouAreDeadException: reported as dead *****\n"
            + "org.apache.hadoop.hbase.YouAreDeadException: reported as dead\n\tat org.apache.hadoop.hbase.A.b(A.java:1)\n";
    private static final String OURS = TIME
            + " ERROR [x] regionserver.HRegionServer: ***** ABORTING region server localhost,1,2: Unrecoverable *****\n"
            + "java.io.IOException: no\n\tat org.diffindex.server.RegionIndexes.close(RegionIndexes.java:1)\n";

    @TempDir
    Path dir;

    private List<Abort> aborts(String text, FaultEvent... faults) throws IOException {
        Path file = dir.resolve("rs1.log");
        Files.writeString(
                file,
                "2026-11-20T10:00:00,000 INFO  [main] regionserver.HRegionServer: started\n" + text
                        + "2026-11-20T10:00:31,000 INFO  [main] regionserver.HRegionServer: ended\n");
        return new AbortCauses(List.of(faults)).of("rs1", ServerLog.read(file));
    }

    private static FaultEvent fault(FaultKind kind, String target, int secondsBefore) {
        long millis = new ServerLog.Entry(TIME, "").millis() - secondsBefore * 1_000L;
        return new FaultEvent(kind.toString(), target, 0, 1, millis, millis + 2_000, FaultEvent.Result.DONE, "");
    }

    @Test
    void findsNoneInAQuietLog() throws IOException {
        assertThat(aborts("")).isEmpty();
    }

    @Test
    void explainsTheEndOfAServerThatWasStalled() throws IOException {
        List<Abort> aborts = aborts(YOU_ARE_DEAD, fault(FaultKind.STALL_LONG, "rs1", 20));

        assertThat(aborts).singleElement().satisfies(abort -> {
            assertThat(abort.isOurs()).isFalse();
            assertThat(abort.reason()).contains("YouAreDead");
        });
    }

    /** A stall ends a server's session, and causes no other abort. */
    @Test
    void blamesOurCodeEvenAfterAStall() throws IOException {
        assertThat(aborts(OURS, fault(FaultKind.STALL_LONG, "rs1", 20)))
                .singleElement()
                .matches(Abort::isOurs);
        assertThat(aborts(
                        YOU_ARE_DEAD + "\tat org.diffindex.server.ServerIndexing.abandon(ServerIndexing.java:1)\n",
                        fault(FaultKind.STALL_LONG, "rs1", 20)))
                .singleElement()
                .matches(abort -> !abort.isOurs());
    }

    @Test
    void findsTheAbortsOfMasters() throws IOException {
        assertThat(aborts(OURS.replace("region server", "master"))).hasSize(1);
    }

    /** If a server aborts, its log says so after its last start. */
    @Test
    void recognizesAnEndThatTheLogDoesNotReport() throws IOException {
        Path file = dir.resolve("rs1.log");
        String start = "2026-11-20T10:00:%s,000 INFO  [main] regionserver.HRegionServer: STARTING executorService"
                + " HRegionServer\n";
        Files.writeString(file, start.formatted("01") + YOU_ARE_DEAD);
        long after = new ServerLog.Entry(TIME, "").millis() + 20_000;
        List<Death> death = List.of(new Death("rs1", after, ""));
        assertThat(Death.notToldBy(ServerLog.read(file), death)).isEmpty();

        Files.writeString(file, start.formatted("01") + YOU_ARE_DEAD + start.formatted("40"));
        assertThat(Death.notToldBy(ServerLog.read(file), death)).isEqualTo(death);
        Files.writeString(file, start.formatted("01"));
        assertThat(Death.notToldBy(ServerLog.read(file), death)).isEqualTo(death);
    }

    /** The second crashes before it has logged that it starts. */
    @Test
    void anAbortIsTheEndOfOneProcessOnly() throws IOException {
        Path file = dir.resolve("rs1.log");
        Files.writeString(file, YOU_ARE_DEAD);
        long abort = new ServerLog.Entry(TIME, "").millis();
        Death first = new Death("rs1", abort + 5_000, "aborted");
        Death second = new Death("rs1", abort + 20_000, "crashed while it was starting");
        assertThat(Death.notToldBy(ServerLog.read(file), List.of(first, second)))
                .containsExactly(second);
    }

    @Test
    void doesNotExplainTheEndOfAnotherServer() throws IOException {
        assertThat(aborts(YOU_ARE_DEAD, fault(FaultKind.STALL_LONG, "rs2", 20)))
                .singleElement()
                .matches(Abort::isOurs);
    }

    @Test
    void doesNotExplainAnAbortLongAfterTheFault() throws IOException {
        assertThat(aborts(YOU_ARE_DEAD, fault(FaultKind.STALL_LONG, "rs1", 300)))
                .singleElement()
                .matches(Abort::isOurs);
    }

    /** The period includes both its ends. A stall lasts 2 s here, and its aftermath 90 s. */
    @Test
    void explainsAbortsFromTheBeginningOfAFaultToTheEndOfItsAftermath() throws IOException {
        for (int secondsBefore : List.of(0, 92)) {
            assertThat(aborts(YOU_ARE_DEAD, fault(FaultKind.STALL_LONG, "rs1", secondsBefore)))
                    .singleElement()
                    .matches(abort -> !abort.isOurs());
        }
        for (int secondsBefore : List.of(-1, 93)) {
            assertThat(aborts(YOU_ARE_DEAD, fault(FaultKind.STALL_LONG, "rs1", secondsBefore)))
                    .singleElement()
                    .matches(Abort::isOurs);
        }
    }

    /** Without data nodes, no region server can write. */
    @Test
    void explainsTheEndOfAnyServerOnlyByAFaultOfTheStorage() throws IOException {
        String noPipeline = YOU_ARE_DEAD.replace("YouAreDeadException: reported as dead", "DroppedSnapshotException");
        for (FaultKind kind : List.of(FaultKind.KILL_DATA_NODE, FaultKind.RESTART_CLUSTER)) {
            assertThat(aborts(noPipeline, fault(kind, "datanode2", 10)))
                    .extracting(Abort::explanation)
                    .containsExactly("after " + kind);
        }
        assertThat(aborts(noPipeline, fault(FaultKind.FLUSH, "t", 10)))
                .singleElement()
                .matches(Abort::isOurs);
    }

    /** Such as the death of a DataNode when none was up. */
    @Test
    void aFaultThatHitNothingExplainsNoAbort() throws IOException {
        FaultEvent hit = fault(FaultKind.KILL_DATA_NODE, "-", 10);
        for (FaultEvent.Result result : FaultEvent.Result.values()) {
            FaultEvent event = new FaultEvent(
                    hit.kind(), hit.target(), hit.begin(), hit.end(), hit.beginMillis(), hit.endMillis(), result, "");
            assertThat(aborts(YOU_ARE_DEAD, event))
                    .as("aborts after a fault that ended as " + result)
                    .singleElement()
                    .returns(result == FaultEvent.Result.SKIPPED, Abort::isOurs);
        }
    }

    @Test
    void reportsTheBeginningOfALongReason() throws IOException {
        String start = "***** ABORTING region server x: ";
        String line = TIME + " ERROR [x] regionserver.HRegionServer: " + start;
        assertThat(aborts(line + "a".repeat(400 - start.length()) + "\n"))
                .extracting(Abort::reason)
                .containsExactly(start + "a".repeat(400 - start.length()));
        assertThat(aborts(line + "a".repeat(401) + "\n"))
                .extracting(Abort::reason)
                .containsExactly(start + "a".repeat(400 - start.length()) + "...");
    }

    @Test
    void explainsALostSessionIfTheMachineDidNotRunTheServer() throws IOException {
        String slept = "2026-11-20T10:00:29,000 WARN  [JvmPauseMonitor] util.JvmPauseMonitor: Detected pause in JVM or"
                + " host machine (eg GC): pause of approximately 9000ms\n";

        assertThat(aborts(slept + YOU_ARE_DEAD)).singleElement().matches(abort -> !abort.isOurs());
        String longBefore = slept.replace("10:00:29", "09:50:29");
        assertThat(aborts(longBefore + YOU_ARE_DEAD)).singleElement().matches(Abort::isOurs);
    }

    /** The server did run: it collected garbage, of which a leak produces more and more. */
    @Test
    void doesNotExplainASessionThatWasLostToGarbageCollection() throws IOException {
        String collected =
                "2026-11-20T10:00:29,000 WARN  [JvmPauseMonitor] util.JvmPauseMonitor: Detected pause in JVM or"
                        + " host machine (eg GC): pause of approximately 9000ms\n"
                        + "GC pool 'G1 Young Generation' had collection(s): count=1 time=200ms\n"
                        + "GC pool 'G1 Old Generation' had collection(s): count=1 time=8600ms\n";
        String brief = collected.replace("8600ms", "60ms");

        assertThat(aborts(collected + YOU_ARE_DEAD)).singleElement().matches(Abort::isOurs);
        assertThat(aborts(brief + YOU_ARE_DEAD)).singleElement().matches(abort -> !abort.isOurs());
    }

    @Test
    void blamesOurCodeFarDownTheStack() throws IOException {
        String deep = OURS.replace(
                "\tat org.diffindex",
                "\tat org.apache.hadoop.hbase.A.b(A.java:1)\n".repeat(200) + "\tat org.diffindex");

        assertThat(aborts(deep, fault(FaultKind.KILL_DATA_NODE, "datanode2", 10)))
                .singleElement()
                .matches(Abort::isOurs);
    }

    @Test
    void findsThatARegionRefusesWritesBecauseItsIndexesCannotBeLoaded() throws IOException {
        Path file = dir.resolve("rs2.log");
        Files.writeString(
                file,
                TIME + " ERROR [RS_OPEN_REGION-1] server.IndexLoader: The indexes of t cannot be loaded on rs2; the"
                        + " region refuses writes\n");
        assertThat(ServerLog.read(file).errors()).hasSize(1);
    }

    @Test
    void blamesOurCodeEvenWhenADataNodeWasKilled() throws IOException {
        assertThat(aborts(OURS, fault(FaultKind.KILL_DATA_NODE, "datanode2", 10)))
                .singleElement()
                .matches(Abort::isOurs);
    }
}
