package org.diffindex.server.spill;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnFolderTest {
    private final Configuration conf = HBaseConfiguration.create();

    @TempDir
    Path root;

    @BeforeEach
    void inFolder() {
        conf.set(HConstants.HBASE_DIR, root.toUri().toString());
    }

    private String permissions() throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(root.resolve("diffindex")));
    }

    @Test
    void isClosedToOtherUsersIfTheClusterRequiresKerberos() throws IOException {
        conf.set("hbase.security.authentication", "kerberos");

        OwnFolder.protect(conf);
        assertThat(permissions()).isEqualTo("rwx------");

        conf.set("hbase.rootdir.perms", "750");
        OwnFolder.protect(conf);
        assertThat(permissions()).isEqualTo("rwxr-x---");
    }

    @Test
    void isNotMadeOtherwise() throws IOException {
        OwnFolder.protect(conf);

        assertThat(root).isEmptyDirectory();
    }
}
