package org.diffindex.server.spill;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.util.Bytes;

/** A range of row keys: inclusive start, exclusive end; an empty end means unbounded. Immutable. */
public final class KeyRange {
    private final byte[] start;
    private final byte[] end;

    KeyRange(byte[] start, byte[] end) {
        this.start = start;
        this.end = end;
    }

    static KeyRange of(RegionInfo region) {
        return new KeyRange(region.getStartKey(), region.getEndKey());
    }

    byte[] start() {
        return start;
    }

    byte[] end() {
        return end;
    }

    boolean contains(byte[] row) {
        return Bytes.compareTo(start, row) <= 0 && (isOpen() || Bytes.compareTo(row, end) < 0);
    }

    boolean contains(KeyRange other) {
        return Bytes.compareTo(start, other.start) <= 0
                && (isOpen() || (!other.isOpen() && Bytes.compareTo(other.end, end) <= 0));
    }

    boolean overlaps(KeyRange other) {
        return (isOpen() || Bytes.compareTo(other.start, end) < 0)
                && (other.isOpen() || Bytes.compareTo(start, other.end) < 0);
    }

    /** Returns whether each key of this range is in at least one of the others. */
    boolean isCoveredBy(Collection<KeyRange> others) {
        List<KeyRange> ascending = others.stream()
                .sorted(Comparator.comparing(range -> range.start, Bytes.BYTES_COMPARATOR))
                .toList();
        byte[] coveredTo = start;
        for (KeyRange other : ascending) {
            if (Bytes.compareTo(other.start, coveredTo) > 0) {
                return false;
            }
            if (other.isOpen() || (!isOpen() && Bytes.compareTo(other.end, end) >= 0)) {
                return true;
            }
            coveredTo = Bytes.compareTo(other.end, coveredTo) > 0 ? other.end : coveredTo;
        }
        return false;
    }

    private boolean isOpen() {
        return end.length == 0;
    }

    void writeTo(DataOutputStream out) throws IOException {
        writeKey(out, start);
        writeKey(out, end);
    }

    static KeyRange readFrom(DataInputStream in) throws IOException {
        return new KeyRange(readKey(in), readKey(in));
    }

    static void writeKey(DataOutputStream out, byte[] key) throws IOException {
        out.writeInt(key.length);
        out.write(key);
    }

    static byte[] readKey(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > Short.MAX_VALUE) {
            throw new IOException("No row key is " + length + " bytes long; the file is damaged");
        }
        byte[] key = new byte[length];
        in.readFully(key);
        return key;
    }

    @Override
    public String toString() {
        return "[" + Bytes.toStringBinary(start) + ", " + Bytes.toStringBinary(end) + ")";
    }
}
