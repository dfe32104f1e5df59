package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexEntry;
import org.junit.jupiter.api.Test;

/** Tests that what a scan remembers of rows that change is bounded, however many or long they are. */
class RememberedRowsTest {
    private static final int LONG = 32_000;
    private static final int MOST_LONG = (int) (RememberedRows.MOST_BYTES / LONG) + 1;

    private final RememberedRows rows = new RememberedRows();
    private final ExpectedEntries expected = new ExpectedEntries(ScanDirection.FORWARD);

    private static ByteBuffer row(int number, int length) {
        return ByteBuffer.wrap(Bytes.padTail(Bytes.toBytes(number), length - Bytes.SIZEOF_INT));
    }

    /** Returns how many rows were added before one was not; not many more than the expected number. */
    private int added(int length, int most) {
        int count = 0;
        while (count < most + 2 && rows.add(row(count, length))) {
            count++;
        }
        return count;
    }

    @Test
    void areLimitedInNumber() {
        assertThat(added(4, RememberedRows.MOST)).isEqualTo(RememberedRows.MOST);
    }

    @Test
    void areLimitedInSize() {
        assertThat(added(LONG, MOST_LONG)).isEqualTo(MOST_LONG);
        assertThat(rows.add(row(0, LONG))).as("is among them").isTrue();
        rows.remove(row(0, LONG));
        rows.remove(row(0, LONG));
        assertThat(rows.contains(row(0, LONG))).isFalse();
        assertThat(rows.add(row(MOST_LONG, LONG))).as("instead").isTrue();
        assertThat(rows.add(row(0, LONG))).isFalse();
    }

    @Test
    void expectedEntriesAreLimitedInSize() {
        for (int i = 0; i < MOST_LONG; i++) {
            expect(i, i);
        }
        assertThat(expected.contains(row(MOST_LONG - 1, LONG / 2))).isTrue();
        ByteBuffer another = row(MOST_LONG, LONG / 2);
        expect(MOST_LONG, MOST_LONG);
        assertThat(expected.contains(another)).isFalse();
        expect(0, MOST_LONG);
        expected.forget(row(0, LONG / 2));
        expect(MOST_LONG, MOST_LONG);
        assertThat(expected.contains(another)).isTrue();
    }

    /** Half of the bytes are the row's, half are the key's. */
    private void expect(int number, int key) {
        byte[] bytes = Bytes.padTail(Bytes.toBytes(key), LONG / 2 - Bytes.SIZEOF_INT);
        expected.expect(row(number, LONG / 2), new IndexEntry(bytes, 1));
    }
}
