package org.diffindex.client;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.TableIndexes;
import org.diffindex.model.UnloadedIndex;

/**
 * Waits until the async-session indexes have caught up; sessions do not depend on other indexes. An index that this
 * client cannot load may be such an index. One of which the session remembers changes is such an index, even if the
 * client does not know of it yet. The wait is bounded, even if a region does not answer. Safe for use by many
 * threads.
 */
final class SessionDrain implements Session.Drain {
    /** How long a full session waits for the AUQ before it gives up forgetting changes. */
    private static final Duration LONGEST = Duration.ofSeconds(10);

    /** How much longer than that it waits for the regions to report what is not delivered. */
    private static final Duration FOR_THE_ANSWER = Duration.ofSeconds(1);

    private final IndexCatalog catalog;
    private final Regions regions;
    private final Duration longest;
    private final BriefCalls calls;

    /** Drains the regions of the table. */
    @FunctionalInterface
    interface Regions {
        DrainResult drain(Collection<String> indexes, Duration timeout) throws IOException;
    }

    /** The outcome of a drain, or its failure. */
    @FunctionalInterface
    private interface Answer {
        boolean isDrained() throws IOException;
    }

    SessionDrain(IndexCatalog catalog, Regions regions) {
        this(catalog, regions, LONGEST);
    }

    /** Creates a drain that waits that long for the AUQ, and a second more for the answers of the regions. */
    SessionDrain(IndexCatalog catalog, Regions regions, Duration longest) {
        this.catalog = catalog;
        this.regions = regions;
        this.longest = longest;
        this.calls = BriefCalls.ofSessions(longest.plus(FOR_THE_ANSWER));
    }

    /**
     * Drains the indexes. If a region does not answer in time, they count as not drained: HBase's client would call it
     * again and again, for 20 minutes by default.
     *
     * @throws java.io.InterruptedIOException if the caller was interrupted; it still is
     */
    @Override
    public boolean drained(Set<String> remembered) throws IOException {
        Callable<Answer> drain = () -> {
            try {
                boolean isDrained = isPresentDrained(remembered);
                return () -> isDrained;
            } catch (IOException e) {
                return () -> {
                    throw e;
                };
            }
        };
        String purpose = "waiting for the indexes of " + catalog.table() + " to catch up, so that a session can write";
        Optional<Answer> answer = calls.answers(purpose, List.of(drain)).get(0);
        return answer.isPresent() && answer.get().isDrained();
    }

    /**
     * Drains the present indexes. Because a region refuses to wait for an index that was dropped, a failure makes the
     * definitions be read again.
     */
    private boolean isPresentDrained(Set<String> remembered) throws IOException {
        List<String> indexes = Stream.concat(indexes().stream(), remembered.stream())
                .distinct()
                .toList();
        try {
            return isDrained(indexes);
        } catch (IOException e) {
            catalog.forget();
            List<String> present = indexes();
            if (present.equals(indexes)) {
                throw e;
            }
            return isDrained(present);
        }
    }

    private boolean isDrained(List<String> indexes) throws IOException {
        return indexes.isEmpty() || regions.drain(indexes, longest).isDrained();
    }

    private List<String> indexes() throws IOException {
        TableIndexes definitions = catalog.definitions();
        Stream<String> loaded = definitions.loaded().values().stream()
                .filter(index -> index.scheme().hasSessions())
                .map(IndexDefinition::name);
        Stream<String> unloaded = definitions.unloaded().values().stream()
                .filter(UnloadedIndex::mayHaveSessions)
                .map(UnloadedIndex::name);
        return Stream.concat(loaded, unloaded).toList();
    }
}
