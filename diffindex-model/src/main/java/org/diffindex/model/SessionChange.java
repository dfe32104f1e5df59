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
 * The effect of a session's write on one async-session index, returned by the server in the response to that write: the
 * entry the row now has, and the stamp since which it has it. Every other entry of the row with a smaller stamp is
 * obsolete, whether this write, an earlier attempt of it or another client's write is about to delete it. In the paper
 * (section 5.2) the server returns the old value instead; that is insufficient for a write that is retried, whose old
 * value is the one the first attempt put.
 *
 * <p>A mutation that carries {@link #ATTRIBUTE} is answered with a {@link Result} of one cell per change: row = the
 * base row, family = the index's name, qualifier = its id, timestamp = the first stamp of the write; value = empty if
 * the row has no entry, else the entry's stamp (8 bytes) and the entry ({@link EntryFormat#toBytes}), without what it includes. Immutable.
 */
public final class SessionChange {
    /** The mutation attribute by which a session requests the changes. */
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
     * Creates a change to an entry that the row has since a stamp.
     *
     * @param since the first stamp of the write
     * @param stamp the stamp of the entry, not smaller than {@code since}
     */
    public static SessionChange entry(IndexDefinition index, byte[] row, long since, IndexEntry entry, long stamp) {
        return new SessionChange(index.name(), index.id(), row, since, entry, stamp);
    }

    /** Creates a change to no entry since a stamp. */
    public static SessionChange noEntry(IndexDefinition index, byte[] row, long since) {
        return new SessionChange(index.name(), index.id(), row, since, null, since);
    }

    /** Returns the index's name. */
    public String index() {
        return index;
    }

    /** Returns the index's id ({@link IndexDefinition#id}). */
    public String indexId() {
        return indexId;
    }

    /** Returns the base row key; not a copy. */
    public byte[] row() {
        return row;
    }

    /**
     * Returns the first stamp of the write: an entry of the row with a smaller stamp is obsolete, unless it is {@link
     * #entry}.
     */
    public long since() {
        return since;
    }

    /** Returns the row's entry; empty if it has none. */
    public Optional<IndexEntry> entry() {
        return Optional.ofNullable(entry);
    }

    /** Returns the stamp of the entry; {@link #since} if there is no entry. */
    public long stamp() {
        return stamp;
    }

    /** Decodes the changes in the response to a mutation; empty if the mutation did not request them. */
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
        // Interned, so that all changes of an index share one string: a session may remember many.
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

    /** Encodes changes, all of one row, as a response. */
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
