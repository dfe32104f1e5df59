package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.util.List;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnCondition;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IncludedColumns;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.diffindex.server.maintain.IndexMaintainer;
import org.junit.jupiter.api.Test;

/** Tests that writes that an index cannot hold are refused with the reason, before anything is written. */
class WriteCheckTest {
    private static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final byte[] DELAY = Bytes.toBytes("delay");

    private static final IndexDefinition INDEX = IndexDefinition.builder(Flights.TABLE, "by_origin_delay")
            .column("f", "origin", ColumnTypes.STRING)
            .column("f", "delay", ColumnTypes.INT)
            .build();

    private final WriteCheck check = check(HConstants.FOREVER, INDEX);

    private static WriteCheck check(int timeToLive, IndexDefinition index) {
        return new WriteCheck(
                List.of(IndexMaintainer.of(index)),
                TableDescriptorBuilder.newBuilder(Flights.TABLE)
                        .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(F)
                                .setTimeToLive(timeToLive)
                                .build())
                        .build());
    }

    @Test
    void acceptsWhatTheIndexCanHold() {
        assertThat(check.refusal(new Put(row("r"))
                        .addColumn(F, ORIGIN, Bytes.toBytes("ORD"))
                        .addColumn(F, DELAY, Bytes.toBytes(5))))
                .isEmpty();
        assertThat(check.refusal(new Put(row("r")).addColumn(F, ORIGIN, new byte[0])))
                .isEmpty();
        assertThat(check.refusal(new Delete(row("r")))).isEmpty();
        assertThat(check.refusal(new Increment(row("r")).addColumn(F, DELAY, 1)))
                .isEmpty();
    }

    @Test
    void refusesAValueThatIsTooLongToBeIncluded() {
        WriteCheck covering = check(
                HConstants.FOREVER,
                IndexDefinition.builder(Flights.TABLE, "by_origin")
                        .column("f", "origin", ColumnTypes.STRING)
                        .include("f", "delay", ColumnTypes.INT)
                        .build());
        byte[] longest = new byte[IncludedColumns.MOST_BYTES];
        assertThat(covering.refusal(new Put(row("r")).addColumn(F, DELAY, longest)))
                .as("whatever its type")
                .isEmpty();
        Put longer = new Put(row("r")).addColumn(F, DELAY, new byte[longest.length + 1]);
        assertThat(covering.refusal(longer)).hasValueSatisfying(why -> assertThat(why)
                .contains("nothing was written: A value of the included column f:delay:int has 65537 bytes")
                .contains("[index=by_origin] [row=r]"));
        assertThat(covering.refusal(new Delete(row("r")).addColumns(F, DELAY))).isEmpty();
    }

    @Test
    void refusesAValueThatNoConditionCanCompare() {
        WriteCheck partial = check(
                HConstants.FOREVER,
                IndexDefinition.builder(Flights.TABLE, "late")
                        .column("f", "origin", ColumnTypes.STRING)
                        .where(ColumnCondition.parse("f:delay:int >= 60"))
                        .where(ColumnCondition.parse("f:gate:int present"))
                        .build());
        assertThat(partial.refusal(new Put(row("r")).addColumn(F, DELAY, Bytes.toBytes(5))))
                .as("it may, but does not satisfy the condition")
                .isEmpty();
        assertThat(partial.refusal(new Put(row("r")).addColumn(F, Bytes.toBytes("gate"), Bytes.toBytes("B7"))))
                .isEmpty();
        assertThat(partial.refusal(new Put(row("r")).addColumn(F, DELAY, Bytes.toBytes("later"))))
                .hasValueSatisfying(why -> assertThat(why)
                        .contains(
                                "nothing was written: Not a value of type int: later (5 bytes) [index=late] [row=r]"));
        assertThat(partial.refusal(new Delete(row("r")).addColumns(F, DELAY))).isEmpty();
    }

    @Test
    void refusesAValueThatItsTypeCannotDecode() {
        assertThat(check.refusal(new Put(row("r")).addColumn(F, DELAY, Bytes.toBytes("late!"))))
                .hasValueSatisfying(refusal -> assertThat(refusal)
                        .startsWith("Write refused, nothing was written: ")
                        .contains("[index=by_origin_delay]")
                        .endsWith("[row=r]"));
    }

    @Test
    void refusesAKeyWhoseRegionHBaseCannotFind() {
        byte[] most = new byte[INDEX.maxKeyLength() - 3]; // the row, and two bytes behind the value
        java.util.Arrays.fill(most, (byte) 'x');
        byte[] tooMuch = new byte[most.length + 1];
        java.util.Arrays.fill(tooMuch, (byte) 'x');
        assertThat(check.refusal(new Put(row("r")).addColumn(F, ORIGIN, most))).isEmpty();
        assertThat(check.refusal(new Put(row("r")).addColumn(F, ORIGIN, tooMuch)))
                .hasValueSatisfying(refusal -> assertThat(refusal)
                        .contains("keys of up to " + INDEX.maxKeyLength())
                        .contains("nothing was written"));
    }

    @Test
    void requiresEachVersionOfAColumnAloneToFitIntoAKey() {
        byte[] half = new byte[INDEX.maxKeyLength() / 2];
        byte[] tooMuch = new byte[INDEX.maxKeyLength()];
        java.util.Arrays.fill(half, (byte) 'x');
        java.util.Arrays.fill(tooMuch, (byte) 'x');
        Put versions = new Put(row("r"));
        for (int i = 1; i <= 4; i++) {
            versions.addColumn(F, ORIGIN, i, half);
        }
        assertThat(check.refusal(versions)).isEmpty();
        assertThat(check.refusal(versions.addColumn(F, ORIGIN, 0, tooMuch))).isPresent();
    }

    @Test
    void refusesAWriteWithItsOwnTimeToLive() {
        assertThat(check.refusal(new Put(row("r"))
                        .addColumn(F, ORIGIN, Bytes.toBytes("ORD"))
                        .setTTL(1_000)))
                .hasValueSatisfying(refusal -> assertThat(refusal).contains("TTL"));
        assertThat(check.refusal(new Increment(row("r")).addColumn(F, DELAY, 1).setTTL(1_000)))
                .isPresent();
        assertThat(check.refusal(new Append(row("r"))
                        .addColumn(F, ORIGIN, Bytes.toBytes("X"))
                        .setTTL(1_000)))
                .isPresent();
    }

    @Test
    void refusesTimestampsOfClientsIfIndexedCellsExpire() {
        WriteCheck expiring = check(10, Flights.byOrigin(IndexScheme.ASYNC_SIMPLE));
        for (Mutation mutation : List.of(
                new Put(row("r")).addColumn(F, ORIGIN, 5, Bytes.toBytes("ORD")),
                new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("ORD")).addColumn(F, DELAY, 5, Bytes.toBytes(1)),
                new Delete(row("r")).addColumns(F, ORIGIN, 5),
                new Delete(row("r")).addColumn(F, ORIGIN),
                new Delete(row("r")).addColumn(F, ORIGIN, 5),
                new Delete(row("r")).addFamily(F, 5),
                new Delete(row("r")).addFamilyVersion(F, 5))) {
            assertThat(expiring.refusal(marked(mutation))).as("%s", mutation).hasValueSatisfying(refusal -> assertThat(
                            refusal)
                    .startsWith("Write refused, nothing was written: ")
                    .contains("TTL")
                    .endsWith("[row=r]"));
        }
    }

    @Test
    void acceptsWritesThatExpireTogetherWithTheirEntries() {
        WriteCheck expiring = check(10, Flights.byOrigin(IndexScheme.ASYNC_SIMPLE));
        for (Mutation mutation : List.of(
                new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("ORD")),
                new Put(row("r")).addColumn(F, DELAY, 5, Bytes.toBytes(1)),
                new Delete(row("r")).addColumn(F, DELAY, 5),
                new Delete(row("r")).addColumns(F, ORIGIN),
                new Delete(row("r")).addFamily(F),
                new Increment(row("r")).addColumn(F, ORIGIN, 1),
                new Append(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("X")))) {
            assertThat(expiring.refusal(marked(mutation))).as("%s", mutation).isEmpty();
        }
    }

    /** Marks a mutation as the hooks do while its timestamps are still the client's. */
    private static Mutation marked(Mutation mutation) {
        ServerTime.mark(mutation);
        return mutation;
    }
}
