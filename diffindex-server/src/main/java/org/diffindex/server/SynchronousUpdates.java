package org.diffindex.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hbase.thirdparty.com.google.common.collect.Lists;
import org.diffindex.model.IndexDefinition;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.maintain.PastRows;
import org.diffindex.server.maintain.RowChange;

/**
 * Writes to the synchronous indexes what has to be there before a batch is acknowledged: the updates of its own rows, and
 * those of earlier changes of these rows that others have not written yet. Safe for use by many threads.
 */
final class SynchronousUpdates {
    /** Of how many earlier changes the rows are read together, and in memory: after a crash a row may have very many. */
    private static final int MOST_TOGETHER = 2_048;

    private final RegionIndexes indexes;

    SynchronousUpdates(RegionIndexes indexes) {
        this.indexes = indexes;
    }

    static boolean isSynchronous(IndexDefinition index) {
        return !index.scheme().isAsynchronous();
    }

    /**
     * Writes the updates of a batch that is visible, and waits until they are durable.
     *
     * @throws IOException if they are not, or may not be
     */
    void write(Collection<CompletedRow> rows, MiniBatch batch) throws IOException {
        WaitingHandlers.Wait wait = indexes.server().waitingHandlers().begin();
        try {
            List<IndexUpdate> updates = of(rows, batch);
            if (!updates.isEmpty()) {
                indexes.server().sink().write(updates);
                indexes.stats().countWritten(updates);
            }
            if (batch.earlyInserts().isPresent()) {
                indexes.stats().countWritten(batch.earlyInserts().get().await());
            }
        } finally {
            wait.end();
        }
        batch.inFlight().synchronousDone();
    }

    private List<IndexUpdate> of(Collection<CompletedRow> rows, MiniBatch batch) throws IOException {
        List<IndexUpdate> updates = new ArrayList<>();
        if (indexes.maintainers().hasSynchronous()) {
            for (List<RowChange> ofRow : lacking(rows, batch)) {
                addUpdates(ofRow, updates);
            }
            for (CompletedRow row : rows) {
                addUpdates(row.earlier(), updates);
                updates.addAll(synchronousUpdates(row, batch));
            }
        }
        return updates;
    }

    /** Earlier changes of the rows that a crash or a failure left behind, by row. */
    private List<List<RowChange>> lacking(Collection<CompletedRow> rows, MiniBatch batch) throws IOException {
        return indexes.spill().whileLackingIsLoaded(indexes.server().settings().loadWaitMs(), () -> Stream.concat(
                        batch.repeated().stream(),
                        rows.stream().map(row -> row.change().row()))
                .map(indexes.queue()::lacking)
                .filter(changes -> !changes.isEmpty())
                .toList());
    }

    private void addUpdates(List<RowChange> changes, List<IndexUpdate> updates) throws IOException {
        for (List<RowChange> some : Lists.partition(changes, MOST_TOGETHER)) {
            PastRows past = indexes.maintainers().pastOf(some);
            for (RowChange earlier : some) {
                updates.addAll(
                        indexes.maintainers().updatesOfThePast(earlier, past, SynchronousUpdates::isSynchronous));
            }
        }
    }

    /** Those that are not under way already. */
    private List<IndexUpdate> synchronousUpdates(CompletedRow row, MiniBatch batch) throws IOException {
        boolean insertsAreUnderWay = batch.earlyInserts().isPresent();
        return indexes.maintainers()
                .updates(
                        row.change(),
                        row.images(),
                        index -> isSynchronous(index) && !(insertsAreUnderWay && EarlyInserts.areFor(index)));
    }
}
