package org.diffindex.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.hbase.thirdparty.com.google.common.base.Splitter;

/**
 * The start of a process as Linux counts it: in clock ticks since a boot. Setting the clock does not change it, and no
 * two processes with the same pid have the same.
 *
 * @param boot the id of the boot
 * @param tick the ticks from the boot to the start
 */
record StartTick(String boot, long tick) {
    private static final Splitter FIELDS = Splitter.on(' ');
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    /** Returns the start of a live process; empty if it has ended, or the system does not report it. */
    static Optional<StartTick> of(long pid) {
        try {
            String boot = Files.readString(BOOT_ID).strip();
            return ProcStat.of(pid).map(stat -> new StartTick(boot, stat.startTick()));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * Parses the result of {@link #toString}.
     *
     * @throws IllegalArgumentException if the text is not such a result
     */
    static StartTick parse(String text) {
        List<String> parts = FIELDS.splitToList(text);
        if (parts.size() != 2) {
            throw new IllegalArgumentException("Not a boot and a tick: " + text);
        }
        return new StartTick(parts.get(0), Long.parseLong(parts.get(1)));
    }

    /** Returns the boot, a space and the tick. */
    @Override
    public String toString() {
        return boot + " " + tick;
    }
}
