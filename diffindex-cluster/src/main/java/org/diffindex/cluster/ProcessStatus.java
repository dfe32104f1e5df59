package org.diffindex.cluster;

import java.util.Map;
import java.util.OptionalLong;

/**
 * The state of one process at one moment.
 *
 * @param name such as {@code master} or {@code rs2}
 * @param pid the process, or empty if it is down
 * @param ports the ports it was given, by their names such as {@code rpc}; clients use the first
 */
public record ProcessStatus(String name, OptionalLong pid, Map<String, Integer> ports) {
    public boolean isUp() {
        return pid.isPresent();
    }
}
