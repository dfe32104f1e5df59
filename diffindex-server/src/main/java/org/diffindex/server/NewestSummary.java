package org.diffindex.server;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.diffindex.model.EntryFormat;

/** Keeps the newest of the entries, by their base timestamps; of two with the same timestamp that of the lesser key first. */
final class NewestSummary implements EntrySummary {
    private static final long MOST_BYTES = 16 << 20;

    private static final Comparator<Cell> BY_KEY = CellComparator.getInstance()::compareRows;

    /** An entry, and its base timestamp. */
    private record Kept(long timestamp, Cell cell) {}

    /** The order in which entries are dropped: the oldest first, of several that of the greatest key. */
    private static final Comparator<Kept> OLDEST_FIRST =
            Comparator.comparingLong(Kept::timestamp).thenComparing(kept -> kept.cell(), BY_KEY.reversed());

    private final int most;
    private final PriorityQueue<Kept> kept = new PriorityQueue<>(OLDEST_FIRST);
    private long bytes;

    NewestSummary(int most) {
        this.most = most;
    }

    @Override
    public void add(Cell entry) {
        long timestamp = EntryFormat.timestampOf(entry);
        if (kept.size() == most) {
            if (timestamp <= kept.peek().timestamp()) {
                return; // entries come in key order: of the same timestamp it is the last
            }
            bytes -= kept.remove().cell().getSerializedSize();
        }
        Cell own = KeyValueUtil.copyToNewKeyValue(entry);
        kept.add(new Kept(timestamp, own));
        bytes += own.getSerializedSize();
    }

    @Override
    public boolean isFull() {
        return bytes >= MOST_BYTES;
    }

    @Override
    public List<Cell> take() {
        List<Cell> taken = new ArrayList<>(kept.size());
        kept.forEach(each -> taken.add(each.cell()));
        taken.sort(BY_KEY);
        kept.clear();
        bytes = 0;
        return taken;
    }
}
