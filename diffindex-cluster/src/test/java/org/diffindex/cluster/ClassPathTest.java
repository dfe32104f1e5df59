package org.diffindex.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClassPathTest {
    @TempDir
    Path dir;

    @Test
    void addsTheJarsThatAManifestNamesAfterIt() throws IOException {
        Path named = Files.createFile(dir.resolve("named.jar.txt"));
        Path booter = dir.resolve("booter.jar");
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, named.toUri() + " missing.jar");
        new JarOutputStream(Files.newOutputStream(booter), manifest).close();

        assertThat(ClassPath.expanded(booter.toString())).isEqualTo(booter + File.pathSeparator + named);
    }

    @Test
    void keepsFoldersAndMakesThemAbsolute() throws IOException {
        assertThat(ClassPath.expanded("classes" + File.pathSeparator + dir))
                .isEqualTo(Path.of("classes").toAbsolutePath() + File.pathSeparator + dir);
    }

    @Test
    void containsTheClassesOfThisTest() throws IOException {
        assertThat(ClassPath.current()).contains("hbase-server", "test-classes");
    }
}
