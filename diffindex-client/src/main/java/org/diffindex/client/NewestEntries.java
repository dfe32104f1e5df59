package org.diffindex.client;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;

/** The newest of the entries that the regions of an index have told. */
final class NewestEntries implements AggregateRead.Sink {
    /** By base timestamp, the newest first; of two with the same, that of the lesser key. */
    static final Comparator<IndexEntry> NEWEST_FIRST = Comparator.comparingLong(IndexEntry::timestamp)
            .reversed()
            .thenComparing(IndexEntry::key, Bytes.BYTES_COMPARATOR);

    private static final Comparator<FoundEntry> ORDER = Comparator.comparing(FoundEntry::entry, NEWEST_FIRST);

    private final IndexDefinition definition;
    private final int asked;
    private final List<FoundEntry> entries = new ArrayList<>();
    private long received;

    /**
     * Creates an empty set.
     *
     * @param asked how many each region is asked for, and how many are kept
     */
    NewestEntries(IndexDefinition definition, int asked) {
        this.definition = definition;
        this.asked = asked;
    }

    @Override
    public boolean row(Result row) {
        late(IndexReader.foundIn(row, definition));
        return true;
    }

    @Override
    public void late(FoundEntry entry) {
        received++;
        entries.add(entry);
        if (entries.size() >= 4L * asked) {
            cut();
        }
    }

    private void cut() {
        entries.sort(ORDER);
        entries.subList(Math.min(asked, entries.size()), entries.size()).clear();
    }

    /** Returns the newest entries, the newest first. All others are older. */
    List<FoundEntry> newestFirst() {
        cut();
        return entries;
    }

    /** Returns whether the index has no other entry within the query: a region that leaves one out has told as many as asked. */
    boolean areAll() {
        return received < asked;
    }
}
