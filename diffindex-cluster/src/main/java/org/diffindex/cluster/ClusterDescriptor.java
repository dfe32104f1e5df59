package org.diffindex.cluster;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * The processes of a cluster and their ports, chosen once and kept in a properties file. Immutable.
 *
 * <pre>
 * region.servers=3
 * data.nodes=1
 * region.server.heap=1g
 * port.rs1.rpc=20112
 * </pre>
 */
final class ClusterDescriptor {
    private static final String REGION_SERVERS = "region.servers";
    private static final String DATA_NODES = "data.nodes";
    private static final String HEAP = "region.server.heap";

    private final int regionServers;
    private final int dataNodes;
    private final String heap;
    private final List<ServerSpec> servers;

    private ClusterDescriptor(int regionServers, int dataNodes, String heap, List<ServerSpec> servers) {
        this.regionServers = regionServers;
        this.dataNodes = dataNodes;
        this.heap = heap;
        this.servers = List.copyOf(servers);
    }

    /** Describes a new cluster on ports that are free now. */
    static ClusterDescriptor create(int regionServers, int dataNodes, String heap) throws IOException {
        int count = 0;
        for (ServerRole role : ServerRole.values()) {
            count += role.portNames().size() * instances(role, regionServers, dataNodes);
        }
        Iterator<Integer> free = Ports.free(count).iterator();
        return new ClusterDescriptor(
                regionServers,
                dataNodes,
                heap,
                specs(regionServers, dataNodes, heap, (process, portName) -> free.next()));
    }

    /**
     * Reads the descriptor of a cluster.
     *
     * @throws IOException if the file cannot be read, or an entry is missing or invalid
     */
    static ClusterDescriptor read(Path file) throws IOException {
        Properties properties = new Properties();
        try (Reader in = Files.newBufferedReader(file)) {
            properties.load(in);
        }
        try {
            int regionServers = Integer.parseInt(properties.getProperty(REGION_SERVERS));
            int dataNodes = Integer.parseInt(properties.getProperty(DATA_NODES, "1"));
            String heap = properties.getProperty(HEAP, ClusterOptions.DEFAULT_HEAP);
            return new ClusterDescriptor(
                    regionServers,
                    dataNodes,
                    heap,
                    specs(
                            regionServers,
                            dataNodes,
                            heap,
                            (process, portName) ->
                                    Integer.valueOf(properties.getProperty(portKey(process, portName)))));
        } catch (NumberFormatException e) {
            throw new IOException(
                    "A number is missing or wrong in " + file + " (" + e.getMessage()
                            + "); nothing was started or stopped; restore the file, or delete the cluster's folder",
                    e);
        }
    }

    void write(Path file) throws IOException {
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put(REGION_SERVERS, Integer.toString(regionServers));
        lines.put(DATA_NODES, Integer.toString(dataNodes));
        lines.put(HEAP, heap);
        for (ServerSpec server : servers) {
            server.role()
                    .portNames()
                    .forEach(port -> lines.put(portKey(server.name(), port), Integer.toString(server.port(port))));
        }
        try (Writer out = Files.newBufferedWriter(file)) {
            for (Map.Entry<String, String> line : lines.entrySet()) {
                out.append(line.getKey()).append('=').append(line.getValue()).append('\n');
            }
        }
    }

    int regionServers() {
        return regionServers;
    }

    /** Returns the processes in the order in which they start. */
    List<ServerSpec> servers() {
        return servers;
    }

    List<ServerSpec> servers(ServerRole role) {
        return servers.stream().filter(server -> server.role() == role).toList();
    }

    /** Returns the only process of a role. */
    ServerSpec server(ServerRole role) {
        return servers(role).get(0);
    }

    private static int instances(ServerRole role, int regionServers, int dataNodes) {
        return switch (role) {
            case REGION_SERVER -> regionServers;
            case DATANODE -> dataNodes;
            case ZOOKEEPER, NAMENODE, MASTER -> 1;
        };
    }

    private static List<ServerSpec> specs(int regionServers, int dataNodes, String heap, PortSource source) {
        List<ServerSpec> specs = new ArrayList<>();
        for (ServerRole role : ServerRole.values()) {
            for (int number = 1; number <= instances(role, regionServers, dataNodes); number++) {
                String name = role.processName(number);
                Map<String, Integer> ports = new LinkedHashMap<>();
                role.portNames().forEach(portName -> ports.put(portName, source.port(name, portName)));
                specs.add(new ServerSpec(name, role, ports, role == ServerRole.REGION_SERVER ? heap : role.heap()));
            }
        }
        return specs;
    }

    private static String portKey(String process, String portName) {
        return "port." + process + "." + portName;
    }

    /** Supplies port numbers. */
    @FunctionalInterface
    private interface PortSource {
        Integer port(String process, String portName);
    }
}
