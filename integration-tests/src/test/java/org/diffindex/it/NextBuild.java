package org.diffindex.it;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.implementation.FixedValue;
import org.diffindex.model.IndexFormat;

/**
 * A build that may follow the present one: its classes are the present ones, except that it knows one format of indexes
 * more.
 */
final class NextBuild {
    /** The latest format that it knows. */
    static final int FORMAT = IndexFormat.latest() + 1;

    private static final String CHANGED = IndexFormat.class.getName().replace('.', '/') + ".class";

    private NextBuild() {}

    /**
     * Returns a class path with the next build in place of the present one.
     *
     * @param folder receives copies of the jars that contain the changed class
     */
    static String classPath(String present, Path folder) throws IOException {
        List<String> next = new ArrayList<>();
        int changed = 0;
        for (String entry : present.split(File.pathSeparator, -1)) {
            Path jar = Path.of(entry);
            boolean isChanged = entry.endsWith(".jar") && contains(jar);
            changed += isChanged ? 1 : 0;
            next.add(isChanged ? copy(jar, folder).toString() : entry);
        }
        assertThat(changed).as("jars of the next build").isPositive();
        return String.join(File.pathSeparator, next);
    }

    private static boolean contains(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.getEntry(CHANGED) != null;
        }
    }

    private static Path copy(Path jar, Path folder) throws IOException {
        Path copy = folder.resolve("next-" + jar.getFileName());
        try (JarFile from = new JarFile(jar.toFile());
                JarOutputStream to = new JarOutputStream(Files.newOutputStream(copy))) {
            for (JarEntry entry : Collections.list(from.entries())) {
                to.putNextEntry(new JarEntry(entry.getName()));
                if (entry.getName().equals(CHANGED)) {
                    to.write(changed());
                } else {
                    try (InputStream bytes = from.getInputStream(entry)) {
                        long unused = bytes.transferTo(to);
                    }
                }
            }
        }
        return copy;
    }

    private static byte[] changed() {
        return new ByteBuddy()
                .redefine(IndexFormat.class)
                .method(named("latest"))
                .intercept(FixedValue.value(FORMAT))
                .make()
                .getBytes();
    }
}
