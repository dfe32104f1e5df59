package org.diffindex.client;

import com.google.protobuf.ByteString;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.TableIndexes;
import org.diffindex.protocol.DiffIndexProtos.StaleEntry;

/** Lets a simulation in another package read by an index as {@link IndexedTable} does, from tables of its own. */
public final class SimulatedReads {
    /** Tells whether the row of an entry is known to yield it. */
    @FunctionalInterface
    public interface Check {
        boolean isYielded(byte[] row, IndexEntry entry);
    }

    private SimulatedReads() {}

    /**
     * Opens a read by an index whose definition is known.
     *
     * @param secondLook whether the read looks again at the regions that its scan has passed, where the scheme requires
     * it
     * @param remembers whether the read remembers what its scan meets until it is told a read point
     * @param check tells whether the row of an entry is known to yield it
     * @param stale receives the entries that are to be reported
     */
    public static IndexScanner open(
            IndexDefinition definition,
            IndexQuery query,
            Table base,
            Table index,
            boolean secondLook,
            boolean remembers,
            Check check,
            Consumer<List<StaleEntry>> stale) {
        QueryBounds bounds = QueryBounds.of(query, definition);
        TableIndexes stored = new TableIndexes(Map.of(definition.name(), definition), Map.of());
        FailedReads failed =
                new FailedReads(new IndexCatalog(definition.table(), () -> stored), definition, Optional::empty);
        QueryView view = remembers
                ? new QueryView(bounds, definition.entryFormat(), failed)
                : new QueryView(bounds, definition.entryFormat(), failed, new UntoldEntries(0));
        ReadMode mode = new ReadMode(definition.scheme(), failed);
        RangesReader reader = new RangesReader(definition, index, query, bounds, view, mode, failed);
        EntrySource source =
                secondLook ? new SecondLook(reader, view, definition, index, query.caching(), mode, failed) : reader;
        StaleEntryFilter.Sink sink = definition.scheme().leavesStaleEntries()
                ? entries -> stale.accept(toReport(definition, entries))
                : entries -> {};
        StaleEntryFilter filter = new StaleEntryFilter(
                new IndexEntryFunction(definition),
                bounds,
                base,
                index,
                view,
                candidates -> confirmed(definition, candidates, check),
                sink,
                mode,
                query.isWithRows(),
                source::hides);
        return new IndexScanner(
                source, filter, query, key -> PageToken.of(definition, bounds, key), () -> {}, () -> {});
    }

    private static BitSet confirmed(IndexDefinition definition, List<Candidate> candidates, Check check) {
        BitSet confirmed = new BitSet();
        if (definition.scheme().leavesStaleEntries()) {
            for (int i = 0; i < candidates.size(); i++) {
                Candidate candidate = candidates.get(i);
                confirmed.set(
                        i,
                        check.isYielded(candidate.key().row(), candidate.found().entry()));
            }
        }
        return confirmed;
    }

    private static List<StaleEntry> toReport(IndexDefinition definition, List<FoundEntry> entries) {
        IndexKeyCodec codec = new IndexKeyCodec(definition);
        return entries.stream()
                .map(entry -> StaleEntry.newBuilder()
                        .setRow(ByteString.copyFrom(codec.decode(entry.key()).row()))
                        .setKey(ByteString.copyFrom(entry.key()))
                        .setStamp(entry.stamp())
                        .build())
                .toList();
    }
}
