package org.diffindex.client;

import java.util.List;
import java.util.Optional;

/**
 * A page of the hits of a query. Immutable.
 *
 * @param hits the hits, in the order of the query
 * @param token of the position behind the last hit, as {@link IndexScanner#token} describes it; empty if the page has fewer
 *     hits than the query's limit, so that there is no further page
 */
public record IndexPage(List<IndexHit> hits, Optional<String> token) {
    public IndexPage {
        hits = List.copyOf(hits);
    }
}
