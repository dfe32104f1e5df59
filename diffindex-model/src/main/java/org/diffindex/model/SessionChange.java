package org.diffindex.model;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellBuilderFactory;
import org.apache.hadoop.hbase.CellBuilderType;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * What a write made in a session came to in one async-session index, as the server tells the session in the answer to that
 * write: which entry the row has now, and since when. Whatever else the index holds of the row from before is past, whether
 * its deletion is on its way because of this write, of an earlier try of it, or of somebody else's write. The paper (section
 * 5.2) has the server return the old value instead; that is not enough for a write that is sent twice, whose old value is
 * what the first try has put.
 *
 * <p>A mutation that carries {@link #ATTRIBUTE} is answered with a {@link Result} of one cell for each change: row = the base
 * row, family = the index's name, qualifier = its id, timestamp = the first stamp of the write; value = empty if the row has no entry, else the
 * entry's stamp (8 bytes) and the entry ({@link EntryFormat#toBytes}). Immutable.
 */
public final class SessionChange {
    /** The mutation attribute by which a session asks for the changes. */
    public static final String ATTRIBUTE = "diffindex.session";

    private final String index;
    private final String indexId;
    private final byte[] row;
    private final long since;
    private final IndexEntry entry;
    private final long stamp;

    private SessionChange(String index, String indexId, byte[] row, long since, IndexEntry entry, long stamp) {
        this.index = index;
        this.indexId = indexId;
        this.row = row;
        this.since = since;
        this.entry = entry;
        this.stamp = stamp;
    }

    /**
     * Since the given stamp the row has that entry.
     *
     * @param stamp the stamp of the entry, not smaller than the other
     */
    public static SessionChange entry(IndexDefinition index, byte[] row, long since, IndexEntry entry, long stamp) {
        return new SessionChange(index.name(), index.id(), row, since, entry, stamp);
    }

    /** Since the given stamp the row has no entry. */
    public static SessionChange noEntry(IndexDefinition index, byte[] row, long since) {
        return new SessionChange(index.name(), index.id(), row, since, null, since);
    }

    /** The index's name. */
    public String index() {
        return index;
    }

    /** The id that tells the index from others of its name, see {@link IndexDefinition#id}. */
    public String indexId() {
        return indexId;
    }

    /** The base row; not a copy. */
    public byte[] row() {
        return row;
    }

    /** The first stamp of the write: an entry of the row with a smaller one is past, unless it is {@link #entry}. */
    public long since() {
        return since;
    }

    /** The row's entry; empty if it has none. */
    public Optional<IndexEntry> entry() {
        return Optional.ofNullable(entry);
    }

    /** The stamp of the entry. */
    public long stamp() {
        return stamp;
    }

    /** The changes that an answer holds; none for the answer to a mutation that did not ask. */
    public static List<SessionChange> of(Result result) {
        List<SessionChange> changes = new ArrayList<>();
        if (!result.isEmpty()) {
            for (Cell cell : result.rawCells()) {
                changes.add(of(cell));
            }
        }
        return changes;
    }

    private static SessionChange of(Cell cell) {
        // One string for all changes of an index: a session may remember many.
        String index = Bytes.toString(CellUtil.cloneFamily(cell)).intern();
        String indexId = Bytes.toString(CellUtil.cloneQualifier(cell)).intern();
        byte[] row = CellUtil.cloneRow(cell);
        long since = cell.getTimestamp();
        if (cell.getValueLength() == 0) {
            return new SessionChange(index, indexId, row, since, null, since);
        }
        ByteBuffer value = ByteBuffer.wrap(CellUtil.cloneValue(cell));
        long stamp = value.getLong();
        return new SessionChange(index, indexId, row, since, EntryFormat.fromBytes(value), stamp);
    }

    /** The answer that holds these changes, which are of one row. */
    public static Result toResult(List<SessionChange> changes) {
        List<Cell> cells = new ArrayList<>(changes.size());
        for (SessionChange change : changes) {
            cells.add(CellBuilderFactory.create(CellBuilderType.DEEP_COPY)
                    .setRow(change.row)
                    .setFamily(Bytes.toBytes(change.index))
                    .setQualifier(Bytes.toBytes(change.indexId))
                    .setTimestamp(change.since)
                    .setType(Cell.Type.Put)
                    .setValue(change.value())
                    .build());
        }
        cells.sort(CellComparator.getInstance());
        return Result.create(cells);
    }

    private byte[] value() {
        return entry == null
                ? HConstants.EMPTY_BYTE_ARRAY
                : Bytes.add(Bytes.toBytes(stamp), EntryFormat.toBytes(entry));
    }

    @Override
    public String toString() {
        String has = entry == null ? "no entry" : entry + " at " + stamp;
        return index + ": " + Bytes.toStringBinary(row) + " has " + has + " since " + since;
    }
}
