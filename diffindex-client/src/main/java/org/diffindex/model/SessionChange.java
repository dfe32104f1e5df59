package org.diffindex.model;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellBuilderFactory;
import org.apache.hadoop.hbase.CellBuilderType;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * What a write made in a session did to one async-session index, as the server tells the session in the answer to that
 * write (paper, section 5.2: "requests that the server returns the old value and the new timestamp").
 *
 * <p>A mutation that carries {@link #ATTRIBUTE} is answered with a {@link Result} of one cell for each change: row = the
 * entry's key, family = the index's name, qualifier = {@code +} for an entry put or {@code -} for one deleted, timestamp
 * = the stamp of {@link IndexCell}, value = the entry's base timestamp, 8 bytes. Immutable.
 */
public final class SessionChange {
    /** The mutation attribute by which a session asks for the changes. */
    public static final String ATTRIBUTE = "diffindex.session";

    private static final byte[] INSERT = Bytes.toBytes("+");
    private static final byte[] DELETE = Bytes.toBytes("-");

    private final String index;
    private final boolean insert;
    private final IndexEntry entry;
    private final long stamp;

    private SessionChange(String index, boolean insert, IndexEntry entry, long stamp) {
        this.index = index;
        this.insert = insert;
        this.entry = entry;
        this.stamp = stamp;
    }

    /** The entry was put at that stamp. */
    public static SessionChange insert(String index, IndexEntry entry, long stamp) {
        return new SessionChange(index, true, entry, stamp);
    }

    /** The entry was deleted as it was at any stamp up to, and with, the given one. */
    public static SessionChange delete(String index, IndexEntry entry, long stamp) {
        return new SessionChange(index, false, entry, stamp);
    }

    public String index() {
        return index;
    }

    /** Whether the entry was put; if not, it was deleted. */
    public boolean isInsert() {
        return insert;
    }

    public IndexEntry entry() {
        return entry;
    }

    public long stamp() {
        return stamp;
    }

    /** The changes that an answer holds; none for the answer to a mutation that did not ask. */
    public static List<SessionChange> of(Result result) {
        List<SessionChange> changes = new ArrayList<>();
        if (!result.isEmpty()) {
            for (Cell cell : result.rawCells()) {
                IndexEntry entry = new IndexEntry(CellUtil.cloneRow(cell), Bytes.toLong(CellUtil.cloneValue(cell)));
                boolean insert = CellUtil.matchingQualifier(cell, INSERT);
                String index = Bytes.toString(CellUtil.cloneFamily(cell));
                changes.add(new SessionChange(index, insert, entry, cell.getTimestamp()));
            }
        }
        return changes;
    }

    /** The answer that holds these changes. */
    public static Result toResult(List<SessionChange> changes) {
        List<Cell> cells = new ArrayList<>(changes.size());
        for (SessionChange change : changes) {
            cells.add(CellBuilderFactory.create(CellBuilderType.DEEP_COPY)
                    .setRow(change.entry.key())
                    .setFamily(Bytes.toBytes(change.index))
                    .setQualifier(change.insert ? INSERT : DELETE)
                    .setTimestamp(change.stamp)
                    .setType(Cell.Type.Put)
                    .setValue(Bytes.toBytes(change.entry.timestamp()))
                    .build());
        }
        cells.sort(CellComparator.getInstance());
        return Result.create(cells);
    }

    @Override
    public String toString() {
        return index + (insert ? " + " : " - ") + entry + " at " + stamp;
    }
}
