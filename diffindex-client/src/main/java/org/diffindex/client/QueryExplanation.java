package org.diffindex.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;

/**
 * The reads and checks that a query by an index would make. Immutable; {@link #toString} is for people, over several lines, and may change.
 *
 * @param table the base table
 * @param index the name of the index
 * @param scheme the scheme by which the index is read
 * @param reading the direction, the limit, whether base rows are returned, and whether the query continues after a token
 * @param ranges the ranges of keys, in the order in which they are read; none if no key can match
 * @param regions how many regions of the index table the ranges lie in, when the query was explained
 * @param servers the region servers of these regions, sorted; regions that are on no server at present add none
 * @param checks what happens to each entry that the scan meets before it is a hit, and after the last one
 * @param counting where the hits are counted, if only their number is asked for ({@link IndexedTable#count})
 * @param session what a {@link Session} adds to the read
 */
public record QueryExplanation(
        TableName table,
        String index,
        IndexScheme scheme,
        String reading,
        List<Range> ranges,
        int regions,
        List<String> servers,
        List<String> checks,
        String counting,
        String session) {
    private static final int MOST_SHOWN = 20;

    public QueryExplanation {
        ranges = List.copyOf(ranges);
        servers = List.copyOf(servers);
        checks = List.copyOf(checks);
    }

    /**
     * A range of keys of the index table. Its arrays must not be modified.
     *
     * @param conditions the conditions on the columns of which it was made
     * @param start the first key, inclusive; empty for the index's beginning
     * @param stop the end, exclusive; empty for the index's end
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Range(String conditions, byte[] start, byte[] stop) {
        /** Returns the conditions, and the keys in the notation of the HBase shell. */
        @Override
        public String toString() {
            return conditions + ": " + new KeyRange(start, stop);
        }
    }

    /** Explains a query whose bounds are known, by the present locations of the regions of the index table. */
    static QueryExplanation of(
            IndexQuery query, IndexDefinition definition, QueryBounds bounds, List<HRegionLocation> locations) {
        List<KeyRange> keys = bounds.ranges();
        List<Range> ranges = new ArrayList<>(keys.size());
        for (int i = 0; i < keys.size(); i++) {
            String conditions = ConditionText.of(bounds.equalTo(i), query.conditions(), definition);
            ranges.add(new Range(conditions, keys.get(i).start(), keys.get(i).stop()));
        }
        List<HRegionLocation> concerned = locations.stream()
                .filter(Objects::nonNull)
                .filter(location -> keys.stream().anyMatch(range -> overlap(range, location.getRegion())))
                .toList();
        TreeSet<String> servers = concerned.stream()
                .filter(location -> location.getServerName() != null)
                .map(location -> location.getServerName().getServerName())
                .collect(Collectors.toCollection(TreeSet::new));
        return new QueryExplanation(
                definition.table(),
                definition.logicalName(),
                definition.scheme(),
                readingOf(query),
                ranges,
                concerned.size(),
                List.copyOf(servers),
                checksOf(query, definition),
                IndexAggregates.areEntriesHits(query, definition)
                        ? "counted in the servers: each region of the index counts its entries"
                        : "entries are read and checked: only a base row tells whether its entry is a hit",
                sessionOf(definition.scheme()));
    }

    private static boolean overlap(KeyRange range, RegionInfo region) {
        KeyRange both = new KeyRange(
                ScanDirection.FORWARD.isBehind(range.start(), region.getStartKey())
                        ? range.start()
                        : region.getStartKey(),
                ScanView.isBehind(range.stop(), region.getEndKey()) ? region.getEndKey() : range.stop());
        return !both.isEmpty();
    }

    private static String readingOf(IndexQuery query) {
        return (query.isReverse() ? "in reverse order" : "in index order")
                + (query.limit() == Long.MAX_VALUE ? ", all hits" : ", at most " + query.limit() + " hits")
                + rowsOf(query)
                + (query.position().isPresent() ? ", behind the position of a token" : "");
    }

    private static String rowsOf(IndexQuery query) {
        if (query.rowColumnNames().isEmpty()) {
            return query.isWithRows() ? ", with base rows" : ", keys only";
        }
        return ", with " + String.join(", ", query.rowColumnNames()) + " of base rows";
    }

    private static List<String> checksOf(IndexQuery query, IndexDefinition definition) {
        IndexScheme scheme = definition.scheme();
        List<String> checks = new ArrayList<>();
        definition.conditions().forEach(condition -> checks.add("only rows with " + condition + " have an entry"));
        if (!definition.included().isEmpty()) {
            checks.add("each hit includes " + definition.included());
        }
        if (query.isWithRows()) {
            checks.add("each entry: its base row is looked up; a row that no longer matches is left out");
        } else if (scheme.leavesStaleEntries()) {
            checks.add("each entry: the region of its base row confirms it from memory, or the row is looked up;"
                    + " a stale entry is left out, and reported");
        } else {
            checks.add("each entry: none, it is a hit as the index has it");
        }
        if (scheme.readsAcknowledgedWrites()) {
            checks.add(
                    "after the last hit, if more than one region or range was read: those read before the last one are"
                            + " asked for entries that were put meanwhile");
        }
        return checks;
    }

    private static String sessionOf(IndexScheme scheme) {
        if (scheme.hasSessions()) {
            return "adds the entries of its own writes, each checked against its base row, and hides older entries of the"
                    + " rows that it has written";
        }
        return scheme.readsAcknowledgedWrites()
                ? "adds nothing: every reader sees each acknowledged write"
                : "adds nothing: the scheme has no sessions";
    }

    @Override
    public String toString() {
        List<String> lines = new ArrayList<>();
        lines.add("index " + index + " of table " + table + ", scheme " + scheme.schemeName());
        lines.add("reads " + reading);
        lines.add(ranges.size() + (ranges.size() == 1 ? " range" : " ranges") + " of keys, in "
                + regions + (regions == 1 ? " region" : " regions") + " on "
                + servers.size() + (servers.size() == 1 ? " server" : " servers")
                + (servers.isEmpty() ? "" : ": " + String.join(", ", servers)));
        ranges.stream().limit(MOST_SHOWN).forEach(range -> lines.add("  " + range));
        if (ranges.size() > MOST_SHOWN) {
            lines.add("  and " + (ranges.size() - MOST_SHOWN) + " more");
        }
        lines.add("checks:");
        checks.forEach(check -> lines.add("  " + check));
        lines.add("a count: " + counting);
        lines.add("a session " + session);
        return String.join(System.lineSeparator(), lines);
    }
}
