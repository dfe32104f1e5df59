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
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.SessionChange;
import org.junit.jupiter.api.Test;

class OverlayMergeTest {
    static final IndexDefinition INDEX = IndexDefinition.builder(TableName.valueOf("t"), "by_v")
            .column("f", "v", ColumnTypes.STRING)
            .build()
            .withId("1");

    private final List<SessionChange> caughtUp = new ArrayList<>();

    @Test
    void showsTheServersEntriesForRowsThatTheSessionDidNotWrite() throws IOException {
        assertThat(merge(List.of(server("a1", 1), server("b2", 2)), own(entry("x9", 9), noEntry("0", 9))))
                .containsExactly("a1@1", "b2@2", "x9@9 own");
        assertThat(caughtUp).isEmpty();
    }

    @Test
    void hidesEveryEntryThatARowHadBeforeTheSessionWroteIt() throws IOException {
        assertThat(merge(List.of(server("a1", 5), server("b1", 6), server("b2", 6)), own(noEntry("1", 7))))
                .containsExactly("b2@6");
        assertThat(merge(List.of(server("a1", 5), server("b1", 6)), own(entry("c1", 7))))
                .containsExactly("c1@7 own");
        assertThat(caughtUp).isEmpty();
    }

    @Test
    void showsAnEntryThatARowGotAfterTheSessionWroteIt() throws IOException {
        assertThat(merge(List.of(server("a1", 7)), own(noEntry("1", 6)))).containsExactly("a1@7");
        assertThat(merge(List.of(server("a1", 7)), own(entry("b1", 6)))).containsExactly("a1@7", "b1@6 own");
        assertThat(caughtUp).isEmpty();
    }

    @Test
    void showsItsOwnEntryOnceAndForgetsItWhenTheServerHasIt() throws IOException {
        assertThat(merge(List.of(server("a1", 6), server("b2", 7)), own(entry("a1", 6), entry("b2", 6))))
                .containsExactly("a1@6", "b2@7");
        assertThat(caughtUp).hasSize(2);
    }

    @Test
    void showsItsOwnEntryInsteadOfAnOlderOneOfTheServer() throws IOException {
        assertThat(merge(List.of(server("a1", 5)), own(entry("a1", 6)))).containsExactly("a1@6 own");
        assertThat(caughtUp).isEmpty();
    }

    @Test
    void passesOnAnInvalidEntryForTheReaderToReport() throws IOException {
        assertThat(merge(List.of(server("a", 1)), own(noEntry("1", 6)))).containsExactly("a@1");
    }

    @Test
    void keepsWhatItShowsUntilItIsClosed() throws IOException {
        SessionOverlay overlay = new SessionOverlay();
        overlay.absorb(List.of(entry("a1", 6)));
        OverlayMerge read = mergeOf(overlay);
        OverlayMerge left = mergeOf(overlay);
        overlay.clear();
        assertThat(overlay.bytes()).isPositive();
        left.close();
        assertThat(read.next().own()).isTrue();
        assertThat(overlay.bytes()).isPositive();
        assertThat(read.next()).isNull();
        assertThat(overlay.bytes()).as("a reader may still ask what was hidden").isPositive();
        read.close();
        assertThat(overlay.bytes()).isZero();
        assertThat(read.next()).isNull();
    }

    private OverlayMerge mergeOf(SessionOverlay overlay) {
        return new OverlayMerge(
                EntrySource.EMPTY,
                overlay.within(INDEX, QueryBoundsTest.everything()),
                OverlayMergeTest::rowOfKey,
                caughtUp::add);
    }

    /** An entry is written as a letter, which is the value, and a digit, which is the row. */
    @Property
    void showsTheNewestEntryOfBothSidesForEveryRow(
            @ForAll("entries") NavigableMap<String, Long> onServer, @ForAll("changes") List<SessionChange> changes)
            throws IOException {
        caughtUp.clear();
        SessionOverlay overlay = new SessionOverlay();
        overlay.absorb(changes);
        List<FoundEntry> found = new ArrayList<>();
        onServer.forEach((key, stamp) -> found.add(server(key, stamp)));

        List<String> merged = merge(found, overlay.within(INDEX, QueryBoundsTest.everything()));

        TreeMap<String, String> model = new TreeMap<>();
        onServer.forEach((key, stamp) -> {
            SessionChange last = last(key.substring(1), changes);
            if (last == null || stamp >= last.since()) {
                model.put(key, key + "@" + stamp);
            }
        });
        for (String row : List.of("1", "2")) {
            SessionChange last = last(row, changes);
            if (last != null && last.entry().isPresent()) {
                String key = Bytes.toString(last.entry().get().key());
                model.putIfAbsent(key, key + "@" + last.stamp() + " own");
            }
        }
        assertThat(merged).containsExactlyElementsOf(model.values());
        caughtUp.forEach(overlay::forgetEntry);
        assertThat(merge(found, overlay.within(INDEX, QueryBoundsTest.everything())))
                .isEqualTo(merged);
    }

    @Provide
    Arbitrary<NavigableMap<String, Long>> entries() {
        return Arbitraries.maps(keys(), Arbitraries.longs().between(1, 6)).map(TreeMap::new);
    }

    private static Arbitrary<String> keys() {
        return Combinators.combine(Arbitraries.of("a", "b", "c"), Arbitraries.of("1", "2"))
                .as(String::concat);
    }

    @Provide
    Arbitrary<List<SessionChange>> changes() {
        return Combinators.combine(keys(), Arbitraries.longs().between(1, 6), Arbitraries.of(true, false))
                .as((key, stamp, has) -> has ? entry(key, stamp) : noEntry(key.substring(1), stamp))
                .list()
                .ofMaxSize(8);
    }

    /**
     * Returns the last change of a row; among changes of one stamp the first, because a session receives each stamp
     * once.
     */
    private static SessionChange last(String row, List<SessionChange> changes) {
        SessionChange last = null;
        for (SessionChange change : changes) {
            if (Bytes.toString(change.row()).equals(row) && (last == null || change.since() > last.since())) {
                last = change;
            }
        }
        return last;
    }

    private List<String> merge(List<FoundEntry> server, SessionOverlay.View own) throws IOException {
        List<String> merged = new ArrayList<>();
        try (OverlayMerge merge =
                new OverlayMerge(source(server.iterator()), own, OverlayMergeTest::rowOfKey, caughtUp::add)) {
            for (FoundEntry found = merge.next(); found != null; found = merge.next()) {
                merged.add(Bytes.toString(found.key()) + "@" + found.stamp() + (found.own() ? " own" : ""));
            }
        }
        return merged;
    }

    private static byte[] rowOfKey(byte[] key) {
        if (key.length < 2) {
            throw new IllegalArgumentException("No entry: " + Bytes.toString(key));
        }
        return Bytes.tail(key, 1);
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

    private static SessionOverlay.View own(SessionChange... changes) {
        SessionOverlay overlay = new SessionOverlay();
        overlay.absorb(List.of(changes));
        return overlay.within(INDEX, QueryBoundsTest.everything());
    }

    private static SessionChange entry(String key, long stamp) {
        return SessionChange.entry(
                INDEX, Bytes.toBytes(key.substring(1)), stamp, new IndexEntry(Bytes.toBytes(key), stamp), stamp);
    }

    private static SessionChange noEntry(String row, long stamp) {
        return SessionChange.noEntry(INDEX, Bytes.toBytes(row), stamp);
    }
}
