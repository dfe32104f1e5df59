package org.diffindex.server;

import static org.diffindex.server.Flights.F;
import static org.diffindex.server.Flights.row;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;

/** Random writes of every kind to a few rows of a region, now and then a flush or a compaction. */
final class RandomWrites {
    /** Which timestamps the client gives. */
    enum Times {
        NONE,
        PAST,
        PAST_AND_FUTURE
    }

    private static final String[] TEXT_COLUMNS = {"origin", "date", "carrier"};
    private static final String[] VALUES = {"A", "B", "C"};
    private static final int ROWS = 3;
    private static final long AHEAD_MS = 1_000_000;

    private final HRegion region;
    private final Random random;
    private final String rowPrefix;
    private final Times times;
    private final long now = System.currentTimeMillis();
    private final List<String> told = new ArrayList<>();

    RandomWrites(HRegion region, Random random, String rowPrefix, Times times) {
        this.region = region;
        this.random = random;
        this.rowPrefix = rowPrefix;
        this.times = times;
    }

    /** What was written so far. */
    List<String> told() {
        return told;
    }

    void next() throws IOException {
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4, 5 -> region.put(tell(put(anyRow())));
            case 6, 7, 8, 9 -> region.delete(tell(delete(anyRow())));
            case 10 -> region.increment(tell(increment(anyRow())));
            case 11 -> region.append(tell(append(anyRow())));
            case 12, 13 -> region.batchMutate(batch());
            case 14, 15 -> region.mutateRow(rowMutations());
            case 16, 17 -> checkAndMutate();
            default -> upkeep();
        }
    }

    private String anyRow() {
        return rowPrefix + random.nextInt(ROWS);
    }

    private Put put(String row) throws IOException {
        Put put = new Put(row(row));
        int cells = 1 + random.nextInt(3);
        boolean givesTime = times != Times.NONE && random.nextInt(3) == 0;
        for (int i = 0; i < cells; i++) {
            byte[] value = Bytes.toBytes(VALUES[random.nextInt(VALUES.length)]);
            if (givesTime) {
                put.addColumn(F, textColumn(), time(), value);
            } else {
                put.addColumn(F, textColumn(), value);
            }
        }
        return put;
    }

    private Delete delete(String row) {
        Delete delete = new Delete(row(row));
        boolean givesTime = times != Times.NONE && random.nextBoolean();
        switch (random.nextInt(givesTime ? 4 : 3)) {
            case 0 -> {
                if (givesTime) {
                    delete.addFamily(F, time());
                } else {
                    delete.addFamily(F);
                }
            }
            case 1 -> {
                if (givesTime) {
                    delete.addColumns(F, textColumn(), time());
                } else {
                    delete.addColumns(F, textColumn());
                }
            }
            case 2 -> {
                if (givesTime) {
                    delete.addColumn(F, textColumn(), time());
                } else {
                    delete.addColumn(F, textColumn());
                }
            }
            default -> delete.addFamilyVersion(F, time());
        }
        return delete;
    }

    private Increment increment(String row) {
        return new Increment(row(row)).addColumn(F, Bytes.toBytes("count"), 1 + random.nextInt(3));
    }

    private Append append(String row) {
        return new Append(row(row)).addColumn(F, textColumn(), Bytes.toBytes("+"));
    }

    private Mutation[] batch() throws IOException {
        Mutation[] batch = new Mutation[2 + random.nextInt(4)];
        for (int i = 0; i < batch.length; i++) {
            batch[i] = tell(random.nextInt(3) == 0 ? delete(anyRow()) : put(anyRow()));
        }
        return batch;
    }

    private RowMutations rowMutations() throws IOException {
        String row = anyRow();
        List<Mutation> mutations = new ArrayList<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            mutations.add(
                    switch (random.nextInt(5)) {
                        case 0 -> tell(delete(row));
                        case 1 -> tell(increment(row));
                        default -> tell(put(row));
                    });
        }
        return RowMutations.of(mutations);
    }

    private void checkAndMutate() throws IOException {
        String row = anyRow();
        byte[] value = Bytes.toBytes(VALUES[random.nextInt(VALUES.length)]);
        CheckAndMutate.Builder check = CheckAndMutate.newBuilder(row(row))
                .ifMatches(
                        F,
                        textColumn(),
                        random.nextBoolean() ? CompareOperator.EQUAL : CompareOperator.NOT_EQUAL,
                        value);
        told.add("if");
        region.checkAndMutate(random.nextBoolean() ? check.build(tell(put(row))) : check.build(tell(delete(row))));
    }

    private void upkeep() throws IOException {
        if (random.nextInt(4) == 0) {
            told.add("flush");
            region.flush(true);
            if (random.nextInt(3) == 0) {
                told.add("compact");
                region.compact(true);
            }
        }
    }

    private byte[] textColumn() {
        return Bytes.toBytes(TEXT_COLUMNS[random.nextInt(TEXT_COLUMNS.length)]);
    }

    private long time() {
        boolean ahead = times == Times.PAST_AND_FUTURE && random.nextInt(3) == 0;
        return ahead ? now + AHEAD_MS + random.nextInt(4) : 1_000 + random.nextInt(4);
    }

    private <M extends Mutation> M tell(M mutation) {
        told.add(mutation.getClass().getSimpleName() + mutation);
        return mutation;
    }
}
