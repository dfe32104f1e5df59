package org.diffindex.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexEntry;

class BucketDigestsTest {
    /** An odd first byte of a key is the row that the key names; any other key names none. */
    private static Optional<byte[]> rowOf(byte[] key) {
        return key.length > 0 && key[0] % 2 != 0 ? Optional.of(new byte[] {key[0]}) : Optional.empty();
    }

    private static BucketDigests digests(List<IndexEntry> entries) {
        BucketDigests digests = new BucketDigests(50);
        entries.forEach(entry -> digests.add(rowOf(entry.key()), entry));
        return digests;
    }

    private static int bucketOf(BucketDigests digests, IndexEntry entry) {
        return digests.bucketOf(rowOf(entry.key()), entry.key());
    }

    private static List<IndexEntry> entries(List<byte[]> keys) {
        List<IndexEntry> entries = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            entries.add(new IndexEntry(keys.get(i), i));
        }
        return entries;
    }

    @Property(tries = 200)
    void doNotDependOnTheOrder(@ForAll List<byte[]> keys, @ForAll long seed) {
        List<IndexEntry> entries = entries(keys);
        BucketDigests first = digests(entries);
        Collections.shuffle(entries, new Random(seed));
        assertThat(first.differenceFrom(digests(entries)).isEmpty()).isTrue();
        assertThat(first.total()).isEqualTo(keys.size());
    }

    @Property(tries = 200)
    void showTheBucketOfADifference(
            @ForAll @Size(min = 1, max = 40) List<byte[]> keys, @ForAll @IntRange(max = 1_000) int which) {
        List<IndexEntry> entries = entries(keys);
        BucketDigests whole = digests(entries);
        IndexEntry one = entries.remove(which % entries.size());
        BucketDigests less = digests(entries);
        entries.add(new IndexEntry(one.key(), one.timestamp() + 1));
        BucketDigests later = digests(entries);
        for (BucketDigests other : List.of(less, later)) {
            assertThat(whole.differenceFrom(other).stream()).containsExactly(bucketOf(whole, one));
        }
    }

    @Property(tries = 200)
    void showAnotherEntryOfARowInTheRowsBucket(
            @ForAll @Size(min = 1, max = 40) List<byte[]> keys, @ForAll byte[] row, @ForAll byte[] value) {
        BucketDigests before = digests(entries(keys));
        BucketDigests after = digests(entries(keys));
        before.add(Optional.of(row), new IndexEntry(Bytes.add(new byte[] {1}, row), 5));
        after.add(Optional.of(row), new IndexEntry(Bytes.add(new byte[] {2}, value, row), 5));
        assertThat(before.differenceFrom(after).stream()).containsExactly(before.bucketOf(Optional.of(row), value));
    }
}
