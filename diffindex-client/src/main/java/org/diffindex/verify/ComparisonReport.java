package org.diffindex.verify;

import java.util.List;
import org.diffindex.model.IndexDefinition;

/**
 * What a comparison of an index with its base table found.
 *
 * @param index the index
 * @param rows rows of the base table that should have an entry
 * @param entries entries of the index
 * @param missing entries that a row should have and the index does not hold
 * @param dangling entries whose base row is gone, or has no indexed value any more
 * @param stale entries whose base row has another value by now
 * @param wrongTimestamp entries that are right but for their timestamp
 * @param examples a few of the differences, in words
 */
public record ComparisonReport(
        IndexDefinition index,
        long rows,
        long entries,
        long missing,
        long dangling,
        long stale,
        long wrongTimestamp,
        List<String> examples) {

    /** Whether the index holds exactly what it should. */
    public boolean isClean() {
        return missing == 0 && dangling == 0 && stale == 0 && wrongTimestamp == 0;
    }

    @Override
    public String toString() {
        return String.format(
                "index %s on %s (%s): %d rows, %d entries, %d missing, %d dangling, %d stale, %d with a wrong timestamp%s",
                index.name(),
                index.table(),
                index.scheme(),
                rows,
                entries,
                missing,
                dangling,
                stale,
                wrongTimestamp,
                examples.isEmpty() ? "" : "; such as " + String.join("; ", examples));
    }
}
