package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.FilterProtos;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.model.ProtectedCells;
import org.diffindex.model.ProtectedColumns;
import org.diffindex.model.UndecodableValueException;
import org.diffindex.protocol.DiffIndexProtos.RepairResponse;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the values of cells with ACLs or visibility labels do not come into an index, by whichever way. */
class ProtectedCellsTest {
    private static final byte[] F = Bytes.toBytes("f");
    private static final byte[] ROW = Bytes.toBytes("r");

    @TempDir
    Path folder;

    private FakeConnection network;
    private LocalTable table;

    @BeforeEach
    void open() throws IOException {
        network = new FakeConnection(TableShape.VERSIONS_1.bare());
        table = TableShape.VERSIONS_1.openBare(folder, network);
        table.serve(twoColumns());
        table.serve(everything());
        table.alter(IndexDefinitions.with(IndexDefinitions.with(table.descriptor(), twoColumns()), everything()));
    }

    @AfterEach
    void close() throws IOException {
        table.close();
    }

    private static IndexDefinition twoColumns() {
        return index("two").column("f", "B", ColumnTypes.STRING).build();
    }

    private static IndexDefinition everything() {
        return index("everything").indexProtectedCells().build();
    }

    private static IndexDefinition.Builder index(String name) {
        return IndexDefinition.builder(TableShape.NAME, name).column("f", "A", ColumnTypes.STRING);
    }

    private static Put put(String column, String value, Tag... tags) throws IOException {
        return put(column, value, HConstants.LATEST_TIMESTAMP, tags);
    }

    private static Put put(String column, String value, long timestamp, Tag... tags) throws IOException {
        Cell cell = new KeyValue(
                ROW, F, Bytes.toBytes(column), timestamp, KeyValue.Type.Put, Bytes.toBytes(value), List.of(tags));
        return new Put(ROW).add(cell);
    }

    private static Tag tag(byte type) {
        return new ArrayBackedTag(type, new byte[] {1});
    }

    private void write(Put put) throws IOException {
        table.regionOf(ROW).put(put);
        assertThat(table.drain()).isZero();
    }

    private void assertIndexed(IndexDefinition index, String... values) {
        assertThat(table.entries(index).stream().map(entry -> entry.substring(0, 1)))
                .as(index.name())
                .containsExactly(values);
    }

    @ParameterizedTest
    @ValueSource(
            bytes = {
                TagType.ACL_TAG_TYPE,
                TagType.VISIBILITY_TAG_TYPE,
                TagType.VISIBILITY_EXP_SERIALIZATION_FORMAT_TAG_TYPE,
                TagType.STRING_VIS_TAG_TYPE
            })
    void aProtectedCellHasNoEntryUnlessTheDefinitionSaysSo(byte type) throws IOException {
        IndexDefinition two = twoColumns();
        write(put("A", "a").addColumn(F, Bytes.toBytes("B"), Bytes.toBytes("x")));
        assertIndexed(two, "a");
        write(put("A", "b", tag(type)));
        assertIndexed(two);
        assertIndexed(everything(), "b");
        write(put("B", "y")); // computed from what the row showed before
        assertIndexed(two);
        write(put("A", "c"));
        assertIndexed(two, "c");
        assertIndexed(everything(), "c");
    }

    @Test
    void aCellWithAnotherTagIsIndexed() throws IOException {
        write(put("A", "a", tag((byte) 99)));
        write(put("B", "x", tag((byte) 100)));
        assertIndexed(twoColumns(), "a");
    }

    /** Readers of the index see the entry of the value in a plain scan, as long as no reader by index finds it stale. */
    @Test
    void aWriteThatProtectsAValueDeletesItsEntryUnderSyncInsert() throws Exception {
        IndexDefinition index =
                index("inserted").scheme(IndexScheme.SYNC_INSERT).build();
        table.serve(index);
        table.alter(IndexDefinitions.with(table.descriptor(), index));
        Tag acl = tag(TagType.ACL_TAG_TYPE);
        write(put("A", "a"));
        assertIndexed(index, "a");
        table.move(); // what the row shows is not remembered
        write(put("A", "a", acl));
        assertIndexed(index);

        write(put("A", "a"));
        table.move();
        Cell shown = table.regionOf(ROW).get(new Get(ROW).addFamily(F)).rawCells()[0];
        write(put("A", "a", shown.getTimestamp(), acl)); // as HBase's shell does
        assertIndexed(index);

        write(put("A", "a"));
        table.move();
        RowMutations both = RowMutations.of(List.of(put("A", "b", acl), put("B", "x")));
        table.regionOf(ROW).mutateRow(both);
        assertIndexed(index);

        write(put("A", "a"));
        network.failures.outage(true);
        assertThatThrownBy(() -> table.regionOf(ROW).put(put("A", "b", acl)))
                .isInstanceOf(IndexUpdateDelayedException.class);
        table.die();
        network.failures.outage(false);
        table.recover();
        assertThat(table.drain()).isZero();
        assertIndexed(index);
    }

    @Test
    void neitherAReplayNorARepairNorABackfillPutsIt() throws Exception {
        IndexDefinition two = twoColumns();
        write(put("B", "x"));
        network.failures.outage(true);
        assertThatThrownBy(() -> table.regionOf(ROW).put(put("A", "a", tag(TagType.ACL_TAG_TYPE))))
                .isInstanceOf(IndexUpdateDelayedException.class);
        table.die();
        network.failures.outage(false);
        table.recover();
        assertThat(table.drain()).isZero();
        assertIndexed(two);
        assertIndexed(everything(), "a");
        table.flush();
        table.compact();
        putAsAnEarlierBuild(two);
        assertIndexed(two, "a");
        RepairResponse unused =
                table.repair(two, ROW, network.index(two.indexTable()).visible().values());
        assertIndexed(two);
        IndexDefinition late = index("late").build();
        table.serve(late);
        table.alter(IndexDefinitions.with(table.descriptor(), late));
        assertThat(table.backfill(late)).isPresent();
        assertIndexed(late);
    }

    private void putAsAnEarlierBuild(IndexDefinition two) throws UndecodableValueException {
        byte[] key = new IndexKeyCodec(two).encode(List.of(Bytes.toBytes("a"), Bytes.toBytes("x")), ROW);
        network.index(two.indexTable()).apply(two.entryFormat().put(new IndexEntry(key, 1), 1));
    }

    /** Tags do not reach the client, which compares an index with its table. */
    @Test
    void clientsReadTheTableWithoutProtectedCells() throws IOException {
        write(put("A", "old"));
        table.flush();
        write(put("A", "new", tag(TagType.ACL_TAG_TYPE)));
        write(put("B", "x"));
        assertThat(valuesSeenFor(twoColumns())).as("not even an older version").containsExactly("x");
        assertThat(valuesSeenFor(everything())).containsExactly("new", "x");
    }

    private List<String> valuesSeenFor(IndexDefinition index) throws IOException {
        Scan sent = ProtectedCells.leftOut(index, new Scan().addFamily(F));
        List<Cell> cells = new ArrayList<>();
        HRegion region = table.regionOf(ROW);
        region.getCoprocessorHost().preScannerOpen(sent);
        try (RegionScanner scanner = region.getScanner(sent)) {
            scanner.next(cells);
        }
        Get get = ProtectedCells.leftOut(index, new Get(ROW).addFamily(F));
        assertThat(region.get(get).listCells()).isEqualTo(cells);
        return cells.stream()
                .map(cell -> Bytes.toString(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength()))
                .toList();
    }

    /** A reader by index who asks for rows gets them as HBase shows them, but judges them by what is not protected. */
    @Test
    void aReaderIsToldWhichColumnsAreProtected() throws IOException {
        write(put("A", "a", tag(TagType.ACL_TAG_TYPE)));
        write(put("B", "b"));
        HRegion region = table.regionOf(ROW);
        ProtectedColumns judged = ProtectedColumns.of(Result.create(
                region.get(ProtectedColumns.askFor(twoColumns(), new Get(ROW))).listCells()));
        assertThat(judged.row()).asString().isEqualTo(region.get(new Get(ROW)).toString());
        assertThat(judged.unprotected()).singleElement().satisfies(cell -> assertThat(CellUtil.cloneQualifier(cell))
                .asString()
                .isEqualTo("B"));
        Result unasked = region.get(ProtectedColumns.askFor(everything(), new Get(ROW)));
        assertThat(ProtectedColumns.of(unasked).unprotected()).isEqualTo(unasked.listCells());
        assertThat(ProtectedColumns.of(Result.EMPTY_RESULT).unprotected()).isEmpty();
    }

    /** A server that loads the jar of a table finds no class of it by the name of a filter. */
    @Test
    void aComparisonNamesNoFilter() {
        assertThat(ProtectedCells.leftOut(twoColumns(), new Scan()).getFilter()).isNull();
        assertThat(ProtectedCells.leftOut(twoColumns(), new Get(ROW)).getFilter())
                .isNull();
    }

    /** For the sample of a table that has no index yet. */
    @Test
    void theFilterArrivesAtTheServer() throws Exception {
        FilterProtos.Filter sent = ProtobufUtil.toFilter(ProtectedCells.beside(null));
        assertThat(ProtobufUtil.toFilter(sent)).isInstanceOf(ProtectedCells.class);
    }

    /** A row of which nothing passes does not count towards the limit of a scan. */
    @Test
    void aBoundedScanEndsAfterANumberOfRowsOfWhichNothingPasses() throws IOException {
        for (int i = 0; i < 10; i++) {
            byte[] row = Bytes.toBytes("a" + i);
            Cell cell = new KeyValue(
                    row,
                    F,
                    Bytes.toBytes("A"),
                    HConstants.LATEST_TIMESTAMP,
                    KeyValue.Type.Put,
                    Bytes.toBytes("a"),
                    List.of(tag(TagType.ACL_TAG_TYPE)));
            table.regionOf(row).put(new Put(row).add(cell));
        }
        write(put("A", "b")); // of the row r, which is the last
        assertThat(rowsOf(ProtectedCells.beside(null))).containsExactly("r");
        assertThat(rowsOf(ProtectedCells.beside(new FilterList(), 11))).containsExactly("r");
        assertThat(rowsOf(ProtectedCells.beside(new FilterList(), 10))).isEmpty();
    }

    /** Scans with a filter as a region server receives it. */
    private List<String> rowsOf(Filter filter) throws IOException {
        List<String> rows = new ArrayList<>();
        Filter received = ProtobufUtil.toFilter(ProtobufUtil.toFilter(filter));
        try (RegionScanner scanner = table.regionOf(ROW).getScanner(new Scan().setFilter(received))) {
            List<Cell> cells = new ArrayList<>();
            boolean hasMore;
            do {
                hasMore = scanner.next(cells);
                cells.forEach(cell -> rows.add(Bytes.toString(CellUtil.cloneRow(cell))));
                cells.clear();
            } while (hasMore);
        }
        return rows;
    }
}
