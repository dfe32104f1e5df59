package org.diffindex.verify;

import java.util.BitSet;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.Cell;
import org.apache.hbase.thirdparty.com.google.common.hash.HashFunction;
import org.apache.hbase.thirdparty.com.google.common.hash.Hashing;
import org.diffindex.model.IndexEntry;

/**
 * A set of entries as a fixed number of sums, one for each bucket of keys: equal sets have equal sums whatever the order
 * in which they came, and different sets differ, but for a chance of about 2^-64. 8 bytes for each bucket. Safe for use by
 * many threads.
 */
final class BucketDigests {
    private static final HashFunction HASH = Hashing.farmHashFingerprint64();

    private final AtomicLongArray sums;
    private final int mask;
    private final LongAdder total = new LongAdder();

    /** Empty digests of at least so many buckets. */
    BucketDigests(int buckets) {
        int size = Integer.highestOneBit(Math.max(2, buckets));
        this.sums = new AtomicLongArray(size < buckets ? size << 1 : size);
        this.mask = sums.length() - 1;
    }

    void add(IndexEntry entry) {
        long hash = hashOf(entry.key());
        add(hash, mix(hash + mix(entry.fingerprint())));
    }

    /** Adds what lies in a row of an index table; one that is not the cell of one entry is equal to no entry. */
    void add(IndexRow row) {
        if (row.strayCells().isEmpty() && row.entry().isPresent()) {
            add(row.entry().get());
            return;
        }
        long hash = hashOf(row.key());
        long sum =
                row.entry().map(entry -> mix(hash + mix(entry.fingerprint()))).orElse(0L);
        for (Cell cell : row.cells()) {
            sum += mix(~hash + cell.getTimestamp());
        }
        add(hash, sum);
    }

    private void add(long hash, long summand) {
        sums.getAndAdd((int) hash & mask, summand);
        total.increment();
    }

    /** The bucket of a key. */
    int bucketOf(byte[] key) {
        return (int) hashOf(key) & mask;
    }

    private static long hashOf(byte[] key) {
        return HASH.hashBytes(key).asLong();
    }

    /** Every bit of the result depends on every bit of the argument: the finaliser of MurmurHash3. */
    private static long mix(long value) {
        long mixed = (value ^ (value >>> 33)) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ (mixed >>> 33);
    }

    /** How many entries, or rows of the index table, were added. */
    long total() {
        return total.sum();
    }

    /** The buckets in which two digests of as many buckets differ. */
    BitSet differenceFrom(BucketDigests other) {
        BitSet different = new BitSet(sums.length());
        for (int bucket = 0; bucket < sums.length(); bucket++) {
            if (sums.get(bucket) != other.sums.get(bucket)) {
                different.set(bucket);
            }
        }
        return different;
    }
}
