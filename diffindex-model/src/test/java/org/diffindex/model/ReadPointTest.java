package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class ReadPointTest {
    private static final byte[] ROW = Bytes.toBytes("row");

    @Test
    void recognizesAScanThatAsksForReadPoints() {
        Scan scan = new Scan();
        assertThat(ReadPoint.isAskedBy(scan)).isFalse();
        assertThat(ReadPoint.askFor(scan)).isSameAs(scan);
        assertThat(ReadPoint.isAskedBy(scan)).isTrue();
    }

    @Test
    void aGetNamesItsReadPoint() {
        Get get = new Get(ROW);
        assertThat(ReadPoint.of(get)).isEmpty();
        assertThat(ReadPoint.asOf(get, 42)).isSameAs(get);
        assertThat(ReadPoint.of(get)).hasValue(42);
    }

    @Test
    void aScanNamesTheReadPointSinceWhichItReads() {
        Scan scan = new Scan();
        assertThat(ReadPoint.since(scan)).isEmpty();
        assertThat(ReadPoint.since(scan, 42)).isSameAs(scan);
        assertThat(ReadPoint.since(scan)).hasValue(42);
    }

    @Test
    void aResultCarriesTheReadPointAndTheRegion() {
        ReadPoint point = new ReadPoint(42, bytes("from"), bytes("until z"));
        Cell cell = point.toCell(ROW);
        Cell entry = new EntryFormat("")
                .put(new IndexEntry(ROW, 7), 7)
                .get(EntryFormat.FAMILY, EntryFormat.QUALIFIER)
                .get(0);
        assertThat(ReadPoint.of(Result.create(List.of(entry, cell)))).contains(point);
        assertThat(ReadPoint.of(Result.create(List.of(entry)))).isEmpty();
        assertThat(point.toCell(ROW)).as("the same cell again").isEqualTo(cell);
    }

    @Test
    void theFirstAndTheLastRegionHaveNoBounds() {
        ReadPoint point = new ReadPoint(0, bytes(""), bytes(""));
        assertThat(ReadPoint.of(Result.create(List.of(point.toCell(ROW))))).contains(point);
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(Bytes.toBytes(text));
    }
}
