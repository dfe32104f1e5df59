package org.diffindex.lab.chaos;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;

/**
 * The table of one scheme: one family with an indexed value, a number, the tag of the row's last write, and padding. It
 * has two indexes, one on the value, the other on the value and the number. A put of a value also writes a number, so
 * that both indexes find the same rows by value.
 *
 * @param scheme the scheme of both indexes
 */
record ChaosTable(IndexScheme scheme) {
    static final byte[] FAMILY = Bytes.toBytes("f");
    static final byte[] VALUE = Bytes.toBytes("val");
    static final byte[] NUMBER = Bytes.toBytes("n");
    static final byte[] TAG = Bytes.toBytes("tag");

    /** The names of the indexes. */
    static final List<String> INDEXES = List.of("by_val", "by_val_n");

    /** The name of an index that the table has at times. */
    static final String ANOTHER = "built";

    /** The numbers of the values at which the second and third region of each index start. */
    static final List<Integer> BORDERS = List.of(ValueRange.DOMAIN / 3, 2 * ValueRange.DOMAIN / 3);

    /** The number of two-digit prefixes of row keys. */
    static final int BUCKETS = 100;

    private static final byte[] PADDING_COLUMN = Bytes.toBytes("pad");
    private static final byte[] PADDING = new byte[200];

    TableName name() {
        return TableName.valueOf("chaos-" + scheme.schemeName());
    }

    /** Returns the base table, in a list of one. */
    List<TableName> baseTables() {
        return List.of(name());
    }

    /** Returns the index tables. */
    List<TableName> indexTables() {
        return definitions().stream().map(IndexDefinition::indexTable).toList();
    }

    List<IndexDefinition> definitions() {
        return List.of(
                definition(INDEXES.get(0)).build(),
                definition(INDEXES.get(1)).column("f", "n", ColumnTypes.LONG).build());
    }

    /** Returns an index that the table does not have at first, which is created and dropped while clients write. */
    IndexDefinition another() {
        return definition(ANOTHER).build();
    }

    private IndexDefinition.Builder definition(String index) {
        return IndexDefinition.builder(name(), index)
                .column("f", "val", ColumnTypes.STRING)
                .scheme(scheme)
                .splitAt(BORDERS.stream().map(ValueRange::value).toArray());
    }

    /**
     * Returns the number, from 0, of the region that holds a value in an index whose regions are as they were created.
     */
    static int region(String value) {
        return (int) BORDERS.stream()
                .filter(border -> value.compareTo(ValueRange.value(border)) >= 0)
                .count();
    }

    /** Creates the table and its indexes, each with three regions. */
    void create(DiffIndexAdmin admin) throws IOException {
        admin.createTable(
                TableDescriptorBuilder.newBuilder(name())
                        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                        .build(),
                new byte[][] {Bytes.toBytes("34"), Bytes.toBytes("67")},
                definitions().toArray(new IndexDefinition[0]));
    }

    /** Returns a put that gives the row a value, a number and a tag. */
    static Put put(String row, String value, long number, String tag) {
        return new Put(Bytes.toBytes(row))
                .addColumn(FAMILY, VALUE, Bytes.toBytes(value))
                .addColumn(FAMILY, NUMBER, Bytes.toBytes(number))
                .addColumn(FAMILY, TAG, Bytes.toBytes(tag))
                .addColumn(FAMILY, PADDING_COLUMN, PADDING);
    }

    /** Returns the state of a row as a read shows it. */
    static RowState stateOf(Result row) {
        return new RowState(text(row, VALUE), numberOf(row), text(row, TAG));
    }

    /**
     * Returns the number of a row. A cell that is not 8 bytes long counts as none; the tag then names the write that
     * should have been refused.
     */
    private static OptionalLong numberOf(Result row) {
        byte[] number = row.getValue(FAMILY, NUMBER);
        return number == null || number.length != Long.BYTES
                ? OptionalLong.empty()
                : OptionalLong.of(Bytes.toLong(number));
    }

    /** Returns a put whose number, of 4 bytes, no index can hold, so that the whole put must be refused. */
    static Put unindexable(String row, String value, String tag) {
        return new Put(Bytes.toBytes(row))
                .addColumn(FAMILY, VALUE, Bytes.toBytes(value))
                .addColumn(FAMILY, NUMBER, Bytes.toBytes(1))
                .addColumn(FAMILY, TAG, Bytes.toBytes(tag));
    }

    private static Optional<String> text(Result row, byte[] qualifier) {
        return Optional.ofNullable(row.getValue(FAMILY, qualifier)).map(Bytes::toString);
    }
}
