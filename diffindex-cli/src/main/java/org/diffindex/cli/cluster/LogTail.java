package org.diffindex.cli.cluster;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** The end of a log file. */
final class LogTail {
    private static final int BYTES = 32 * 1024;
    private static final int LINES = 25;

    private LogTail() {}

    /** The last lines, each behind a line break and indented; says so if there are none. */
    static String of(Path log) {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            file.seek(Math.max(0, file.length() - BYTES));
            byte[] end = new byte[(int) Math.min(file.length(), BYTES)];
            file.readFully(end);
            List<String> lines = new String(end, StandardCharsets.UTF_8).lines().toList();
            List<String> last = lines.subList(Math.max(0, lines.size() - LINES), lines.size());
            return last.isEmpty() ? "\n  (it wrote nothing)" : "\n  " + String.join("\n  ", last);
        } catch (IOException e) {
            return "\n  (its log cannot be read: " + e.getMessage() + ")";
        }
    }
}
