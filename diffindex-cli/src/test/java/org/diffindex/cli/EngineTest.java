package org.diffindex.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineTest {
    private static final String FILE_SYSTEM = "fs.defaultFS";
    private static final String RENEWER = "yarn.resourcemanager.principal";

    private final Configuration cluster = new Configuration(false);

    EngineTest() {
        cluster.set(FILE_SYSTEM, "hdfs://namenode:8020");
    }

    /** Hadoop submits no job on a cluster with Kerberos without a renewer, even one that needs no token. */
    @Test
    void aJobInThisProcessNeedsNothingOfHdfs() throws IOException {
        Configuration conf = Engine.configuration(cluster, null);

        assertThat(conf.get(FILE_SYSTEM)).isEqualTo("file:///");
        assertThat(conf.get(RENEWER)).isNotEmpty();
        assertThat(cluster.get(RENEWER)).isNull();
    }

    @Test
    void aJobOnAnEngineUsesItsSettings(@TempDir Path hadoop) throws IOException {
        Files.writeString(
                hadoop.resolve("mapred-site.xml"),
                "<configuration><property><name>mapreduce.framework.name</name><value>yarn</value></property>"
                        + "</configuration>");

        Configuration conf = Engine.configuration(cluster, hadoop.toString());

        assertThat(conf.get("mapreduce.framework.name")).isEqualTo("yarn");
        assertThat(conf.get(FILE_SYSTEM)).isEqualTo("hdfs://namenode:8020");
        assertThat(conf.get(RENEWER)).isNull();
    }

    @Test
    void refusesAFolderThatIsNoEngines(@TempDir Path other) {
        assertThatThrownBy(() -> Engine.configuration(cluster, other.toString()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("No mapred-site.xml in")
                .hasMessageContaining("nothing was changed");
    }
}
