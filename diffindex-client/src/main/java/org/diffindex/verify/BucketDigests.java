package org.diffindex.verify;

import java.util.BitSet;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.Cell;
import org.apache.hbase.thirdparty.com.google.common.hash.HashFunction;
import org.apache.hbase.thirdparty.com.google.common.hash.Hashing;
import org.diffindex.model.IndexEntry;

/**
 * Digests of a set of entries: one sum for each of a fixed number of buckets, 8 bytes each. Equal sets have equal sums,
 * in whatever order their entries were added; different sets have different sums, except with a probability of about
 * 2^-64.
 *
 * <p>The base row that an entry's key names determines the bucket: all entries that a row has had, whatever its values,
 * are in one bucket. An index row whose key names no base row is in the bucket of its key.
 *
 * <p>Safe for use by many threads.
 */
final class BucketDigests {
    private static final HashFunction HASH = Hashing.farmHashFingerprint64();

    private final AtomicLongArray sums;
    private final int mask;
    private final LongAdder total = new LongAdder();

    /** Creates empty digests with at least the given number of buckets. */
    BucketDigests(int buckets) {
        int size = Integer.highestOneBit(Math.max(2, buckets));
        this.sums = new AtomicLongArray(size < buckets ? size << 1 : size);
        this.mask = sums.length() - 1;
    }

    /**
     * Adds an entry.
     *
     * @param row the base row that its key names; empty if the key names none
     */
    void add(Optional<byte[]> row, IndexEntry entry) {
        long hash = hashOf(entry.key());
        add(bucketOf(row, entry.key()), mix(hash + mix(entry.fingerprint())));
    }

    /**
     * Adds a row of an index table. A row that is not exactly the cell of one entry equals no entry.
     *
     * @param row the base row that its key names; empty if the key names none
     */
    void add(Optional<byte[]> row, IndexRow indexRow) {
        if (indexRow.strayCells().isEmpty() && indexRow.entry().isPresent()) {
            add(row, indexRow.entry().get());
            return;
        }
        long hash = hashOf(indexRow.key());
        long sum = indexRow.entry()
                .map(entry -> mix(hash + mix(entry.fingerprint())))
                .orElse(0L);
        for (Cell cell : indexRow.cells()) {
            sum += mix(~hash + cell.getTimestamp());
        }
        add(bucketOf(row, indexRow.key()), sum);
    }

    private void add(int bucket, long summand) {
        sums.getAndAdd(bucket, summand);
        total.increment();
    }

    /**
     * Returns the bucket of an index key.
     *
     * @param row the base row that the key names; empty if the key names none
     */
    int bucketOf(Optional<byte[]> row, byte[] key) {
        return (int) hashOf(row.orElse(key)) & mask;
    }

    private static long hashOf(byte[] key) {
        return HASH.hashBytes(key).asLong();
    }

    /** Returns a value of which every bit depends on every bit of the argument: the finalizer of MurmurHash3. */
    private static long mix(long value) {
        long mixed = (value ^ (value >>> 33)) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ (mixed >>> 33);
    }

    /** Returns how many entries, or rows of the index table, were added. */
    long total() {
        return total.sum();
    }

    /** Returns the buckets in which this and another digest of the same number of buckets differ. */
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
