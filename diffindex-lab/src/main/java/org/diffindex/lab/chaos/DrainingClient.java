package org.diffindex.lab.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.lab.chaos.Violation.Kind;

/**
 * A client that repeatedly drains a table's indexes while others write: a write acknowledged before a drain starts must
 * be found once the drain ends. Without drains, reads of asynchronous indexes would not have to find anything that was
 * written after the last checkpoint. For one thread.
 */
final class DrainingClient implements Callable<Void> {
    private static final Duration LONGEST = Duration.ofSeconds(20);

    private final Workload work;
    private final DiffIndexAdmin admin;
    private final Pace pace;

    /** Creates a client that drains at the given pace. */
    DrainingClient(Workload work, DiffIndexAdmin admin, Pace pace) {
        this.work = work;
        this.admin = admin;
        this.pace = pace;
    }

    @Override
    public Void call() {
        while (!work.stopped().get()) {
            drain();
            pace.pause();
        }
        return null;
    }

    private void drain() {
        long begin = work.history().clock().getAsLong();
        try {
            if (admin.drain(work.table().name(), LONGEST) == 0) {
                work.history().drained(begin);
                work.tally().drains.increment();
            } else {
                work.tally().failedDrains.increment(); // an index is unavailable, or too far behind
            }
        } catch (IOException e) {
            work.tally().failedDrains.increment(); // a region is unavailable; a failed drain promises nothing
            work.log().comment("a drain failed by " + e);
            if (Blame.isOurs(e)) {
                String what = e.getClass().getName();
                work.violations().add(Kind.FAILED, work.table().scheme(), what, begin, String.valueOf(e));
            }
        }
    }
}
