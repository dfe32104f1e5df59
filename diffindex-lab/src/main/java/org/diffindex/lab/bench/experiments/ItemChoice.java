package org.diffindex.lab.bench.experiments;

import java.util.Random;
import java.util.function.IntSupplier;
import site.ycsb.generator.ZipfianGenerator;

/** Chooses the items that a client updates or reads. */
@FunctionalInterface
interface ItemChoice {
    /** Returns the choices of client {@code thread}, one of {@code threads}. */
    IntSupplier of(BenchTable table, int threads, int thread, Random random);

    /**
     * Returns choices among the {@link BenchTable#evenItems}, with equal probability; no two clients share an item. A
     * remainder of items that cannot be divided equally among the clients is never chosen.
     */
    static IntSupplier even(BenchTable table, int threads, int thread, Random random) {
        int each = Math.max(1, table.evenItems() / threads);
        return () -> threads * random.nextInt(each) + thread;
    }

    /**
     * Returns choices among the skewed items, by YCSB's zipfian distribution: a few are chosen far more often than the
     * rest.
     */
    static IntSupplier skewed(BenchTable table, int threads, int thread, Random random) {
        ZipfianGenerator ranks = new ZipfianGenerator(table.skewedItems());
        // Ranks need no scrambling: items with adjacent numbers have distant row keys.
        return () -> table.evenItems() + ranks.nextValue().intValue();
    }
}
