package org.diffindex.lab.output;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;

/** A file that a command writes its result to, as a whole: until it is complete, what was there before stays. */
public final class ResultFile {
    private final Path file;

    public ResultFile(Path file) {
        this.file = file.toAbsolutePath();
    }

    /** Looks, before minutes are spent, whether the file can be written. */
    public void check() throws IOException {
        Path folder = file.getParent();
        if (folder == null || !Files.isDirectory(folder) || !Files.isWritable(folder)) {
            throw new IOException("The folder of " + file + " is not there, or cannot be written; nothing was run");
        }
        if (Files.isDirectory(file)) {
            throw new IOException(file + " is a folder; name a file. Nothing was run");
        }
    }

    /** Writes the file. */
    public void write(String text) throws IOException {
        // Not createTempFile, whose files nobody else may read.
        Path part = file.resolveSibling("." + file.getFileName() + "." + UUID.randomUUID() + ".part");
        try {
            Files.writeString(part, text);
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(part);
        }
    }
}
