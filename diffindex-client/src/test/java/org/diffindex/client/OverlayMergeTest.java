package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.SessionChange;
import org.junit.jupiter.api.Test;

class OverlayMergeTest {
    private static final String INDEX = "by_v";

    private final List<SessionChange> caughtUp = new ArrayList<>();

    @Test
    void showsTheServersEntriesWhereTheSessionChangedNothing() throws IOException {
        assertThat(merge(List.of(server("a", 1), server("b", 2)), own(insert("x", 9), delete("0", 9))))
                .containsExactly("a@1", "b@2", "x@9 own");
        assertThat(caughtUp).isEmpty();
    }

    @Test
    void hidesAnEntryThatTheSessionDeletedAtItsStampOrALaterOne() throws IOException {
        assertThat(merge(List.of(server("a", 5), server("b", 5)), own(delete("a", 5), delete("b", 6))))
                .isEmpty();
        assertThat(caughtUp).isEmpty();
    }

    @Test
    void showsAnEntryThatWasPutAfterTheSessionDeletedIt() throws IOException {
        assertThat(merge(List.of(server("a", 7)), own(delete("a", 6)))).containsExactly("a@7");
        assertThat(caughtUp).extracting(SessionChange::stamp).containsExactly(6L);
    }

    @Test
    void showsAnOwnEntryOnceAndForgetsItWhenTheServerHasIt() throws IOException {
        assertThat(merge(List.of(server("a", 6), server("b", 7)), own(insert("a", 6), insert("b", 6))))
                .containsExactly("a@6", "b@7");
        assertThat(caughtUp).hasSize(2);
    }

    @Test
    void showsAnOwnEntryInPlaceOfAnOlderOneOfTheServer() throws IOException {
        assertThat(merge(List.of(server("a", 5)), own(insert("a", 6)))).containsExactly("a@6 own");
        assertThat(caughtUp).isEmpty();
    }

    @Property
    void isTheNewestOfBothSidesForEveryKey(
            @ForAll("entries") NavigableMap<String, Long> onServer, @ForAll("changes") List<SessionChange> changes)
            throws IOException {
        caughtUp.clear();
        SessionOverlay overlay = new SessionOverlay();
        overlay.absorb(changes);
        List<FoundEntry> found = new ArrayList<>();
        onServer.forEach((key, stamp) -> found.add(server(key, stamp)));
        QueryBounds everything = QueryBoundsTest.everything();

        List<String> merged = merge(found, overlay.within(INDEX, everything));

        TreeMap<String, String> model = new TreeMap<>();
        for (String key : List.of("a", "b", "c", "d")) {
            SessionChange newest = newest(key, changes);
            Long stamp = onServer.get(key);
            if (newest == null) {
                if (stamp != null) {
                    model.put(key, key + "@" + stamp);
                }
            } else if (newest.isInsert()) {
                boolean arrived = stamp != null && stamp >= newest.stamp();
                model.put(key, arrived ? key + "@" + stamp : key + "@" + newest.stamp() + " own");
            } else if (stamp != null && stamp > newest.stamp()) {
                model.put(key, key + "@" + stamp);
            }
        }
        assertThat(merged).containsExactlyElementsOf(model.values());
        caughtUp.forEach(overlay::forget);
        assertThat(merge(found, overlay.within(INDEX, everything))).isEqualTo(merged);
    }

    @Provide
    Arbitrary<NavigableMap<String, Long>> entries() {
        return Arbitraries.maps(
                        Arbitraries.of("a", "b", "c", "d"), Arbitraries.longs().between(1, 6))
                .map(TreeMap::new);
    }

    @Provide
    Arbitrary<List<SessionChange>> changes() {
        return Combinators.combine(
                        Arbitraries.of("a", "b", "c", "d"),
                        Arbitraries.longs().between(1, 6),
                        Arbitraries.of(true, false))
                .as((key, stamp, insert) -> insert ? insert(key, stamp) : delete(key, stamp))
                .list()
                .ofMaxSize(8);
    }

    /** The newest change of a key; at the same stamp the deletion. */
    private static SessionChange newest(String key, List<SessionChange> changes) {
        SessionChange newest = null;
        for (SessionChange change : changes) {
            boolean ofKey = Bytes.toString(change.entry().key()).equals(key);
            if (ofKey
                    && (newest == null
                            || change.stamp() > newest.stamp()
                            || (change.stamp() == newest.stamp() && !change.isInsert()))) {
                newest = change;
            }
        }
        return newest;
    }

    private List<String> merge(List<FoundEntry> server, NavigableMap<byte[], SessionChange> own) throws IOException {
        List<String> merged = new ArrayList<>();
        try (OverlayMerge merge = new OverlayMerge(source(server.iterator()), own, caughtUp::add)) {
            for (FoundEntry found = merge.next(); found != null; found = merge.next()) {
                merged.add(Bytes.toString(found.key()) + "@" + found.stamp() + (found.own() ? " own" : ""));
            }
        }
        return merged;
    }

    private static EntrySource source(Iterator<FoundEntry> entries) {
        return new EntrySource() {
            @Override
            public FoundEntry next() {
                return entries.hasNext() ? entries.next() : null;
            }

            @Override
            public void close() {}
        };
    }

    private static FoundEntry server(String key, long stamp) {
        return new FoundEntry(new IndexEntry(Bytes.toBytes(key), stamp), stamp, false);
    }

    private static NavigableMap<byte[], SessionChange> own(SessionChange... changes) {
        SessionOverlay overlay = new SessionOverlay();
        overlay.absorb(List.of(changes));
        return overlay.within(INDEX, QueryBoundsTest.everything());
    }

    private static SessionChange insert(String key, long stamp) {
        return SessionChange.insert(INDEX, new IndexEntry(Bytes.toBytes(key), stamp), stamp);
    }

    private static SessionChange delete(String key, long stamp) {
        return SessionChange.delete(INDEX, new IndexEntry(Bytes.toBytes(key), 1), stamp);
    }
}
