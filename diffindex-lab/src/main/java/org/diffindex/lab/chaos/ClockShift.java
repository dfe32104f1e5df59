package org.diffindex.lab.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * The shift of the clock of one region server, in two small files that the run and the server's process share. The run
 * requests a shift in one file; the server confirms it in the other. Files are replaced atomically, so that no reader
 * sees part of a number. For one writer and any number of readers per file.
 */
final class ClockShift {
    private final Path requested;
    private final Path confirmed;

    /**
     * Creates an object for the shift of a server; reads and writes nothing.
     *
     * @param folder the folder of the files of all servers; must exist before a write
     * @param process the name of the server's process
     */
    ClockShift(Path folder, String process) {
        requested = folder.resolve(process + ".requested");
        confirmed = folder.resolve(process + ".confirmed");
    }

    /** Requests that the clock be this many milliseconds ahead, or behind if negative. */
    void request(long millis) throws IOException {
        write(requested, millis);
    }

    /**
     * Returns the shift in milliseconds that was requested last, or 0. A server that restarts adopts it from the start.
     */
    long requested() throws IOException {
        return read(requested);
    }

    /** Confirms that the server's clock is shifted by this many milliseconds. */
    void confirm(long millis) throws IOException {
        write(confirmed, millis);
    }

    /** Returns whether the server has confirmed the last request. */
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
