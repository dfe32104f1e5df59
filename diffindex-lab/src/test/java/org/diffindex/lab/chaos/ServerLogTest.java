package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.util.FutureUtils;
import org.apache.hbase.thirdparty.com.google.common.base.Throwables;
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
                TIME + " ERROR [h-3] IndexLoader: The indexes of t cannot be loaded on rs1; the region refuses writes",
                TIME + " WARN  [h-4] RSRpcServices: the region is busy");
        assertThat(log.errors()).hasSize(3);
        assertThat(log.aborts()).isEmpty();
    }

    private static final String WARNING = TIME + " WARN  [diffindex-aps-1] queue.UpdateProcessor: Rows could not be"
            + " indexed yet; they are durable and the indexes will follow [region=t, rows=1, next try in 50 ms]";
    private static final String OUR_FRAME =
            "\tat org.diffindex.server.queue.UpdateProcessor.deliver(UpdateProcessor.java:217)";
    private static final String HBASE_FRAME = "\tat org.apache.hadoop.hbase.client.HTable.batch(HTable.java:420)";

    /** The server's background threads log any exception as they log an index table that does not answer. */
    @Test
    void findsUncheckedExceptionsInOurCode() throws IOException {
        for (String thrown : List.of(
                "java.lang.NullPointerException",
                "java.lang.IllegalStateException: no batch",
                "java.util.NoSuchElementException: No value present",
                "java.lang.NoClassDefFoundError: org/diffindex/server/Missing",
                "java.nio.BufferUnderflowException",
                "java.time.format.DateTimeParseException: no date",
                "java.util.concurrent.CancellationException",
                "java.util.concurrent.CompletionException: no cause",
                "org.apache.hbase.thirdparty.com.google.gson.JsonSyntaxException: no object",
                "org.example.UnknownException: of a class that the judge does not have",
                "org.example.Outer$UnknownError")) {
            assertThat(log(WARNING, thrown, HBASE_FRAME, OUR_FRAME).errors())
                    .as(thrown)
                    .hasSize(1);
            assertThat(log(WARNING, "java.io.IOException: wrapped", HBASE_FRAME, "Caused by: " + thrown, OUR_FRAME)
                            .errors())
                    .as("the cause " + thrown)
                    .hasSize(1);
            assertThat(log(WARNING, thrown, HBASE_FRAME).errors())
                    .as(thrown + " outside of our code")
                    .isEmpty();
        }
    }

    @Test
    void aFailedCallOfOurCodeIsNoInternalError() throws IOException {
        for (String thrown : List.of(
                "java.io.IOException: Connection closed",
                "java.io.UncheckedIOException: java.net.ConnectException: Connection refused",
                "org.apache.hadoop.hbase.NotServingRegionException: t,,1 is not online",
                "java.lang.InterruptedException",
                "java.util.concurrent.RejectedExecutionException: event executor terminated",
                "java.util.concurrent.ExecutionException: java.net.ConnectException: Connection refused",
                "org.apache.zookeeper.KeeperException$ConnectionLossException: KeeperErrorCode = ConnectionLoss",
                "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException: no family",
                "java.lang.RuntimeException: java.util.concurrent.RejectedExecutionException: terminated",
                "java.util.concurrent.CompletionException: java.net.ConnectException: Connection refused",
                "org.example.Throwables: no exception",
                "java.lang.reflect.UndeclaredThrowableException")) {
            assertThat(log(WARNING, thrown, HBASE_FRAME, OUR_FRAME).errors())
                    .as(thrown)
                    .isEmpty();
        }
    }

    /** The frames of the thread that waited for a call say nothing of where the call failed. */
    @Test
    void anUncheckedExceptionOfAnotherThreadIsNotOursBecauseOurThreadWaitedForIt() throws IOException {
        IllegalArgumentException thrown = new IllegalArgumentException("closed");
        thrown.setStackTrace(new StackTraceElement[] {new StackTraceElement("org.apache.A", "b", "A.java", 1)});
        assertThatThrownBy(() -> FutureUtils.get(CompletableFuture.failedFuture(thrown)))
                .isSameAs(thrown);
        String trace = Throwables.getStackTraceAsString(thrown);
        assertThat(trace).containsSubsequence("at org.diffindex.", "Future.get", "at org.apache.A.b");
        assertThat(log(WARNING, trace).errors()).isEmpty();
        assertThat(log(WARNING, trace, OUR_FRAME).errors())
                .as("a frame of ours in the thread that failed")
                .hasSize(1);
    }

    @Test
    void aFrameOfOursBelongsToTheExceptionAboveIt() throws IOException {
        assertThat(log(
                                WARNING,
                                "java.io.IOException: first",
                                HBASE_FRAME,
                                "Caused by: java.lang.NullPointerException",
                                HBASE_FRAME,
                                "Caused by: org.apache.hadoop.hbase.ipc.RemoteWithExtrasException(java.io.IOException): x",
                                OUR_FRAME)
                        .errors())
                .isEmpty();
    }

    /** A stack trace prints the frames that a cause has in common with the exception around it once, at that one. */
    @Test
    void theFramesOfACauseThatAreNotPrintedAgainAreItsFramesToo() throws IOException {
        IOException wrapped = new IOException("wrapped", new IllegalStateException("no cell"));
        StackTraceElement ours = new StackTraceElement("org.diffindex.server.A", "read", "A.java", 1);
        StackTraceElement thread = new StackTraceElement("java.lang.Thread", "run", "Thread.java", 1);
        wrapped.setStackTrace(new StackTraceElement[] {
            new StackTraceElement("org.apache.hadoop.hbase.B", "next", "B.java", 20), ours, thread
        });
        wrapped.getCause().setStackTrace(new StackTraceElement[] {
            new StackTraceElement("org.apache.hadoop.hbase.B", "next", "B.java", 10), ours, thread
        });
        String trace = Throwables.getStackTraceAsString(wrapped);
        assertThat(trace).contains("Caused by: java.lang.IllegalStateException", "... 2 more");
        assertThat(log(WARNING, trace).errors())
                .as("an unchecked exception below a frame of ours, wrapped by HBase:\n" + trace)
                .hasSize(1);
    }

    /** Java prints such an exception without a date, wherever the log stands. */
    @Test
    void findsAnExceptionThatEndedOneOfOurThreads() throws IOException {
        ServerLog log = log(
                TIME + " INFO  [main] HRegionServer: started",
                "Exception in thread \"diffindex-aps-call-3\" java.lang.AssertionError",
                OUR_FRAME,
                "2026-11-20T10:00:31,000 ERROR [main] HRegionServer: ***** ABORTING region server rs1: lost *****",
                "Exception in thread \"RS-EventLoopGroup-1-1\" java.lang.OutOfMemoryError: Java heap space",
                "Exception: java.lang.OutOfMemoryError thrown from the UncaughtExceptionHandler in thread"
                        + " \"diffindex-spill\"");
        assertThat(log.errors()).extracting(ServerLog.Entry::time).containsExactly(TIME, "2026-11-20T10:00:31,000");
        assertThat(log.errors().get(0).text()).startsWith("Exception in thread").contains("UpdateProcessor");
        assertThat(log.aborts()).hasSize(1);
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
