package org.diffindex.phoenix;

import java.util.Arrays;
import java.util.Optional;
import org.diffindex.lab.bench.statistics.Contender;

/** The indexes by title that are compared: none, and two kinds of global index of Phoenix. */
enum PhoenixIndex {
    NONE("Phoenix, no index", ""),

    /**
     * A covered index, which Phoenix keeps strongly consistent unless asked otherwise. It covers row key and title,
     * which are all that a read asks for.
     */
    STRONG("Phoenix, strong", "CREATE INDEX"),

    /** An uncovered index, whose entries a read completes and checks in the rows of the table. */
    UNCOVERED("Phoenix, uncovered", "CREATE UNCOVERED INDEX");

    private final String label;
    private final String creation;

    PhoenixIndex(String label, String creation) {
        this.label = label;
        this.creation = creation;
    }

    /** Returns the kind of index of a contender. */
    static PhoenixIndex of(Contender contender) {
        return Arrays.stream(values())
                .filter(index -> index.contender().equals(contender))
                .findFirst()
                .orElseThrow(
                        () -> new IllegalArgumentException(contender.label() + " is no contender of Apache Phoenix"));
    }

    Contender contender() {
        return Contender.plain(label);
    }

    /** Returns the beginning of the statement that creates the index; empty for {@link #NONE}. */
    Optional<String> creation() {
        return Optional.of(creation).filter(words -> !words.isEmpty());
    }
}
