package org.diffindex.server.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.server.local.Flights;
import org.diffindex.server.sim.SimulationFailure.Kind;

/** Compares the entries that the indexes hold with what the base shows. */
final class Comparison {
    private final Cluster cluster;

    Comparison(Cluster cluster) {
        this.cluster = cluster;
    }

    /**
     * Checks a row whose writes have all ended, the last with an acknowledgement: the synchronous indexes must hold its
     * entries.
     */
    void acknowledged(String row, OpenRegion region) {
        for (IndexTable index : cluster.indexes.values()) {
            if (!index.definition.scheme().isAsynchronous()) {
                NavigableSet<String> expected = expected(index.definition, region.visible());
                expected.removeIf(entry -> !isOf(row, entry));
                NavigableSet<String> held = index.content().entries();
                held.removeIf(entry -> !isOf(row, entry));
                compare(index.definition, expected, held, "After the acknowledgement");
            }
        }
    }

    /** Checks that the base shows what the last write of the row wrote. */
    static void base(String row, ClientWrite write, boolean inOrder, OpenRegion region) {
        Set<String> expected = write.originsAfter(row, inOrder);
        if (!expected.isEmpty()) {
            String shown = Versions.visible(region.cellsOf(Flights.row(row)), Long.MAX_VALUE).stream()
                    .filter(cell -> CellUtil.matchingQualifier(cell, ClientWrite.ORIGIN))
                    .map(cell -> Bytes.toString(CellUtil.cloneValue(cell)))
                    .findFirst()
                    .orElse("");
            if (!expected.contains(shown)) {
                throw new SimulationFailure(
                        Kind.BASE, "After the answer to " + write + " the base shows '" + shown + "'");
            }
        }
    }

    /** Checks all indexes against the base when nothing is in flight. */
    void end() {
        for (IndexTable index : cluster.indexes.values()) {
            NavigableSet<String> expected = new TreeSet<>();
            for (StoreFiles region : cluster.regions) {
                expected.addAll(expected(index.definition, region.open.visible()));
            }
            compare(index.definition, expected, index.content().entries(), "In the end");
        }
    }

    private static boolean isOf(String row, String entry) {
        return entry.contains(row + "@");
    }

    private void compare(IndexDefinition index, NavigableSet<String> expected, NavigableSet<String> held, String when) {
        boolean right = index.scheme().leavesStaleEntries()
                ? expected.stream().allMatch(entry -> holds(held, entry))
                : held.equals(expected);
        if (!right) {
            throw new SimulationFailure(
                    Kind.INDEX, when + " " + index.name() + " holds " + held + ", the base asks for " + expected);
        }
    }

    /** Returns whether an entry is held; if writes can be lost, also with the later stamp of a lost write. */
    private boolean holds(NavigableSet<String> held, String entry) {
        return held.contains(entry)
                || (cluster.losesWrites()
                        && held.stream()
                                .anyMatch(
                                        other -> keyOf(other).equals(keyOf(entry)) && stampOf(other) > stampOf(entry)));
    }

    private static String keyOf(String entry) {
        return entry.substring(0, entry.lastIndexOf('@'));
    }

    private static long stampOf(String entry) {
        return Long.parseLong(entry.substring(entry.lastIndexOf('@') + 1));
    }

    /** Returns the entries that the visible cells yield. */
    private static NavigableSet<String> expected(IndexDefinition index, List<KeyValue> visible) {
        TreeMap<byte[], List<Cell>> rows = new TreeMap<>(Bytes.BYTES_COMPARATOR);
        visible.forEach(cell -> rows.computeIfAbsent(CellUtil.cloneRow(cell), row -> new ArrayList<>())
                .add(cell));
        IndexEntryFunction function = new IndexEntryFunction(index);
        NavigableSet<String> entries = new TreeSet<>();
        rows.forEach((row, cells) -> function.entryOf(row, cells).ifPresent(entry -> entries.add(entry.toString())));
        return entries;
    }
}
