package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.diffindex.cluster.ClassPath;

/** The class path of an HBase without Diff-Index, and the jar that adds Diff-Index. */
final class PlainHBase {
    private PlainHBase() {}

    /** Returns this JVM's class path without the jars that Diff-Index's coprocessors need. */
    static String classPath() throws IOException {
        List<String> all = entries();
        List<String> plain = all.stream().filter(entry -> !isOfDiffIndex(entry)).toList();
        assertThat(all.size() - plain.size()).as("jars of Diff-Index left out").isEqualTo(4);
        return String.join(File.pathSeparator, plain);
    }

    /** Returns the jar for servers. */
    static Path serverJar() throws IOException {
        return entries().stream()
                .map(Path::of)
                .filter(entry -> entry.getFileName().toString().matches("diffindex-server-.*\\.jar"))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> entries() throws IOException {
        return List.of(ClassPath.current().split(File.pathSeparator));
    }

    private static boolean isOfDiffIndex(String entry) {
        return Path.of(entry).getFileName().toString().matches("diffindex-(server|client|model|protocol)-.*\\.jar");
    }
}
