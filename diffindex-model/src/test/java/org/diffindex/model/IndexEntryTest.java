package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class IndexEntryTest {
    private static IndexEntry entry(String key, long timestamp) {
        return new IndexEntry(Bytes.toBytes(key), timestamp);
    }

    @Test
    void comparesKeyAndTimestamp() {
        assertThat(entry("a", 1)).isEqualTo(entry("a", 1)).hasSameHashCodeAs(entry("a", 1));
        assertThat(entry("a", 1)).isNotEqualTo(entry("a", 2)).isNotEqualTo(entry("b", 1));
        assertThat(entry("a", 1).sameKey(entry("a", 2))).isTrue();
        assertThat(entry("a", 1).sameKey(entry("b", 1))).isFalse();
    }

    @Test
    void anEntryOfTheSameWriteOrALaterOneIsAsNew() {
        assertThat(entry("a", 2).isAsNewAs(entry("a", 1))).isTrue();
        assertThat(entry("a", 2).isAsNewAs(entry("a", 2))).isTrue();
        assertThat(entry("a", 1).isAsNewAs(entry("a", 2))).isFalse();
    }

    @Test
    void fingerprintsOfEntriesAtOneKeyDifferUnlessTheyAreEqual() {
        assertThat(entry("a", 1).fingerprint())
                .isEqualTo(entry("a", 1).fingerprint())
                .isNotEqualTo(entry("a", 2).fingerprint());
    }

    @Test
    void hashCodesDifferByKeyAndByTimestamp() {
        assertThat(Stream.of(entry("a", 1), entry("a", 2), entry("b", 1), entry("b", 2))
                        .mapToInt(IndexEntry::hashCode)
                        .distinct())
                .hasSize(4);
    }
}
