package org.diffindex.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.common.collect.Lists;
import org.diffindex.model.IndexSet;
import org.diffindex.server.deliver.IndexSink;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.maintain.PastRows;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.maintain.RowImages;
import org.diffindex.server.maintain.RowMemory;
import org.diffindex.server.metrics.SlowOperations;
import org.diffindex.server.queue.Spill;
import org.diffindex.server.queue.UpdateQueue;
import org.diffindex.server.trace.Spans;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes to the synchronous indexes the updates that must be durable before a batch is acknowledged: those of the
 * batch's own rows, and those of earlier changes of these rows that are not known to be durable. Thread-safe.
 */
final class SynchronousUpdates {
    private static final Logger LOG = LoggerFactory.getLogger(SynchronousUpdates.class);

    /**
     * The maximum number of earlier changes for which rows are read together and held in memory; after a crash a row
     * may have very many.
     */
    private static final int MOST_TOGETHER = 2_048;

    /** The indexes whose entries are not sent early. */
    private static final IndexSet WITHOUT_EARLY_INSERTS =
            IndexSet.whose(scheme -> !scheme.isAsynchronous() && !scheme.mayInsertBeforeRow());

    private final RegionMaintainers maintainers;
    private final RowMemory memory;
    private final UpdateQueue queue;
    private final Spill spill;
    private final Settings settings;
    private final WaitingHandlers handlers;
    private final IndexSink sink;
    private final Consumer<List<RegionMaintainers.Replaced>> replaced;
    private final SlowOperations slow;
    private final RowsInFlight inFlight = new RowsInFlight();

    /**
     * Creates the synchronous updates of a region.
     *
     * @param memory what the rows of the region show
     * @param queue the region's AUQ, which holds the changes that an earlier failure left
     * @param handlers the server's handlers that wait for index tables
     * @param sink writes to the index tables
     * @param replaced receives the entries that changes left stale which are in the synchronous indexes; may not fail
     * @param slow logs slow writes
     */
    SynchronousUpdates(
            RegionMaintainers maintainers,
            RowMemory memory,
            UpdateQueue queue,
            Spill spill,
            Settings settings,
            WaitingHandlers handlers,
            IndexSink sink,
            Consumer<List<RegionMaintainers.Replaced>> replaced,
            SlowOperations slow) {
        this.maintainers = maintainers;
        this.memory = memory;
        this.queue = queue;
        this.spill = spill;
        this.settings = settings;
        this.handlers = handlers;
        this.sink = sink;
        this.replaced = replaced;
        this.slow = slow;
    }

    /**
     * Begins to maintain the synchronous indexes for the changes of a batch, whose rows must be locked. Until {@link
     * #end}, later writes of the rows complete these changes too.
     *
     * @return the changes by row, each with the earlier ones that are still in flight
     */
    Map<ImmutableBytesWritable, CompletedRow> begin(List<RowChange> changes) {
        Map<ImmutableBytesWritable, CompletedRow> rows = new LinkedHashMap<>();
        Iterator<RowImages> images = maintainers.imagesOf(changes, memory).iterator();
        for (RowChange change : changes) {
            List<RowChange> earlier =
                    maintainers.concernedBy(change, IndexSet.synchronous()) ? inFlight.enter(change) : List.of();
            rows.put(new ImmutableBytesWritable(change.row()), new CompletedRow(change, images.next(), earlier));
        }
        return rows;
    }

    /** Forgets what rows show, which must be locked: a batch that failed, or that HBase never completed, wrote them. */
    void forget(Collection<ImmutableBytesWritable> rows) {
        rows.forEach(row -> memory.forget(row.copyBytes()));
    }

    /** Ends the changes that {@link #begin} registered, if it did: the indexes or the AUQ have them. */
    void end(List<RowChange> changes) {
        changes.forEach(inFlight::leave);
    }

    /**
     * Writes the updates of a visible batch and waits until they are durable.
     *
     * @throws IOException if they are not durable, or may not be
     */
    void write(Collection<CompletedRow> rows, MiniBatch batch) throws IOException {
        WaitingHandlers.Wait wait = handlers.begin();
        long begin = slow.begin();
        try {
            List<IndexUpdate> updates = of(rows, batch);
            if (!updates.isEmpty() || batch.earlyInserts().isPresent()) {
                Spans.within("DiffIndex.write", span -> {}, () -> awaitIndexes(updates, batch));
            }
        } finally {
            wait.end();
            slow.ended(begin, "write", line -> tell(rows, line));
        }
        batch.pending().synchronousDone();
        reportReplaced(rows);
    }

    private void awaitIndexes(List<IndexUpdate> updates, MiniBatch batch) throws IOException {
        if (!updates.isEmpty()) {
            sink.write(updates);
        }
        if (batch.earlyInserts().isPresent()) {
            batch.earlyInserts().get().await();
        }
    }

    private void tell(Collection<CompletedRow> rows, SlowOperations.Line line) {
        line.with("table", maintainers.all().get(0).definition().table()).with("rows", rows.size());
        rows.stream()
                .findFirst()
                .ifPresent(row ->
                        line.with("first_row", Bytes.toStringBinary(row.change().row())));
    }

    /** Reports the entries that changes have left stale. The changes are in the indexes, so a failure concerns no client. */
    private void reportReplaced(Collection<CompletedRow> rows) {
        try {
            List<RegionMaintainers.Replaced> left = new ArrayList<>();
            for (CompletedRow row : rows) {
                left.addAll(maintainers.replaced(row.change(), row.images()));
            }
            replaced.accept(left);
        } catch (IOException | RuntimeException e) {
            LOG.info("Entries that writes have replaced are left to readers, since it is not known which", e);
        }
    }

    private List<IndexUpdate> of(Collection<CompletedRow> rows, MiniBatch batch) throws IOException {
        List<IndexUpdate> updates = new ArrayList<>();
        IndexSet concerned = concerned(rows, batch);
        if (maintainers.haveAny(concerned)) {
            // read before the lacking changes: a write that fails hands its change over before it leaves
            List<List<RowChange>> inFlightNow = inFlightOfRepeated(batch);
            for (List<RowChange> ofRow : lacking(rows, batch, concerned)) {
                addUpdates(ofRow, concerned, updates);
            }
            for (List<RowChange> ofRow : inFlightNow) {
                addUpdates(ofRow, concerned, updates);
            }
            for (CompletedRow row : rows) {
                addUpdates(row.earlier(), concerned, updates);
                updates.addAll(ownUpdates(row, batch));
            }
        }
        return updates;
    }

    /**
     * Returns the synchronous indexes that must have the rows of a batch before it is acknowledged. The others may lack
     * earlier changes of the rows, whose writers were told so; the batch need not wait for them. Which indexes a repeated
     * write concerned is not known.
     */
    private IndexSet concerned(Collection<CompletedRow> rows, MiniBatch batch) {
        return batch.repeated().isEmpty()
                ? maintainers.concernedBy(
                        rows.stream().map(CompletedRow::change).toList(), IndexSet.synchronous())
                : IndexSet.synchronous();
    }

    /**
     * Returns, by row, the changes of other batches that are in flight for the rows of repeated writes; those of the
     * first execution may be among them.
     */
    private List<List<RowChange>> inFlightOfRepeated(MiniBatch batch) {
        List<RowChange> own = batch.pending().changes();
        return batch.repeated().stream()
                .map(row -> inFlight.of(row).stream()
                        .filter(change -> !own.contains(change))
                        .toList())
                .toList();
    }

    /**
     * Returns, by row, the earlier changes of the rows that a synchronous index may lack after a crash or a failure, with
     * all that the concerned indexes lack.
     *
     * @throws IOException if such changes are not loaded from disk within {@link Settings#LOAD_WAIT_MS}
     */
    private List<List<RowChange>> lacking(Collection<CompletedRow> rows, MiniBatch batch, IndexSet concerned)
            throws IOException {
        return spill.whileLackingIsLoaded(concerned, settings.loadWaitMs(), () -> Stream.concat(
                        batch.repeated().stream(),
                        rows.stream().map(row -> row.change().row()))
                .map(queue::lacking)
                .filter(changes -> !changes.isEmpty())
                .toList());
    }

    private void addUpdates(List<RowChange> changes, IndexSet indexes, List<IndexUpdate> updates) throws IOException {
        for (List<RowChange> some : Lists.partition(changes, MOST_TOGETHER)) {
            PastRows past = maintainers.pastOf(some);
            for (RowChange earlier : some) {
                updates.addAll(maintainers.updatesOfThePast(earlier, past, indexes));
            }
        }
    }

    /** Returns the updates of the batch's own change of a row, except those that were sent early. */
    private List<IndexUpdate> ownUpdates(CompletedRow row, MiniBatch batch) throws IOException {
        IndexSet due = batch.earlyInserts().isPresent() ? WITHOUT_EARLY_INSERTS : IndexSet.synchronous();
        return maintainers.updates(row.change(), row.images(), due);
    }
}
