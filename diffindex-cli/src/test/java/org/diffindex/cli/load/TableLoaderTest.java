package org.diffindex.cli.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexUpdateDelayedException;
import org.junit.jupiter.api.Test;

class TableLoaderTest {
    private final Exception delayed = new IndexUpdateDelayedException(IndexUpdateDelayedException.DESCRIPTION);
    private final Exception refused = new DoNotRetryIOException("Write refused");

    /** A delayed row is in the table, and no cause can be removed before the load is repeated. */
    @Test
    void namesTheErrorOfARowThatIsNotWritten() {
        assertThat(TableLoader.cause(batch(delayed, refused))).containsSame(refused);
        assertThat(TableLoader.cause(batch(delayed, delayed))).containsSame(delayed);
        assertThat(TableLoader.cause(refused)).containsSame(refused);
    }

    private static Exception batch(Throwable first, Throwable second) {
        Put row = new Put(Bytes.toBytes("row"));
        return new RetriesExhaustedWithDetailsException(List.of(first, second), List.of(row, row), List.of("rs", "rs"));
    }
}
