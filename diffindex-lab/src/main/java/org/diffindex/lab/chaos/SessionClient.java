package org.diffindex.lab.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.diffindex.client.IndexedTable;
import org.diffindex.client.Session;

/**
 * A client that writes its own rows, and occasionally shared ones, in sessions of limited length, and reads in each
 * session what it wrote. For one thread.
 */
final class SessionClient extends ChaosClient {
    private static final AtomicLong SESSIONS = new AtomicLong(RowWrite.NO_SESSION);
    private static final int STEPS_OF_SESSION = 200;
    private static final int MOVED_ROWS = 5;
    private static final double UNHURRIED = 1;

    private Session session;
    private long number;

    /**
     * Creates a client.
     *
     * @param own rows that no other client writes
     * @param shared rows that others also write, in sessions or outside
     */
    SessionClient(Workload work, RowSlots own, RowSlots shared, Random random, double perSecond, Duration rpcTimeout) {
        super(work, own, shared, random, perSecond, rpcTimeout);
    }

    /** Returns a number that identifies another session in the history. */
    static long nextNumber() {
        return SESSIONS.incrementAndGet();
    }

    /**
     * Puts and moves rows that no other client writes, in a session, among the lowest values, which reads with a limit
     * meet.
     *
     * @param number the number that identifies the session in the history
     * @throws IOException if the outcome of a write is uncertain
     */
    static void moveRows(Workload work, Session session, long number) throws IOException, InterruptedException {
        RowSlots rows = new RowSlots(work.history(), "session" + number, MOVED_ROWS);
        SessionClient client =
                new SessionClient(work, rows, rows, new Random(number), UNHURRIED, ChaosCluster.RPC_TIMEOUT);
        client.session = session;
        client.number = number;
        for (int i = 0; i < rows.count(); i++) {
            RowHistory row = rows.get(i);
            if (!client.put(row, ValueRange.value(i + 1)) || !client.put(row, ValueRange.value(i))) {
                throw new IOException("The outcome of a write in session " + number + " is uncertain");
            }
        }
    }

    @Override
    public Void call() throws IOException, InterruptedException {
        TableName name = work.table().name();
        try (IndexedTable table = new IndexedTable(work.connection(), name)) {
            while (!work.stopped().get()) {
                try (Session opened = table.openSession()) {
                    session = opened;
                    number = nextNumber();
                    runSession();
                }
            }
        }
        return null;
    }

    private void runSession() throws InterruptedException {
        for (int i = 0; i < STEPS_OF_SESSION && !work.stopped().get(); i++) {
            RowSlots slots = random.nextInt(8) > 0 ? own : shared;
            RowHistory row = pick(slots);
            String before = row.newest().value().orElseGet(maker::value);
            if (!step(random.nextInt(100), row)) {
                return; // a failed write may take effect later in this session
            }
            if (random.nextInt(3) == 0) {
                read(random.nextBoolean() ? before : row.newest().value().orElse(before));
            }
            pace.pause();
        }
    }

    /** Reads a range of one to three values that starts with this value. */
    private void read(String value) throws InterruptedException {
        int first = Integer.parseInt(value.substring(1));
        int count = Math.min(1 + random.nextInt(3), ValueRange.DOMAIN - first);
        try {
            work.reads().read(IndexReads.Question.about(new ValueRange(first, count), random), session, number);
        } catch (IOException e) {
            pace.pause(); // already counted; a failed read promises nothing
        }
    }

    private boolean step(int dice, RowHistory row) throws InterruptedException {
        if (dice < 60) {
            return put(row, maker.value());
        } else if (dice < 75) {
            return batch();
        } else if (dice < 88) {
            Change change = ChangeMaker.delete(row, "session-delete");
            return write(List.of(change), () -> session.delete((Delete) change.action()));
        }
        String home = row.newest().value().orElseGet(maker::value);
        return put(row, maker.value()) && put(row, home);
    }

    private boolean put(RowHistory row, String value) throws InterruptedException {
        Change change = maker.put(row, value, "session-put");
        return write(List.of(change), () -> session.put((Put) change.action()));
    }

    private boolean batch() throws InterruptedException {
        List<Change> changes = new ArrayList<>();
        List<Put> puts = new ArrayList<>();
        int first = random.nextInt(own.count());
        for (int i = 0; i < Math.min(6, own.count()); i++) {
            Change change = maker.put(own.get((first + i) % own.count()), maker.value(), "session-put");
            changes.add(change);
            puts.add((Put) change.action());
        }
        return write(changes, () -> session.put(puts));
    }

    /** A call of the session. */
    @FunctionalInterface
    private interface Call {
        void run() throws IOException;
    }

    private boolean write(List<Change> changes, Call call) throws InterruptedException {
        WriteRecorder.Sending sending = results -> {
            try {
                call.run();
            } catch (IOException e) {
                BatchFailure.acknowledge(e, changes.stream().map(Change::action).toList(), results);
                throw e;
            }
            Arrays.fill(results, Result.EMPTY_RESULT);
        };
        return recorder.writeOrRetire(changes, number, sending, own, shared);
    }
}
