package org.diffindex.cluster;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Copies the classes of this build into the cluster's folder when the cluster starts, so that another build does not
 * replace them under running servers. Jars in Maven's repository do not change and are used where they are.
 */
final class InstalledClasses {
    private final Path folder;
    private final List<Path> classPath;

    InstalledClasses(ClusterLayout layout, String classPath) {
        this.folder = layout.dir().resolve("lib");
        this.classPath =
                Stream.of(classPath.split(File.pathSeparator)).map(Path::of).toList();
    }

    /** Copies the classes again; no server may be running. */
    void install() throws IOException {
        Files.createDirectories(folder);
        for (Path entry : classPath) {
            if (isOfThisBuild(entry)) {
                copy(entry, copyOf(entry));
            }
        }
    }

    /** Returns the class path, with the copies in place of the originals. */
    String classPath() {
        List<String> entries = new ArrayList<>();
        for (Path entry : classPath) {
            Path copy = copyOf(entry);
            entries.add((isOfThisBuild(entry) && Files.exists(copy) ? copy : entry).toString());
        }
        return String.join(File.pathSeparator, entries);
    }

    /** Returns whether a build made the entry: in Maven's layout it is then in a folder named target. */
    private static boolean isOfThisBuild(Path entry) {
        for (Path name : entry) {
            if (name.toString().equals("target")) {
                return Files.exists(entry);
            }
        }
        return false;
    }

    private Path copyOf(Path entry) {
        return folder.resolve(classPath.indexOf(entry) + "-" + entry.getFileName());
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
    }
}
