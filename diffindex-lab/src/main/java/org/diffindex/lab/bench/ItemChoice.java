package org.diffindex.lab.bench;

import java.util.Random;
import java.util.function.IntSupplier;
import site.ycsb.generator.ZipfianGenerator;

/** How a client chooses the items that it asks for. */
@FunctionalInterface
interface ItemChoice {
    /** What one of several clients chooses from a table. */
    IntSupplier of(BenchTable table, int threads, int thread, Random random);

    /** Each of the table's even items equally often; no two clients choose the same. */
    static IntSupplier even(BenchTable table, int threads, int thread, Random random) {
        int each = Math.max(1, table.evenItems() / threads);
        return () -> threads * random.nextInt(each) + thread;
    }

    /** Some of the table's skewed items far more often than others, as YCSB's zipfian distribution has it. */
    static IntSupplier skewed(BenchTable table, int threads, int thread, Random random) {
        ZipfianGenerator ranks = new ZipfianGenerator(table.skewedItems());
        // Ranks need no scrambling: neighbours among the items are no neighbours among the row keys.
        return () -> table.evenItems() + ranks.nextValue().intValue();
    }
}
