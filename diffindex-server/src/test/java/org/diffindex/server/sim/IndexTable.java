package org.diffindex.server.sim;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.server.deliver.IndexTableModel;

/**
 * An index table of one region, which moves between servers, is away for a while, and whose calls fail before, after, or
 * in the middle of what they do.
 */
final class IndexTable {
    private static final int FAILS_ONCE_IN = 12;

    final IndexDefinition definition;
    private final Scheduler scheduler;
    private final Wiring wiring;
    private final IndexTableModel content = new IndexTableModel();

    /** Where its region is. */
    Server server;

    /** The region is being opened. */
    boolean away;

    /** Calls fail until this ends. */
    boolean outage;

    /** Calls now and then fail for no reason that one sees. */
    boolean shaky;

    IndexTable(Scheduler scheduler, Wiring wiring, IndexDefinition definition) {
        this.scheduler = scheduler;
        this.wiring = wiring;
        this.definition = definition;
    }

    IndexTableModel content() {
        return content;
    }

    /** The remote call of HBase's client: runs on the table's server even if the caller dies meanwhile. */
    void batch(List<? extends Mutation> mutations) throws IOException {
        if (!scheduler.held().isEmpty()) {
            throw new Finding("A remote call is made while the caller holds " + scheduler.held());
        }
        if (!scheduler.isFirst("call to " + definition.name())
                && scheduler.runningName().startsWith("write")) {
            throw new Finding("One batch of writes makes more than one call to " + definition.name());
        }
        List<? extends Mutation> ordered = mutations.stream()
                .sorted(Comparator.comparing(Mutation::getRow, Bytes.BYTES_COMPARATOR))
                .toList();
        Server callee = server;
        if (outage || away || !callee.alive) {
            scheduler.pause("finds " + definition.name() + " away");
            throw new IOException("The index table is not available");
        }
        IOException[] failure = new IOException[1];
        boolean urgent = ordered.stream().allMatch(mutation -> mutation.getPriority() >= HConstants.HIGH_QOS);
        Server.Slots slots = wiring.sharesHandlers() || !urgent ? callee.handlers : callee.priorityHandlers;
        Scheduler.Actor call = scheduler.spawn(
                "call of " + scheduler.runningName(),
                callee,
                () -> slots.run(() -> {
                    try {
                        apply(ordered);
                    } catch (IOException e) {
                        failure[0] = e;
                    }
                }));
        scheduler.await("the answer of " + definition.name(), () -> call.isOver() || !callee.alive);
        if (!callee.alive) {
            throw new IOException("The server of the index table is gone");
        }
        if (failure[0] != null) {
            throw failure[0];
        }
    }

    private void apply(List<? extends Mutation> mutations) throws IOException {
        int failAt =
                shaky && scheduler.onceIn(FAILS_ONCE_IN) ? scheduler.random().nextInt(mutations.size() + 1) : -1;
        for (int i = 0; i < mutations.size(); i++) {
            if (i == failAt || outage) {
                throw new IOException("The index table failed after " + i + " mutations");
            }
            scheduler.pause("writes " + definition.name() + " " + text(mutations.get(i)));
            content.apply(mutations.get(i));
            if (wiring.purgesIndexTombstones() && scheduler.onceIn(3)) {
                content.majorCompact();
            }
        }
        if (failAt == mutations.size()) {
            throw new IOException("The answer of the index table was lost");
        }
    }

    private static String text(Mutation mutation) {
        long time =
                mutation.getFamilyCellMap().values().iterator().next().get(0).getTimestamp();
        return mutation.getClass().getSimpleName() + " " + Bytes.toStringBinary(mutation.getRow()) + "@"
                + time % 1_000_000;
    }
}
