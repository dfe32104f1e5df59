package org.diffindex.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class SettingsCommandTest {
    private static final String MASTER = "hbase.coprocessor.master.classes";
    private static final String REGION_SERVER = "hbase.coprocessor.regionserver.classes";
    private static final String OBSERVER = "org.diffindex.server.IndexMasterObserver";
    private static final String ENDPOINT = "org.diffindex.server.IndexServerEndpoint";
    private static final String CONTROLLER = "org.apache.hadoop.hbase.security.access.AccessController";

    /** A property on the line of the closing tag, a comment, and a property of the same name inside the comment. */
    private static final String SITE =
            """
            <?xml version="1.0"?>
            <!-- Ours. <property><name>%1$s</name><value>old</value></property> -->
            <configuration>
              <property><name>hbase.rootdir</name><value>hdfs://a/b</value></property>
              <property>
                <name>%1$s</name>
                <value>%2$s</value>
                <description>Access control</description>
              </property></configuration>
            """
                    .formatted(MASTER, CONTROLLER);

    @TempDir
    Path dir;

    private Path file;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void write() throws IOException {
        file = Files.writeString(dir.resolve("hbase-site.xml"), SITE);
    }

    @Test
    void addsTheCoprocessorsBesideOthers() throws IOException {
        assertThat(run("add")).isZero();
        assertThat(read(MASTER)).isEqualTo(CONTROLLER + "," + OBSERVER);
        assertThat(read(REGION_SERVER)).isEqualTo(ENDPOINT);
        assertThat(read("hbase.rootdir")).isEqualTo("hdfs://a/b");
        assertThat(Files.readString(file)).contains("<!-- Ours. ", "<description>Access control</description>");
    }

    @Test
    void addingThemTwiceChangesNothing() throws IOException {
        run("add");
        String once = Files.readString(file);
        assertThat(run("add")).isZero();
        assertThat(out.toString()).contains("already has the coprocessors");
        assertThat(Files.readString(file)).isEqualTo(once);
    }

    @Test
    void removingThemRestoresTheFileExceptForLaterChanges() throws IOException {
        run("add");
        Files.writeString(file, Files.readString(file).replace("hdfs://a/b", "hdfs://a/c"));
        assertThat(run("remove")).isZero();
        assertThat(Files.readString(file)).isEqualTo(SITE.replace("hdfs://a/b", "hdfs://a/c"));
        assertThat(run("remove")).isZero();
        assertThat(out.toString()).contains("has none of the coprocessors");
    }

    @Test
    void keepsTheFilesPermissionsAndLeavesNoOtherFile() throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        run("add");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-r-----");
        try (var files = Files.list(dir)) {
            assertThat(files).containsExactly(file);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<configuration><property name=\"" + MASTER + "\" value=\"a.B\"/></configuration>",
                "<configuration/>",
                "no XML"
            })
    void doesNotChangeAFileThatItDoesNotUnderstand(String site) throws IOException {
        Files.writeString(file, site);
        assertThat(run("add")).isEqualTo(1);
        assertThat(err.toString()).contains("does not understand", "was not changed", "by hand");
        assertThat(Files.readString(file)).isEqualTo(site);
        try (var files = Files.list(dir)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void doesNotReportACoprocessorAsMissingThatHadoopReads() throws IOException {
        Files.writeString(
                file, "<configuration><property name=\"" + MASTER + "\" value=\"" + OBSERVER + "\"/></configuration>");
        assertThat(run("remove")).isEqualTo(1);
        assertThat(err.toString()).contains("does not understand");
    }

    @Test
    void acceptsSpacesInAListThatNeedsNoChange() throws IOException {
        Files.writeString(file, SITE.replace(CONTROLLER, OBSERVER + ", " + CONTROLLER));
        assertThat(run("add")).isZero();
        assertThat(read(REGION_SERVER)).isEqualTo(ENDPOINT);
    }

    @Test
    void requiresAnAction() {
        assertThat(run()).isEqualTo(2);
        assertThat(run("put")).isEqualTo(2);
    }

    private String read(String setting) {
        Configuration conf = new Configuration(false);
        conf.addResource(new org.apache.hadoop.fs.Path(file.toUri()));
        return conf.get(setting);
    }

    private int run(String... options) {
        CommandLine command = DiffIndex.commandLine();
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        String[] all = new String[options.length + 2];
        all[0] = "settings";
        System.arraycopy(options, 0, all, 1, options.length);
        all[all.length - 1] = file.toString();
        return command.execute(all);
    }
}
