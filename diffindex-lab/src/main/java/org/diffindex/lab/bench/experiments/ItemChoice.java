package org.diffindex.lab.bench.experiments;

import java.util.Random;
import java.util.function.IntSupplier;
import site.ycsb.generator.ZipfianGenerator;

/** How a client chooses the items that it updates or reads. */
@FunctionalInterface
interface ItemChoice {
    /** The choices of one of several clients. */
    IntSupplier of(BenchTable table, int threads, int thread, Random random);

    /** All even items with equal probability; no two clients share an item. */
    static IntSupplier even(BenchTable table, int threads, int thread, Random random) {
        int each = Math.max(1, table.evenItems() / threads);
        return () -> threads * random.nextInt(each) + thread;
    }

    /** The skewed items, by YCSB's zipfian distribution: a few far more often than the rest. */
    static IntSupplier skewed(BenchTable table, int threads, int thread, Random random) {
        ZipfianGenerator ranks = new ZipfianGenerator(table.skewedItems());
        // Ranks need no scrambling: items with adjacent numbers have distant row keys.
        return () -> table.evenItems() + ranks.nextValue().intValue();
    }
}
