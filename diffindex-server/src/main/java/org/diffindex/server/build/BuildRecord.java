package org.diffindex.server.build;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalDouble;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.IndexAddress;
import org.diffindex.model.IndexDefinition;
import org.diffindex.protocol.DiffIndexProtos.BackfilledRange;
import org.diffindex.protocol.DiffIndexProtos.BuildRequest;
import org.diffindex.tasks.KeyRange;

/**
 * The record of a build, which outlives the building master, and through which that master and the clients that follow and
 * control the build communicate: the row in the {@linkplain BuildFamily build family} of the index's table.
 *
 * <ul>
 *   <li>{@code builder}: the name of the master that has taken the index over;
 *   <li>under {@code c:} followed by the start key of a range: the end key up to which it is backfilled, exclusive, empty
 *       for the table's end;
 *   <li>{@code rows}, {@code entries}, {@code left-out}: the totals of the backfilled pages (8 bytes, big-endian each);
 *   <li>{@code ranges}, {@code ranges-done}: how many ranges the master backfills, and how many are complete (8 bytes each);
 *   <li>{@code rate}: the rows a second to which the build is limited (a double, 8 bytes), 0 for no limit;
 *   <li>{@code paused}: whether the build is paused (1 byte, HBase's encoding of a boolean);
 *   <li>{@code claim}: whether the master builds or a job in its place ({@link BuildClaim}); absent if no job ever did;
 *   <li>under {@code t:} followed by the start key of a range that a job has backfilled: the rows, entries and rows left out
 *       that the totals contain for it, and 1 if it counts as complete, otherwise 0 (8 bytes each);
 *   <li>{@code failing}: the message of the last call's failure, which is retried (UTF-8); empty or absent if it succeeded;
 *   <li>{@code problem}: the message of the failure that ended the build (UTF-8); empty or absent if none did.
 * </ul>
 *
 * <p>The first master that takes the index over enters the orders of the family's descriptor. Each operation fails after a
 * few seconds, and with {@link org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException} when the index is not
 * BUILDING any more. All act as the server, also in a handler that answers a user: HBase makes the calls of a batch in
 * threads of their own, but a single write to a region of the same server in the handler, as its user. A single read acts as
 * the server there, and a batched one that fails ends in a NullPointerException of HBase 2.6.1. Thread-safe.
 */
final class BuildRecord {
    private static final int OPERATION_TIMEOUT_MS = 10_000;
    private static final int RPC_TIMEOUT_MS = 5_000;

    private static final byte[] COVERED = Bytes.toBytes("c:");
    private static final byte[] ROWS = Bytes.toBytes("rows");
    private static final byte[] ENTRIES = Bytes.toBytes("entries");
    private static final byte[] LEFT_OUT = Bytes.toBytes("left-out");
    private static final byte[] RANGES = Bytes.toBytes("ranges");
    private static final byte[] RANGES_DONE = Bytes.toBytes("ranges-done");
    private static final byte[] RATE = Bytes.toBytes("rate");
    private static final byte[] PAUSED = Bytes.toBytes("paused");
    private static final byte[] CLAIM = Bytes.toBytes("claim");
    private static final byte[] TOTALS_OF_A_RANGE = Bytes.toBytes("t:");
    private static final byte[] FAILING = Bytes.toBytes("failing");
    private static final byte[] PROBLEM = Bytes.toBytes("problem");

    private final Connection connection;
    private final TableName indexTable;
    private final String id;

    BuildRecord(Connection connection, TableName indexTable, String id) {
        this.connection = connection;
        this.indexTable = indexTable;
        this.id = id;
    }

    static BuildRecord of(Connection connection, IndexDefinition index) {
        return new BuildRecord(connection, index.indexTable(), index.id());
    }

    /**
     * The state of the record at a moment.
     *
     * @param progress how far the build is
     * @param orders what the operator has ordered
     * @param claim who builds
     * @param failing why the last call failed, which is retried; empty if it succeeded
     * @param problem why the build has failed; empty if it has not
     */
    record State(
            BuildProgress progress,
            BuildOrders orders,
            BuildClaim claim,
            Optional<String> failing,
            Optional<String> problem) {}

    /** Reads the record but for the ranges, of which there are as many as regions. */
    State read() throws IOException {
        Get get = new Get(BuildFamily.ROW);
        for (byte[] column :
                List.of(ROWS, ENTRIES, LEFT_OUT, RANGES, RANGES_DONE, RATE, PAUSED, CLAIM, FAILING, PROBLEM)) {
            get.addColumn(BuildFamily.NAME, column);
        }
        Result row = get(get);
        BuildFamily.Totals totals =
                new BuildFamily.Totals(number(row, ROWS), number(row, ENTRIES), number(row, LEFT_OUT));
        return new State(
                new BuildProgress(totals, (int) number(row, RANGES_DONE), (int) number(row, RANGES)),
                orders(row),
                BuildClaim.of(value(row, CLAIM)),
                text(row, FAILING),
                text(row, PROBLEM));
    }

    private Result get(Get get) throws IOException {
        try (Table table = table()) {
            return table.get(get);
        }
    }

    /** Returns the rows that are backfilled. */
    Coverage coverage() throws IOException {
        Coverage covered = new Coverage();
        NavigableMap<byte[], byte[]> cells =
                get(new Get(BuildFamily.ROW).addFamily(BuildFamily.NAME)).getFamilyMap(BuildFamily.NAME);
        if (cells != null) {
            for (Map.Entry<byte[], byte[]> cell : cells.entrySet()) {
                byte[] qualifier = cell.getKey();
                if (Bytes.startsWith(qualifier, COVERED)) {
                    byte[] start = Bytes.tail(qualifier, qualifier.length - COVERED.length);
                    covered.add(new KeyRange(start, cell.getValue()));
                }
            }
        }
        return covered;
    }

    private static BuildOrders orders(Result row) {
        byte[] rate = value(row, RATE);
        byte[] paused = value(row, PAUSED);
        return new BuildOrders(
                rate == null ? OptionalDouble.empty() : BuildOrders.limit(Bytes.toDouble(rate)),
                paused != null && Bytes.toBoolean(paused));
    }

    /**
     * Remembers which master has taken the index over, and the orders with which the build begins if no master has
     * before.
     *
     * @param indexTable the descriptor of the index's table
     */
    void takeOver(String master, TableDescriptor indexTable) throws IOException {
        Put put = new Put(BuildFamily.ROW).addColumn(BuildFamily.NAME, BuildFamily.BUILDER, Bytes.toBytes(master));
        Get builder = new Get(BuildFamily.ROW).addColumn(BuildFamily.NAME, BuildFamily.BUILDER);
        if (get(builder).isEmpty()) {
            limit(put, BuildFamily.rowsPerSecond(indexTable).orElse(0));
            pause(put, BuildFamily.isPaused(indexTable));
        }
        put(put);
    }

    /** Remembers that a range is backfilled, how far the build is with it, and that its last call did not fail. */
    void covered(KeyRange range, BuildProgress progress) throws IOException {
        put(new Put(BuildFamily.ROW)
                .addColumn(BuildFamily.NAME, Bytes.add(COVERED, range.start()), range.end())
                .addColumn(
                        BuildFamily.NAME, ROWS, Bytes.toBytes(progress.totals().rows()))
                .addColumn(
                        BuildFamily.NAME,
                        ENTRIES,
                        Bytes.toBytes(progress.totals().entries()))
                .addColumn(
                        BuildFamily.NAME,
                        LEFT_OUT,
                        Bytes.toBytes(progress.totals().leftOut()))
                .addColumn(BuildFamily.NAME, RANGES, Bytes.toBytes((long) progress.ranges()))
                .addColumn(BuildFamily.NAME, RANGES_DONE, Bytes.toBytes((long) progress.rangesDone()))
                .addColumn(BuildFamily.NAME, FAILING, new byte[0]));
    }

    /** Remembers why the last call failed, which is retried. */
    void failing(String message) throws IOException {
        put(new Put(BuildFamily.ROW).addColumn(BuildFamily.NAME, FAILING, Bytes.toBytes(message)));
    }

    /**
     * Remembers what a request orders, and keeps the orders that it does not change.
     *
     * @throws DoNotRetryIOException if a job wants to begin, and the build has changed hands since it was submitted; nothing
     *     was recorded
     */
    void order(BuildRequest request) throws IOException {
        Put put = new Put(BuildFamily.ROW);
        if (request.hasRowsPerSecond()) {
            limit(put, request.getRowsPerSecond());
        }
        if (request.hasPaused()) {
            pause(put, request.getPaused());
        }
        if (request.getRetry() || request.hasBeginJob()) {
            put.addColumn(BuildFamily.NAME, PROBLEM, new byte[0]);
        }
        if (request.hasRanges()) {
            put.addColumn(BuildFamily.NAME, RANGES, Bytes.toBytes((long) request.getRanges()));
            put.addColumn(BuildFamily.NAME, RANGES_DONE, Bytes.toBytes(0L));
        }
        if (request.hasBeginJob()) {
            put.addColumn(BuildFamily.NAME, FAILING, new byte[0]);
            begin(request, put);
        } else {
            if (!put.isEmpty()) {
                put(put);
            }
            if (request.hasEndJob()) {
                end(request.getEndJob());
            }
        }
    }

    /** Passes the build to a job, with what that changes; nothing if the job has it already. */
    private void begin(BuildRequest request, Put changes) throws IOException {
        String job = request.getBeginJob();
        BuildClaim claim = claim();
        while (!claim.isOf(job)) {
            if (claim.changes() != request.getChanges()) {
                throw new DoNotRetryIOException(
                        "Job " + job + " does not begin: since it was submitted, the build has passed to "
                                + claim.job().map(other -> "job " + other).orElse("the master")
                                + ", which builds the index; submit a job again to take the build over");
            }
            Put put = new Put(changes)
                    .addColumn(
                            BuildFamily.NAME,
                            CLAIM,
                            claim.passedTo(Optional.of(job)).toBytes());
            if (isWrittenUnder(claim, List.of(put))) {
                return;
            }
            claim = claim();
        }
    }

    /** Passes the build to the master, if a job of that name has it, or any if the name is empty. */
    private void end(String job) throws IOException {
        BuildClaim claim = claim();
        while (claim.job().isPresent() && (job.isEmpty() || claim.isOf(job))) {
            Put put = new Put(BuildFamily.ROW)
                    .addColumn(
                            BuildFamily.NAME,
                            CLAIM,
                            claim.passedTo(Optional.empty()).toBytes());
            if (isWrittenUnder(claim, List.of(put))) {
                return;
            }
            claim = claim();
        }
    }

    private BuildClaim claim() throws IOException {
        return BuildClaim.of(value(get(new Get(BuildFamily.ROW).addColumn(BuildFamily.NAME, CLAIM)), CLAIM));
    }

    /**
     * Remembers that a job has backfilled a range, and adds to the totals by how much the range's own have grown since they
     * were recorded last. A report that arrives twice counts once; two at the same time, of two attempts of one task, may
     * both count.
     *
     * @throws DoNotRetryIOException if the job does not build the index any more; nothing was recorded
     */
    void backfilled(BackfilledRange done) throws IOException {
        BuildClaim claim = claim();
        byte[] start = done.getRange().getStart().toByteArray();
        byte[] totals = Bytes.add(TOTALS_OF_A_RANGE, start);
        long[] before = numbers(value(get(new Get(BuildFamily.ROW).addColumn(BuildFamily.NAME, totals)), totals));
        long[] now = {done.getRows(), done.getEntries(), done.getLeftOut(), done.getCompletes() ? 1 : 0};
        Put put = new Put(BuildFamily.ROW)
                .addColumn(
                        BuildFamily.NAME,
                        Bytes.add(COVERED, start),
                        done.getRange().getEnd().toByteArray())
                .addColumn(BuildFamily.NAME, totals, bytes(now))
                .addColumn(BuildFamily.NAME, FAILING, new byte[0]);
        Increment increment = new Increment(BuildFamily.ROW);
        List<byte[]> sums = List.of(ROWS, ENTRIES, LEFT_OUT, RANGES_DONE);
        for (int i = 0; i < now.length; i++) {
            increment.addColumn(BuildFamily.NAME, sums.get(i), now[i] - before[i]);
        }
        if (!claim.isOf(done.getJob()) || !isWrittenUnder(claim, List.of(put, increment))) {
            throw new DoNotRetryIOException("Not recorded: job " + done.getJob()
                    + " does not build the index any more; a later job does, or the master");
        }
    }

    private static long[] numbers(byte[] value) {
        long[] numbers = new long[4];
        for (int i = 0; value != null && i < numbers.length; i++) {
            numbers[i] = Bytes.toLong(value, i * Long.BYTES);
        }
        return numbers;
    }

    private static byte[] bytes(long... numbers) {
        ByteBuffer bytes = ByteBuffer.allocate(numbers.length * Long.BYTES);
        for (long number : numbers) {
            bytes.putLong(number);
        }
        return bytes.array();
    }

    private static void limit(Put put, double rowsPerSecond) {
        put.addColumn(BuildFamily.NAME, RATE, Bytes.toBytes(rowsPerSecond));
    }

    private static void pause(Put put, boolean isPaused) {
        put.addColumn(BuildFamily.NAME, PAUSED, Bytes.toBytes(isPaused));
    }

    /** Remembers that the build has failed. */
    void failed(String problem) throws IOException {
        put(new Put(BuildFamily.ROW).addColumn(BuildFamily.NAME, PROBLEM, Bytes.toBytes(problem)));
    }

    private void put(Put put) throws IOException {
        Object unused = written(IndexAddress.of(put, id));
    }

    /** Writes to the record if it has that claim; returns whether it has. */
    private boolean isWrittenUnder(BuildClaim claim, List<Mutation> mutations) throws IOException {
        RowMutations together = new RowMutations(BuildFamily.ROW)
                .add(mutations.stream()
                        .map(mutation -> IndexAddress.of(mutation, id))
                        .toList());
        CheckAndMutate.Builder check = CheckAndMutate.newBuilder(BuildFamily.ROW);
        if (claim.equals(BuildClaim.OF_THE_MASTER)) {
            check.ifNotExists(BuildFamily.NAME, CLAIM);
        } else {
            check.ifEquals(BuildFamily.NAME, CLAIM, claim.toBytes());
        }
        return ((CheckAndMutateResult) written(check.build(together))).isSuccess();
    }

    private Object written(Row mutation) throws IOException {
        Object[] results = new Object[1];
        try (Table table = table()) {
            table.batch(List.of(mutation), results);
            return results[0];
        } catch (RetriesExhaustedWithDetailsException e) {
            throw e.getNumExceptions() == 1 && e.getCause(0) instanceof IOException only ? only : e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("Interrupted").initCause(e);
        }
    }

    private Table table() {
        return connection
                .getTableBuilder(indexTable, null)
                .setOperationTimeout(OPERATION_TIMEOUT_MS)
                .setRpcTimeout(RPC_TIMEOUT_MS)
                .build();
    }

    private static byte[] value(Result row, byte[] qualifier) {
        return row.getValue(BuildFamily.NAME, qualifier);
    }

    private static Optional<String> text(Result row, byte[] qualifier) {
        return Optional.ofNullable(value(row, qualifier))
                .filter(value -> value.length > 0)
                .map(Bytes::toString);
    }

    private static long number(Result row, byte[] qualifier) {
        byte[] value = value(row, qualifier);
        return value == null ? 0 : Bytes.toLong(value);
    }
}
