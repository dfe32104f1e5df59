package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.types.RawBytes;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.PositionedByteRange;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that a value that cannot be decoded has no entry and disturbs no other row, however it got into its row, and
 * however the type fails. No hook throws anything but an IOException: on any other exception HBase aborts the server.
 */
class PoisonValueTest {
    private static final byte[] COUNT = Bytes.toBytes("count");
    private static final byte[] FRAGILE = Bytes.toBytes("fragile");

    @TempDir
    Path folder;

    private LocalRegion local;

    /** A type that fails in the way that the first byte selects. */
    public static final class Fragile extends RawBytes {
        @Override
        public byte[] decode(PositionedByteRange source) {
            byte[] value = super.decode(source);
            switch (value.length == 0 ? ' ' : value[0]) {
                case 'r' -> throw new IllegalStateException("poison");
                case 'a' -> throw new AssertionError("poison");
                case 's' -> throw new StackOverflowError("poison");
                case 'l' -> throw new NoClassDefFoundError("poison");
                default -> {
                    return value;
                }
            }
        }
    }

    @BeforeEach
    void open() throws IOException {
        List<IndexDefinition> indexes = new ArrayList<>();
        for (IndexScheme scheme : IndexScheme.values()) {
            indexes.add(IndexDefinition.builder(Flights.TABLE, "count-" + scheme)
                    .column("f", "count", ColumnTypes.INT)
                    .scheme(scheme)
                    .build());
            indexes.add(IndexDefinition.builder(Flights.TABLE, "fragile-" + scheme)
                    .column("f", "fragile", ColumnTypes.custom(Fragile.class))
                    .scheme(scheme)
                    .build());
        }
        local = new LocalRegion(folder, 1, indexes);
    }

    @AfterEach
    void otherRowsGoOn() throws IOException {
        local.region()
                .put(new Put(row("other")).addColumn(F, COUNT, Bytes.toBytes(7)).addColumn(F, FRAGILE, row("good")));
        assertThat(local.drain()).isZero();
        for (IndexDefinition index : local.indexes()) {
            assertThat(local.expected(index)).hasSize(1);
            if (index.scheme().leavesStaleEntries()) {
                assertThat(local.indexTable(index).entries()).as(index.name()).containsAll(local.expected(index));
            } else {
                assertThat(local.indexTable(index).entries()).as(index.name()).isEqualTo(local.expected(index));
            }
        }
        local.region().flush(true);
        local.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"runtime exception", "assertion error", "stack overflow", "linkage error"})
    void refusesAPutOnWhichTheTypeFails(String value) {
        assertThatThrownBy(() -> local.region().put(new Put(row("r")).addColumn(F, FRAGILE, Bytes.toBytes(value))))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("nothing was written");
    }

    @Test
    void acceptsAnIncrementThatMakesALongIfTheIndexHasAnInt() throws IOException {
        local.region().increment(new Increment(row("r")).addColumn(F, COUNT, 1));
        local.region().increment(new Increment(row("r")).addColumn(F, COUNT, 1));
    }

    @Test
    void acceptsAnAppendThatMakesAnIntLonger() throws IOException {
        local.region().put(new Put(row("r")).addColumn(F, COUNT, Bytes.toBytes(1)));
        local.region().append(new Append(row("r")).addColumn(F, COUNT, Bytes.toBytes("!")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"runtime exception", "assertion error", "stack overflow", "linkage error"})
    void acceptsAnAppendOnWhichTheTypeFailsWithoutAnEntry(String value) throws IOException {
        local.region().append(new Append(row("r")).addColumn(F, FRAGILE, Bytes.toBytes(value)));
        local.region().append(new Append(row("r")).addColumn(F, FRAGILE, Bytes.toBytes("more")));
    }
}
