package org.diffindex.server;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The SHA-256 digest of the jar from which Diff-Index was loaded, as 64 lower-case hexadecimal digits. It shows whether
 * servers run the same jar. Thread-safe.
 */
final class JarDigest {
    private static final Logger LOG = LoggerFactory.getLogger(JarDigest.class);

    private JarDigest() {}

    private static final class OfThisJar {
        static final Optional<String> VALUE = of(JarDigest.class);
    }

    /**
     * Returns the digest of the jar from which this class was loaded. The file is read once, at the first call, which
     * must therefore come before the file can be replaced. Returns empty if the class was not loaded from a file, or if
     * the file was gone or could not be read then.
     */
    static Optional<String> ofThisJar() {
        return OfThisJar.VALUE;
    }

    /**
     * Returns the digest of the jar from which a class was loaded, as the file is now; empty if there is no such file,
     * as for a class of the JDK or in a folder, or if it cannot be read, which is logged.
     */
    static Optional<String> of(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        if (source == null || source.getLocation() == null) {
            return Optional.empty();
        }
        try {
            Path jar = Path.of(source.getLocation().toURI());
            return Files.isRegularFile(jar) ? Optional.of(digest(jar)) : Optional.empty();
        } catch (URISyntaxException | IOException | IllegalArgumentException e) {
            LOG.warn("The jar {} cannot be read; its digest is not known", source.getLocation(), e);
            return Optional.empty();
        }
    }

    private static String digest(Path jar) throws IOException {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(jar)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java has SHA-256", e);
        }
    }
}
