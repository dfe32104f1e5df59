package org.diffindex.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.protocol.DiffIndexProtos.BackfilledRange;
import org.diffindex.protocol.DiffIndexProtos.BuildRequest;
import org.diffindex.protocol.DiffIndexProtos.BuildResponse;
import org.diffindex.protocol.DiffIndexProtos.FillRequest;
import org.diffindex.protocol.DiffIndexProtos.FillResponse;
import org.diffindex.protocol.DiffIndexProtos.RowRange;
import org.diffindex.tasks.KeyRange;
import org.diffindex.tasks.Retries;
import org.junit.jupiter.api.Test;

/** The work of a mapper on its split: a table with the rows a to z, in regions that end at h and p. */
class SplitBackfillTest {
    private static final IndexOfJob INDEX = new IndexOfJob(TableName.valueOf("t"), "by_city", "id-1");

    private final List<String> pages = new ArrayList<>();
    private final List<String> reports = new ArrayList<>();
    private final List<RowRange> gaps = new ArrayList<>();
    private BuildResponse.Builder status =
            BuildResponse.newBuilder().setBuilding(true).setJob("job-1");
    private IOException nextFailure;
    private long nanos;
    private Duration ofAPage = Duration.ofSeconds(1);

    private static KeyRange range(String start, String end) {
        return new KeyRange(Bytes.toBytes(start), Bytes.toBytes(end));
    }

    private static RowRange rowRange(String start, String end) {
        return RowRange.newBuilder()
                .setStart(ByteString.copyFromUtf8(start))
                .setEnd(ByteString.copyFromUtf8(end))
                .build();
    }

    private final class Region implements BuildService.Calls {
        @Override
        public BuildResponse build(byte[] row, BuildRequest request) throws IOException {
            assertThat(request.getIndexId()).isEqualTo("id-1");
            if (request.hasBackfilled()) {
                BackfilledRange done = request.getBackfilled();
                assertThat(done.getJob()).isEqualTo("job-1");
                reports.add(done.getRange().getStart().toStringUtf8() + "-"
                        + done.getRange().getEnd().toStringUtf8() + " " + done.getRows() + "/" + done.getEntries() + "/"
                        + done.getLeftOut() + (done.getCompletes() ? " complete" : ""));
            }
            return request.hasGapsWithin() ? status.clone().addAllGaps(gaps).build() : status.build();
        }

        @Override
        public FillResponse fill(byte[] row, FillRequest request) throws IOException {
            if (nextFailure != null) {
                IOException failure = nextFailure;
                nextFailure = null;
                throw failure;
            }
            nanos += ofAPage.toNanos();
            String start = Bytes.toString(row);
            pages.add(start.isEmpty() ? "a" : start);
            char first = start.isEmpty() ? 'a' : start.charAt(0);
            String regionEnd = first < 'h' ? "h" : first < 'p' ? "p" : "";
            char end = regionEnd.isEmpty() ? '{' : regionEnd.charAt(0);
            char stop =
                    request.hasStopRow() ? request.getStopRow().toStringUtf8().charAt(0) : end;
            int left = Math.min(end, stop) - first;
            int read = Math.min(left, request.getMaxRows());
            FillResponse.Builder page = FillResponse.newBuilder()
                    .setRows(read)
                    .setRowsRead(read)
                    .setEntries(read - 1)
                    .setLeftOut(1)
                    .setRegionEnd(ByteString.copyFromUtf8(regionEnd));
            return read < left
                    ? page.setNextRow(ByteString.copyFromUtf8(String.valueOf((char) (first + read))))
                            .build()
                    : page.build();
        }
    }

    private void run(KeyRange split, int rowsOfAPage) throws IOException {
        BuildService service = new BuildService(INDEX, "job-1", new Region());
        Retries retries = new Retries(60_000, () -> service.status(split.start()));
        MapperGate gate = new MapperGate(
                () -> service.status(split.start()), 1, () -> {}, () -> nanos, time -> nanos += time.toNanos());
        new SplitBackfill(service, gate, retries, page -> {}, rowsOfAPage, 1_000, () -> nanos).run(split);
    }

    @Test
    void backfillsTheGapsOfItsSplitAndReportsThem() throws IOException {
        gaps.add(rowRange("b", "d"));
        gaps.add(rowRange("e", "h"));
        run(range("", "h"), 100);
        assertThat(pages).containsExactly("b", "e");
        assertThat(reports).containsExactly("b-d 2/1/1", "e-h 3/2/1 complete");
    }

    @Test
    void aSplitWhoseRegionHasSplitSinceIsFollowedByKey() throws IOException {
        gaps.add(rowRange("", ""));
        run(range("", ""), 100);
        assertThat(pages).containsExactly("a", "h", "p");
        assertThat(reports).containsExactly("- 26/23/3 complete");
    }

    /** What the next attempt need not do again. */
    @Test
    void longWorkIsReportedEveryFiveSeconds() throws IOException {
        gaps.add(rowRange("", "h"));
        ofAPage = Duration.ofSeconds(2);
        run(range("", "h"), 1);
        assertThat(reports).containsExactly("-d 3/0/3", "-g 6/0/6", "-h 7/0/7 complete");
    }

    @Test
    void nothingIsLeftToDo() throws IOException {
        run(range("", "h"), 100);
        assertThat(pages).isEmpty();
        assertThat(reports).isEmpty();
    }

    @Test
    void aFailureThatMayPassIsRetried() throws IOException {
        gaps.add(rowRange("", "h"));
        nextFailure = new NotServingRegionException("moved");
        run(range("", "h"), 100);
        assertThat(reports).containsExactly("-h 7/6/1 complete");
    }

    @Test
    void aRowThatCannotBeBackfilledEndsTheAttempt() {
        gaps.add(rowRange("", "h"));
        nextFailure = new DoNotRetryIOException("would not expire");
        assertThatThrownBy(() -> run(range("", "h"), 100)).hasMessageContaining("would not expire");
        assertThat(reports).isEmpty();
    }

    @Test
    void aJobThatHasLostTheBuildStops() {
        gaps.add(rowRange("", "h"));
        status = status.clone().setJob("job-2");
        assertThatThrownBy(() -> run(range("", "h"), 100))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("job job-2 does");
        status = status.clone().clearJob();
        assertThatThrownBy(() -> run(range("", "h"), 100))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("the master does");
        status = BuildResponse.newBuilder().setBuilding(false);
        assertThatThrownBy(() -> run(range("", "h"), 100))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("is not BUILDING any more");
        assertThat(pages).isEmpty();
    }
}
