package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.SessionChange;
import org.junit.jupiter.api.Test;

class SessionOverlayTest {
    private final SessionOverlay overlay = new SessionOverlay();

    @Test
    void keepsTheLastChangeOfARowWhateverTheOrder() {
        overlay.absorb(List.of(entry("r", "b", 7), entry("r", "a", 6), entry("s", "c", 6), noEntry("s", 7)));
        assertThat(keys()).containsExactly("b");
        assertThat(within().isPast(Bytes.toBytes("r"), 6)).isTrue();
        assertThat(within().isPast(Bytes.toBytes("r"), 7)).isFalse();
        assertThat(within().isPast(Bytes.toBytes("s"), 6)).isTrue();
        assertThat(within().isPast(Bytes.toBytes("t"), 1)).isFalse();
    }

    @Test
    void countsTheBytesOfWhatItHolds() {
        overlay.absorb(List.of(entry("r", "a", 1), entry("s", "bcd", 1)));
        assertThat(overlay.bytes()).isEqualTo(SessionOverlay.weight(1, 1) + SessionOverlay.weight(1, 3));
        overlay.absorb(List.of(noEntry("s", 2)));
        assertThat(overlay.bytes()).isEqualTo(SessionOverlay.weight(1, 1) + SessionOverlay.weight(1, 0));
        overlay.clear();
        assertThat(overlay.bytes()).isZero();
        assertThat(within().isEmpty()).isTrue();
    }

    @Test
    void forgetsOnlyTheEntryItIsToldAndNoNewerOne() {
        overlay.absorb(List.of(entry("r", "a", 5)));
        overlay.forgetEntry(entry("r", "a", 4));
        overlay.forgetEntry(entry("r", "b", 5));
        overlay.forgetEntry(noEntry("r", 5));
        assertThat(keys()).containsExactly("a");
        overlay.forgetEntry(entry("r", "a", 5));
        assertThat(keys()).isEmpty();
        assertThat(within().isPast(Bytes.toBytes("r"), 4)).isTrue();
    }

    @Test
    void forgetsOwnEntriesThatTheirRowsNoLongerYield() {
        overlay.absorb(List.of(entry("r", "a", 5), entry("s", "b", 5)));
        overlay.forgetOwn("by_v", List.of(found("a", 5, true), found("b", 5, false), found("c", 5, true)));
        assertThat(keys()).containsExactly("b");
    }

    @Test
    void aViewDoesNotFollowLaterChanges() {
        overlay.absorb(List.of(entry("r", "a", 5)));
        SessionOverlay.View view = within();
        overlay.absorb(List.of(entry("s", "b", 6), entry("r", "c", 7)));
        overlay.forgetEntry(entry("s", "b", 6));
        assertThat(view.entries()).hasSize(1);
        assertThat(view.isPast(Bytes.toBytes("s"), 1)).isFalse();
        assertThat(view.isPast(Bytes.toBytes("r"), 5)).isFalse();
        assertThat(keys()).containsExactly("c");
    }

    @Test
    void keepsIndexesApart() {
        overlay.absorb(List.of(SessionChange.noEntry("by_w", Bytes.toBytes("r"), 5)));
        assertThat(within().isEmpty()).isTrue();
    }

    private SessionOverlay.View within() {
        return overlay.within("by_v", QueryBoundsTest.everything());
    }

    private List<String> keys() {
        return within().entries().keySet().stream().map(Bytes::toString).toList();
    }

    private static FoundEntry found(String key, long stamp, boolean own) {
        return new FoundEntry(new IndexEntry(Bytes.toBytes(key), stamp), stamp, own);
    }

    private static SessionChange entry(String row, String key, long stamp) {
        return SessionChange.entry("by_v", Bytes.toBytes(row), stamp, new IndexEntry(Bytes.toBytes(key), stamp), stamp);
    }

    private static SessionChange noEntry(String row, long stamp) {
        return SessionChange.noEntry("by_v", Bytes.toBytes(row), stamp);
    }
}
