package org.diffindex.server.sequences;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.util.Bytes;

/** Creates HBase's mutations from the writes of a sequence. */
public final class StepMutations {
    private static final long DAY_MS = 86_400_000;

    private final InstantSource clock;
    private final long start;
    private final String rows;

    /**
     * Creates mutations for a sequence that begins now.
     *
     * @param rows the prefix of the names of its rows
     */
    public StepMutations(InstantSource clock, String rows) {
        this.clock = clock;
        this.start = clock.millis();
        this.rows = rows;
    }

    public String rowPrefix() {
        return rows;
    }

    public String rowName(int row) {
        return rows + row;
    }

    public byte[] row(int row) {
        return Bytes.toBytes(rowName(row));
    }

    public static byte[] value(Step.Value value) {
        return value.column() == Step.Column.N
                ? Bytes.toBytes((long) value.value())
                : Bytes.toBytes(Character.toString('A' + value.value()));
    }

    public Mutation of(Step.Single write) {
        if (write instanceof Step.Put put) {
            return put(put);
        } else if (write instanceof Step.PutBeside put) {
            return with(put(put.put()), put.other(), put.time());
        } else if (write instanceof Step.Versions versions) {
            return versions(versions);
        } else if (write instanceof Step.Delete delete) {
            return with(new Delete(row(delete.row())), delete);
        } else if (write instanceof Step.TwoDeletes deletes) {
            return with(with(new Delete(row(deletes.row())), deletes.one()), deletes.other());
        } else if (write instanceof Step.Increment increment) {
            return new Increment(row(increment.row()))
                    .addColumn(Step.Column.N.family(), Step.Column.N.qualifier(), increment.amount());
        } else if (write instanceof Step.Append append) {
            return new Append(row(append.row()))
                    .addColumn(append.column().family(), append.column().qualifier(), Bytes.toBytes("+"));
        }
        throw new IllegalArgumentException(write.toString());
    }

    public Mutation[] of(List<Step.Single> writes) {
        return writes.stream().map(this::of).toArray(Mutation[]::new);
    }

    public RowMutations atomic(int row, List<Step.Single> writes) throws IOException {
        RowMutations mutations = new RowMutations(row(row));
        mutations.add(List.of(of(writes)));
        return mutations;
    }

    private Put put(Step.Put step) {
        Put put = new Put(row(step.row()));
        for (Step.Value value : step.values()) {
            with(put, value, step.time());
        }
        if (step.durability() != Durability.USE_DEFAULT) {
            put.setDurability(step.durability());
        }
        return put;
    }

    private Put with(Put put, Step.Value value, Step.Time time) {
        return put.addColumn(value.column().family(), value.column().qualifier(), timestamp(time), value(value));
    }

    /** Gives each version another value. */
    private Put versions(Step.Versions step) {
        Put put = new Put(row(step.row()));
        for (int i = 0; i < step.times().size(); i++) {
            with(put, new Step.Value(step.column(), i), step.times().get(i));
        }
        return put;
    }

    private Delete with(Delete delete, Step.Delete step) {
        long timestamp = timestamp(step.time());
        byte[] family = step.column().family();
        byte[] qualifier = step.column().qualifier();
        return switch (step.extent()) {
            case ROW -> step.time().era() == Step.Era.SERVER ? delete : new Delete(row(step.row()), timestamp);
            case FAMILY -> delete.addFamily(family, timestamp);
            case FAMILY_VERSION -> delete.addFamilyVersion(family, timestamp);
            case COLUMN -> delete.addColumns(family, qualifier, timestamp);
            case VERSION -> delete.addColumn(family, qualifier, timestamp);
        };
    }

    private long timestamp(Step.Time time) {
        return switch (time.era()) {
            case SERVER -> HConstants.LATEST_TIMESTAMP;
            case ZERO -> 0;
            case PAST -> 1_000 + time.offset();
            case NOW -> start + time.offset();
            case SOON -> clock.millis() + time.offset();
            case AHEAD -> start + DAY_MS + time.offset();
            case LAST -> Long.MAX_VALUE - 1;
        };
    }
}
