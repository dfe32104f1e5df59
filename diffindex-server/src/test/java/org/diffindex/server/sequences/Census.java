package org.diffindex.server.sequences;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Counts the events of random runs. Runs prove nothing about an event that never occurred; {@link #missing} returns
 * those. The counts of a test class are written to {@code target/census}.
 */
public final class Census {
    private static final Path FOLDER = Path.of("target", "census");

    private final SortedMap<String, Long> counts = new TreeMap<>();

    /** Counts an event. */
    public void add(String what) {
        counts.merge(what, 1L, Long::sum);
    }

    /** Adds the counts of another census. */
    public void add(Census other) {
        other.counts.forEach((what, count) -> counts.merge(what, count, Long::sum));
    }

    /** Returns the expected events that did not occur. */
    public Set<String> missing(Collection<String> expected) {
        Set<String> missing = new TreeSet<>(expected);
        missing.removeAll(counts.keySet());
        return missing;
    }

    /** Writes the counts to a file, one per line. */
    public void write(Class<?> test) {
        try {
            Files.createDirectories(FOLDER);
            Files.writeString(FOLDER.resolve(test.getSimpleName() + ".txt"), this + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException("The counts of " + test.getSimpleName() + " were not written", e);
        }
    }

    /** Returns how often each event occurred, ordered by name. */
    @Override
    public String toString() {
        return counts.entrySet().stream().map(Census::line).collect(Collectors.joining("\n"));
    }

    private static String line(Map.Entry<String, Long> each) {
        return String.format("%,12d %s", each.getValue(), each.getKey());
    }
}
