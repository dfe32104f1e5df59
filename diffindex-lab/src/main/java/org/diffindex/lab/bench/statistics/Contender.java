package org.diffindex.lab.bench.statistics;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.diffindex.model.IndexScheme;

/**
 * One of the alternatives that an experiment compares: the indexes of a scheme, no index, or plain calls in place of an
 * index.
 *
 * @param label its name in the report
 * @param scheme the scheme of its indexes; empty if it has none
 */
public record Contender(String label, Optional<IndexScheme> scheme) {
    /** A table without an index. */
    public static final Contender NO_INDEX = new Contender("no index", Optional.empty());

    /** Returns the contender that has indexes of a scheme. */
    public static Contender of(IndexScheme scheme) {
        return new Contender(scheme.schemeName(), Optional.of(scheme));
    }

    /** Returns a contender that makes plain calls on tables without an index. */
    public static Contender plain(String label) {
        return new Contender(label, Optional.empty());
    }

    /** Returns the contender that the report shows under a label. */
    public static Contender labelled(String label) {
        return Arrays.stream(IndexScheme.values())
                .map(Contender::of)
                .filter(contender -> contender.label().equals(label))
                .findFirst()
                .orElseGet(() -> plain(label));
    }

    /** Returns {@link #NO_INDEX}, followed by these contenders. */
    public static List<Contender> withNoIndex(List<Contender> schemes) {
        List<Contender> all = new ArrayList<>(List.of(NO_INDEX));
        all.addAll(schemes);
        return all;
    }

    /** Returns the part of a table's name that identifies this contender. */
    public String tablePart() {
        return scheme.map(it -> it.schemeName().replace('-', '_')).orElse("none");
    }

    /** Returns whether its index updates may follow the acknowledgement of a write. */
    public boolean isAsynchronous() {
        return scheme.map(IndexScheme::isAsynchronous).orElse(false);
    }

    /** Returns whether its clients write and read in sessions. */
    public boolean isInSession() {
        return scheme.map(IndexScheme::hasSessions).orElse(false);
    }
}
