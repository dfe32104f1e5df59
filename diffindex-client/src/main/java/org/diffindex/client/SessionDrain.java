package org.diffindex.client;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.diffindex.model.IndexDefinition;

/**
 * Waits until the async-session indexes have caught up; sessions do not depend on other indexes. Safe for use by many
 * threads.
 */
final class SessionDrain implements Session.Drain {
    /** How long a full session waits for the AUQ before it gives up forgetting changes. */
    private static final Duration LONGEST = Duration.ofSeconds(10);

    private final IndexCatalog catalog;
    private final Regions regions;

    /** Drains the regions of the table. */
    @FunctionalInterface
    interface Regions {
        DrainResult drain(Collection<String> indexes, Duration timeout) throws IOException;
    }

    SessionDrain(IndexCatalog catalog, Regions regions) {
        this.catalog = catalog;
        this.regions = regions;
    }

    /**
     * Drains the indexes. Because a region refuses to wait for an index that was dropped, a failure makes the
     * definitions be read again.
     */
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
