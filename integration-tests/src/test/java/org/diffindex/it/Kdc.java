package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.commons.io.FileUtils;
import org.diffindex.cluster.Conditions;
import org.diffindex.cluster.Ports;

/**
 * A KDC of MIT's Kerberos, as Debian's packages have it, in a folder and on a port of its own, until it is closed. It
 * has the principals of a cluster's servers, and the users alice and bob; their keys are in keytabs in its folder.
 */
final class Kdc implements AutoCloseable {
    static final String REALM = "DIFFINDEX.TEST";
    static final String HOST = "localhost";

    /** So short that a test sees tickets expire. */
    static final Duration TICKETS_LAST = Duration.ofMinutes(3);

    /** The principal of the pages of the cluster's NameNode, of which docs/security.md says nothing. */
    private static final String PAGES_OF_HDFS =
            "kadmin.local addprinc -randkey HTTP/%1$s && kadmin.local ktadd -k %1$s/hbase.keytab HTTP/%1$s"
                    .formatted(HOST);

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Path dir;
    private final int port;
    private final Process process;

    /** Starts a KDC. */
    Kdc() throws IOException, InterruptedException {
        dir = Files.createTempDirectory("diffindex-kdc");
        port = Ports.free(1).get(0);
        configure();
        requireSuccess("kdb5_util create -s -P master-key");
        requireSuccess(SecurityManual.commands("1. Keytabs of the servers"));
        requireSuccess(PAGES_OF_HDFS);
        requireSuccess(SecurityManual.commands("3. Users"));
        requireSuccess(SecurityManual.commands("3. Users").replace("alice", "bob"));
        process = start();
    }

    /** Returns whether this machine has the programs. */
    static boolean isInstalled() {
        return Stream.of("krb5kdc", "kdb5_util", "kadmin.local", "kinit")
                .allMatch(program -> Stream.of("/usr/sbin", "/usr/bin")
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program))));
    }

    private void configure() throws IOException {
        Files.writeString(
                krb5Conf(),
                """
                [libdefaults]
                    default_realm = %1$s
                    dns_lookup_kdc = false
                    dns_lookup_realm = false
                    rdns = false
                    udp_preference_limit = 1
                    clockskew = 30
                [realms]
                    %1$s = {
                        kdc = 127.0.0.1:%2$d
                    }
                [domain_realm]
                    localhost = %1$s
                """
                        .formatted(REALM, port));
        Files.writeString(
                dir.resolve("kdc.conf"),
                """
                [realms]
                    %1$s = {
                        database_name = %2$s/principals
                        key_stash_file = %2$s/stash
                        acl_file = %2$s/acl
                        kdc_listen = 127.0.0.1:%3$d
                        kdc_tcp_listen = 127.0.0.1:%3$d
                        max_life = %4$dm
                    }
                [logging]
                    kdc = FILE:%2$s/kdc.log
                """
                        .formatted(REALM, dir, port, TICKETS_LAST.toMinutes()));
    }

    private void requireSuccess(String script) throws IOException, InterruptedException {
        Shell.Result result = shell(Map.of()).script(script);
        assertThat(result.exitCode()).as("%s: %s", script, result.output()).isZero();
    }

    private Process start() throws IOException {
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", "exec krb5kdc -n -P " + dir.resolve("pid"))
                .redirectErrorStream(true)
                .redirectOutput(dir.resolve("output.log").toFile());
        builder.environment().putAll(shell(Map.of()).environment());
        Process started = builder.start();
        Runtime.getRuntime().addShutdownHook(new Thread(started::destroyForcibly, "destroy-kdc"));
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        assertThat(Conditions.await(PATIENCE, () -> Ports.accepts(address)))
                .as("the KDC answers: %s", Files.readString(dir.resolve("output.log")))
                .isTrue();
        return started;
    }

    /** Returns the folder with the keytabs {@code USER.keytab} of the users. */
    Path folder() {
        return dir;
    }

    /** Returns the keytab of the servers. */
    Path serverKeytab() {
        return dir.resolve(HOST).resolve("hbase.keytab");
    }

    /** Returns the configuration of a client of Kerberos. */
    Path krb5Conf() {
        return dir.resolve("krb5.conf");
    }

    /** Returns a shell in the folder, for Kerberos's programs. */
    Shell shell(Map<String, String> environment) {
        Map<String, String> all = new HashMap<>(environment);
        all.put("PATH", System.getenv("PATH") + ":/usr/sbin");
        all.put("KRB5_CONFIG", krb5Conf().toString());
        all.put("KRB5_KDC_PROFILE", dir.resolve("kdc.conf").toString());
        return new Shell(dir, all);
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        FileUtils.deleteDirectory(dir.toFile());
    }
}
