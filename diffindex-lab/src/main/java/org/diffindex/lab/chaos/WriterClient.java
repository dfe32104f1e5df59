package org.diffindex.lab.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A client that writes its own rows, and occasionally a shared row, with a plain HBase {@link Table}: by puts, deletes,
 * batches, row mutations, checks and increments. For one thread.
 */
final class WriterClient extends ChaosClient {
    private static final int LARGEST_BATCH = 8;
    private static final int MOVES = 4;

    private Table table;

    /**
     * Creates a client.
     *
     * @param own rows that no other client writes
     * @param shared rows that others also write
     * @param perSecond the rate, see {@link Pace}
     */
    WriterClient(Workload work, RowSlots own, RowSlots shared, Random random, double perSecond, Duration rpcTimeout) {
        super(work, own, shared, random, perSecond, rpcTimeout);
    }

    @Override
    public Void call() throws IOException, InterruptedException {
        try (Table opened = work.connection().getTable(work.table().name())) {
            table = opened;
            while (!work.stopped().get()) {
                step(random.nextInt(100));
                pace.pause();
            }
        }
        return null;
    }

    private void step(int dice) throws InterruptedException {
        if (dice < 38) {
            put(pick(own));
        } else if (dice < 40) {
            putThatIsRefused(pick(random.nextBoolean() ? own : shared));
        } else if (dice < 55) {
            batch();
        } else if (dice < 62) {
            deleteRow(pick(own));
        } else if (dice < 69) {
            deleteValue(pick(own));
        } else if (dice < 78) {
            checkAndPut(pick(own));
        } else if (dice < 86) {
            increment(pick(own));
        } else if (dice < 90) {
            thereAndBack(pick(own));
        } else if (dice < 92) {
            moveAcross(pick(own));
        } else if (dice < 93) {
            moveAcrossWhileReading(pick(own));
        } else if (dice < 98) {
            put(pick(shared));
        } else {
            deleteRow(pick(shared));
        }
    }

    private void put(RowHistory row) throws InterruptedException {
        Change change = maker.put(row, maker.value(), "put");
        write(change, () -> table.put((Put) change.action()));
    }

    private void deleteRow(RowHistory row) throws InterruptedException {
        Change change = ChangeMaker.delete(row, "delete");
        write(change, () -> table.delete((Delete) change.action()));
    }

    private void batch() throws InterruptedException {
        List<Change> changes = new ArrayList<>();
        Set<RowHistory> rows = new HashSet<>();
        for (int i = 2 + random.nextInt(LARGEST_BATCH - 1); i > 0; i--) {
            RowHistory row = pick(own);
            if (rows.add(row)) {
                changes.add(
                        random.nextInt(5) > 0
                                ? maker.put(row, maker.value(), "batch-put")
                                : ChangeMaker.delete(row, "batch-delete"));
            }
        }
        List<Row> actions = new ArrayList<>(changes.stream().map(Change::action).toList());
        Optional<Put> bad = random.nextInt(4) == 0 ? Optional.of(unindexable(pick(own))) : Optional.empty();
        bad.ifPresent(put -> actions.add(random.nextInt(actions.size() + 1), put));
        write(changes, results -> {
            if (bad.isEmpty()) {
                table.batch(actions, results);
            } else {
                batchWith(bad.get(), actions, results);
            }
        });
    }

    /**
     * Sends a batch with one put that must be refused alone; {@code results} receives the answers to the other actions.
     */
    private void batchWith(Put bad, List<Row> actions, Object[] results) throws IOException, InterruptedException {
        Object[] answers = new Object[actions.size()];
        try {
            table.batch(actions, answers);
        } catch (RetriesExhaustedWithDetailsException e) {
            work.log().comment("A batch with a put that must be refused: " + e); // each answer concerns its own write
        }
        int next = 0;
        for (int i = 0; i < answers.length; i++) {
            if (actions.get(i) == bad) {
                recorder.judgeRefusal(bad, answers[i]);
            } else {
                results[next++] =
                        answers[i] == null ? new IOException("There was no answer for the write") : answers[i];
            }
        }
    }

    /** Returns an unindexable put of the row; it must have no effect, whatever else happens to the row. */
    private Put unindexable(RowHistory row) {
        String value = maker.value();
        return ChaosTable.unindexable(row.row(), value, ChangeMaker.newTag(value));
    }

    private void putThatIsRefused(RowHistory row) throws InterruptedException {
        Put put = unindexable(row);
        recorder.write(List.of(), RowWrite.NO_SESSION, none -> {
            try {
                table.put(put);
                recorder.judgeRefusal(put, Result.EMPTY_RESULT);
            } catch (IOException | RuntimeException e) {
                recorder.judgeRefusal(put, e);
            }
        });
    }

    /** Deletes the value and sets a tag, atomically. */
    private void deleteValue(RowHistory row) throws InterruptedException {
        String tag = ChangeMaker.newTag("-");
        byte[] key = Bytes.toBytes(row.row());
        RowMutations both;
        try {
            both = new RowMutations(key)
                    .add((Mutation) new Delete(key).addColumns(ChaosTable.FAMILY, ChaosTable.VALUE))
                    .add((Mutation) new Put(key).addColumn(ChaosTable.FAMILY, ChaosTable.TAG, Bytes.toBytes(tag)));
        } catch (IOException e) {
            throw new IllegalStateException("Two mutations of the same row were rejected", e);
        }
        write(new Change(row, row.newest().withoutValue(tag), "row-mutations", both), () -> table.mutateRow(both));
    }

    /**
     * Puts a value if the row has the expected one. If the row does not have it, an earlier attempt of the same call
     * took effect, because no other client writes the row.
     */
    private void checkAndPut(RowHistory row) throws InterruptedException {
        Optional<String> now = row.newest().value();
        String value = maker.value();
        while (now.isPresent() && now.get().equals(value)) {
            value = maker.value();
        }
        Change change = maker.put(row, value, "check-and-put");
        CheckAndMutate.Builder check = CheckAndMutate.newBuilder(Bytes.toBytes(row.row()));
        if (now.isPresent()) {
            check.ifEquals(ChaosTable.FAMILY, ChaosTable.VALUE, Bytes.toBytes(now.get()));
        } else {
            check.ifNotExists(ChaosTable.FAMILY, ChaosTable.VALUE);
        }
        CheckAndMutate action = check.build((Put) change.action());
        write(
                List.of(change),
                results -> results[0] = table.checkAndMutate(action).isSuccess());
    }

    /** Increments the number, which one of the indexes holds, by one; the value and the tag stay the same. */
    private void increment(RowHistory row) throws InterruptedException {
        Increment increment =
                new Increment(Bytes.toBytes(row.row())).addColumn(ChaosTable.FAMILY, ChaosTable.NUMBER, 1);
        write(new Change(row, row.newest().incremented(), "increment", increment), () -> table.increment(increment));
    }

    /** Puts the row's value, another value, and the first one again, in quick succession. */
    private void thereAndBack(RowHistory row) throws InterruptedException {
        String home = row.newest().value().orElseGet(maker::value);
        for (String value : List.of(home, maker.value(), home)) {
            Change change = maker.put(row, value, "there-and-back");
            if (!write(change, () -> table.put((Put) change.action()))) {
                return;
            }
        }
    }

    /** Moves the row back and forth between two regions of the indexes, at values that readers read often. */
    private void moveAcross(RowHistory row) throws InterruptedException {
        int border = ChaosTable.BORDERS.get(random.nextInt(ChaosTable.BORDERS.size()));
        for (int i = 0; i < MOVES; i++) {
            int side = i % 2 == 0 ? -1 - random.nextInt(2) : random.nextInt(2);
            if (!moveTo(row, border + side)) {
                return;
            }
        }
    }

    /**
     * Reads the values around a region border of the indexes, and moves a row from one side to the other meanwhile, so that
     * every run has such reads, however slow it is.
     */
    private void moveAcrossWhileReading(RowHistory row) throws InterruptedException {
        int border = ChaosTable.BORDERS.get(random.nextInt(ChaosTable.BORDERS.size()));
        int from = random.nextBoolean() ? border : border - 1;
        int to = from == border ? border - 1 : border;
        if (moveTo(row, from)) {
            try {
                work.reads().read(IndexReads.Question.across(border, random), () -> moveTo(row, to));
            } catch (IOException e) {
                work.log().comment("A read while a row was moved: " + e); // already counted; it promises nothing
            }
        }
    }

    private boolean moveTo(RowHistory row, int value) throws InterruptedException {
        Change change = maker.put(row, ValueRange.value(value), "across");
        return write(change, () -> table.put((Put) change.action()));
    }

    /** A call of HBase's client. */
    @FunctionalInterface
    private interface Call {
        void run() throws IOException;
    }

    private boolean write(Change change, Call call) throws InterruptedException {
        return write(List.of(change), results -> {
            call.run();
            results[0] = Result.EMPTY_RESULT;
        });
    }

    /** Sends the changes; returns whether all outcomes are {@link Outcome#OK}. The rows of the others are retired. */
    private boolean write(List<Change> changes, WriteRecorder.Sending sending) throws InterruptedException {
        return recorder.writeOrRetire(changes, RowWrite.NO_SESSION, sending, own, shared);
    }
}
