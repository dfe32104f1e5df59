package org.diffindex.server.spill;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.server.maintain.RowChange;

/**
 * The content of a spill file. Immutable. Its bytes, all numbers big-endian:
 *
 * <pre>
 * magic "DXSP" (4), format 1 (1)
 * key range of the region that wrote it
 * number of indexes (4), for each its name and id: length (2), modified UTF-8
 * number of changes (4), for each: row, first sequence (8), last sequence (8), first stamp (8), last stamp (8)
 * row: length (4), bytes
 * </pre>
 *
 * @param range the keys of the region that wrote it; all rows are in it
 * @param indexes the indexes that may lack the changes, as {@link SpillFiles#nameOf} gives them
 * @param changes the changes of rows
 */
public record SpillContent(KeyRange range, Set<String> indexes, List<RowChange> changes) {
    private static final int MAGIC = 0x44585350;
    private static final int FORMAT = 1;

    /** Returns whether an index may lack the changes. */
    public boolean isFor(IndexDefinition index) {
        return indexes.contains(SpillFiles.nameOf(index));
    }

    /**
     * Returns the oldest read point at which a row of the content must be read; {@link Long#MAX_VALUE} if there are no
     * changes.
     */
    public long pastNeededFrom() {
        return changes.stream().mapToLong(RowChange::before).min().orElse(Long.MAX_VALUE);
    }

    /** Returns the last stamp of the changes; 0 if there are none. */
    public long lastStamp() {
        return changes.stream().mapToLong(RowChange::lastStamp).max().orElse(0);
    }

    void writeTo(DataOutputStream out) throws IOException {
        out.writeInt(MAGIC);
        out.writeByte(FORMAT);
        range.writeTo(out);
        out.writeInt(indexes.size());
        for (String index : indexes) {
            out.writeUTF(index);
        }
        out.writeInt(changes.size());
        for (RowChange change : changes) {
            KeyRange.writeKey(out, change.row());
            out.writeLong(change.firstSequence());
            out.writeLong(change.lastSequence());
            out.writeLong(change.firstStamp());
            out.writeLong(change.lastStamp());
        }
    }

    /**
     * Reads only the header of a file.
     *
     * @throws IOException if the file cannot be read, or is not a spill file of this format
     */
    static KeyRange readRange(DataInputStream in) throws IOException {
        int magic = in.readInt();
        int format = in.readByte();
        if (magic != MAGIC || format != FORMAT) {
            throw new IOException("Not a spill file of format " + FORMAT + ": it begins with "
                    + Bytes.toStringBinary(Bytes.toBytes(magic)) + " and has format " + format);
        }
        return KeyRange.readFrom(in);
    }

    static SpillContent readFrom(DataInputStream in) throws IOException {
        KeyRange range = readRange(in);
        Set<String> indexes = new TreeSet<>();
        for (int left = in.readInt(); left > 0; left--) {
            indexes.add(in.readUTF());
        }
        List<RowChange> changes = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            byte[] row = KeyRange.readKey(in);
            changes.add(RowChange.between(row, in.readLong(), in.readLong(), in.readLong(), in.readLong()));
        }
        return new SpillContent(range, indexes, changes);
    }
}
