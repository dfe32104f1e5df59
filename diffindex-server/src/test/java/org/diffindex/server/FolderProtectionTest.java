package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderProtectionTest {
    private final Configuration conf = HBaseConfiguration.create();

    @TempDir
    Path root;

    @BeforeEach
    void requireKerberos() {
        conf.set(HConstants.HBASE_DIR, root.toUri().toString());
        conf.set("hbase.security.authentication", "kerberos");
    }

    private static boolean isClosed(Path folder) throws IOException {
        return Files.isDirectory(folder)
                && PosixFilePermissions.toString(Files.getPosixFilePermissions(folder))
                        .equals("rwx------");
    }

    /** An exception would keep HBase from calling the hooks of later coprocessors of the master. */
    @Test
    void triesAgainAfterAFailure() throws IOException {
        Path folder = Files.writeString(root.resolve("diffindex"), "no folder");
        try (FolderProtection protection = new FolderProtection(conf, 10)) {
            protection.start();
            assertThat(folder).isRegularFile();
            Files.delete(folder);
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (!isClosed(folder)) {
                assertThat(System.nanoTime()).as("now").isLessThan(deadline);
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void closesTheFolderBeforeTheMasterHasStarted() throws IOException {
        try (FolderProtection protection = new FolderProtection(conf)) {
            protection.start();
            assertThat(isClosed(root.resolve("diffindex"))).isTrue();
        }
    }
}
