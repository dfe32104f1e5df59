package org.diffindex.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnType;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexKeyCodec;

/** Counts hits by the values of the first columns of an index. Used by one thread. */
final class GroupCounts implements AggregateRead.Sink {
    private final IndexDefinition definition;
    private final List<ColumnType> groupedBy;
    private final int most;
    private final TreeMap<byte[], Long> groups = new TreeMap<>(Bytes.BYTES_COMPARATOR);

    /**
     * Creates counts of nothing.
     *
     * @param columns how many columns make a group
     * @param most the most groups that may be counted
     * @throws InvalidQueryException if the index does not have that many columns
     */
    GroupCounts(IndexDefinition definition, int columns, int most) {
        int all = definition.keyColumns().size();
        if (columns < 1 || columns > all) {
            throw new InvalidQueryException(
                    "Hits of index " + definition.logicalName() + " can be counted by its first 1 to " + all
                            + " columns, not by " + columns + "; nothing was read");
        }
        this.definition = definition;
        this.groupedBy = definition.keyColumns().stream()
                .limit(columns)
                .map(column -> column.type())
                .toList();
        this.most = most;
    }

    /** Returns the types of the columns that make a group. */
    List<ColumnType> groupedBy() {
        return groupedBy;
    }

    @Override
    public boolean row(Result row) throws IOException {
        add(row.getRow(), IndexAggregates.countOf(row));
        return true;
    }

    @Override
    public void late(FoundEntry entry) throws TooManyGroupsException {
        add(entry.key(), 1);
    }

    /**
     * Counts hits of one group.
     *
     * @param key the key of one of them
     */
    void add(byte[] key, long hits) throws TooManyGroupsException {
        groups.merge(IndexKeyCodec.beginning(key, groupedBy), hits, Long::sum);
        if (groups.size() > most) {
            throw new TooManyGroupsException("The hits of the query by index " + definition.logicalName() + " of "
                    + definition.table() + " have more than " + most
                    + " groups, which is the most; no count was returned."
                    + " Count by fewer columns, or count parts of the index with from and to");
        }
    }

    /** Returns the counts in the order of the index. */
    List<GroupCount> inOrder() {
        List<GroupCount> counts = new ArrayList<>(groups.size());
        groups.forEach((beginning, hits) -> counts.add(GroupCount.of(definition, beginning, hits)));
        return counts;
    }
}
