package org.diffindex.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.tasks.Pace;
import org.junit.jupiter.api.Test;

class PacedTablesTest {
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
}
