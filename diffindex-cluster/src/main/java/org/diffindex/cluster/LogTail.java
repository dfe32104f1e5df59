package org.diffindex.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Reads the end of a log file, the line before it in which an HBase server reports why it aborts, and what a JVM prints
 * when it crashes.
 */
final class LogTail {
    private static final int BYTES = 256 * 1024;
    private static final int LINES = 25;
    /**
     * The beginning of the message of HRegionServer.abort and HMaster.abort; the class and message of the cause follow.
     */
    private static final String ABORT = "ABORTING ";

    /** The text that a JVM prints when it crashes, or runs out of memory and was started with ExitOnOutOfMemoryError. */
    private static final Pattern CRASH = Pattern.compile(
            "A fatal error has been detected by the Java Runtime Environment|Terminating due to java\\.lang\\.OutOfMemoryError");

    private LogTail() {}

    /**
     * Returns whether a JVM has reported that it crashed.
     *
     * @param from the position in the log at which to begin, in bytes
     */
    static boolean reportsCrash(Path log, long from) throws IOException {
        if (!Files.exists(log)) {
            return false;
        }
        try (InputStream in = Files.newInputStream(log)) {
            in.skipNBytes(Math.min(from, Files.size(log)));
            return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))
                    .lines()
                    .anyMatch(line -> CRASH.matcher(line).find());
        }
    }

    /** Returns the last lines, each after a line break and indented, or a note that there are none. */
    static String of(Path log) {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            byte[] end = new byte[(int) Math.min(file.length(), BYTES)];
            file.seek(file.length() - end.length);
            file.readFully(end);
            List<String> lines = new String(end, StandardCharsets.UTF_8).lines().toList();
            int tail = Math.max(0, lines.size() - LINES);
            List<String> last = lines.subList(tail, lines.size());
            return last.isEmpty() ? "\n  (it wrote nothing)" : abort(lines, tail) + "\n  " + String.join("\n  ", last);
        } catch (IOException e) {
            return "\n  (its log cannot be read: " + e.getMessage() + ")";
        }
    }

    private static String abort(List<String> lines, int tail) {
        for (int i = tail - 2; i >= 0; i--) {
            if (lines.get(i).contains(ABORT)) {
                return "\n  " + lines.get(i) + "\n  " + lines.get(i + 1) + "\n  ...";
            }
        }
        return "";
    }
}
