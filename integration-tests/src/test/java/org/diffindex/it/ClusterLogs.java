package org.diffindex.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Keeps the logs of a test's servers if the test fails: copies every {@code *.log} below a folder to {@code
 * target/cluster-logs/CLASS/METHOD}, and names that folder in the failure.
 */
final class ClusterLogs implements AfterEachCallback {
    private static final Path KEPT = Path.of("target", "cluster-logs");

    private final Supplier<Path> folder;

    /** Creates an extension for servers that log somewhere below this folder, which need not exist yet. */
    ClusterLogs(Supplier<Path> folder) {
        this.folder = folder;
    }

    @Override
    public void afterEach(ExtensionContext context) throws IOException {
        if (context.getExecutionException().isPresent()) {
            throw new AssertionError(keep(folder.get(), context));
        }
    }

    /** Copies the logs; returns a sentence that says where they are now. */
    static String keep(Path folder, ExtensionContext context) throws IOException {
        String test = context.getTestMethod().map(method -> method.getName()).orElse("class");
        Path kept = Files.createDirectories(
                KEPT.resolve(context.getRequiredTestClass().getSimpleName()).resolve(test));
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path log : (Iterable<Path>) files.filter(ClusterLogs::isLog)::iterator) {
                Path copy = kept.resolve(folder.relativize(log).toString());
                Files.createDirectories(copy.getParent());
                Files.write(copy, Files.readAllBytes(log));
            }
        }
        String where = "The servers' logs are in " + kept.toAbsolutePath();
        System.out.println(where);
        return where;
    }

    private static boolean isLog(Path file) {
        return file.getFileName().toString().endsWith(".log") && Files.isRegularFile(file);
    }
}
