package org.diffindex.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.hbase.thirdparty.com.google.common.base.Splitter;

/**
 * Fields of {@code /proc/PID/stat}, in which Linux describes a process (proc(5)).
 *
 * @param state the state of its first thread, such as {@code S} (sleeping) or {@code Z} (zombie: ended, and not yet
 *     waited for by its parent)
 * @param threads the number of its threads, including a first one that has ended
 * @param startTick when it started, in clock ticks since the boot
 */
record ProcStat(char state, int threads, long startTick) {
    private static final Splitter FIELDS = Splitter.on(' ');

    /** The number of the first field after the command, which may contain spaces and parentheses. */
    private static final int STATE = 3;

    private static final int NUM_THREADS = 20;
    private static final int START_TIME = 22;

    /** Returns the fields of a process; empty if it does not exist, or the system has no such file. */
    static Optional<ProcStat> of(long pid) {
        try {
            return Optional.of(parse(Files.readString(Path.of("/proc", Long.toString(pid), "stat"))));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    static ProcStat parse(String line) {
        List<String> fields = FIELDS.splitToList(line.substring(line.lastIndexOf(')') + 2));
        return new ProcStat(
                fields.get(0).charAt(0),
                Integer.parseInt(fields.get(NUM_THREADS - STATE)),
                Long.parseLong(fields.get(START_TIME - STATE)));
    }

    /**
     * Returns whether the process has ended and only waits for its parent. While one of its threads has not ended,
     * which may take a while after SIGKILL on a busy machine, its ports are in use.
     */
    boolean hasEnded() {
        return state == 'Z' && threads <= 1;
    }
}
