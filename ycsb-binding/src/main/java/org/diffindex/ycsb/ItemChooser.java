package org.diffindex.ycsb;

import site.ycsb.generator.AcknowledgedCounterGenerator;
import site.ycsb.generator.NumberGenerator;
import site.ycsb.generator.ScrambledZipfianGenerator;
import site.ycsb.generator.SkewedLatestGenerator;
import site.ycsb.generator.UniformLongGenerator;

/**
 * Chooses the items that a run requests, by its distribution, among those that were loaded and those that it inserts
 * itself, and numbers the latter. Safe for use by many threads.
 */
final class ItemChooser {
    /** How often another item is chosen in place of a deleted one. */
    private static final int ATTEMPTS = 20;

    private final AcknowledgedCounterGenerator inserted;
    private final NumberGenerator items;

    ItemChooser(ItemProperties properties) {
        this.inserted = new AcknowledgedCounterGenerator(properties.recordCount());
        this.items = generator(properties);
    }

    private NumberGenerator generator(ItemProperties properties) {
        long last = properties.recordCount() - 1;
        double inserts = properties.operationCount() * properties.proportion(ItemOperation.INSERT);
        return switch (properties.distribution()) {
            case UNIFORM -> new UniformLongGenerator(0, last);
            // Includes the items to be inserted, as YCSB's CoreWorkload does: a change of the range would move every
            // hot item.
            case ZIPFIAN -> new ScrambledZipfianGenerator(0, last + Math.round(2 * inserts));
            case LATEST -> new SkewedLatestGenerator(inserted);
        };
    }

    /** Returns an item that is not known to be deleted, unless all attempts meet deleted ones. */
    long next(ItemStates states) {
        long item = any();
        for (int i = 0; i < ATTEMPTS && isDeleted(states.of(item)); i++) {
            item = any();
        }
        return item;
    }

    private static boolean isDeleted(ItemStates.State state) {
        return state != null && state.isKnownToBeDeleted();
    }

    private long any() {
        long item = items.nextValue().longValue();
        while (item < 0 || item > inserted.lastValue()) {
            item = items.nextValue().longValue();
        }
        return item;
    }

    /** Returns the number of an item to insert; it is not chosen before {@link #endInsert}. */
    long beginInsert() {
        return inserted.nextValue();
    }

    void endInsert(long item) {
        inserted.acknowledge(item);
    }
}
