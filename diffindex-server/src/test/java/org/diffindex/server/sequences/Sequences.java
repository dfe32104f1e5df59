package org.diffindex.server.sequences;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;
import net.jqwik.api.Tuple.Tuple2;
import net.jqwik.api.arbitraries.ListArbitrary;
import org.apache.hadoop.hbase.client.Durability;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.sequences.Step.Column;
import org.diffindex.server.sequences.Step.Era;
import org.diffindex.server.sequences.Step.Extent;

/** Arbitrary sequences of steps: few rows, few values, and timestamps so close that they often coincide. */
public final class Sequences {
    public static final int ROWS = 3;

    private static final int LONGEST = 20;

    private final TableShape shape;

    /** Whether clients give timestamps. If not, the servers' clocks differ. */
    private final boolean clientsGiveTimes;

    /** Whether there are many faults and other events beside few writes. */
    private final boolean eventful;

    private Sequences(TableShape shape, boolean clientsGiveTimes, boolean eventful) {
        this.shape = shape;
        this.clientsGiveTimes = clientsGiveTimes;
        this.eventful = eventful;
    }

    /** A sequence, and the table that it is for. */
    public record Sequence(TableShape shape, boolean clientsGiveTimes, List<Step> steps) {
        @Override
        public String toString() {
            return shape + Step.describe(steps);
        }
    }

    /** Returns sequences for tables of any of the shapes. */
    public static Arbitrary<Sequence> of(Set<TableShape> shapes) {
        return Arbitraries.of(shapes).flatMap(shape -> Combinators.combine(
                        Arbitraries.of(true, false), Arbitraries.of(true, false))
                .flatAs((times, eventful) -> new Sequences(shape, times && !shape.hasTtl(), eventful).sequence()));
    }

    private Arbitrary<Sequence> sequence() {
        return steps().list()
                .ofMinSize(2)
                .ofMaxSize(LONGEST)
                .map(steps -> new Sequence(shape, clientsGiveTimes, steps));
    }

    private static <T> Tuple2<Integer, Arbitrary<T>> often(int weight, Arbitrary<? extends T> arbitrary) {
        return Tuple.of(weight, arbitrary.map(each -> each));
    }

    private Arbitrary<Step> steps() {
        return Arbitraries.frequencyOf(List.of(
                Sequences.<Step>often(eventful ? 15 : 50, single()),
                Sequences.<Step>often(5, batch()),
                Sequences.<Step>often(5, atomic()),
                Sequences.<Step>often(3, together(putsAndDeletes()).map(Step.Rows::new)),
                Sequences.<Step>often(5, check()),
                Sequences.<Step>often(2, together()),
                Sequences.<Step>often(2, within()),
                Sequences.<Step>often(3, Arbitraries.of(Step.Upkeep.FLUSH)),
                Sequences.<Step>often(1, Arbitraries.of(Step.Upkeep.FLUSH_F)),
                Sequences.<Step>often(1, Arbitraries.of(Step.Upkeep.class)),
                Sequences.<Step>often(1, rows().map(Step.Split::new)),
                Sequences.<Step>often(1, Arbitraries.of(IndexScheme.class).map(Step.Create::new)),
                Sequences.<Step>often(
                        eventful ? 3 : 1, Arbitraries.of(IndexScheme.class).map(Step.Alter::new)),
                Sequences.<Step>often(2, createBesideWrites()),
                Sequences.<Step>often(3, ticks()),
                Sequences.<Step>often(2, crash()),
                Sequences.<Step>often(1, Arbitraries.of(Step.Fault.class)),
                often(
                        1,
                        Combinators.combine(Arbitraries.integers().between(1, 3), Arbitraries.of(true, false))
                                .as(Step.FailNext::new))));
    }

    private static Arbitrary<Integer> rows() {
        return Arbitraries.integers().between(0, ROWS - 1);
    }

    private Arbitrary<Step.Single> single() {
        List<Tuple2<Integer, Arbitrary<Step.Single>>> kinds = new ArrayList<>();
        kinds.add(often(11, putsAndDeletes()));
        kinds.add(often(
                1,
                Combinators.combine(rows(), Arbitraries.integers().between(1, 2))
                        .as(Step.Increment::new)));
        kinds.add(often(
                1,
                Combinators.combine(rows(), Arbitraries.of(Column.A, Column.B, Column.C, Column.X))
                        .as(Step.Append::new)));
        return Arbitraries.frequencyOf(kinds);
    }

    private Arbitrary<Step.Single> putsAndDeletes() {
        return Arbitraries.frequencyOf(List.of(
                Sequences.<Step.Single>often(6, put()),
                Sequences.<Step.Single>often(clientsGiveTimes ? 1 : 0, versions()),
                Sequences.<Step.Single>often(shape.hasTtl() ? 0 : 1, putBeside()),
                Sequences.<Step.Single>often(4, delete()),
                Sequences.<Step.Single>often(1, twoDeletes())));
    }

    private Arbitrary<Step.Batch> batch() {
        return together(single()).map(Step.Batch::new);
    }

    private Arbitrary<List<Step.Single>> together(Arbitrary<Step.Single> any) {
        ListArbitrary<Step.Single> writes = any.list().ofMinSize(2).ofMaxSize(5);
        boolean once = writesAtOnce(2) == 1;
        return once ? writes.uniqueElements(Step.Single::row).ofMinSize(1) : writes;
    }

    private int writesAtOnce(int most) {
        boolean one = shape == TableShape.IN_MEMORY_COMPACTION
                && ModelGap.COLUMN_TWICE_UNDER_IN_MEMORY_COMPACTION.isLeftOut();
        return one ? 1 : most;
    }

    private Arbitrary<Step.Put> put() {
        ListArbitrary<Step.Value> values = value().list().ofMinSize(1).ofMaxSize(3);
        boolean once = writesAtOnce(2) == 1;
        return Combinators.combine(
                        rows(), once ? values.uniqueElements(Step.Value::column) : values, time(), durability())
                .as(Sequences::put);
    }

    /** A put that concerns no index and skips the WAL may be lost in a crash, as without Diff-Index. */
    private static Step.Put put(int row, List<Step.Value> values, Step.Time time, Durability durability) {
        boolean mayBeLost =
                durability == Durability.SKIP_WAL && values.stream().allMatch(value -> value.column() == Column.X);
        return new Step.Put(row, values, time, mayBeLost ? Durability.ASYNC_WAL : durability);
    }

    /** Without timestamps of clients, only one of the past, which hides nothing. */
    private Arbitrary<Step.PutBeside> putBeside() {
        Arbitrary<Step.Time> times = clientsGiveTimes ? time() : past();
        return Combinators.combine(put(), value(), times)
                .as(Step.PutBeside::new)
                .filter(write -> writesAtOnce(2) == 2
                        || write.put().values().stream()
                                .noneMatch(
                                        value -> value.column() == write.other().column()));
    }

    private Arbitrary<Step.Versions> versions() {
        boolean once = writesAtOnce(2) == 1;
        // The present may equal another time that a client gives.
        ListArbitrary<Step.Time> times = time().filter(
                        time -> !once || !Set.of(Era.SERVER, Era.SOON).contains(time.era()))
                .list()
                .ofMinSize(2)
                .ofMaxSize(3);
        return Combinators.combine(
                        rows(), Arbitraries.of(Column.A, Column.B, Column.C), once ? times.uniqueElements() : times)
                .as(Step.Versions::new);
    }

    private static Arbitrary<Step.Value> value() {
        return Combinators.combine(
                        Arbitraries.frequency(
                                Tuple.of(5, Column.A),
                                Tuple.of(2, Column.B),
                                Tuple.of(2, Column.C),
                                Tuple.of(1, Column.N),
                                Tuple.of(2, Column.X)),
                        Arbitraries.integers().between(0, 2))
                .as(Step.Value::new);
    }

    /** If some columns have no index, writes that skip the WAL may be lost in a crash, as without Diff-Index. */
    private Arbitrary<Durability> durability() {
        if (shape.hasTtl()) {
            return Arbitraries.of(Durability.USE_DEFAULT, Durability.ASYNC_WAL);
        }
        return Arbitraries.frequency(
                Tuple.of(8, Durability.USE_DEFAULT),
                Tuple.of(1, Durability.SKIP_WAL),
                Tuple.of(1, Durability.ASYNC_WAL));
    }

    /** With a time to live, no client gives timestamps or makes an older version reappear. */
    private Arbitrary<Step.Delete> delete() {
        Arbitrary<Extent> extent = clientsGiveTimes
                ? Arbitraries.of(Extent.class)
                : shape.hasTtl()
                        ? Arbitraries.of(Extent.ROW, Extent.FAMILY, Extent.COLUMN)
                        : Arbitraries.of(Extent.ROW, Extent.FAMILY, Extent.COLUMN, Extent.VERSION);
        return Combinators.combine(rows(), extent, Arbitraries.of(Column.class), time())
                .as((row, what, column, at) -> new Step.Delete(
                        row,
                        what,
                        column,
                        what == Extent.FAMILY_VERSION && at.era() == Era.SERVER ? new Step.Time(Era.NOW, 1) : at));
    }

    /** HBase completes a delete of a row only if it has no other extent. */
    private Arbitrary<Step.TwoDeletes> twoDeletes() {
        Arbitrary<Step.Delete> ofColumns = delete().filter(delete -> delete.extent() != Extent.ROW);
        return Combinators.combine(ofColumns, ofColumns)
                .as((one, other) -> new Step.TwoDeletes(one, (Step.Delete) other.ofRow(one.row())));
    }

    private static Arbitrary<Step.Time> past() {
        return Arbitraries.integers().between(0, 2).map(offset -> new Step.Time(Era.PAST, offset));
    }

    private static Arbitrary<Step.Time> soon() {
        return Arbitraries.integers().between(0, 3).map(offset -> new Step.Time(Era.SOON, offset));
    }

    private Arbitrary<Step.Time> time() {
        Arbitrary<Step.Time> server = Arbitraries.just(new Step.Time(Era.SERVER, 0));
        if (!clientsGiveTimes) {
            return server;
        }
        return Arbitraries.frequencyOf(List.of(
                Sequences.<Step.Time>often(20, server),
                Sequences.<Step.Time>often(
                        6, Arbitraries.integers().between(-1, 5).map(offset -> new Step.Time(Era.NOW, offset))),
                Sequences.<Step.Time>often(3, past()),
                Sequences.<Step.Time>often(3, soon()),
                Sequences.<Step.Time>often(
                        2, Arbitraries.integers().between(0, 2).map(offset -> new Step.Time(Era.AHEAD, offset))),
                Sequences.<Step.Time>often(
                        1,
                        Arbitraries.of(
                                new Step.Time(Era.ZERO, 0),
                                new Step.Time(
                                        ModelGap.DELTA_AT_THE_END_OF_TIME.isLeftOut() ? Era.ZERO : Era.LAST, 0)))));
    }

    private Arbitrary<List<Step.Single>> ofOneRow(int row, int most) {
        return single().map(write -> write.ofRow(row)).list().ofMinSize(1).ofMaxSize(writesAtOnce(most));
    }

    private Arbitrary<Step.Atomic> atomic() {
        return rows().flatMap(row -> ofOneRow(row, 4).map(writes -> new Step.Atomic(row, writes)));
    }

    private Arbitrary<Step.Check> check() {
        return rows().flatMap(row -> Combinators.combine(value(), Arbitraries.of(true, false), ofOneRow(row, 2))
                .as((value, equal, writes) -> new Step.Check(row, value, equal, writes)));
    }

    private Arbitrary<Step.Together> together() {
        return rows().flatMap(row -> Combinators.combine(single(), single())
                .as((one, other) -> new Step.Together(one.ofRow(row), other.ofRow(row))));
    }

    private Arbitrary<Step.Within> within() {
        return Combinators.combine(putsAndDeletes(), single()).as(Step.Within::new);
    }

    /** The first write often has a timestamp that the clock reaches while the backfill reads. */
    private Arbitrary<Step.CreateBesideWrites> createBesideWrites() {
        Arbitrary<Integer> ticks = Arbitraries.integers().between(0, 3);
        Arbitrary<Step.Single> soon = Combinators.combine(
                        rows(), Arbitraries.integers().between(0, 2), soon())
                .as((row, value, time) ->
                        put(row, List.of(new Step.Value(Column.A, value)), time, Durability.USE_DEFAULT));
        Arbitrary<Step.Single> before = Arbitraries.frequencyOf(List.of(
                Sequences.<Step.Single>often(clientsGiveTimes ? 3 : 0, soon),
                Sequences.<Step.Single>often(1, single())));
        return rows().flatMap(
                        row -> Combinators.combine(Arbitraries.of(IndexScheme.class), before, ticks, single(), ticks)
                                .as((scheme, first, until, second, then) -> new Step.CreateBesideWrites(
                                        scheme, first.ofRow(row), until, second.ofRow(row), then)));
    }

    private Arbitrary<Step.Tick> ticks() {
        return (shape.hasTtl()
                        ? Arbitraries.of(1, 4_000, 7_000)
                        : Arbitraries.integers().between(0, 3))
                .map(Step.Tick::new);
    }

    private Arbitrary<Step.Crash> crash() {
        return Combinators.combine(
                        shape.hasTtl() ? Arbitraries.just(0) : Arbitraries.of(0, 1, -1, -3, 1_000, -1_000),
                        Arbitraries.of(true, false),
                        Arbitraries.of(IndexScheme.class).optional(shape.hasTtl() ? 0 : 0.2))
                .as(Step.Crash::new);
    }
}
