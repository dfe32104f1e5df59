package org.diffindex.model;

import java.util.Arrays;
import org.apache.hadoop.hbase.HConstants;

/**
 * The order of HBase's row keys: unsigned bytes, of which a key has {@link HConstants#MAX_ROW_LENGTH} at most. No method
 * returns a longer one, which HBase would refuse as the bound of a scan.
 */
public final class KeyOrder {
    private static final byte[] END = new byte[0];

    private KeyOrder() {}

    /** Returns the first key after a key; empty, which as the bound of a scan is the table's end, if there is none. */
    public static byte[] firstAfter(byte[] key) {
        return key.length < HConstants.MAX_ROW_LENGTH ? Arrays.copyOf(key, key.length + 1) : firstAfterPrefix(key);
    }

    /** Returns the first key after all keys that begin with a prefix; empty, as the table's end, if there is none. */
    public static byte[] firstAfterPrefix(byte[] prefix) {
        int last = prefix.length - 1;
        while (last >= 0 && prefix[last] == (byte) 0xFF) {
            last--;
        }
        if (last < 0) {
            return END;
        }
        byte[] next = Arrays.copyOf(prefix, last + 1);
        next[last]++;
        return next;
    }
}
