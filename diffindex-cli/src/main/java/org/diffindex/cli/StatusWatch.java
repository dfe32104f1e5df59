package org.diffindex.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.cli.console.Failures;
import org.diffindex.client.IndexStatus;

/**
 * Prints the status of tables again and again, with the rates since the last look, until its thread is interrupted: in
 * place on a terminal, otherwise one look below the other. A look that fails is reported, and the next one follows. Not
 * thread-safe.
 */
final class StatusWatch {
    /** Moves the cursor of a terminal to the beginning, and clears what follows. */
    private static final String FROM_THE_TOP = "\u001b[H\u001b[J";

    /** How looks are shown. */
    enum Form {
        /** One below the other, for people. */
        LINES,
        /** Each in the place of the one before, on a terminal. */
        IN_PLACE,
        /** One JSON object for each table and look, without rates; one for a look that fails. */
        JSON
    }

    /** Looks at the status of the tables. */
    @FunctionalInterface
    interface Look {
        List<IndexStatus> now() throws IOException;
    }

    private final PrintWriter out;
    private final Form form;
    private final Duration interval;
    private final LongSupplier nanoTime;

    /** The last look at each table, and when that was. */
    private final Map<TableName, Seen> seen = new HashMap<>();

    private record Seen(IndexStatus status, long nanos) {}

    /**
     * Creates a watch.
     *
     * @param interval the time between looks
     * @param nanoTime elapsed time in nanoseconds
     */
    StatusWatch(PrintWriter out, Form form, Duration interval, LongSupplier nanoTime) {
        this.out = out;
        this.form = form;
        this.interval = interval;
        this.nanoTime = nanoTime;
    }

    /** Looks until the thread is interrupted, or nobody reads what is printed. */
    void run(Look look) {
        try {
            while (isShown(text(look)) && !Thread.currentThread().isInterrupted()) {
                TimeUnit.NANOSECONDS.sleep(interval.toNanos());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Shows a look; returns false if nobody reads any more. */
    private boolean isShown(String text) {
        if (form == Form.JSON) {
            out.print(text.isEmpty() ? "" : text + System.lineSeparator());
        } else {
            out.print(form == Form.IN_PLACE ? FROM_THE_TOP : "");
            out.println("%s, every %s s"
                    .formatted(LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS), seconds()));
            out.println(text);
            out.println(form == Form.IN_PLACE ? "Ctrl-C ends." : "");
        }
        return !out.checkError(); // which flushes
    }

    private String seconds() {
        double seconds = interval.toMillis() / 1_000.0;
        return seconds == Math.rint(seconds) ? Long.toString((long) seconds) : Double.toString(seconds);
    }

    private String text(Look look) {
        try {
            return text(look.now());
        } catch (IOException e) {
            String reason = Failures.message(e);
            return form == Form.JSON
                    ? StatusText.failureJson(reason)
                    : "The status could not be read, will look again: " + reason;
        }
    }

    /** Returns what is shown of a look, for each table with the rates since the last one. */
    String text(List<IndexStatus> look) {
        long nanos = nanoTime.getAsLong();
        List<String> texts = new ArrayList<>();
        for (IndexStatus status : look) {
            if (form == Form.JSON) {
                texts.add(StatusText.json(status));
            } else {
                texts.add(StatusText.lines(status));
                Seen last = seen.put(status.table(), new Seen(status, nanos));
                if (last != null && nanos > last.nanos()) {
                    texts.add(new StatusRates(last.status(), status, (nanos - last.nanos()) / 1e9).line());
                }
            }
        }
        return String.join(System.lineSeparator(), texts);
    }
}
