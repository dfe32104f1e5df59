package org.diffindex.lab.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.lab.chaos.Violation.Kind;
import org.diffindex.model.IndexScheme;

/** Sends changes and records the start and, unless its thread is interrupted, the outcome of each. For one thread. */
final class WriteRecorder {
    private final Workload work;
    private final Duration rpcTimeout;

    /** Creates a recorder for clients with this RPC timeout. */
    WriteRecorder(Workload work, Duration rpcTimeout) {
        this.work = work;
        this.rpcTimeout = rpcTimeout;
    }

    /** Sends changes. */
    @FunctionalInterface
    interface Sending {
        /**
         * Sends the changes; returns when all are acknowledged.
         *
         * @param results receives for each change the answer of HBase or the failure, and {@code false} if a check
         *     failed. An element that stays null means what the exception that this method throws says about the
         *     change, see {@link BatchFailure#of}, or success if this method throws none
         */
        void send(Object[] results) throws IOException, InterruptedException;
    }

    /** Sends the changes, each of another row, in one call, and returns their outcomes. */
    List<Outcome> write(List<Change> changes, long session, Sending sending) throws InterruptedException {
        work.writing().readLock().lockInterruptibly();
        try {
            List<RowWrite> writes = new ArrayList<>();
            for (Change change : changes) {
                writes.add(work.history().begin(change.row(), change.state(), change.kind(), session));
            }
            List<Outcome> outcomes = send(changes, session, sending);
            for (int i = 0; i < changes.size(); i++) {
                record(changes.get(i), writes.get(i), outcomes.get(i));
            }
            return outcomes;
        } finally {
            work.writing().readLock().unlock();
        }
    }

    /**
     * Sends the changes as {@link #write(List, long, Sending)} does, and retires the rows of those whose outcome is not
     * {@link Outcome#OK}.
     *
     * @param slots the slots that may contain the rows
     * @return whether all outcomes are {@link Outcome#OK}
     */
    boolean writeOrRetire(List<Change> changes, long session, Sending sending, RowSlots... slots)
            throws InterruptedException {
        List<Outcome> outcomes = write(changes, session, sending);
        for (int i = 0; i < changes.size(); i++) {
            if (outcomes.get(i) != Outcome.OK) {
                for (RowSlots each : slots) {
                    each.retire(changes.get(i).row());
                }
            }
        }
        return outcomes.stream().allMatch(outcome -> outcome == Outcome.OK);
    }

    private List<Outcome> send(List<Change> changes, long session, Sending sending) throws InterruptedException {
        long begin = System.nanoTime();
        long sent = work.history().clock().getAsLong();
        Object[] results = new Object[changes.size()];
        Throwable failure = null;
        try {
            sending.send(results);
        } catch (IOException | RuntimeException e) {
            failure = e;
        }
        boolean late = System.nanoTime() - begin > rpcTimeout.toNanos();
        List<Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < results.length; i++) {
            Change change = changes.get(i);
            Object end = results[i] == null && failure != null ? BatchFailure.of(failure, change.action()) : results[i];
            Outcome outcome = end instanceof Throwable error ? Outcome.of(error) : Outcome.OK;
            if (end instanceof Throwable error) {
                work.log().comment(outcome + " by " + error);
                blame(error);
                judgeDelay(change, session, outcome, error, sent);
            }
            boolean open = late || Boolean.FALSE.equals(end);
            outcomes.add(outcome == Outcome.OK && open ? Outcome.LATE : outcome);
        }
        return outcomes;
    }

    /**
     * Adds a violation if a write ended delayed outside of a session, though no index of its table was synchronous.
     *
     * @param sent when the write was sent, by the run's clock
     */
    private void judgeDelay(Change change, long session, Outcome outcome, Throwable failure, long sent) {
        IndexScheme scheme = work.table().scheme();
        boolean isOutside = session == RowWrite.NO_SESSION;
        if (outcome == Outcome.DELAYED && isOutside && work.history().isAsynchronousSince(sent)) {
            String row = change.row().row();
            String value = change.state().value().orElse("-");
            long now = work.history().clock().getAsLong();
            work.violations().add(new Violation(Kind.DELAYED, scheme, row, value, now, String.valueOf(failure)));
        }
    }

    private void record(Change change, RowWrite write, Outcome outcome) {
        work.history().end(change.row(), write, outcome);
        work.tally().write(change.kind(), outcome);
        work.log()
                .append(
                        work.table().scheme(),
                        change.row().row(),
                        write,
                        work.history().clock().getAsLong(),
                        outcome);
    }

    private void blame(Throwable failure) {
        if (Blame.isOurs(failure)) {
            long now = work.history().clock().getAsLong();
            String what = failure.getClass().getName();
            work.violations().add(Kind.FAILED, work.table().scheme(), what, now, String.valueOf(failure));
        }
    }

    /**
     * Judges the answer to a write that must be refused. The history does not contain the write, so a check reports any
     * effect of it as invented.
     *
     * @param answer the answer of HBase; a Throwable if the write failed, null if there was none
     */
    void judgeRefusal(Put write, Object answer) {
        work.tally().unindexable.increment();
        boolean isFailure = answer instanceof Throwable;
        Object own = isFailure ? BatchFailure.of((Throwable) answer, write) : answer;
        if (isFailure ? Outcome.of((Throwable) own).isDurable() : answer != null) {
            long now = work.history().clock().getAsLong();
            String row = Bytes.toString(write.getRow());
            work.violations()
                    .add(new Violation(Kind.ACCEPTED, work.table().scheme(), row, "-", now, answer + " for " + write));
        } else if (isFailure && Blame.isRefusal((Throwable) own)) {
            work.tally().rejected.increment();
        } else if (isFailure) {
            blame((Throwable) own);
        }
    }
}
