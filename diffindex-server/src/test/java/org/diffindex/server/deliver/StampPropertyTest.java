package org.diffindex.server.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDelta;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.junit.jupiter.api.Test;

/**
 * Tests that the index ends with exactly the entry of the row's last state, though the changes of the row may be
 * merged, delivered in any order, more than once, and once more one by one from the WAL.
 */
class StampPropertyTest {
    private static final IndexDefinition INDEX = Flights.byOrigin(IndexScheme.SYNC_FULL);

    private static final IndexDefinition COVERING = IndexDefinition.builder(Flights.TABLE, "covering")
            .column("f", "origin", ColumnTypes.STRING)
            .include("f", "gate", ColumnTypes.STRING)
            .build();

    /** Creates updates from a delta and the stamps of its change. */
    @FunctionalInterface
    private interface Stamps {
        List<IndexUpdate> of(IndexDelta delta, long firstStamp, long lastStamp);
    }

    private static final Stamps REAL = (delta, first, last) -> IndexUpdate.of(INDEX, delta, first, last);

    private static Stamps deletingAt(long offset) {
        return (delta, first, last) -> {
            List<IndexUpdate> updates = new ArrayList<>();
            delta.delete()
                    .ifPresent(entry -> updates.add(IndexUpdate.delete(INDEX, entry.key(), first + offset, null)));
            delta.insert()
                    .ifPresent(entry ->
                            updates.add(IndexUpdate.put(INDEX, entry, IndexUpdate.insertStamp(entry, first, last))));
            return updates;
        };
    }

    private static Stamps insertingAfterTheLastStamp() {
        return (delta, first, last) -> {
            List<IndexUpdate> updates = new ArrayList<>(IndexUpdate.of(INDEX, delta, first, last));
            updates.removeIf(IndexUpdate::isPut);
            delta.insert().ifPresent(entry -> updates.add(IndexUpdate.put(INDEX, entry, last + 1)));
            return updates;
        };
    }

    private static Stamps insertingAtTheBasesOwnTime() {
        return (delta, first, last) -> {
            List<IndexUpdate> updates = new ArrayList<>(IndexUpdate.of(INDEX, delta, first, last));
            updates.removeIf(IndexUpdate::isPut);
            delta.insert().ifPresent(entry -> updates.add(IndexUpdate.put(INDEX, entry, entry.timestamp())));
            return updates;
        };
    }

    @Property(tries = 5_000)
    void theIndexEndsWithTheLastState(@ForAll long seed) {
        assertThat(endsRight(REAL, seed)).isTrue();
    }

    @Property(tries = 5_000)
    void theIndexEndsWithWhatTheLastStateIncludes(@ForAll long seed) {
        Stamps stamps = (delta, first, last) -> IndexUpdate.of(COVERING, delta, first, last);
        assertThat(endsRight(stamps, seed, StampPropertyTest::entryAndGate)).isTrue();
    }

    /** Returns the entry of a state, to which the row may have come by losing or regaining its gate. */
    private static IndexEntry entryAndGate(IndexEntry entry, Random random) {
        Cell origin = Flights.cell("r", "origin", Bytes.toString(entry.key()), entry.timestamp());
        return switch (random.nextInt(3)) {
            case 0 -> Flights.entry(COVERING, "r", origin);
            case 1 -> Flights.entry(COVERING, "r", origin, Flights.cell("r", "gate", "", entry.timestamp()));
            default ->
                Flights.entry(
                        COVERING,
                        "r",
                        origin,
                        Flights.cell("r", "gate", "B" + random.nextInt(2), 90 + random.nextInt(40)));
        };
    }

    @Test
    void thePropertyFailsForOtherStamps() {
        assertThat(failures(REAL)).isZero();
        assertThat(failures(deletingAt(1))).isPositive();
        assertThat(failures(deletingAt(-2))).isPositive();
        assertThat(failures(insertingAfterTheLastStamp())).isPositive();
        assertThat(failures(insertingAtTheBasesOwnTime())).isPositive();
    }

    private static long failures(Stamps stamps) {
        return new Random(1)
                .longs(5_000)
                .filter(seed -> !endsRight(stamps, seed))
                .count();
    }

    /** A state of the row after a write with this stamp, with its entry if it has one. */
    private record State(long stamp, Optional<IndexEntry> entry) {}

    /** Makes an entry of the index of one of an index on the origin alone, whose key is the origin. */
    @FunctionalInterface
    private interface Content {
        IndexEntry of(IndexEntry entry, Random random);
    }

    private static boolean endsRight(Stamps stamps, long seed) {
        return endsRight(stamps, seed, (entry, random) -> entry);
    }

    private static boolean endsRight(Stamps stamps, long seed, Content content) {
        Random random = new Random(seed);
        List<State> states = history(random);
        states.replaceAll(state -> new State(state.stamp, state.entry.map(entry -> content.of(entry, random))));
        List<IndexUpdate> updates = merged(states, random, stamps);
        updates.addAll(replayed(states, random, stamps));
        updates.addAll(updates.stream().filter(any -> random.nextInt(3) == 0).toList());
        Collections.shuffle(updates, random);
        IndexTableModel index = new IndexTableModel();
        updates.forEach(update -> index.apply(update.mutation()));
        NavigableSet<String> expected = new TreeSet<>();
        states.get(states.size() - 1).entry.ifPresent(entry -> expected.add(entry.toString()));
        return index.entries().equals(expected);
    }

    /**
     * Returns the states of a row that has no entry, and is then written once per stamp: with the server's timestamp,
     * with a client's timestamp, so that nothing changes, or so that the entry disappears or an earlier one returns.
     */
    private static List<State> history(Random random) {
        List<State> states = new ArrayList<>(List.of(new State(99, Optional.empty())));
        int writes = 1 + random.nextInt(8);
        long stamp = 100;
        for (int i = 0; i < writes; i++) {
            stamp += random.nextInt(2) + 1;
            State last = states.get(states.size() - 1);
            String key = String.valueOf((char) ('A' + random.nextInt(3)));
            Optional<IndexEntry> entry =
                    switch (random.nextInt(6)) {
                        case 0 -> Optional.empty();
                        case 1 -> last.entry;
                        case 2 -> states.get(random.nextInt(states.size())).entry;
                        case 3 -> Optional.of(new IndexEntry(Bytes.toBytes(key), 90 + random.nextInt(40)));
                        default -> Optional.of(new IndexEntry(Bytes.toBytes(key), stamp));
                    };
            states.add(new State(stamp, entry));
        }
        return states;
    }

    /** Returns the updates of neighbouring changes, merged at random as the AUQ merges them. */
    private static List<IndexUpdate> merged(List<State> states, Random random, Stamps stamps) {
        List<IndexUpdate> updates = new ArrayList<>();
        for (int first = 1; first < states.size(); ) {
            int last = Math.min(states.size() - 1, first + random.nextInt(3));
            updates.addAll(step(states, first, last, stamps));
            first = last + 1;
        }
        return updates;
    }

    /** Returns the updates of the last changes, possibly none, one by one as a replay delivers them. */
    private static List<IndexUpdate> replayed(List<State> states, Random random, Stamps stamps) {
        List<IndexUpdate> updates = new ArrayList<>();
        for (int i = 1 + random.nextInt(states.size()); i < states.size(); i++) {
            updates.addAll(step(states, i, i, stamps));
        }
        return updates;
    }

    private static List<IndexUpdate> step(List<State> states, int first, int last, Stamps stamps) {
        IndexDelta delta = IndexDelta.between(states.get(first - 1).entry, states.get(last).entry);
        return stamps.of(delta, states.get(first).stamp, states.get(last).stamp);
    }
}
