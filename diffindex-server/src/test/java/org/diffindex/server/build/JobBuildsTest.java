package org.diffindex.server.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.diffindex.protocol.DiffIndexProtos.BackfilledRange;
import org.diffindex.protocol.DiffIndexProtos.BuildRequest;
import org.diffindex.protocol.DiffIndexProtos.BuildResponse;
import org.diffindex.protocol.DiffIndexProtos.RowRange;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Builds that a job takes over from the master, and gives back. */
@Timeout(120)
class JobBuildsTest {
    private static final long PATIENCE_S = 30;

    private BuiltTable table;
    private IndexBuilds builds;

    @BeforeEach
    void create() throws IOException {
        table = new BuiltTable();
        builds = new IndexBuilds(table.connection, "master-1");
    }

    @AfterEach
    void close() {
        builds.close();
    }

    private BuildResponse answer(BuildRequest.Builder request) throws IOException {
        return BuildRequests.answer(table.connection, table.index, request.build());
    }

    private BuildRequest.Builder request() {
        return table.request();
    }

    /** Lets a job begin that was submitted a moment ago. */
    private BuildRequest.Builder begun(String job) throws IOException {
        return request().setBeginJob(job).setChanges(answer(request()).getChanges());
    }

    private static RowRange range(String start, String end) {
        return RowRange.newBuilder()
                .setStart(ByteString.copyFromUtf8(start))
                .setEnd(ByteString.copyFromUtf8(end))
                .build();
    }

    private BuildRequest.Builder backfilled(String job, RowRange range, long rows, boolean completes) {
        return request()
                .setBackfilled(BackfilledRange.newBuilder()
                        .setJob(job)
                        .setRange(range)
                        .setRows(rows)
                        .setEntries(rows - 1)
                        .setLeftOut(1)
                        .setCompletes(completes));
    }

    private List<String> gaps(String start, String end) throws IOException {
        return answer(request().setGapsWithin(range(start, end))).getGapsList().stream()
                .map(gap -> gap.getStart().toStringUtf8() + "-" + gap.getEnd().toStringUtf8())
                .toList();
    }

    private void awaitActive() throws InterruptedException {
        for (int i = 0; i < PATIENCE_S * 100 && table.state() != IndexState.ACTIVE; i++) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        assertThat(table.state()).isEqualTo(IndexState.ACTIVE);
    }

    @Test
    void aJobTakesTheBuildOverAndGivesItBack() throws IOException {
        assertThat(answer(request()).hasJob()).isFalse();
        answer(request().setPaused(true));
        BuildResponse begun = answer(begun("j1").setPaused(false));
        assertThat(begun.getJob()).isEqualTo("j1");
        assertThat(begun.getPaused()).isFalse();
        answer(begun("j2"));
        assertThat(answer(request().setEndJob("j1")).getJob())
                .as("the end of the earlier job is not that of the later one")
                .isEqualTo("j2");
        assertThat(answer(request().setEndJob("j2")).hasJob()).isFalse();
        answer(begun("j3"));
        assertThat(answer(request().setEndJob("")).hasJob()).isFalse();
    }

    /** The engine may start a job hours after it was submitted, and start it again. */
    @Test
    void aJobThatWasSupersededDoesNotBegin() throws IOException {
        BuildRequest.Builder early = begun("j1");
        BuildRequest.Builder late = begun("j2");
        answer(late);
        assertThatThrownBy(() -> answer(early))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("the build has passed to job j2");
        assertThat(answer(late.setPaused(true)).getPaused())
                .as("a beginning that is repeated changes nothing")
                .isFalse();
        answer(request().setEndJob(""));
        assertThatThrownBy(() -> answer(late))
                .as("the operator has given the build to the master")
                .hasMessageContaining("the build has passed to the master");
        assertThat(answer(request()).hasJob()).isFalse();
        assertThat(answer(begun("j3")).getJob()).isEqualTo("j3");
    }

    /** Two jobs begin at the same moment, and both have seen that none builds. */
    @Test
    void oneOfTwoJobsThatBeginTogetherGetsTheBuild() throws IOException {
        BuildRequest.Builder other = begun("j2");
        table.beforeCheck(() -> answer(other));
        assertThatThrownBy(() -> answer(begun("j1"))).hasMessageContaining("the build has passed to job j2");
        assertThat(answer(request()).getJob()).isEqualTo("j2");
    }

    @Test
    void aJobThatLosesTheBuildWhileItReportsRecordsNothing() throws IOException {
        answer(begun("j1"));
        BuildRequest.Builder other = begun("j2");
        table.beforeCheck(() -> answer(other));
        assertThatThrownBy(() -> answer(backfilled("j1", range("", ""), 52, true)))
                .hasMessageContaining("job j1 does not build the index any more");
        assertThat(gaps("", "")).containsExactly("-");
        assertThat(answer(request()).getRows()).isZero();
    }

    /** The end of a job arrives while the next one begins. */
    @Test
    void theEndOfAJobDoesNotEndTheNext() throws IOException {
        answer(begun("j1"));
        BuildRequest.Builder other = begun("j2");
        table.beforeCheck(() -> answer(other));
        assertThat(answer(request().setEndJob("j1")).getJob()).isEqualTo("j2");
    }

    @Test
    void whatAJobReportsIsCovered() throws IOException {
        answer(begun("j").setRanges(2));
        assertThat(gaps("", "")).containsExactly("-");
        answer(backfilled("j", range("", "c"), 4, false));
        answer(backfilled("j", range("h", "k"), 6, true));
        assertThat(gaps("", "")).containsExactly("c-h", "k-");
        assertThat(gaps("a", "b")).isEmpty();
        assertThat(gaps("b", "d")).containsExactly("c-d");
        assertThat(gaps("d", "i")).containsExactly("d-h");
        assertThat(gaps("c", "h")).containsExactly("c-h");
        assertThat(gaps("h", "k")).isEmpty();
        assertThat(gaps("x", "")).containsExactly("x-");
        assertThat(gaps("", "d")).containsExactly("c-d");
        BuildResponse status = answer(request());
        assertThat(status.getRanges()).isEqualTo(2);
        assertThat(status.getRangesDone()).isEqualTo(1);
    }

    /** HBase's client sends a call again whose answer it has not got. */
    @Test
    void aReportThatArrivesTwiceCountsOnce() throws IOException {
        answer(begun("j").setRanges(1));
        answer(backfilled("j", range("", "c"), 4, false));
        answer(backfilled("j", range("", "c"), 4, false));
        answer(backfilled("j", range("", "h"), 10, true));
        answer(backfilled("j", range("", "h"), 10, true));
        answer(backfilled("j", range("h", ""), 10, false));
        BuildProgress progress = table.record().read().progress();
        assertThat(progress).isEqualTo(new BuildProgress(new BuildFamily.Totals(20, 18, 2), 1, 1));
    }

    @Test
    void aJobThatHasLostTheBuildRecordsNothing() throws IOException {
        answer(begun("j1"));
        answer(begun("j2"));
        assertThatThrownBy(() -> answer(backfilled("j1", range("", ""), 52, true)))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("job j1 does not build the index any more");
        answer(request().setEndJob("j2"));
        assertThatThrownBy(() -> answer(backfilled("j2", range("", ""), 52, true)))
                .isInstanceOf(DoNotRetryIOException.class);
        assertThat(gaps("", "")).containsExactly("-");
    }

    @Test
    void onlyOwnersTakePart() {
        assertThat(BuildRequests.isOrder(request().setBeginJob("j").build())).isTrue();
        assertThat(BuildRequests.isOrder(request().setEndJob("j").build())).isTrue();
        assertThat(BuildRequests.isOrder(request().setRanges(1).build())).isTrue();
        assertThat(BuildRequests.isOrder(backfilled("j", range("", ""), 1, true).build()))
                .isTrue();
        assertThat(BuildRequests.isOrder(request().setGapsWithin(range("", "")).build()))
                .as("what tells keys of rows")
                .isTrue();
    }

    @Test
    void theMasterDoesWhatAJobHasLeft() throws Exception {
        answer(begun("j").setRanges(3));
        answer(backfilled("j", range("", "h"), 14, true));
        answer(backfilled("j", range("h", "k"), 6, false));
        builds.start();
        table.awaitWatch(builds);
        assertThat(table.pages).as("pages beside the job").isEmpty();
        assertThat(table.state()).isEqualTo(IndexState.BUILDING);
        answer(request().setEndJob("j"));
        awaitActive();
        assertThat(table.pages).doesNotContain("").contains("k", "p");
        assertThat(BuildFamily.totals(table.tables.get(table.index.indexTable())))
                .contains(new BuildFamily.Totals(52, 50, 2));
    }

    /** Readers would be told of the old problem for as long as the job takes. */
    @Test
    void anIndexThatAJobTriesAgainIsBuildingMeanwhile() throws Exception {
        table.tables.computeIfPresent(
                table.index.indexTable(), (name, own) -> IndexDefinitions.broken(own, "the disk is full"));
        answer(begun("j"));
        builds.start();
        while (table.state() != IndexState.BUILDING) {
            Thread.onSpinWait();
        }
        assertThat(table.pages).isEmpty();
    }

    @Test
    void theMasterStopsWhenAJobBegins() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        table.onPage = page -> {
            asked.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
                Thread.currentThread().interrupt();
            }
        };
        builds.start();
        assertThat(asked.await(PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        answer(begun("j"));
        assertThat(interrupted.await(PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        table.onPage = page -> {};
        answer(request().setEndJob("j"));
        awaitActive();
    }
}
