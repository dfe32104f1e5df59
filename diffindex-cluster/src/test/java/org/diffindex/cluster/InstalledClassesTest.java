package org.diffindex.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstalledClassesTest {
    @TempDir
    Path dir;

    private Path built;
    private Path classFile;
    private Path repository;
    private InstalledClasses installed;

    @BeforeEach
    void makeABuild() throws IOException {
        built = Files.createDirectories(dir.resolve("server/target")).resolve("server.jar");
        Files.writeString(built, "first build");
        classFile =
                Files.createDirectories(dir.resolve("cli/target/classes/org")).resolve("A.class");
        Files.writeString(classFile, "first build");
        repository = Files.createDirectories(dir.resolve("repository")).resolve("hbase.jar");
        Files.writeString(repository, "released");
        String classPath = String.join(
                File.pathSeparator,
                built.toString(),
                dir.resolve("cli/target/classes").toString(),
                repository.toString());
        installed = new InstalledClasses(new ClusterLayout(dir.resolve("cluster")), classPath);
    }

    private List<Path> classPath() {
        return List.of(installed.classPath().split(File.pathSeparator)).stream()
                .map(Path::of)
                .toList();
    }

    @Test
    void aNewBuildDoesNotReachRunningServers() throws IOException {
        installed.install();
        Files.writeString(built, "second build");
        Files.writeString(classFile, "second build");
        List<Path> served = classPath();
        assertThat(served.get(0)).hasContent("first build");
        assertThat(served.get(1).resolve("org/A.class")).hasContent("first build");
        assertThat(served.get(2)).isEqualTo(repository);
    }

    @Test
    void theNextStartUsesTheNewBuild() throws IOException {
        installed.install();
        Files.writeString(built, "second build");
        installed.install();
        assertThat(classPath().get(0)).hasContent("second build");
    }
}
