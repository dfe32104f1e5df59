package org.diffindex.server.local;

import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellBuilderFactory;
import org.apache.hadoop.hbase.CellBuilderType;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.IndexScheme;

/** A table of flights with an index on the origin and one on (origin, date), for tests. */
public final class Flights {
    public static final TableName TABLE = TableName.valueOf("flights");
    public static final byte[] F = Bytes.toBytes("f");

    private Flights() {}

    /** Returns the index on the origin. */
    public static IndexDefinition byOrigin(IndexScheme scheme) {
        return IndexDefinition.builder(TABLE, "by_origin-" + scheme.schemeName())
                .column("f", "origin", ColumnTypes.STRING)
                .scheme(scheme)
                .build();
    }

    /** Returns the index on origin and date. */
    public static IndexDefinition byOriginAndDate(IndexScheme scheme) {
        return IndexDefinition.builder(TABLE, "by_origin_date-" + scheme.schemeName())
                .column("f", "origin", ColumnTypes.STRING)
                .column("f", "date", ColumnTypes.STRING)
                .scheme(scheme)
                .build();
    }

    public static byte[] row(String name) {
        return Bytes.toBytes(name);
    }

    public static ImmutableBytesWritable rowKey(String name) {
        return new ImmutableBytesWritable(row(name));
    }

    /** Returns a cell of family f, as a put has it. */
    public static Cell cell(String row, String qualifier, String value, long timestamp) {
        return cell(row, qualifier, value, timestamp, Cell.Type.Put);
    }

    public static Cell cell(String row, String qualifier, String value, long timestamp, Cell.Type type) {
        return CellBuilderFactory.create(CellBuilderType.DEEP_COPY)
                .setRow(row(row))
                .setFamily(F)
                .setQualifier(Bytes.toBytes(qualifier))
                .setTimestamp(timestamp)
                .setType(type)
                .setValue(Bytes.toBytes(value))
                .build();
    }

    /** Returns the entry of a row with these cells. */
    public static IndexEntry entry(IndexDefinition definition, String row, Cell... cells) {
        return new IndexEntryFunction(definition)
                .entryOf(row(row), List.of(cells))
                .orElseThrow();
    }
}
