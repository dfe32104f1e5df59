package org.diffindex.cluster;

import java.util.Map;
import java.util.OptionalLong;

/**
 * The state of one process at one moment. Immutable if {@code ports} is.
 *
 * @param name the name of the process, such as {@code master} or {@code rs2}
 * @param pid its process id; empty if it is not running
 * @param ports its ports by name, such as {@code rpc}; clients use the first
 */
public record ProcessStatus(String name, OptionalLong pid, Map<String, Integer> ports) {
    /** Returns whether the process is running. */
    public boolean isUp() {
        return pid.isPresent();
    }
}
