package org.diffindex.mapreduce;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.protocol.DiffIndexProtos.BackfilledRange;
import org.diffindex.protocol.DiffIndexProtos.BuildRequest;
import org.diffindex.protocol.DiffIndexProtos.BuildResponse;
import org.diffindex.protocol.DiffIndexProtos.FillRequest;
import org.diffindex.protocol.DiffIndexProtos.FillResponse;
import org.diffindex.protocol.DiffIndexProtos.RowRange;
import org.diffindex.tasks.KeyRange;
import org.diffindex.tasks.RegionCalls;

/**
 * The calls of a job that builds an index: to the region that holds a row. What concerns the build's record, any region
 * answers; mappers ask the one that they work on, so that the calls of a large job are spread.
 */
final class BuildService {
    /** Makes the calls; the seam to the cluster. */
    interface Calls {
        BuildResponse build(byte[] row, BuildRequest request) throws IOException;

        FillResponse fill(byte[] row, FillRequest request) throws IOException;
    }

    private final IndexOfJob index;
    private final String job;
    private final Calls calls;

    /**
     * Creates the calls of a job.
     *
     * @param job the name by which the job claims the build
     */
    BuildService(IndexOfJob index, String job, Calls calls) {
        this.index = index;
        this.job = job;
        this.calls = calls;
    }

    static BuildService of(Connection connection, IndexOfJob index, String job) {
        RegionCalls regions = new RegionCalls(connection, index.table());
        return new BuildService(index, job, new Calls() {
            @Override
            public BuildResponse build(byte[] row, BuildRequest request) throws IOException {
                return regions.call(row, service -> service.build(null, request));
            }

            @Override
            public FillResponse fill(byte[] row, FillRequest request) throws IOException {
                return regions.call(row, service -> service.fill(null, request));
            }
        });
    }

    private BuildRequest.Builder request() {
        return BuildRequest.newBuilder().setIndex(index.name()).setIndexId(index.id());
    }

    /** Makes a call about an index that must be BUILDING. */
    private BuildResponse build(byte[] row, BuildRequest.Builder request) throws IOException {
        BuildResponse response = calls.build(row, request.build());
        if (!response.getBuilding()) {
            throw new DoNotRetryIOException("The " + index + " is not BUILDING any more");
        }
        return response;
    }

    /**
     * Returns how far the build is, for a job that must have the build's claim.
     *
     * @param row a row near which the job works
     * @throws DoNotRetryIOException if another job builds, or the master, or the index is not BUILDING
     */
    BuildResponse status(byte[] row) throws IOException {
        BuildResponse status = build(row, request());
        if (!status.getJob().equals(job)) {
            throw new DoNotRetryIOException("Job " + job + " does not build the " + index + " any more: "
                    + (status.hasJob() ? "job " + status.getJob() + " does" : "the master does"));
        }
        return status;
    }

    /** Returns how far the build is, whoever builds. */
    BuildResponse look() throws IOException {
        return build(HConstants.EMPTY_START_ROW, request());
    }

    /**
     * Begins to build in place of the master, or of another job; ends a pause. Of no effect if the job builds already.
     *
     * @param changes how often the build had changed hands when the job was submitted
     * @param ranges into how many ranges the job is divided
     * @throws DoNotRetryIOException if the build has changed hands since, or the index is not BUILDING
     */
    void begin(long changes, int ranges) throws IOException {
        BuildResponse unused = build(
                HConstants.EMPTY_START_ROW,
                request().setBeginJob(job).setChanges(changes).setPaused(false).setRanges(ranges));
    }

    /** Lets the master go on, unless another job builds by now; of no effect if the index is not BUILDING any more. */
    void end() throws IOException {
        calls.build(HConstants.EMPTY_START_ROW, request().setEndJob(job).build());
    }

    /** Returns the parts of a range that are to be backfilled. */
    List<KeyRange> gaps(KeyRange within) throws IOException {
        return build(within.start(), request().setGapsWithin(rowRange(within))).getGapsList().stream()
                .map(gap ->
                        new KeyRange(gap.getStart().toByteArray(), gap.getEnd().toByteArray()))
                .toList();
    }

    /** Remembers that a range is backfilled. */
    void backfilled(KeyRange range, PageTotals totals, boolean completes) throws IOException {
        build(
                range.start(),
                request()
                        .setBackfilled(BackfilledRange.newBuilder()
                                .setJob(job)
                                .setRange(rowRange(range))
                                .setRows(totals.rows())
                                .setEntries(totals.entries())
                                .setLeftOut(totals.leftOut())
                                .setCompletes(completes)));
    }

    private static RowRange rowRange(KeyRange range) {
        return RowRange.newBuilder()
                .setStart(ByteString.copyFrom(range.start()))
                .setEnd(ByteString.copyFrom(range.end()))
                .build();
    }

    /**
     * Backfills a page.
     *
     * @param row its first row
     * @param end rows from here on are left alone; empty for the table's end
     * @param mostRows the most rows to read
     * @param mostMs the milliseconds after which it reads no further row
     */
    FillResponse fill(byte[] row, byte[] end, int mostRows, int mostMs) throws IOException {
        FillRequest.Builder request = FillRequest.newBuilder()
                .setIndex(index.name())
                .setIndexId(index.id())
                .setMaxRows(mostRows)
                .setMaxMs(mostMs);
        if (row.length > 0) {
            request.setStartRow(ByteString.copyFrom(row));
        }
        if (end.length > 0) {
            request.setStopRow(ByteString.copyFrom(end));
        }
        return calls.fill(row, request.build());
    }
}
