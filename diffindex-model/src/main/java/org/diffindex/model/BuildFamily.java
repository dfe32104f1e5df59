package org.diffindex.model;

import java.util.Optional;
import java.util.OptionalDouble;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The column family {@code b} in which the table of an index that is BUILDING keeps how far the build is, in one row. The
 * table has it until the index is ACTIVE, so that what a build remembers ends with the build; the descriptor keeps its
 * totals ({@code diffindex.built}: base rows read, entries written, rows left out, as decimal numbers separated by commas).
 * The family's own descriptor has the orders with which the build begins: {@code diffindex.build.rate}, a number of rows a
 * second, and {@code diffindex.build.paused}, {@code true} or {@code false}.
 */
public final class BuildFamily {
    /** The family's name. */
    public static final byte[] NAME = Bytes.toBytes("b");

    /** The key of the only row that has cells in the family. */
    public static final byte[] ROW = Bytes.toBytesBinary("\\x00");

    /** The cell with the name of the master that has taken the index over to build it. */
    public static final byte[] BUILDER = Bytes.toBytes("builder");

    private static final String RATE = "diffindex.build.rate";
    private static final String PAUSED = "diffindex.build.paused";
    private static final String BUILT = "diffindex.built";

    private BuildFamily() {}

    /**
     * The totals of a build.
     *
     * @param rows base rows read, with or without the indexed columns; a page that was written before a master died, and
     *     not recorded, counts once
     * @param entries entries written
     * @param leftOut rows with a value that the index cannot hold: it is undecodable, or its key would be too long
     */
    public record Totals(long rows, long entries, long leftOut) {
        /** The totals of a build that has not begun. */
        public static final Totals NONE = new Totals(0, 0, 0);
    }

    /**
     * Returns the descriptor with the family, for the table of an index that is to be built. The family is encrypted like
     * that of the entries: it holds keys of base rows.
     *
     * @param rowsPerSecond the rate to which the build is limited; empty for no limit
     * @param isPaused whether the build begins only when it is resumed
     */
    public static TableDescriptor add(TableDescriptor indexTable, OptionalDouble rowsPerSecond, boolean isPaused) {
        ColumnFamilyDescriptorBuilder family =
                ColumnFamilyDescriptorBuilder.newBuilder(NAME).setMaxVersions(1);
        EntryFormat.familyOf(indexTable)
                .filter(entries -> entries.getEncryptionType() != null)
                .ifPresent(entries -> encryptLike(entries, family));
        rowsPerSecond.ifPresent(rate -> family.setValue(RATE, Double.toString(rate)));
        if (isPaused) {
            family.setValue(PAUSED, "true");
        }
        return TableDescriptorBuilder.newBuilder(indexTable)
                .setColumnFamily(family.build())
                .build();
    }

    private static void encryptLike(ColumnFamilyDescriptor entries, ColumnFamilyDescriptorBuilder family) {
        family.setEncryptionType(entries.getEncryptionType());
        if (entries.getEncryptionKey() != null) {
            family.setEncryptionKey(entries.getEncryptionKey());
        }
    }

    /** Returns the rate to which a build is limited when it begins; empty for no limit. */
    public static OptionalDouble rowsPerSecond(TableDescriptor indexTable) {
        return value(indexTable, RATE).stream().mapToDouble(Double::parseDouble).findFirst();
    }

    /** Returns whether a build begins only when it is resumed. */
    public static boolean isPaused(TableDescriptor indexTable) {
        return value(indexTable, PAUSED).filter(Boolean::parseBoolean).isPresent();
    }

    private static Optional<String> value(TableDescriptor indexTable, String name) {
        return Optional.ofNullable(indexTable.getColumnFamily(NAME))
                .map(family -> family.getValue(Bytes.toBytes(name)))
                .map(Bytes::toString);
    }

    /** Returns the descriptor of a table whose index is built: without the family, and with the totals. */
    public static TableDescriptor complete(TableDescriptor indexTable, Totals totals) {
        return TableDescriptorBuilder.newBuilder(remove(indexTable))
                .setValue(BUILT, "%d,%d,%d".formatted(totals.rows(), totals.entries(), totals.leftOut()))
                .build();
    }

    /** Returns the totals of the build; empty if the index is not built, or was created with its table. */
    public static Optional<Totals> totals(TableDescriptor indexTable) {
        String built = indexTable.getValue(BUILT);
        if (built == null) {
            return Optional.empty();
        }
        String[] numbers = built.split(",", 3);
        return Optional.of(
                new Totals(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]), Long.parseLong(numbers[2])));
    }

    /** Returns the descriptor without the family; the same descriptor if it has none. */
    public static TableDescriptor remove(TableDescriptor indexTable) {
        return indexTable.hasColumnFamily(NAME)
                ? TableDescriptorBuilder.newBuilder(indexTable)
                        .removeColumnFamily(NAME)
                        .build()
                : indexTable;
    }

    /** Returns the descriptor without anything of a build, to compare it with that of another state. */
    public static TableDescriptor strip(TableDescriptor indexTable) {
        return TableDescriptorBuilder.newBuilder(remove(indexTable))
                .removeValue(Bytes.toBytes(BUILT))
                .build();
    }
}
