package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.MemstoreWrites.Fate.ABSENT;
import static org.diffindex.server.MemstoreWrites.Fate.PRESENT;
import static org.diffindex.server.MemstoreWrites.Fate.UNKNOWN;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.server.local.Flights;
import org.junit.jupiter.api.Test;

/** Tests what is said of the rows of a batch that HBase failed. */
class MemstoreWritesTest {
    private static final ImmutableBytesWritable R = Flights.rowKey("r");
    private static final ImmutableBytesWritable S = Flights.rowKey("s");
    private static final ImmutableBytesWritable T = Flights.rowKey("t");

    @Test
    void judgesEachRowByItsOwnCells() {
        assertThat(fates(7, (row, sequence) -> sequence == 7 && !Bytes.equals(row, S.copyBytes())))
                .isEqualTo(Map.of(R, PRESENT, S, ABSENT, T, PRESENT));
    }

    @Test
    void knowsNothingOfTheRowsThatItCouldNotRead() {
        for (Exception failure : List.of(new IOException("no file"), new IllegalStateException("no scanner"))) {
            Map<ImmutableBytesWritable, MemstoreWrites.Fate> fates = fates(7, (row, sequence) -> {
                if (Bytes.equals(row, R.copyBytes())) {
                    return true;
                }
                if (failure instanceof IOException e) {
                    throw e;
                }
                throw (RuntimeException) failure;
            });
            assertThat(fates).isEqualTo(Map.of(R, PRESENT, S, UNKNOWN, T, UNKNOWN));
        }
    }

    private static Map<ImmutableBytesWritable, MemstoreWrites.Fate> fates(
            long sequence, MemstoreWrites.CellsOfWrites cells) {
        MiniBatch batch = mock();
        Set<ImmutableBytesWritable> rows = new LinkedHashSet<>(List.of(R, S, T));
        when(batch.rows()).thenReturn(rows);
        when(batch.sequence()).thenReturn(sequence);
        return new MemstoreWrites(mock(), mock(), mock(), cells, () -> {}, any -> true).fatesOf(batch);
    }
}
