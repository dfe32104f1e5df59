package org.diffindex.lab.chaos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The entries in the log of a master or region server about starts, aborts, pauses, and internal errors of Diff-Index.
 */
final class ServerLog {
    private static final String ABORTING = "***** ABORTING ";
    private static final Pattern START = Pattern.compile("STARTING \\w+ H(Master|RegionServer)");
    private static final Pattern DATED = Pattern.compile("^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d,\\d{3} .*");
    private static final Pattern PAUSE = Pattern.compile("Detected pause in JVM or host machine|We slept \\d+ms");
    private static final Pattern PAUSED_MILLIS = Pattern.compile("pause of approximately (\\d+)ms");
    private static final Pattern COLLECTED_MILLIS = Pattern.compile("had collection\\(s\\): count=\\d+ time=(\\d+)ms");

    /** The largest number of lines per entry: a stack trace with all its causes. */
    private static final int MOST_LINES = 1_000;

    private final List<Entry> aborts = new ArrayList<>();
    private final List<Entry> errors = new ArrayList<>();
    private final List<Entry> pauses = new ArrayList<>();
    private final List<Entry> starts = new ArrayList<>();

    /**
     * One entry of the log.
     *
     * @param time its timestamp as logged; of an exception that ended a thread, that of the entry before
     * @param text the entry, including the lines that follow it
     */
    record Entry(String time, String text) {
        long millis() {
            return LocalDateTime.parse(time.replace(',', '.'))
                    .atZone(ZoneId.systemDefault())
                    .toInstant()
                    .toEpochMilli();
        }
    }

    private ServerLog() {}

    /** Reads a log; a log that does not exist has no entries. */
    static ServerLog read(Path file) throws IOException {
        ServerLog log = new ServerLog();
        if (Files.exists(file)) {
            // Not Files.lines: the last bytes of a killed process need not be valid UTF-8.
            try (BufferedReader in =
                    new BufferedReader(new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8))) {
                log.read(in);
            }
        }
        return log;
    }

    private void read(BufferedReader in) throws IOException {
        List<String> entry = new ArrayList<>();
        String time = "";
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            boolean isDated = DATED.matcher(line).matches();
            if (isDated || InternalErrors.beginsUncaught(line)) {
                sort(time, entry);
                entry.clear();
            }
            if (isDated) {
                time = line.substring(0, line.indexOf(' '));
            }
            if (entry.size() < MOST_LINES) {
                entry.add(line);
            }
        }
        sort(time, entry);
    }

    private void sort(String time, List<String> lines) {
        if (time.isEmpty()) {
            return; // the end of an entry whose beginning is not in the log
        }
        String first = lines.get(0);
        Entry entry = new Entry(time, String.join("\n", lines));
        if (first.contains(ABORTING)) {
            aborts.add(entry);
        } else if (InternalErrors.isIn(lines)) {
            errors.add(entry);
        } else if (START.matcher(first).find()) {
            starts.add(entry);
        } else if (PAUSE.matcher(first).find() && !isOfGarbageCollection(entry.text())) {
            pauses.add(entry);
        }
    }

    /** Returns whether garbage collection explains most of a pause. */
    private static boolean isOfGarbageCollection(String pause) {
        long collected = sum(COLLECTED_MILLIS.matcher(pause));
        return collected > 0 && 2 * collected > sum(PAUSED_MILLIS.matcher(pause));
    }

    private static long sum(Matcher millis) {
        return millis.results()
                .mapToLong(found -> Long.parseLong(found.group(1)))
                .sum();
    }

    List<Entry> aborts() {
        return aborts;
    }

    /** Returns the internal errors of Diff-Index. */
    List<Entry> errors() {
        return errors;
    }

    /** Returns the entries about starts. */
    List<Entry> starts() {
        return starts;
    }

    /**
     * Returns the entries that report that the process did not run for a while, for a reason other than garbage
     * collection.
     */
    List<Entry> pauses() {
        return pauses;
    }
}
