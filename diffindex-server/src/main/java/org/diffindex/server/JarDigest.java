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

/** The SHA-256 of the jar that Diff-Index was loaded from, by which the jars of several servers can be compared. */
final class JarDigest {
    private static final Logger LOG = LoggerFactory.getLogger(JarDigest.class);

    private JarDigest() {}

    private static final class OfThisJar {
        static final Optional<String> VALUE = of(JarDigest.class);
    }

    /** Of the jar that this class was loaded from, as it was when first asked for; empty if from no jar. */
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
