package org.diffindex.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.tasks.Pace;
import org.diffindex.tasks.Waiting;
import org.junit.jupiter.api.Test;

class PacedTablesTest {
    private static final long WRITTEN_EVERY = TimeUnit.SECONDS.toNanos(1);

    /** A server reads each row that it repairs. */
    @Test
    void repairsNoMoreRowsPerCallThanItReads() throws IOException {
        IndexDefinition definition = IndexDefinition.builder(TableName.valueOf("t"), "by_city")
                .column("f", "city", ColumnTypes.STRING)
                .build();
        MemoryTables tables = new MemoryTables(definition);
        List<Long> waits = new ArrayList<>();
        PacedTables paced = new PacedTables(tables, new Pace(100, () -> 0, time -> waits.add(time.toMillis())));
        paced.repair(Collections.nCopies(25, RowRepair.missing(Bytes.toBytes("r"))));
        assertThat(tables.repairs).containsExactly(10, 10, 5);
        assertThat(waits).containsExactly(100L, 200L);
    }

    /** At a row per second, 40 rows that are read in two tables take 80 seconds; each is written every second. */
    @Test
    void rowsThatAreWrittenEveryFewSecondsAreSettledAtALowRate() throws IOException {
        IndexDefinition definition = ScrubFixture.index(IndexScheme.SYNC_FULL);
        MemoryTables tables = new MemoryTables(definition);
        AtomicLong nanos = new AtomicLong();
        Runnable write = () -> {
            for (int i = 0; i < 40; i++) {
                String row = "r" + i;
                tables.putBase(row, "city" + nanos.get(), nanos.get());
                tables.index(row);
            }
        };
        write.run();
        Looks unpaced = new Looks(tables, new EntryJudge(definition), InstantSource.system());
        tables.clearIndex();
        List<Sight> lacking = unpaced.missingAt(
                IntStream.range(0, 40).mapToObj(i -> Bytes.toBytes("r" + i)).toList());
        assertThat(lacking).hasSize(40);
        Waiting waiting = time -> {
            long before = nanos.getAndAdd(time.toNanos()) / WRITTEN_EVERY;
            if (nanos.get() / WRITTEN_EVERY > before) {
                tables.clearIndex();
                write.run();
            }
        };
        PacedTables paced = new PacedTables(tables, new Pace(1, nanos::get, waiting));
        tables.largestRead.set(0);
        Looks looks = new Looks(paced, new EntryJudge(definition), InstantSource.system());

        SecondLooks.Settled settled = new SecondLooks(paced, looks, ScrubOptions.DEFAULT, waiting).settle(lacking);

        assertThat(settled.lasting()).isEmpty();
        assertThat(settled.changing()).isEmpty();
        assertThat(tables.largestRead).as("rows read together").hasValue(1);
        assertThat(nanos.get()).as("the rate").isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(10 + 80 - 2));
    }
}
