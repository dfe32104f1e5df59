package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.server.local.FilledTime;
import org.junit.jupiter.api.Test;

/** Tests which writes get their timestamps from the server. */
class ServerTimeTest {
    private static final byte[] Q = Bytes.toBytes("origin");
    private static final byte[] V = Bytes.toBytes("ORD");

    @Test
    void marksAPutOrDeleteWithoutATimestamp() {
        assertThat(marked(new Put(row("r")).addColumn(F, Q, V))).isTrue();
        assertThat(marked(new Delete(row("r")).addColumns(F, Q))).isTrue();
        assertThat(marked(new Delete(row("r")).addFamily(F))).isTrue();
    }

    @Test
    void doesNotMarkAWriteWithATimestampOfTheClient() {
        assertThat(marked(new Put(row("r")).addColumn(F, Q, 7, V))).isFalse();
        assertThat(marked(new Put(row("r")).addColumn(F, Q, V).addColumn(F, V, 7, V)))
                .isFalse();
        assertThat(marked(new Delete(row("r")).addColumns(F, Q, 7))).isFalse();
    }

    @Test
    void doesNotMarkADeleteThatTakesTheTimestampOfAVersion() {
        assertThat(marked(new Delete(row("r")).addColumn(F, Q))).isFalse();
        assertThat(marked(new Delete(row("r")).addFamilyVersion(F, 7))).isFalse();
    }

    @Test
    void doesNotMarkWritesWhoseCellsHBaseCreates() {
        assertThat(marked(new Increment(row("r")).addColumn(F, Q, 1))).isFalse();
        assertThat(marked(new Append(row("r")).addColumn(F, Q, V))).isFalse();
    }

    @Test
    void keepsTheMarkWhenTheTimestampsAreFilledIn() {
        Put put = new Put(row("r")).addColumn(F, Q, V);
        ServerTime.mark(put);
        put.addColumn(F, V, 7, V);
        ServerTime.mark(put);
        assertThat(ServerTime.isChosenByServer(put)).isTrue();
    }

    @Test
    void distinguishesTheCellsOfAMixedWrite() {
        Put put = new Put(row("r")).addColumn(F, Q, V).addColumn(F, V, 7, V).addColumn(V, Q, 7, V);
        Delete delete = new Delete(row("r")).addColumn(F, Q).addColumns(F, V).addColumns(V, Q, 7);
        assertThat(marked(put)).isFalse();
        assertThat(marked(delete)).isFalse();
        List<Cell> cells = put.getFamilyCellMap().get(F);
        List<Cell> tombstones = delete.getFamilyCellMap().get(F);
        assertThat(ServerTime.cells(put)).containsExactly(cells.get(0));
        assertThat(ServerTime.firstCell(put)).isSameAs(cells.get(0));
        assertThat(ServerTime.tombstones(put)).isEmpty();
        assertThat(ServerTime.firstCell(delete)).isSameAs(tombstones.get(1));
        assertThat(ServerTime.cells(delete)).containsExactly(tombstones.get(1));
        assertThat(ServerTime.tombstones(delete)).containsExactlyElementsOf(tombstones);
    }

    @Test
    void theFirstCellOfAWriteThatTheServerDatesIsTheFirstOfItsFamilies() {
        Put put = new Put(row("r")).addColumn(F, Q, V).addColumn(V, Q, V);
        assertThat(marked(put)).isTrue();
        assertThat(ServerTime.firstCell(put))
                .isSameAs(ServerTime.cells(put).get(0))
                .isSameAs(put.getFamilyCellMap().firstEntry().getValue().get(0));
    }

    @Test
    void choosesNoTimeOfAWriteThatTheClientDated() {
        Put put = new Put(row("r")).addColumn(F, Q, 7, V);
        Delete delete = new Delete(row("r")).addColumns(F, Q, 7);
        assertThat(marked(put) || marked(delete)).isFalse();
        assertThat(ServerTime.cells(put)).isEmpty();
        assertThat(ServerTime.firstCell(put)).isNull();
        assertThat(ServerTime.tombstones(delete)).isEmpty();
    }

    /** HBase dates it, and adds the tombstones of a delete of a row, only after the check. */
    @Test
    void doesNotMarkACheckedDeleteBeforeItsOwnHook() {
        Delete delete = new Delete(row("r")).addColumns(F, Q);
        Delete ofRow = new Delete(row("r"), 7);
        List.of(delete, ofRow).forEach(ServerTime::markChecked);
        assertThat(ServerTime.isChosenByServer(delete)).isFalse();
        assertThat(ServerTime.isChosenByServer(ofRow)).isFalse();
    }

    @Test
    void marksEachCheckedPut() throws IOException {
        Put put = new Put(row("r")).addColumn(F, Q, V);
        ServerTime.markChecked(RowMutations.of(List.of(new Delete(row("r")).addColumns(F, Q), put)));
        assertThat(ServerTime.isChosenByServer(put)).isTrue();
        assertThat(ServerTime.mayBeOfACell(put)).isTrue();
    }

    /** A coprocessor may have made it as a copy of another one, with its attributes. */
    @Test
    void forgetsWithWhichMarksACheckedWriteHasCome() throws IOException {
        Put put = new Put(row("r")).addColumn(F, Q, V);
        ServerTime.mark(put);
        FilledTime.fill(put, 7);
        ServerTime.markChecked(put);
        assertThat(ServerTime.isChosenByServer(put)).isFalse();
    }

    @Test
    void removesItsMarksAndNoOtherAttribute() {
        Put put = new Put(row("r")).addColumn(F, Q, V).addColumn(F, V, 7, V);
        Increment increment = new Increment(row("r")).addColumn(F, Q, 1);
        for (Mutation mutation : List.of(put, increment)) {
            mutation.setAttribute("other", V);
            ServerTime.mark(mutation);
            assertThat(mutation.getAttributesMap()).hasSizeGreaterThan(1);
            ServerTime.unmark(mutation);
            assertThat(mutation.getAttributesMap()).containsOnlyKeys("other");
        }
    }

    private static boolean marked(Mutation mutation) {
        ServerTime.mark(mutation);
        return ServerTime.isChosenByServer(mutation);
    }
}
