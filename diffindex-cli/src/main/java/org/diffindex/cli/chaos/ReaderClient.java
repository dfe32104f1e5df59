package org.diffindex.cli.chaos;

import java.io.IOException;
import java.util.Random;
import java.util.concurrent.Callable;
import org.diffindex.cli.chaos.Violation.Kind;

/** A client that reads by value, over and over. For one thread. */
final class ReaderClient implements Callable<Void> {
    private static final int WIDEST_RANGE = 5;

    private final Workload work;
    private final Random random;
    private final Pace pace;

    /** A client with so many reads in a second. */
    ReaderClient(Workload work, Random random, double perSecond) {
        this.work = work;
        this.random = random;
        this.pace = new Pace(perSecond, random);
    }

    @Override
    public Void call() {
        while (!work.stopped().get()) {
            String index = ChaosTable.INDEXES.get(random.nextInt(ChaosTable.INDEXES.size()));
            int count = random.nextInt(5) > 0 ? 1 : 2 + random.nextInt(WIDEST_RANGE - 1);
            ValueRange range = new ValueRange(random.nextInt(ValueRange.DOMAIN - count + 1), count);
            read(index, range, random.nextInt(5) == 0);
            pace.pause();
        }
        return null;
    }

    private void read(String index, ValueRange range, boolean withRows) {
        try {
            work.reads().read(index, range, withRows);
        } catch (IOException e) {
            // Counted; a read that fails promises nothing.
            if (String.valueOf(e).contains("failed unexpectedly")) {
                long now = work.history().clock().getAsLong();
                work.violations()
                        .add(Kind.FAILED, work.table().scheme(), e.getClass().getName(), now, String.valueOf(e));
            }
        }
    }
}
