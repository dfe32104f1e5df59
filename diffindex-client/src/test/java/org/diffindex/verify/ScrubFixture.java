package org.diffindex.verify;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;

/** An index and its table in memory, and a scrub of them. */
abstract class ScrubFixture {
    static final int ROWS = 3_000;
    static final byte[] STRAY = Bytes.toBytes("x");

    final List<Duration> waits = new ArrayList<>();
    ScrubOptions options = ScrubOptions.DEFAULT.withBuckets(64);
    IndexDefinition definition = index(IndexScheme.SYNC_FULL);
    MemoryTables tables = new MemoryTables(definition);
    InstantSource clock = InstantSource.system();

    static IndexDefinition index(IndexScheme scheme) {
        return IndexDefinition.builder(TableName.valueOf("t"), "by_city")
                .column("f", "city", ColumnTypes.STRING)
                .scheme(scheme)
                .build();
    }

    void fill(int rows) {
        for (int i = 0; i < rows; i++) {
            tables.putBase(row(i), "city" + i % 7, 100 + i);
            tables.index(row(i));
        }
    }

    static String row(int i) {
        return (char) ('a' + i % 26) + "" + i;
    }

    ScrubReport scrub() throws IOException {
        return new Scrubber(tables, definition, options, ScrubListener.NONE, waits::add, clock).run();
    }

    void use(IndexDefinition other) {
        definition = other;
        tables = new MemoryTables(other);
    }

    /** Puts a row's entry with a later stamp than any that the servers have issued. */
    void putAStampOfTheFuture(String row, long baseTimestamp) {
        long future = System.currentTimeMillis() + TimeUnit.HOURS.toMillis(1);
        tables.latestStamp = future - 1;
        tables.putIndex(tables.keyOf(row), future, Bytes.toBytes(baseTimestamp));
    }
}
