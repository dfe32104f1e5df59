package org.diffindex.lab.chaos;

import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Makes the changes of one client: random values and numbers, and a tag that no other write of the run has. For one
 * thread.
 */
final class ChangeMaker {
    private static final AtomicLong TAGS = new AtomicLong();
    private static final int NUMBERS = 10;

    private final Random random;

    ChangeMaker(Random random) {
        this.random = random;
    }

    /** Returns a tag, for a write of this value, that no other write of the run has. */
    static String newTag(String value) {
        return "t" + TAGS.incrementAndGet() + ":" + value;
    }

    /** Returns a random value. */
    String value() {
        return ValueRange.value(random.nextInt(ValueRange.DOMAIN));
    }

    /** Returns a put of a value, with a random number. */
    Change put(RowHistory row, String value, String kind) {
        String tag = newTag(value);
        long number = random.nextInt(NUMBERS);
        return new Change(row, RowState.of(value, number, tag), kind, ChaosTable.put(row.row(), value, number, tag));
    }

    /** Returns a delete of the whole row. */
    static Change delete(RowHistory row, String kind) {
        return new Change(row, RowState.NONE, kind, new Delete(Bytes.toBytes(row.row())));
    }
}
