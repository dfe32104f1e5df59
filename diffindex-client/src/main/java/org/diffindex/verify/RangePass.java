package org.diffindex.verify;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.diffindex.tasks.TaskPool;
import org.diffindex.verify.ScrubProgress.Stage;

/** Runs one task for each range of both tables, a few at a time, and reports the progress to a listener. */
final class RangePass {
    /** Processes one range. */
    @FunctionalInterface
    interface Task {
        void run(Position position) throws IOException;
    }

    /** Receives the position of a task. */
    @FunctionalInterface
    interface Position {
        /** Takes the fraction of the range that is done, from 0 to 1, and the rows read since the last call. */
        void at(double fraction, long rows);
    }

    private final int threads;
    private final ScrubListener listener;
    /** Rows read in all stages. Guarded by this. */
    private long rows;

    RangePass(int threads, ScrubListener listener) {
        this.threads = threads;
        this.listener = listener;
    }

    /** Runs the tasks; the first error ends it. */
    void run(Stage stage, List<Task> tasks) throws IOException {
        double[] fractions = new double[tasks.size()];
        List<TaskPool.Task> ranges = new ArrayList<>();
        for (Task task : tasks) {
            int range = ranges.size();
            ranges.add(() -> {
                task.run((fraction, read) -> tell(stage, fractions, range, fraction, read));
                tell(stage, fractions, range, 1, 0);
            });
        }
        new TaskPool("diffindex-scrub", threads).run(ranges, done -> {});
    }

    private synchronized void tell(Stage stage, double[] fractions, int task, double fraction, long read) {
        rows += read;
        fractions[task] = fraction;
        double done = 0;
        for (double each : fractions) {
            done += each;
        }
        listener.at(new ScrubProgress(stage, done / fractions.length, rows));
    }
}
