package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.SessionChange;
import org.junit.jupiter.api.Test;

class SessionOverlayTest {
    private static final IndexDefinition INDEX = OverlayMergeTest.INDEX;

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
    void forgetsTheGivenEntryButNoNewerOne() {
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
        overlay.forgetOwn(INDEX, List.of(found("a", 5, true), found("b", 5, false), found("c", 5, true)));
        assertThat(keys()).containsExactly("b");
    }

    @Test
    void aViewDoesNotFollowLaterChanges() {
        overlay.absorb(List.of(entry("r", "a", 5)));
        SessionOverlay.View view = within();
        overlay.absorb(List.of(entry("s", "b", 6), entry("r", "c", 7)));
        overlay.forgetEntry(entry("s", "b", 6));
        assertThat(keys(view)).containsExactly("a");
        assertThat(view.isPast(Bytes.toBytes("s"), 1)).isFalse();
        assertThat(view.isPast(Bytes.toBytes("r"), 5)).isFalse();
        assertThat(keys()).containsExactly("c");
    }

    @Test
    void countsWhatItKeepsOnlyForAView() {
        overlay.absorb(List.of(entry("r", "a", 5)));
        long one = overlay.bytes();
        SessionOverlay.View view = within();
        overlay.absorb(List.of(entry("r", "b", 6)));
        assertThat(overlay.bytes()).isEqualTo(2 * one);
        assertThat(overlay.pastBytes()).isEqualTo(one);
        assertThat(keys(view)).containsExactly("a");
        view.close();
        assertThat(overlay.bytes()).isEqualTo(one);
        assertThat(overlay.pastBytes()).isZero();
        assertThat(view.next()).isNull();
    }

    @Test
    void aWriteAfterAReadDoesNotCopyEarlierChanges() {
        for (int i = 0; i < 20_000; i++) {
            overlay.absorb(List.of(entry("r" + i, "a" + i, 5)));
        }
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 10; i++) {
            assertThat(within().isEmpty()).isFalse();
            overlay.absorb(List.of(entry("r" + i, "b" + i, 6 + i)));
        }
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(1_000_000);
    }

    @Test
    void keepsIndexesApart() {
        IndexDefinition other = IndexDefinition.builder(TableName.valueOf("t"), "by_w")
                .column("f", "w", ColumnTypes.STRING)
                .build()
                .withId(INDEX.id());
        overlay.absorb(List.of(SessionChange.noEntry(other, Bytes.toBytes("r"), 5)));
        assertThat(within().isEmpty()).isTrue();
    }

    @Test
    void keepsAnIndexApartFromALaterOneOfTheSameName() {
        overlay.absorb(List.of(entry("r", "a", 5)));
        IndexDefinition later = INDEX.withId("2");
        assertThat(overlay.within(later, QueryBoundsTest.everything()).isEmpty())
                .isTrue();
        overlay.absorb(List.of(SessionChange.noEntry(later, Bytes.toBytes("r"), 9)));
        assertThat(keys()).containsExactly("a");
        assertThat(within().isPast(Bytes.toBytes("r"), 8)).isFalse();
    }

    @Test
    void aViewFailsWhenTheSessionHasEnded() {
        overlay.absorb(List.of(entry("r", "a", 5)));
        SessionOverlay.View view = within();
        overlay.end("over");
        assertThat(overlay.bytes()).isZero();
        assertThatThrownBy(view::next).hasMessage("over");
        assertThatThrownBy(() -> view.isPast(Bytes.toBytes("r"), 1)).hasMessage("over");
        assertThatThrownBy(this::within).hasMessage("over");
        view.close();
    }

    /** A change, as a plain map from rows stores it. */
    private record Known(SessionChange change, boolean isShown) {}

    /** A view and the changes that it must show. */
    private record Opened(SessionOverlay.View view, Map<String, Known> shown) {}

    /** Compares the overlay with plain maps, of which each view has a copy. */
    @Property(tries = 500)
    void viewsDoNotChangeAndNoOtherMemoryIsKept(@ForAll Random random) {
        SessionOverlay tested = new SessionOverlay();
        Map<String, Known> model = new TreeMap<>();
        List<Opened> views = new ArrayList<>();
        for (int step = 1; step <= 60; step++) {
            String row = "r" + random.nextInt(3);
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> {
                    SessionChange change =
                            random.nextInt(4) == 0 ? noEntry(row, step) : entry(row, random.nextInt(3) + row, step);
                    tested.absorb(List.of(change));
                    model.put(row, new Known(change, change.entry().isPresent()));
                }
                case 3 -> {
                    if (model.containsKey(row)) {
                        tested.forgetEntry(model.get(row).change);
                        model.computeIfPresent(row, (key, known) -> new Known(known.change, false));
                    }
                }
                case 4 -> {
                    tested.clear();
                    model.clear();
                }
                case 5, 6 ->
                    views.add(new Opened(tested.within(INDEX, QueryBoundsTest.everything()), new TreeMap<>(model)));
                default -> {
                    if (!views.isEmpty()) {
                        views.remove(random.nextInt(views.size())).view.close();
                    }
                }
            }
            assertKeeps(tested, model, views);
        }
        views.forEach(opened -> assertThat(keys(opened.view)).isEqualTo(keysOf(opened.shown)));
        views.forEach(opened -> opened.view.close());
        assertKeeps(tested, model, List.of());
    }

    private static void assertKeeps(SessionOverlay tested, Map<String, Known> model, List<Opened> views) {
        Set<SessionChange> all = Collections.newSetFromMap(new IdentityHashMap<>());
        model.values().forEach(known -> all.add(known.change));
        for (Opened opened : views) {
            opened.shown.values().forEach(known -> all.add(known.change));
            for (int i = 0; i < 3; i++) {
                Known known = opened.shown.get("r" + i);
                long since = known == null ? 0 : known.change.since();
                assertThat(opened.view.isPast(Bytes.toBytes("r" + i), since)).isFalse();
                assertThat(opened.view.isPast(Bytes.toBytes("r" + i), since - 1))
                        .isEqualTo(known != null);
            }
        }
        assertThat(tested.bytes())
                .isEqualTo(all.stream().mapToLong(SessionOverlay::weight).sum());
        all.removeIf(change -> model.values().stream().anyMatch(known -> known.change == change));
        assertThat(tested.pastBytes())
                .isEqualTo(all.stream().mapToLong(SessionOverlay::weight).sum());
        SessionOverlay.View now = tested.within(INDEX, QueryBoundsTest.everything());
        assertThat(keys(now)).isEqualTo(keysOf(model));
        now.close();
    }

    private static List<String> keysOf(Map<String, Known> model) {
        return model.values().stream()
                .filter(Known::isShown)
                .map(known -> Bytes.toString(known.change.entry().orElseThrow().key()))
                .sorted()
                .toList();
    }

    private SessionOverlay.View within() {
        return overlay.within(INDEX, QueryBoundsTest.everything());
    }

    private List<String> keys() {
        return keys(within());
    }

    private static List<String> keys(SessionOverlay.View view) {
        List<String> keys = new ArrayList<>();
        for (SessionChange change = view.next(); change != null; change = view.next()) {
            keys.add(Bytes.toString(change.entry().orElseThrow().key()));
        }
        return keys;
    }

    private static FoundEntry found(String key, long stamp, boolean own) {
        return new FoundEntry(new IndexEntry(Bytes.toBytes(key), stamp), stamp, own);
    }

    private static SessionChange entry(String row, String key, long stamp) {
        return SessionChange.entry(INDEX, Bytes.toBytes(row), stamp, new IndexEntry(Bytes.toBytes(key), stamp), stamp);
    }

    private static SessionChange noEntry(String row, long stamp) {
        return SessionChange.noEntry(INDEX, Bytes.toBytes(row), stamp);
    }
}
