package org.diffindex.server.build;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.TableIndexes;
import org.diffindex.protocol.DiffIndexProtos.FillRequest;
import org.diffindex.protocol.DiffIndexProtos.FillResponse;
import org.diffindex.tasks.IndexStates;
import org.diffindex.tasks.KeyRange;
import org.diffindex.tasks.Messages;
import org.diffindex.tasks.RegionCalls;
import org.diffindex.tasks.Retries;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Backfills an index that is BUILDING, or BROKEN and to be tried again, with the rows written before it, then makes it ACTIVE. The regions of the base
 * table do the work, a page of rows with each call. Each page is recorded when it is written, so that a build which ends
 * with its master is continued by the next one; a page that was written and not recorded is written again, which changes
 * nothing. A failure that may pass is retried for as long as the index is BUILDING. Thread-safe.
 */
final class IndexBuild {
    /** The configuration key for the number of regions that a build works on at a time; 4 by default. */
    static final String REGIONS_KEY = "diffindex.build.regions";

    /** The configuration key for the number of rows that one call reads; 10,000 by default. */
    static final String ROWS_KEY = "diffindex.build.rows";

    private static final int DEFAULT_REGIONS = 4;
    private static final int DEFAULT_ROWS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(IndexBuild.class);

    private final Connection connection;
    private final IndexDefinition index;
    private final BuildRecord record;
    private final RegionCalls regions;
    private final Retries retries;
    private final BuildGate gate;
    private final StateChanges changes;
    private final FillRequest everyPage;
    private final int rowsOfAPage;
    private final int regionsAtATime;

    /** Guarded by this. */
    private BuildProgress progress;

    /**
     * Creates the build of an index.
     *
     * @param connection the master's own
     * @param state what earlier builds of the index have recorded
     * @param changes makes the changes of the index's state
     */
    IndexBuild(Connection connection, IndexDefinition index, BuildRecord.State state, StateChanges changes) {
        Configuration conf = connection.getConfiguration();
        this.connection = connection;
        this.index = index;
        this.record = BuildRecord.of(connection, index);
        this.regions = new RegionCalls(connection, index.table());
        this.retries = new Retries(Long.MAX_VALUE, this::requireWorthwhile, this::failing);
        this.changes = changes;
        this.gate = new BuildGate(state.orders());
        this.progress = state.progress();
        this.rowsOfAPage = conf.getInt(ROWS_KEY, DEFAULT_ROWS);
        this.regionsAtATime = conf.getInt(REGIONS_KEY, DEFAULT_REGIONS);
        int rpcTimeout = conf.getInt(HConstants.HBASE_RPC_TIMEOUT_KEY, HConstants.DEFAULT_HBASE_RPC_TIMEOUT);
        this.everyPage = FillRequest.newBuilder()
                .setIndex(index.name())
                .setIndexId(index.id())
                .setMaxRows(1)
                .setMaxMs(Math.max(1, rpcTimeout / 4))
                .build();
    }

    /** Makes the build follow orders, from the next page on. */
    void order(BuildOrders orders) {
        gate.set(orders);
    }

    synchronized BuildProgress progress() {
        return progress;
    }

    /** Builds the index; returns when it is ACTIVE, is dropped, or the build has failed or is interrupted. */
    void run() {
        try {
            boolean again = retries.get(this::retry);
            Coverage covered = retries.get(record::coverage);
            LOG.info(again ? "Building {}, which was BROKEN, again" : "Building {}", index);
            regions.walk(covered.gaps(), regionsAtATime, this::page, this::rangesDone);
            boolean active = retries.get(this::activate);
            LOG.info(
                    active ? "{} is ACTIVE: {}" : "{} was dropped or disabled while it was built: {}",
                    index,
                    progress());
        } catch (IOException | RuntimeException | LinkageError e) {
            endAfter(e);
        }
    }

    /** Makes the index BUILDING if it is BROKEN; returns whether it was. */
    private boolean retry() throws IOException {
        return changes.make(admin -> IndexStates.retry(admin, index.indexTable(), index.id()));
    }

    private boolean activate() throws IOException {
        return changes.make(admin -> IndexStates.activate(
                admin, index.indexTable(), index.id(), progress().totals()));
    }

    /**
     * Ends the build. If it is to go on only when an operator has removed the cause, records that; the index then becomes
     * BROKEN.
     */
    private void endAfter(Throwable failure) {
        if (Thread.currentThread().isInterrupted() || Retries.isInterrupt(failure)) {
            LOG.info(
                    "The build of {} ends here: the index is dropped, a job builds it, or this master stops and the next"
                            + " one continues",
                    index);
            return;
        }
        try {
            if (retries.get(this::isWorthwhile)) {
                LOG.warn("The build of {} has failed", index, failure);
                retries.get(() -> {
                    record.failed(Messages.of(failure));
                    return null;
                });
            } else {
                LOG.info("The build of {} ends: it is dropped or disabled, or another master has built it", index);
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn("That the build of {} has failed could not be recorded; it will be tried again", index, e);
        }
    }

    private byte[] page(KeyRange range, byte[] row) throws IOException {
        FillRequest request = requestFor(range, row, gate.pass(rowsOfAPage));
        FillResponse page = retries.get(() -> regions.call(row, service -> service.fill(null, request)));
        byte[] next = page.hasNextRow()
                ? page.getNextRow().toByteArray()
                : regions.endOf(page.hasRegionEnd(), page.getRegionEnd());
        covered(new KeyRange(range.start(), range.endsBy(next) ? range.end() : next), page);
        return next;
    }

    /** Records a page. One after the other, so that the recorded totals grow. */
    private synchronized void covered(KeyRange range, FillResponse page) throws IOException {
        progress = progress.plus(page);
        retries.get(() -> {
            record.covered(range, progress);
            return null;
        });
    }

    private synchronized void rangesDone(int done, int all) {
        progress = progress.withRanges(done, all);
    }

    /** Records the failure of a call that is retried, if that is possible now. */
    private void failing(String message) {
        try {
            record.failing(message);
        } catch (IOException e) {
            LOG.debug("That a call for {} fails could not be recorded", index, e);
        }
    }

    private FillRequest requestFor(KeyRange range, byte[] row, int rows) {
        FillRequest.Builder request = everyPage.toBuilder().setMaxRows(rows);
        if (row.length > 0) {
            request.setStartRow(ByteString.copyFrom(row));
        }
        if (range.end().length > 0) {
            request.setStopRow(ByteString.copyFrom(range.end()));
        }
        return request.build();
    }

    /**
     * Throws an exception unless the index is still to be built.
     *
     * @throws DoNotRetryIOException if it is not: it is dropped, disabled, or ACTIVE
     */
    private void requireWorthwhile() throws IOException {
        if (!isWorthwhile()) {
            throw new DoNotRetryIOException(index + " is not to be built any more");
        }
    }

    private boolean isWorthwhile() throws IOException {
        Optional<TableDescriptor> base = find(index.table());
        Optional<TableDescriptor> own = find(index.indexTable());
        return base.isPresent()
                && own.isPresent()
                && index.equals(TableIndexes.of(base.get()).loaded().get(index.name()))
                && IndexDefinitions.indexIdOf(own.get()).equals(index.id())
                && IndexDefinitions.stateOf(own.get()).isIncomplete();
    }

    private Optional<TableDescriptor> find(TableName table) throws IOException {
        try (Admin admin = connection.getAdmin()) {
            return Optional.of(admin.getDescriptor(table));
        } catch (TableNotFoundException e) {
            return Optional.empty();
        }
    }
}
