package org.diffindex.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hbase.thirdparty.com.google.common.collect.Lists;
import org.diffindex.model.Aggregate;
import org.diffindex.model.EntryCount;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexKeyCodec;

/** What a region of {@link FakeHBase} answers for its entries, as the coprocessor of an index table does. */
final class FakeAggregates {
    private FakeAggregates() {}

    /**
     * Returns the rows of the answer.
     *
     * @param entries the entries that the scan sees, in key order
     * @param step how many of them are read together
     */
    static List<Cell> answer(Scan scan, List<Cell> entries, int step) {
        Optional<Aggregate> asked = Aggregate.of(scan);
        if (asked.isEmpty()) {
            return entries;
        }
        List<Cell> rows = new ArrayList<>();
        for (List<Cell> part : Lists.partition(entries, step)) {
            rows.addAll(
                    asked.get() instanceof Aggregate.Count count
                            ? counts(count, part)
                            : newest(((Aggregate.Newest) asked.get()).most(), part));
        }
        return rows;
    }

    private static List<Cell> counts(Aggregate.Count count, List<Cell> part) {
        List<Cell> rows = new ArrayList<>();
        long entries = 0;
        for (int i = 0; i < part.size(); i++) {
            entries++;
            byte[] key = CellUtil.cloneRow(part.get(i));
            boolean isLast = i + 1 == part.size()
                    || !Arrays.equals(
                            IndexKeyCodec.beginning(key, count.groupedBy()),
                            IndexKeyCodec.beginning(CellUtil.cloneRow(part.get(i + 1)), count.groupedBy()));
            if (isLast) {
                rows.add(EntryCount.toCell(key, entries));
                entries = 0;
            }
        }
        return rows;
    }

    private static List<Cell> newest(int most, List<Cell> part) {
        return part.stream()
                .sorted(Comparator.comparingLong(EntryFormat::timestampOf).reversed())
                .limit(most)
                .sorted(CellComparator.getInstance()::compareRows)
                .toList();
    }
}
