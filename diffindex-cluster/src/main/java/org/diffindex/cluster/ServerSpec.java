package org.diffindex.cluster;

import java.util.Map;

/** One process of a cluster: its name, such as {@code rs2}, its role, its ports by name, and its heap. */
record ServerSpec(String name, ServerRole role, Map<String, Integer> ports, String heap) {
    int port(String portName) {
        return ports.get(portName);
    }

    /** Returns the port that clients use. */
    int mainPort() {
        return port(role.portNames().get(0));
    }
}
