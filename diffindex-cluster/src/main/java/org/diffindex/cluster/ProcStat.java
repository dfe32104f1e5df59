package org.diffindex.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.hbase.thirdparty.com.google.common.base.Splitter;

/**
 * The fields of {@code /proc/PID/stat}, in which Linux describes a process, that are needed here (proc(5)).
 *
 * @param state of its first thread, such as {@code S} (sleeping) or {@code Z} (ended, and its parent has not asked how)
 * @param threads how many threads it has, including a first one that has ended
 * @param startTick when it started, in clock ticks since the boot
 */
record ProcStat(char state, int threads, long startTick) {
    private static final Splitter FIELDS = Splitter.on(' ');

    /** The first field behind the command, which may have blanks and brackets. */
    private static final int STATE = 3;

    private static final int NUM_THREADS = 20;
    private static final int START_TIME = 22;

    /** That of a process; empty if there is none, or the system does not tell. */
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
     * Whether the process has ended and only waits for its parent to ask how. As long as one of its threads has not, which may be
     * a while after SIGKILL on a busy machine, its ports are taken.
     */
    boolean hasEnded() {
        return state == 'Z' && threads <= 1;
    }
}
