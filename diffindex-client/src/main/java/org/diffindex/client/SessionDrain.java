package org.diffindex.client;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.diffindex.model.IndexDefinition;

/**
 * Waits until the indexes that sessions are about have caught up. Whether others are behind makes no difference to sessions. Safe
 * for use by many threads.
 */
final class SessionDrain implements Session.Drain {
    /** How long a session that is full waits for the AUQ, so that it can forget what the indexes show by then. */
    private static final Duration LONGEST = Duration.ofSeconds(10);

    private final IndexCatalog catalog;
    private final Regions regions;

    /** What drains the regions of the table. */
    @FunctionalInterface
    interface Regions {
        DrainResult drain(Collection<String> indexes, Duration timeout) throws IOException;
    }

    SessionDrain(IndexCatalog catalog, Regions regions) {
        this.catalog = catalog;
        this.regions = regions;
    }

    /** A region refuses to wait for an index that was dropped, so a failure is a reason to look which indexes there are. */
    @Override
    public boolean drained() throws IOException {
        List<String> indexes = indexes();
        try {
            return drained(indexes);
        } catch (IOException e) {
            catalog.forget();
            List<String> present = indexes();
            if (present.equals(indexes)) {
                throw e;
            }
            return drained(present);
        }
    }

    private boolean drained(List<String> indexes) throws IOException {
        return indexes.isEmpty() || regions.drain(indexes, LONGEST).isDrained();
    }

    private List<String> indexes() throws IOException {
        return catalog.definitions().values().stream()
                .filter(index -> index.scheme().hasSessions())
                .map(IndexDefinition::name)
                .toList();
    }
}
