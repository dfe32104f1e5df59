package org.diffindex.lab.output;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;

/** The result file of a command, replaced atomically: until the new content is complete, the old file remains. */
public final class ResultFile {
    private final Path file;

    public ResultFile(Path file) {
        this.file = file.toAbsolutePath();
    }

    /** Checks, before the run starts, that the file can be written. */
    public void check() throws IOException {
        Path folder = file.getParent();
        if (folder == null || !Files.isDirectory(folder) || !Files.isWritable(folder)) {
            throw new IOException("The folder of " + file + " does not exist or is not writable; nothing was run");
        }
        if (Files.isDirectory(file)) {
            throw new IOException(file + " is a folder, not a file; nothing was run");
        }
    }

    /** Writes the file; returns when the new content has replaced the old one. */
    public void write(String text) throws IOException {
        // Not createTempFile, whose files only their owner may read.
        Path part = file.resolveSibling("." + file.getFileName() + "." + UUID.randomUUID() + ".part");
        try {
            Files.writeString(part, text);
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(part);
        }
    }
}
