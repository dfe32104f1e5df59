package org.diffindex.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerCommandTest {
    private static final String LOCAL_DIR = "-Dhbase.local.dir=";

    @TempDir
    Path dir;

    /** Servers that share hbase.local.dir delete the coprocessor jars that the others have copied from HDFS. */
    @Test
    void noTwoServersShareAFolderForCoprocessorJars() throws IOException {
        ClusterLayout layout = new ClusterLayout(dir);
        ServerCommand commands = new ServerCommand(layout, new InstalledClasses(layout, ClassPath.current()));
        List<String> folders = new ArrayList<>();

        for (ServerSpec server : ClusterDescriptor.create(3, 1, "1g").servers()) {
            List<String> command = commands.server(server).command();
            command.stream().filter(word -> word.startsWith(LOCAL_DIR)).forEach(folders::add);
        }

        assertThat(folders).hasSize(4).doesNotHaveDuplicates().allMatch(folder -> folder.contains(dir.toString()));
    }
}
