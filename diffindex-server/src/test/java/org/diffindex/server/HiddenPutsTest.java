package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.sequences.HiddenPuts;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HiddenPutsTest {
    private static final byte[] F = Bytes.toBytes("f");
    private static final byte[] A = Bytes.toBytes("A");

    @TempDir
    Path folder;

    private static Put put(long time) {
        return new Put(Bytes.toBytes("r")).addColumn(F, A, time, Bytes.toBytes(time));
    }

    /** The table has no index: this is how HBase itself behaves. */
    @Test
    void aFlushOfAHiddenPutDropsWhatHBaseHasShown() throws IOException {
        FakeConnection network = new FakeConnection();
        try (LocalTable table = TableShape.VERSIONS_1.openBare(folder, network)) {
            HRegion region = table.regionOf(Bytes.toBytes("r"));
            region.put(put(9));
            region.delete(new Delete(Bytes.toBytes("r")).addColumn(F, A, 9));
            assertThat(HiddenPuts.areAmong(table.everything("r"))).isFalse();
            table.flush();
            region.put(put(5));
            region.put(put(9));
            assertThat(HiddenPuts.areAmong(table.everything("r"))).isTrue();
            assertThat(table.visible(List.of("r")).get("r")).isNotEmpty();
            table.flush();
            assertThat(table.visible(List.of("r")).get("r")).isEmpty();
        }
    }
}
