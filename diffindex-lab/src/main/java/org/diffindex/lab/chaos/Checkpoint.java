package org.diffindex.lab.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.cluster.Conditions;
import org.diffindex.lab.steps.Drain;
import org.diffindex.lab.steps.Interruption;

/**
 * Pauses the writers of a table and drains its indexes, then reads each value and all values by every index, the latter
 * also in a session that has moved rows if the scheme has sessions. Each of these reads must be answered and must be
 * exact under any scheme, and outside of a session its hits must have the timestamps of their rows. Requires that no
 * fault is active.
 */
final class Checkpoint {
    private static final Duration LONGEST_DRAIN = Duration.ofMinutes(1);

    private final DiffIndexAdmin admin;

    Checkpoint(DiffIndexAdmin admin) {
        this.admin = admin;
    }

    /**
     * Checks a table.
     *
     * @param atMost bound on the time until the cluster is ready
     * @return an empty string if the table was checked, otherwise the reason why it was not
     */
    String run(Workload work, Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        if (!work.writing().writeLock().tryLock(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
            return "the writers did not finish their writes";
        }
        try {
            String problem = tryUntil(end, () -> drain(work));
            if (problem.isEmpty()) {
                problem = tryUntil(end, () -> readAll(work, ChaosTable.INDEXES));
            }
            if (problem.isEmpty() && work.table().scheme().hasSessions()) {
                problem = tryUntil(end, () -> drain(work)); // what the session has written
            }
            return problem;
        } finally {
            work.writing().writeLock().unlock();
        }
    }

    /**
     * Reads a table without writers until read repair has removed the stale entries, and compares its indexes with it
     * after each pass: a clean-up must not remove anything else. Does not move rows in sessions, which would leave stale
     * entries in an index whose scheme was changed to one that leaves them to readers.
     *
     * @param indexes the names of all indexes of the table that may be read
     * @return how many stale entries remained after the last pass
     */
    static long readUntilClean(Workload work, List<String> indexes, FinalCheck check, Duration atMost)
            throws IOException, InterruptedException {
        long[] left = {0};
        Conditions.await(atMost, () -> {
            try {
                read(work, indexes);
            } catch (InterruptedException e) {
                throw Interruption.of("Interrupted while reading", e);
            }
            left[0] = FinalCheck.leftToReaders(check.compare(work));
            return left[0] == 0;
        });
        return left[0];
    }

    /** A step that is retried until the cluster is ready for it. */
    @FunctionalInterface
    private interface Attempt {
        void run() throws IOException, InterruptedException;
    }

    private static String tryUntil(long end, Attempt attempt) throws InterruptedException {
        String[] problem = {""};
        try {
            Conditions.await(Duration.ofNanos(Math.max(0, end - System.nanoTime())), () -> {
                try {
                    attempt.run();
                    problem[0] = "";
                    return true;
                } catch (IOException e) {
                    problem[0] = String.valueOf(e);
                    return false;
                } catch (InterruptedException e) {
                    throw Interruption.of("Interrupted at a checkpoint", e);
                }
            });
        } catch (IOException e) {
            return String.valueOf(e);
        }
        if (Thread.interrupted()) {
            throw new InterruptedException("Interrupted at a checkpoint");
        }
        return problem[0];
    }

    private void drain(Workload work) throws IOException {
        Drain.await(admin, work.table().name(), LONGEST_DRAIN);
        work.history().drained();
    }

    private static void read(Workload work, List<String> indexes) throws IOException, InterruptedException {
        for (IndexReads.Question question : IndexReads.Question.all(indexes)) {
            work.reads().readWithTimes(question);
        }
    }

    private static void readAll(Workload work, List<String> indexes) throws IOException, InterruptedException {
        read(work, indexes);
        if (work.table().scheme().hasSessions()) {
            work.reads().readInSession((session, number) -> SessionClient.moveRows(work, session, number));
        }
    }
}
