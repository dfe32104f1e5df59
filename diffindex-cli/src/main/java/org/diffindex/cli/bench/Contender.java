package org.diffindex.cli.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.diffindex.model.IndexScheme;

/** One of those that are compared: the indexes of a scheme, or no index at all. */
record Contender(Optional<IndexScheme> scheme) {
    /** A table without index. */
    static final Contender NO_INDEX = new Contender(Optional.empty());

    static Contender of(IndexScheme scheme) {
        return new Contender(Optional.of(scheme));
    }

    /** No index, and then these schemes. */
    static List<Contender> withNoIndex(List<Contender> schemes) {
        List<Contender> all = new ArrayList<>(List.of(NO_INDEX));
        all.addAll(schemes);
        return all;
    }

    /** What the report calls it. */
    String label() {
        return scheme.map(IndexScheme::schemeName).orElse("no index");
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
        return scheme.equals(Optional.of(IndexScheme.ASYNC_SESSION));
    }
}
