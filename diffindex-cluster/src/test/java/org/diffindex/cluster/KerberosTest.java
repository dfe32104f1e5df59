package org.diffindex.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KerberosTest {
    private static final Path MANUAL = Path.of("..", "docs", "security.md");
    private static final Pattern PROPERTY = Pattern.compile("<name>([^<]+)</name>\\s*<value>([^<]+)</value>");

    @TempDir
    Path dir;

    private ClusterLayout layout;
    private ClusterSites sites;

    @BeforeEach
    void setUp() throws IOException {
        layout = new ClusterLayout(dir.resolve("cluster"));
        layout.createFolders();
        Path krb5Conf = Files.writeString(dir.resolve("krb5.conf"), "[libdefaults]\n");
        Kerberos realm = new Kerberos(krb5Conf, "EXAMPLE.COM", Path.of("/etc/hbase/conf/hbase.keytab"));
        sites = new ClusterSites(
                layout,
                ClusterDescriptor.create(1, 1, "1g"),
                ClusterOptions.defaults().withKerberos(realm));
    }

    /** The order matters: the master must refuse whom the AccessController refuses before it looks at the request. */
    @Test
    void accessIsControlledBeforeDiffIndexIsAsked() {
        assertThat(sites.hbase())
                .containsEntry(
                        "hbase.coprocessor.master.classes",
                        "org.apache.hadoop.hbase.security.access.AccessController,"
                                + "org.diffindex.server.IndexMasterObserver")
                .containsEntry(
                        "hbase.coprocessor.region.classes",
                        "org.apache.hadoop.hbase.security.token.TokenProvider,"
                                + "org.apache.hadoop.hbase.security.access.AccessController");
    }

    @Test
    void everyProcessKnowsTheRealm() throws IOException {
        ServerCommand commands = new ServerCommand(layout, new InstalledClasses(layout, ClassPath.current()));
        ServerSpec master = ClusterDescriptor.create(1, 1, "1g").server(ServerRole.MASTER);
        String realm = "-Djava.security.krb5.conf=" + layout.krb5Conf();

        assertThat(commands.server(master).command()).doesNotContain(realm);
        sites.write();
        assertThat(commands.server(master).command()).contains(realm);
        assertThat(layout.krb5Conf()).hasContent("[libdefaults]\n");
    }

    /** The settings of the manual are those with which KerberosIT runs. */
    @Test
    void theManualNamesTheSettingsOfTheServers() throws IOException {
        Map<String, String> here = new LinkedHashMap<>(sites.core());
        here.putAll(sites.hdfs());
        here.putAll(sites.hbase());
        Map<String, String> named = new LinkedHashMap<>();
        PROPERTY.matcher(Files.readString(MANUAL))
                .results()
                .filter(property -> !property.group(1).startsWith("hbase.client."))
                .forEach(property ->
                        named.put(property.group(1), property.group(2).replace("_HOST", "localhost")));

        assertThat(named).hasSizeGreaterThan(15);
        assertThat(here).containsAllEntriesOf(named);
    }
}
