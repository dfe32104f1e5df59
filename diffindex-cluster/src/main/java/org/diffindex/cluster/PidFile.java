package org.diffindex.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;

/**
 * The file that identifies the operating system process of a cluster's process: its pid, the instant of its start
 * (ISO-8601) and, where the system reports them, the boot and the tick of that boot at which it started ({@link
 * StartTick}), each on a line. The pid alone does not suffice, because the system reuses it; nor does the instant,
 * because the system computes it from its clock, so that it changes when the clock is set.
 */
final class PidFile {
    /**
     * How far two readings of the start of one process may differ: the system reports it in ticks since the boot, and
     * the instant of the boot in whole seconds. No pid is reused within this time.
     */
    private static final Duration TOLERANCE = Duration.ofSeconds(2);

    private final Path file;

    PidFile(Path file) {
        this.file = file;
    }

    /**
     * Records a process that was just started.
     *
     * @throws IOException if the file cannot be written, or the system does not report when the process started
     */
    void write(ProcessHandle process) throws IOException {
        Instant start = process.info()
                .startInstant()
                .orElseThrow(() -> new IOException("Process " + process.pid()
                        + " has already ended, or the system does not report its start; it is not recorded in "
                        + file));
        Path unfinished = file.resolveSibling(file.getFileName() + ".new");
        String tick = StartTick.of(process.pid()).map(each -> each + "\n").orElse("");
        Files.writeString(unfinished, process.pid() + "\n" + start + "\n" + tick);
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /**
     * Returns the recorded process, if it is alive; empty if there is no record, the process has ended, or its pid
     * belongs to another process now.
     */
    Optional<ProcessHandle> process() throws IOException {
        Optional<Entry> entry = read();
        if (entry.isEmpty()) {
            return Optional.empty();
        }
        return ProcessHandle.of(entry.get().pid())
                .filter(ProcessHandle::isAlive)
                .filter(entry.get()::isOf)
                .filter(handle -> ProcStat.of(handle.pid())
                        .filter(ProcStat::hasEnded)
                        .isEmpty()); // Java considers a zombie alive
    }

    /** Returns when the recorded process started, whether it is alive or not; empty if there is no record. */
    Optional<Instant> start() throws IOException {
        return read().map(Entry::start);
    }

    void delete() throws IOException {
        Files.deleteIfExists(file);
    }

    private Optional<Entry> read() throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        List<String> lines = Files.readAllLines(file);
        try {
            Optional<StartTick> tick = lines.stream().skip(2).findFirst().map(StartTick::parse);
            return Optional.of(new Entry(Long.parseLong(lines.get(0)), Instant.parse(lines.get(1)), tick));
        } catch (IndexOutOfBoundsException | IllegalArgumentException | DateTimeParseException e) {
            throw new IOException(
                    "Cannot read " + file + ": it should contain a pid and the instant of its start, but contains "
                            + lines + "; no process was touched; end the process by hand and delete the file",
                    e);
        }
    }

    private record Entry(long pid, Instant start, Optional<StartTick> tick) {
        /** Returns whether a process with that pid is the recorded one. */
        boolean isOf(ProcessHandle process) {
            Optional<StartTick> now = tick.isPresent() ? StartTick.of(pid) : Optional.empty();
            return now.isPresent()
                    ? now.equals(tick)
                    : process.info().startInstant().filter(this::isStart).isPresent();
        }

        private boolean isStart(Instant actual) {
            return Duration.between(start, actual).abs().compareTo(TOLERANCE) <= 0;
        }
    }
}
