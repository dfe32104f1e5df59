package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.NavigableMap;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.SessionChange;
import org.junit.jupiter.api.Test;

class SessionOverlayTest {
    private final SessionOverlay overlay = new SessionOverlay();

    @Test
    void keepsTheNewestChangeOfAKeyWhateverTheOrder() {
        overlay.absorb(List.of(insert("a", 7), delete("a", 6), insert("b", 6), delete("b", 7)));
        assertThat(within()).containsExactly("by_v + a@7 at 7", "by_v - b@1 at 7");
    }

    @Test
    void aDeletionUpToTheStampOfAPutTakesItsPlace() {
        overlay.absorb(List.of(insert("a", 7), delete("a", 7)));
        overlay.absorb(List.of(delete("b", 7), insert("b", 7)));
        assertThat(within()).containsExactly("by_v - a@1 at 7", "by_v - b@1 at 7");
    }

    @Test
    void countsTheBytesOfWhatItHolds() {
        overlay.absorb(List.of(insert("a", 1), insert("bcd", 1)));
        assertThat(overlay.bytes()).isEqualTo(SessionOverlay.weight(1) + SessionOverlay.weight(3));
        overlay.absorb(List.of(delete("a", 2)));
        assertThat(overlay.bytes()).isEqualTo(SessionOverlay.weight(1) + SessionOverlay.weight(3));
        overlay.forget(delete("a", 2));
        assertThat(overlay.bytes()).isEqualTo(SessionOverlay.weight(3));
        overlay.clear();
        assertThat(overlay.bytes()).isZero();
    }

    @Test
    void forgetsOnlyTheChangeItIsToldAndNoNewerOne() {
        overlay.absorb(List.of(insert("a", 5)));
        overlay.forget(insert("a", 4));
        overlay.forget(delete("a", 5));
        overlay.forget(insert("b", 5));
        assertThat(within()).containsExactly("by_v + a@5 at 5");
        overlay.forget(insert("a", 5));
        assertThat(within()).isEmpty();
    }

    @Test
    void forgetsOwnEntriesThatTheirRowsNoLongerYield() {
        overlay.absorb(List.of(insert("a", 5), delete("b", 5), insert("c", 5)));
        overlay.forgetOwn("by_v", List.of(found("a", 5, true), found("b", 5, true), found("c", 5, false)));
        assertThat(within()).containsExactly("by_v - b@1 at 5", "by_v + c@5 at 5");
    }

    @Test
    void aViewDoesNotFollowLaterChanges() {
        overlay.absorb(List.of(insert("a", 5)));
        NavigableMap<byte[], SessionChange> view = overlay.within("by_v", QueryBoundsTest.everything());
        overlay.absorb(List.of(insert("b", 6)));
        assertThat(view).hasSize(1);
    }

    @Test
    void keepsIndexesApart() {
        overlay.absorb(List.of(SessionChange.insert("by_w", new IndexEntry(Bytes.toBytes("a"), 1), 1)));
        assertThat(within()).isEmpty();
    }

    private List<String> within() {
        return overlay.within("by_v", QueryBoundsTest.everything()).values().stream()
                .map(SessionChange::toString)
                .toList();
    }

    private static FoundEntry found(String key, long stamp, boolean own) {
        return new FoundEntry(new IndexEntry(Bytes.toBytes(key), stamp), stamp, own);
    }

    private static SessionChange insert(String key, long stamp) {
        return SessionChange.insert("by_v", new IndexEntry(Bytes.toBytes(key), stamp), stamp);
    }

    private static SessionChange delete(String key, long stamp) {
        return SessionChange.delete("by_v", new IndexEntry(Bytes.toBytes(key), 1), stamp);
    }
}
