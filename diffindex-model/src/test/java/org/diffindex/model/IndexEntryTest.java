package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
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

    private static IndexEntry including(long timestamp, int... bytes) {
        byte[] included = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            included[i] = (byte) bytes[i];
        }
        return new IndexEntry(Bytes.toBytes("a"), timestamp, included);
    }

    @Test
    void entriesOfOneTimestampDifferByWhatTheyInclude() {
        assertThat(including(1, 5)).isEqualTo(including(1, 5)).hasSameHashCodeAs(including(1, 5));
        assertThat(including(1, 5)).isNotEqualTo(including(1, 6)).isNotEqualTo(including(2, 5));
        assertThat(including(1, 5).sameKey(including(2, 6))).isTrue();
        assertThat(including(1, 5).isAsNewAs(including(1, 5))).isTrue();
        assertThat(including(2, 5).isAsNewAs(including(1, 6))).isTrue();
        assertThat(including(1, 5).isAsNewAs(including(1, 6)))
                .as("the row may have lost a cell since")
                .isFalse();
        assertThat(including(1, 5).withoutIncluded()).isEqualTo(entry("a", 1));
        assertThat(including(1, 5)).hasToString("a@1 with \\x05");
    }

    @Test
    void fingerprintsDifferByWhatEntriesInclude() {
        List<IndexEntry> entries = List.of(
                including(100, 0),
                including(101, 1),
                including(100, 1),
                including(101, 0),
                including(100, 0, 0),
                including(100, 0xFF, 0xFF),
                including(155, 0, 0xFF),
                including(100));
        assertThat(entries.stream().map(IndexEntry::fingerprint).distinct()).hasSameSizeAs(entries);
        assertThat(including(100).fingerprint()).as("of every build").isEqualTo(100);
        assertThat(including(100, 1, 2).fingerprint()).as("of every build").isEqualTo(5725605836758989847L);
    }

    @Test
    void hashCodesDifferByKeyAndByTimestamp() {
        assertThat(Stream.of(entry("a", 1), entry("a", 2), entry("b", 1), entry("b", 2))
                        .mapToInt(IndexEntry::hashCode)
                        .distinct())
                .hasSize(4);
    }
}
