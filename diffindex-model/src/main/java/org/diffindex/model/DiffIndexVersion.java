package org.diffindex.model;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The version of Diff-Index that these classes belong to. */
public final class DiffIndexVersion {
    private DiffIndexVersion() {}

    /** Returns the version set by the build, such as {@code 0.1.0}. */
    public static String current() {
        try (InputStream in = DiffIndexVersion.class.getResourceAsStream("version")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).trim();
        } catch (IOException e) {
            throw new UncheckedIOException("The version of Diff-Index cannot be read from its own jar", e);
        }
    }
}
