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

/** The SHA-256 digest of the jar from which Diff-Index was loaded, for comparing the jars of several servers. */
final class JarDigest {
    private static final Logger LOG = LoggerFactory.getLogger(JarDigest.class);

    private JarDigest() {}

    private static final class OfThisJar {
        static final Optional<String> VALUE = of(JarDigest.class);
    }

    /**
     * Returns the digest of the jar from which this class was loaded, as it was at the first call; empty if it was not
     * loaded from a jar.
     */
    static Optional<String> ofThisJar() {
        return OfThisJar.VALUE;
    }

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
