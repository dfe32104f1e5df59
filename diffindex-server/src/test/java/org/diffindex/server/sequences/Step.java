package org.diffindex.server.sequences;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexScheme;

/** One step of a random sequence: a write, an operation on the table, or a fault. Its text says what it does. */
public sealed interface Step {
    /** Returns the kind of step, without rows and values. */
    default String kind() {
        return this instanceof Enum<?> one ? one.name() : getClass().getSimpleName();
    }

    /** Returns the writes that it consists of, if there are several. */
    default List<Single> parts() {
        return List.of();
    }

    /** The columns that are indexed, alone or together, and X, which is not. */
    enum Column {
        A("f"),
        B("f"),
        C("g"),
        N("f"),
        X("f");

        private final String family;

        Column(String family) {
            this.family = family;
        }

        public byte[] family() {
            return Bytes.toBytes(family);
        }

        public byte[] qualifier() {
            return Bytes.toBytes(name());
        }
    }

    /** The kinds of timestamps of a write. */
    enum Era {
        /** Given by the server. */
        SERVER,
        ZERO,
        /** A little after the epoch. */
        PAST,
        /** Near the time at which the sequence began. */
        NOW,
        /** A little after the time of the write. */
        SOON,
        /** A day ahead. */
        AHEAD,
        /** One less than the largest, which stands for the server's time. */
        LAST
    }

    /** A timestamp: that of an era plus a number of milliseconds. */
    record Time(Era era, int offset) {
        @Override
        public String toString() {
            return switch (era) {
                case SERVER -> "";
                case ZERO, LAST -> " @" + era;
                default -> " @" + era + "+" + offset;
            };
        }
    }

    /** One of a few values of a column. */
    record Value(Column column, int value) {
        @Override
        public String toString() {
            return column + "=" + value;
        }
    }

    /** A step that changes rows. */
    sealed interface Write extends Step {}

    /** A write that can be part of a RowMutations. */
    sealed interface Single extends Write {
        int row();

        /** Returns the same write for another row. */
        Single ofRow(int other);
    }

    record Put(int row, List<Value> values, Time time, Durability durability) implements Single {
        @Override
        public String kind() {
            return "Put " + time.era();
        }

        @Override
        public Single ofRow(int other) {
            return new Put(other, values, time, durability);
        }

        @Override
        public String toString() {
            return "put r" + row + " " + values + time + (durability == Durability.USE_DEFAULT ? "" : " " + durability);
        }
    }

    /** Several versions of a column in one put, each with its own timestamp. */
    record Versions(int row, Column column, List<Time> times) implements Single {
        @Override
        public Single ofRow(int other) {
            return new Versions(other, column, times);
        }

        @Override
        public String toString() {
            return "put r" + row + " " + column + " " + times;
        }
    }

    /** A put with a value that has another timestamp than the others. */
    record PutBeside(Put put, Value other, Time time) implements Single {
        @Override
        public int row() {
            return put.row();
        }

        @Override
        public Single ofRow(int another) {
            return new PutBeside((Put) put.ofRow(another), other, time);
        }

        @Override
        public String toString() {
            return put + " beside " + other + time;
        }
    }

    /** The extent of a delete: a row, or one or all versions of a family or a column. */
    enum Extent {
        ROW,
        FAMILY,
        FAMILY_VERSION,
        COLUMN,
        VERSION
    }

    record Delete(int row, Extent extent, Column column, Time time) implements Single {
        @Override
        public String kind() {
            return "Delete " + extent;
        }

        @Override
        public Single ofRow(int other) {
            return new Delete(other, extent, column, time);
        }

        @Override
        public String toString() {
            return "delete r" + row + " " + extent + " " + column + time;
        }
    }

    /** One delete with two extents. */
    record TwoDeletes(Delete one, Delete other) implements Single {
        @Override
        public int row() {
            return one.row();
        }

        @Override
        public Single ofRow(int another) {
            return new TwoDeletes((Delete) one.ofRow(another), (Delete) other.ofRow(another));
        }

        @Override
        public String toString() {
            return one + " and " + other.extent() + " " + other.column() + other.time();
        }
    }

    record Increment(int row, int amount) implements Single {
        @Override
        public Single ofRow(int other) {
            return new Increment(other, amount);
        }

        @Override
        public String toString() {
            return "increment r" + row + " N by " + amount;
        }
    }

    record Append(int row, Column column) implements Single {
        @Override
        public Single ofRow(int other) {
            return new Append(other, column);
        }

        @Override
        public String toString() {
            return "append r" + row + " " + column;
        }
    }

    /** Writes of any rows in one call. */
    record Batch(List<Single> writes) implements Write {
        @Override
        public List<Single> parts() {
            return writes;
        }

        @Override
        public String toString() {
            return "batch " + writes;
        }
    }

    /** Atomic writes of several rows of one region. */
    record Rows(List<Single> writes) implements Write {
        @Override
        public List<Single> parts() {
            return writes;
        }

        @Override
        public String toString() {
            return "rows together " + writes;
        }
    }

    /** Atomic writes of one row. */
    record Atomic(int row, List<Single> writes) implements Write {
        @Override
        public List<Single> parts() {
            return writes;
        }

        @Override
        public String toString() {
            return "atomic " + writes;
        }
    }

    /** Writes of one row on the condition that a column has, or has not, a value. */
    record Check(int row, Value value, boolean equal, List<Single> writes) implements Write {
        @Override
        public List<Single> parts() {
            return writes;
        }

        @Override
        public String toString() {
            return "if r" + row + " " + value.column() + (equal ? "==" : "!=") + value.value() + " " + writes;
        }
    }

    /** Writes of two writers at the same time. */
    record Together(Single one, Single other) implements Write {
        @Override
        public List<Single> parts() {
            return List.of(one, other);
        }

        @Override
        public String toString() {
            return "together " + one + " and " + other;
        }
    }

    /** A put or delete, and a write that another coprocessor makes within the hook after it. */
    record Within(Single outer, Single inner) implements Write {
        @Override
        public List<Single> parts() {
            return List.of(outer, inner);
        }

        @Override
        public String toString() {
            return outer + ", and within its last hook " + inner;
        }
    }

    /** Operations on the table. */
    enum Upkeep implements Step {
        FLUSH,
        /** A flush of one of the families alone. */
        FLUSH_F,
        COMPACT,
        MOVE,
        MERGE,
        DRAIN
    }

    record Split(int row) implements Step {
        @Override
        public String toString() {
            return "split at r" + row;
        }
    }

    /** The clock advances, or jumps back. */
    record Tick(int milliseconds) implements Step {
        @Override
        public String toString() {
            return "clock " + (milliseconds < 0 ? "" : "+") + milliseconds + " ms";
        }
    }

    /**
     * The server dies, and another one, whose clock differs, recovers its regions.
     *
     * @param heldArrive whether deliveries that are held arrive after the recovery, or never
     * @param created the scheme of an index that is created after the crash and before the recovery
     */
    record Crash(int clockDifference, boolean heldArrive, Optional<IndexScheme> created) implements Step {
        public Crash(int clockDifference, boolean heldArrive) {
            this(clockDifference, heldArrive, Optional.empty());
        }

        @Override
        public String toString() {
            return "crash, the next clock " + (clockDifference < 0 ? "" : "+") + clockDifference + " ms, what is held "
                    + (heldArrive ? "arrives late" : "is lost")
                    + created.map(scheme -> ", create " + scheme).orElse("");
        }
    }

    /** Another index is created, and backfilled with the existing rows. */
    record Create(IndexScheme scheme) implements Step {
        @Override
        public String toString() {
            return "create " + scheme;
        }
    }

    /** The scheme of the index that was created last is changed; if there is none, one is created. */
    record Alter(IndexScheme scheme) implements Step {
        @Override
        public String toString() {
            return "change to " + scheme;
        }
    }

    /**
     * Another index is created, and the backfill's read of a row is between two writes of the row.
     *
     * @param before precedes the page of the backfill that reads the row
     * @param ticksBefore by how many milliseconds the clock advances when the page has begun to read
     * @param during follows then
     * @param ticksAfter by how many milliseconds the clock advances before the page goes on
     */
    record CreateBesideWrites(IndexScheme scheme, Single before, int ticksBefore, Single during, int ticksAfter)
            implements Write {
        @Override
        public List<Single> parts() {
            return List.of(before, during);
        }

        @Override
        public String toString() {
            return before + ", create " + scheme + ", and while it reads: clock +" + ticksBefore + " ms, " + during
                    + ", clock +" + ticksAfter + " ms";
        }
    }

    /** Faults of deliveries to the index tables, and the end of all faults. */
    enum Fault implements Step {
        OUTAGE,
        HOLD,
        END
    }

    record FailNext(int calls, boolean halfway) implements Step {
        @Override
        public String toString() {
            return "the next " + calls + " deliveries fail" + (halfway ? " halfway" : "");
        }
    }

    /** Returns a sequence as a list of its steps, one per line. */
    static String describe(List<Step> steps) {
        return steps.stream().map(step -> "\n  " + step).collect(Collectors.joining());
    }
}
