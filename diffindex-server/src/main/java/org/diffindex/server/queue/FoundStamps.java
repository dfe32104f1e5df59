package org.diffindex.server.queue;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.hadoop.fs.Path;
import org.diffindex.server.spill.SpillContent;

/**
 * Passes on the stamps in the spill files that a region finds when it opens, and those of a file that could not be read
 * then when an index loads it. Thread-safe once all files are found.
 */
final class FoundStamps {
    private final Consumer<Optional<SpillContent>> receiver;
    private Set<Path> unread = Set.of();

    FoundStamps(Consumer<Optional<SpillContent>> receiver) {
        this.receiver = receiver;
    }

    /** Passes on the stamps in a file that was found, or that they are not known. */
    void in(Path file, Optional<SpillContent> content) {
        if (content.isEmpty()) {
            unread = unread.isEmpty() ? new HashSet<>() : unread;
            unread.add(file);
        }
        receiver.accept(content);
    }

    /** Passes on the stamps in a file if they were not known when it was found. */
    void loaded(Path file, SpillContent content) {
        if (unread.contains(file)) {
            receiver.accept(Optional.of(content));
        }
    }
}
