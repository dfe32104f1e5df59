package org.diffindex.lab.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * By how much the clock of one region server is shifted: two small files that the run and the server's process share. The run
 * requests a shift in one of them, the server confirms it in the other. Each file is replaced in one step, so that nobody reads
 * half of a number. For one writer of each file; any number of readers.
 */
final class ClockShift {
    private final Path requested;
    private final Path confirmed;

    /**
     * The shift of a server.
     *
     * @param folder where the files of all servers are; it must exist when one of them is written
     * @param process the name of the server's process
     */
    ClockShift(Path folder, String process) {
        requested = folder.resolve(process + ".requested");
        confirmed = folder.resolve(process + ".confirmed");
    }

    /** Requests that the clock be ahead of the machine's by so many milliseconds; behind it if that is negative. */
    void request(long millis) throws IOException {
        write(requested, millis);
    }

    /** Returns the shift that was requested last, 0 if none was. A server that starts anew has it from the start. */
    long requested() throws IOException {
        return read(requested);
    }

    /** Confirms that the server's clock is shifted by so many milliseconds. */
    void confirm(long millis) throws IOException {
        write(confirmed, millis);
    }

    /** Whether the server has confirmed what was requested last. */
    boolean isInEffect() throws IOException {
        return read(confirmed) == read(requested);
    }

    private static void write(Path file, long millis) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".next");
        Files.writeString(next, Long.toString(millis));
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static long read(Path file) throws IOException {
        return Files.exists(file) ? Long.parseLong(Files.readString(file)) : 0;
    }
}
