package org.diffindex.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterLayoutTest {
    @Test
    void onlyTheOwnerCanAccessANewFolder(@TempDir Path parent) throws IOException {
        Path folder = parent.resolve("not/there/yet");
        new ClusterLayout(folder).createFolders();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
                .isEqualTo("rwx------");
        assertThat(folder.resolve("logs")).isDirectory();
    }

    @Test
    void keepsThePermissionsOfAnExistingFolder(@TempDir Path parent) throws IOException {
        Path folder = parent.resolve("cluster");
        Files.createDirectory(
                folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-x---")));
        new ClusterLayout(folder).createFolders();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
                .isEqualTo("rwxr-x---");
    }
}
