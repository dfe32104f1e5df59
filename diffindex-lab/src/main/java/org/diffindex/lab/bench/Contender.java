package org.diffindex.lab.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.diffindex.model.IndexScheme;

/**
 * One of those that are compared: the indexes of a scheme, no index at all, or plain operations in place of an index.
 *
 * @param label what the report calls it
 * @param scheme of its indexes; empty if it has none
 */
record Contender(String label, Optional<IndexScheme> scheme) {
    /** A table without index. */
    static final Contender NO_INDEX = new Contender("no index", Optional.empty());

    static Contender of(IndexScheme scheme) {
        return new Contender(scheme.schemeName(), Optional.of(scheme));
    }

    /** Plain operations on tables without index. */
    static Contender plain(String label) {
        return new Contender(label, Optional.empty());
    }

    /** No index, and then these schemes. */
    static List<Contender> withNoIndex(List<Contender> schemes) {
        List<Contender> all = new ArrayList<>(List.of(NO_INDEX));
        all.addAll(schemes);
        return all;
    }

    /** The part of a table's name that stands for it. */
    String tablePart() {
        return scheme.map(it -> it.schemeName().replace('-', '_')).orElse("none");
    }

    boolean isAsynchronous() {
        return scheme.map(IndexScheme::isAsynchronous).orElse(false);
    }

    /** Whether its clients write and read in sessions. */
    boolean isInSession() {
        return scheme.map(IndexScheme::hasSessions).orElse(false);
    }
}
