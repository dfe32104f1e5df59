package org.diffindex.model;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The effect of the TTLs of a table's column families on its indexes. The entries of an index expire if a column that
 * it reads belongs to a family with a TTL: the index table has that TTL too. HBase expires a cell by its timestamp, so
 * an entry expires by its stamp, and it must expire together with its row. It does if
 *
 * <ul>
 *   <li>it is computed from one cell, so that no second cell expires earlier ({@link #refusal(IndexDefinition)});
 *   <li>no version of that cell outlives the TTL ({@link #refusal(IndexDefinition)}), and none has a TTL of its own
 *       ({@link #refusal(Mutation, boolean)});
 *   <li>its stamp is the timestamp of that cell: the server assigns both ({@link #refusal(Mutation, boolean)}), to
 *       every cell the index reads ({@link #concerns(Cell)}), and a backfill or replay preserves the stamp ({@link
 *       #limits}); or it has a TTL of its own, as the entry of a repair has ({@link #lifetime});
 *   <li>neither table's TTL changes ({@link #refusalOfChange}).
 * </ul>
 *
 * <p>Pure; immutable.
 */
public final class Expiry {
    private final TableDescriptor table;
    private final Collection<IndexDefinition> indexes;
    private final List<IndexEntryFunction> expiring;

    /** Creates the expiry rules of a table with these indexes. */
    public Expiry(TableDescriptor table, Collection<IndexDefinition> indexes) {
        this.table = table;
        this.indexes = indexes;
        this.expiring = indexes.stream()
                .filter(this::limits)
                .map(IndexEntryFunction::new)
                .toList();
    }

    /** Returns the TTL of the index's table, in seconds; {@link HConstants#FOREVER} if its entries do not expire. */
    public int timeToLive(IndexDefinition index) {
        return index.readColumns().stream()
                .mapToInt(column -> timeToLive(column.family()))
                .min()
                .orElse(HConstants.FOREVER);
    }

    private int timeToLive(byte[] family) {
        ColumnFamilyDescriptor descriptor = table.getColumnFamily(family);
        return descriptor == null ? HConstants.FOREVER : descriptor.getTimeToLive();
    }

    /** Returns whether the entries of an index expire, so that the stamp of each must be its base timestamp. */
    public boolean limits(IndexDefinition index) {
        return timeToLive(index) != HConstants.FOREVER;
    }

    /**
     * Returns how long an entry is to live, in milliseconds from its stamp, so that it expires together with its row;
     * negative if the row expires before the stamp. Empty if it does so by itself, or does not expire.
     */
    public OptionalLong lifetime(IndexDefinition index, IndexEntry entry, long stamp) {
        return limits(index) && stamp != entry.timestamp()
                ? OptionalLong.of(entry.timestamp() + TimeUnit.SECONDS.toMillis(timeToLive(index)) - stamp)
                : OptionalLong.empty();
    }

    /** Returns the indexes whose entries expire. */
    public IndexSet expiring() {
        return IndexSet.of(indexes.stream().filter(this::limits).toList());
    }

    /**
     * Returns whether a mutation affects an index whose entries expire, so that its cells must have its stamp as
     * timestamp.
     */
    public boolean concerns(Mutation mutation) {
        return !expiring.isEmpty()
                && mutation.getFamilyCellMap().values().stream()
                        .flatMap(List::stream)
                        .anyMatch(this::concerns);
    }

    /** Returns whether a cell affects an index whose entries expire. */
    public boolean concerns(Cell cell) {
        return expiring.stream().anyMatch(index -> index.concernedBy(cell));
    }

    /**
     * Restricts a raw scan to the cells of a family that have not expired; a raw scan otherwise returns expired cells
     * until a compaction drops them.
     *
     * @param now the server's time, in milliseconds
     */
    public void leaveOutExpired(Scan scan, byte[] family, long now) {
        int seconds = timeToLive(family);
        if (seconds != HConstants.FOREVER) {
            scan.setColumnFamilyTimeRange(
                    family, Math.max(0, now - TimeUnit.SECONDS.toMillis(seconds)), Long.MAX_VALUE);
        }
    }

    /**
     * Returns why entries of an index would not expire together with their rows; empty if they would, or do not expire.
     */
    public Optional<String> refusal(IndexDefinition index) {
        return index.readColumns().stream()
                .map(column -> table.getColumnFamily(column.family()))
                .filter(family -> family != null && family.getTimeToLive() != HConstants.FOREVER)
                .map(family -> refusal(index, family))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static Optional<String> refusal(IndexDefinition index, ColumnFamilyDescriptor family) {
        if (!isOfOneCell(index)) {
            return Optional.of("column family " + family.getNameAsString() + " has a TTL, and index " + index.name()
                    + " has more than one column: the first to expire would end the row's entry, but the entry lives as"
                    + " long as the last; index each column alone, or have no TTL");
        }
        if (family.getMinVersions() > 0) {
            return Optional.of("column family " + family.getNameAsString() + " has a TTL and MIN_VERSIONS "
                    + family.getMinVersions() + ", by which rows outlive the TTL, and their entries in index "
                    + index.name() + " would not; set MIN_VERSIONS to 0, or have no TTL");
        }
        return Optional.empty();
    }

    /** Returns whether all columns are the same table column, as the fields of a packed column are. */
    private static boolean isOfOneCell(IndexDefinition index) {
        IndexedColumn first = index.readColumns().get(0);
        return index.readColumns().stream()
                .allMatch(column -> Arrays.equals(column.family(), first.family())
                        && Arrays.equals(column.qualifier(), first.qualifier()));
    }

    /**
     * Returns why a write must be refused; empty if it need not be. It must if it has a TTL of its own, whatever it
     * writes, or if it affects an index whose entries expire and chooses timestamps itself.
     *
     * @param isDatedByServer whether the server assigns all of the write's timestamps
     */
    public Optional<String> refusal(Mutation write, boolean isDatedByServer) {
        if (write.getTTL() != Long.MAX_VALUE) {
            return Optional.of("a write with a TTL of its own would let the value before it reappear unseen; give the"
                    + " column family a TTL instead");
        }
        if (!isDatedByServer && concerns(write)) {
            return Optional.of(
                    "the column family of an indexed column has a TTL, and after a write with timestamps of its"
                            + " own, or a delete of single versions, the index entry would not expire together with the row;"
                            + " leave the timestamps to the server, and delete whole columns or families");
        }
        return Optional.empty();
    }

    /**
     * Returns why this descriptor may not replace the former one: it changes the TTL of a family that an index reads,
     * or of an index table, so that rows and entries would expire at different times; empty if it may.
     */
    public Optional<String> refusalOfChange(TableDescriptor before) {
        for (IndexDefinition index : indexes) {
            for (IndexedColumn column : index.readColumns()) {
                if (changes(before, column.family())) {
                    return Optional.of(change(before, column.family()) + "index " + index.name()
                            + " keeps its entries for as long as the family keeps their cells, and is given that time when"
                            + " it is made; drop the index, change the TTL, and create the index again");
                }
            }
        }
        boolean isOfAnIndex = IndexDefinitions.baseTableOf(before).isPresent();
        return isOfAnIndex && changes(before, EntryFormat.FAMILY)
                ? Optional.of(change(before, EntryFormat.FAMILY)
                        + "it is the table of an index, whose entries live as long as their rows")
                : Optional.empty();
    }

    private boolean changes(TableDescriptor before, byte[] family) {
        return before.hasColumnFamily(family)
                && table.hasColumnFamily(family)
                && before.getColumnFamily(family).getTimeToLive() != timeToLive(family);
    }

    private String change(TableDescriptor before, byte[] family) {
        return "Cannot change the TTL of column family " + Bytes.toStringBinary(family) + " of table "
                + table.getTableName() + " from "
                + before.getColumnFamily(family).getTimeToLive() + " to "
                + timeToLive(family) + " seconds, nothing was changed: ";
    }
}
