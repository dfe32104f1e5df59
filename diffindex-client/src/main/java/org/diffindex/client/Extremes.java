package org.diffindex.client;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexedColumn;

/** Finds the hit of a query with the least or greatest value of a column, by the order of the index. */
final class Extremes {
    private Extremes() {}

    /**
     * Requires that the order of the hits is that of a column: it is the first one of which the query does not give one value.
     *
     * @param column its name, FAMILY:QUALIFIER
     * @throws InvalidQueryException if it is another one
     */
    static void requireOrderedBy(String column, IndexQuery query, IndexDefinition definition) {
        List<IndexedColumn> columns = definition.keyColumns();
        int position = Math.min(query.equalTo().size(), columns.size() - 1);
        IndexedColumn first = columns.get(position);
        String typed = first.toString();
        String ordered = typed.substring(
                0, typed.length() - 1 - first.type().expression().length());
        if (!column.equals(ordered) && !column.equals(typed)) {
            throw new InvalidQueryException("The hits of this query by index " + definition.logicalName()
                    + " are in the order of column " + ordered + ", not of " + column
                    + "; nothing was read. Ask for that column, or give a value for each column before it");
        }
    }

    /**
     * Returns the first hit in an order. A row that moves during a read may be returned out of order; then the read goes on up to a
     * hit in its place, behind which all others lie.
     */
    static Optional<IndexHit> first(
            IndexedTable table, IndexDefinition definition, IndexQuery query, ScanDirection order) throws IOException {
        IndexQuery ordered = query.toBuilder().direction(order).build();
        Optional<IndexHit> first =
                read(table, definition, ordered.toBuilder().limit(1).build(), order);
        boolean isCertain = first.map(Extremes::isInPlace).orElse(true);
        return isCertain ? first : read(table, definition, ordered, order);
    }

    private static Optional<IndexHit> read(
            IndexedTable table, IndexDefinition definition, IndexQuery query, ScanDirection order) throws IOException {
        IndexHit best = null;
        try (IndexScanner hits = table.scan(definition, query)) {
            boolean isInPlace = false;
            while (!isInPlace) {
                IndexHit hit = hits.next();
                if (hit == null) {
                    break;
                }
                if (best == null || order.isBehind(best.key(), hit.key())) {
                    best = hit;
                }
                isInPlace = isInPlace(hit);
            }
        }
        return Optional.ofNullable(best);
    }

    private static boolean isInPlace(IndexHit hit) {
        return hit.position().filter(key -> Arrays.equals(key, hit.key())).isPresent();
    }
}
