package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.hadoop.hbase.util.Bytes;

class IndexDeltaTest {
    private static Optional<IndexEntry> entry(String key, long timestamp) {
        return Optional.of(new IndexEntry(Bytes.toBytes(key), timestamp));
    }

    @Example
    void isEmptyForEqualEntries() {
        assertThat(IndexDelta.between(entry("a", 1), entry("a", 1)).isEmpty()).isTrue();
        assertThat(IndexDelta.between(Optional.empty(), Optional.empty()).isEmpty())
                .isTrue();
    }

    @Example
    void aDifferentTimestampOnlyInserts() {
        IndexDelta delta = IndexDelta.between(entry("a", 1), entry("a", 2));
        assertThat(delta).isEqualTo(new IndexDelta(entry("a", 2), Optional.empty()));
    }

    @Example
    void anotherValueInsertsTheNewEntryAndDeletesTheOld() {
        IndexDelta delta = IndexDelta.between(entry("a", 1), entry("b", 2));
        assertThat(delta).isEqualTo(new IndexDelta(entry("b", 2), entry("a", 1)));
        assertThat(delta.isEmpty()).isFalse();
    }

    @Example
    void aFirstValueInsertsAndALastValueDeletes() {
        assertThat(IndexDelta.between(Optional.empty(), entry("a", 1)))
                .isEqualTo(new IndexDelta(entry("a", 1), Optional.empty()));
        assertThat(IndexDelta.between(entry("a", 1), Optional.empty()))
                .isEqualTo(new IndexDelta(Optional.empty(), entry("a", 1)));
    }

    @Example
    void aSchemeThatLeavesOldEntriesOnlyInserts() {
        assertThat(IndexDelta.insertOnly(entry("a", 1))).isEqualTo(new IndexDelta(entry("a", 1), Optional.empty()));
        assertThat(IndexDelta.insertOnly(Optional.empty()).isEmpty()).isTrue();
    }

    /** Applies the delete first and the insert second: the result is the new entry. */
    @Property
    void anIndexThatHeldTheOldEntryHoldsTheNewOneAfterwards(
            @ForAll("entries") Optional<IndexEntry> before, @ForAll("entries") Optional<IndexEntry> after) {
        IndexDelta delta = IndexDelta.between(before, after);

        Optional<IndexEntry> held = before;
        if (delta.delete().isPresent()) {
            assertThat(delta.delete()).isEqualTo(before);
            held = Optional.empty();
        }
        if (delta.insert().isPresent()) {
            assertThat(held.isEmpty() || held.get().sameKey(delta.insert().get()))
                    .isTrue();
            held = delta.insert();
        }

        assertThat(held).isEqualTo(after);
        assertThat(delta.isEmpty()).isEqualTo(before.equals(after));
    }

    @Provide
    Arbitrary<Optional<IndexEntry>> entries() {
        return Combinators.combine(
                        Arbitraries.of("a", "ab", "b"), Arbitraries.longs().between(1, 3))
                .as(IndexDeltaTest::entry)
                .injectNull(0.2)
                .map(entry -> entry == null ? Optional.empty() : entry);
    }
}
