package org.diffindex.cluster;

import java.util.Map;

/** One process of a cluster: its name such as {@code rs2}, what it is, its ports by their names, and its heap. */
record ServerSpec(String name, ServerRole role, Map<String, Integer> ports, String heap) {
    int port(String portName) {
        return ports.get(portName);
    }

    /** The port that clients use. */
    int mainPort() {
        return port(role.portNames().get(0));
    }
}
