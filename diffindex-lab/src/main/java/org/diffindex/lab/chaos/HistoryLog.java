package org.diffindex.lab.chaos;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.diffindex.model.IndexScheme;

/**
 * The log of all writes, one line of JSON each, ordered by their ends:
 * {@code {"scheme":"sync-full","row":"07-w1-3.0","kind":"put","value":"v012","number":3,"tag":"t17:v012","begin":1,"end":2,"outcome":"OK"}}.
 * Times are in nanoseconds since the start of the run. Thread-safe.
 */
final class HistoryLog implements Closeable {
    private final Path file;
    private final Writer out;

    HistoryLog(Path file) throws IOException {
        this.file = file;
        this.out = Files.newBufferedWriter(file);
    }

    /** Appends the first line of a text as a comment, which starts with {@code #}. */
    void comment(String text) {
        String line = "# " + text.lines().findFirst().orElse("") + "\n";
        write(line);
    }

    /** Appends a write that has ended. */
    void append(IndexScheme scheme, String row, RowWrite write, long end, Outcome outcome) {
        String line = "{\"scheme\":\"" + scheme + "\",\"row\":\"" + row + "\",\"kind\":\"" + write.kind()
                + "\",\"value\":\""
                + write.state().value().orElse("") + "\",\"number\":"
                + (write.state().number().isPresent() ? write.state().number().getAsLong() : "null")
                + ",\"tag\":\""
                + write.state().tag().orElse("") + "\",\"begin\":"
                + write.begin() + ",\"end\":" + end + ",\"outcome\":\"" + outcome + "\"}\n";
        write(line);
    }

    private void write(String line) {
        synchronized (out) {
            try {
                out.write(line);
            } catch (IOException e) {
                throw new UncheckedIOException("The history " + file + " cannot be written", e);
            }
        }
    }

    /** Returns the last lines about a row, oldest first. */
    List<String> of(IndexScheme scheme, String row, int atMost) throws IOException {
        synchronized (out) {
            out.flush();
        }
        String start = "{\"scheme\":\"" + scheme + "\",\"row\":\"" + row + "\",";
        Deque<String> last = new ArrayDeque<>();
        try (Stream<String> lines = Files.lines(file)) {
            lines.filter(line -> line.startsWith(start)).forEach(line -> {
                last.add(line);
                if (last.size() > atMost) {
                    last.remove();
                }
            });
        }
        return new ArrayList<>(last);
    }

    @Override
    public void close() throws IOException {
        synchronized (out) {
            out.close();
        }
    }
}
