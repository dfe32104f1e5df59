package org.diffindex.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnType;
import org.diffindex.model.EntryCount;
import org.diffindex.model.IndexKeyCodec;

/** Counts entries, apart for each group of successive ones with the same values in the first columns. */
final class CountSummary implements EntrySummary {
    private static final int MOST_GROUPS = 1_000;

    /** The keys of groups are kept until they are taken; each has up to 32 KB. */
    private static final int MOST_BYTES = 1 << 20;

    private final List<ColumnType> groupedBy;
    private final List<Cell> groups = new ArrayList<>();
    private long bytes;

    /** The first bytes of the keys of the present group; null before the first entry. */
    private byte[] group;

    /** The last entry of the present group; null if it has none that was not taken. */
    private Cell last;

    private long count;

    /** Creates a count by columns of these types, the first of the index; by none of them, of all entries. */
    CountSummary(List<ColumnType> groupedBy) {
        this.groupedBy = groupedBy;
    }

    @Override
    public void add(Cell entry) throws IOException {
        if (!groupedBy.isEmpty() && !isOfGroup(entry)) {
            endGroup();
            group = beginningOf(entry);
        }
        last = entry;
        count++;
    }

    /** Returns whether a key begins as those of the group. Key bytes are self-delimiting, so its values are the same then. */
    private boolean isOfGroup(Cell entry) {
        return group != null
                && entry.getRowLength() >= group.length
                && Bytes.equals(entry.getRowArray(), entry.getRowOffset(), group.length, group, 0, group.length);
    }

    private byte[] beginningOf(Cell entry) throws DoNotRetryIOException {
        try {
            return IndexKeyCodec.beginning(CellUtil.cloneRow(entry), groupedBy);
        } catch (IllegalArgumentException e) {
            throw new DoNotRetryIOException(
                    "Nothing was counted: the index table holds a row that is not an entry of the index; scrub the index"
                            + " with repair",
                    e);
        }
    }

    private void endGroup() {
        if (last != null) {
            groups.add(EntryCount.toCell(CellUtil.cloneRow(last), count));
            bytes += last.getRowLength();
            last = null;
            count = 0;
        }
    }

    @Override
    public boolean isFull() {
        return groups.size() >= MOST_GROUPS || bytes >= MOST_BYTES;
    }

    @Override
    public List<Cell> take() {
        endGroup();
        List<Cell> taken = List.copyOf(groups);
        groups.clear();
        bytes = 0;
        return taken;
    }
}
