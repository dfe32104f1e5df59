package org.diffindex.cluster;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Builds the command lines of the cluster's processes. */
final class ServerCommand {
    /**
     * In the small regions that G1 uses for a small heap, each memstore chunk of 2 MB would take half as much again.
     */
    private static final String LARGE_GC_REGIONS = "-XX:G1HeapRegionSize=8m";

    private static final Path SETSID = Path.of("/usr/bin/setsid");

    /** The roles that use the optimizing compiler. Without it the others start several seconds faster. */
    private static final Set<ServerRole> SERVES_DATA = Set.of(ServerRole.DATANODE, ServerRole.REGION_SERVER);

    /**
     * The roles that copy a coprocessor's jar from HDFS to their hbase.local.dir. The first copy empties that folder,
     * so servers that share it delete each other's jars; a region server whose jar disappears before it is opened
     * aborts.
     */
    private static final Set<ServerRole> RUNS_COPROCESSORS = Set.of(ServerRole.MASTER, ServerRole.REGION_SERVER);

    private final ClusterLayout layout;
    private final InstalledClasses classes;

    /**
     * Creates the commands for processes that have these classes on their class path, after the cluster's own folders.
     */
    ServerCommand(ClusterLayout layout, InstalledClasses classes) {
        this.layout = layout;
        this.classes = classes;
    }

    /**
     * Returns the command of a server, which runs as the leader of its own session so that it outlives this process and
     * its terminal.
     */
    ProcessBuilder server(ServerSpec server) throws IOException {
        List<String> command = new ArrayList<>();
        if (Files.isExecutable(SETSID)) {
            command.add(SETSID.toString());
        }
        command.addAll(java(server));
        if (server.role() == ServerRole.REGION_SERVER) {
            command.add("-Dhbase.regionserver.port=" + server.port("rpc"));
            command.add("-Dhbase.regionserver.info.port=" + server.port("info"));
        }
        if (RUNS_COPROCESSORS.contains(server.role())) {
            command.add("-Dhbase.local.dir=" + layout.local(server.name()));
        }
        command.addAll(server.role().arguments());
        if (server.role() == ServerRole.DATANODE) {
            command.addAll(dataNode(server));
        }
        return process(server, command);
    }

    /** Returns the settings that differ between DataNodes, as Hadoop's generic option {@code -D}. */
    private List<String> dataNode(ServerSpec server) {
        return List.of(
                "-D",
                "dfs.datanode.data.dir=" + layout.dataNodeData(server.name()).toUri(),
                "-D",
                "dfs.datanode.address=" + ClusterSites.address(server, "data"),
                "-D",
                "dfs.datanode.ipc.address=" + ClusterSites.address(server, "ipc"),
                "-D",
                "dfs.datanode.http.address=" + ClusterSites.address(server, "http"));
    }

    /** Returns the command that formats the NameNode's folder and ends by itself. */
    ProcessBuilder format(ServerSpec nameNode) throws IOException {
        List<String> command = new ArrayList<>(java(nameNode));
        command.addAll(List.of("-format", "-nonInteractive"));
        return process(nameNode, command);
    }

    private List<String> java(ServerSpec server) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx" + server.heap());
        command.add("-XX:+ExitOnOutOfMemoryError");
        command.add(server.role() == ServerRole.REGION_SERVER ? LARGE_GC_REGIONS : "-XX:+UseSerialGC");
        if (!SERVES_DATA.contains(server.role())) {
            command.add("-XX:TieredStopAtLevel=1");
        }
        command.addAll(jvmArguments());
        command.add("-Djava.io.tmpdir=" + layout.tmp());
        command.add("-Djava.net.preferIPv4Stack=true");
        command.add("-Dzookeeper.admin.enableServer=false");
        command.add("-Dlog4j2.configurationFile=diffindex-server-log4j2.properties");
        command.add("-Dlog4j.configuration=diffindex-server-log4j1.properties");
        if (Files.exists(layout.krb5Conf())) {
            command.add("-Djava.security.krb5.conf=" + layout.krb5Conf());
            command.add("-Dzookeeper.sasl.client.canonicalize.hostname=false");
        }
        command.add("-D" + LocalCluster.PROCESS_PROPERTY + "=" + server.name());
        command.add(server.role().mainClass());
        return command;
    }

    private ProcessBuilder process(ServerSpec server, List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(layout.tmp().toFile())
                .redirectErrorStream(true)
                .redirectInput(new File("/dev/null"))
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        layout.log(server.name()).toFile()));
        builder.environment()
                .put(
                        "CLASSPATH",
                        String.join(
                                File.pathSeparator,
                                layout.conf().toString(),
                                layout.classPath().toString(),
                                classes.classPath()));
        return builder;
    }

    /** Returns the JVM arguments that HBase needs on this Java, from the build's {@code hbase.jvm.args}. */
    static List<String> jvmArguments() throws IOException {
        try (InputStream in = ServerCommand.class.getResourceAsStream("jvm.args")) {
            return List.of(
                    new String(in.readAllBytes(), StandardCharsets.UTF_8).trim().split("\\s+", -1));
        }
    }
}
