package org.diffindex.cli.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * When a process started, as Linux counts it: in clock ticks since a boot. No setting of the clock changes it, and no two
 * processes with one pid have the same.
 *
 * @param boot the id of the boot
 * @param tick the ticks from the boot to the start
 */
record StartTick(String boot, long tick) {
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    /** The start is the 22nd field of /proc/PID/stat (proc(5)); the first behind the command, which may have blanks, is the 3rd. */
    private static final int FIELDS_BEFORE_START = 22 - 3;

    /** That of a living process; empty if it has ended, or the system does not tell. */
    static Optional<StartTick> of(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            String[] behindCommand = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return Optional.of(new StartTick(
                    Files.readString(BOOT_ID).strip(), Long.parseLong(behindCommand[FIELDS_BEFORE_START])));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * Reads what {@link #toString} wrote.
     *
     * @throws IllegalArgumentException if it is something else
     */
    static StartTick parse(String text) {
        String[] parts = text.split(" ");
        if (parts.length != 2) {
            throw new IllegalArgumentException("No boot and tick: " + text);
        }
        return new StartTick(parts[0], Long.parseLong(parts[1]));
    }

    /** The boot, a blank, the tick. */
    @Override
    public String toString() {
        return boot + " " + tick;
    }
}
