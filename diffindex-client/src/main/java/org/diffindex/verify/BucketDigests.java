package org.diffindex.verify;

import java.util.BitSet;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.common.hash.HashCode;
import org.apache.hbase.thirdparty.com.google.common.hash.Hashing;
import org.diffindex.model.IndexEntry;

/**
 * A set of entries as a fixed number of sums, one for each bucket of keys: equal sets have equal sums whatever the order
 * in which they came, and different sets differ, but for a chance of about 2^-64. Not safe for use by many threads.
 */
final class BucketDigests {
    static final int BUCKETS = 4096;

    private final long[] sums = new long[BUCKETS];
    private final long[] counts = new long[BUCKETS];
    private long total;

    void add(IndexEntry entry) {
        HashCode hash = Hashing.murmur3_128()
                .newHasher()
                .putBytes(entry.key())
                .putLong(entry.timestamp())
                .hash();
        int bucket = bucketOf(entry);
        sums[bucket] += hash.asLong();
        counts[bucket]++;
        total++;
    }

    /** The bucket of an entry depends on its key alone. */
    static int bucketOf(IndexEntry entry) {
        return Math.floorMod(Bytes.hashCode(entry.key()), BUCKETS);
    }

    long total() {
        return total;
    }

    /** The buckets in which the two differ. */
    BitSet differenceFrom(BucketDigests other) {
        BitSet different = new BitSet(BUCKETS);
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            if (sums[bucket] != other.sums[bucket] || counts[bucket] != other.counts[bucket]) {
                different.set(bucket);
            }
        }
        return different;
    }
}
