package org.diffindex.cluster;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;

/** Returns the class path of this JVM in a form that another JVM accepts. */
public final class ClassPath {
    private ClassPath() {}

    /**
     * Returns the class path of this JVM, as absolute paths. Entries that the manifest of a jar names, as test runners
     * write it, follow that jar.
     */
    public static String current() throws IOException {
        return expanded(System.getProperty("java.class.path"));
    }

    static String expanded(String classPath) throws IOException {
        Set<String> entries = new LinkedHashSet<>();
        for (String entry : classPath.split(File.pathSeparator, -1)) {
            if (!entry.isEmpty()) {
                Path file = Path.of(entry).toAbsolutePath();
                entries.add(file.toString());
                entries.addAll(namedBy(file));
            }
        }
        return String.join(File.pathSeparator, entries);
    }

    private static List<String> namedBy(Path file) throws IOException {
        List<String> named = new ArrayList<>();
        if (!file.toFile().isFile() || !file.toString().endsWith(".jar")) {
            return named;
        }
        try (JarFile jar = new JarFile(file.toFile())) {
            Manifest manifest = jar.getManifest();
            String others =
                    manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
            for (String other : others == null ? new String[0] : others.trim().split("\\s+", -1)) {
                URI target = other.isEmpty() ? null : file.toUri().resolve(other);
                if (target != null && new File(target).exists()) {
                    named.add(Path.of(target).toString());
                }
            }
        }
        return named;
    }
}
