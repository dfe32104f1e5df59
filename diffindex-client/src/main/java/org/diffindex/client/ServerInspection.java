package org.diffindex.client;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.diffindex.model.ServerSetting;

/**
 * What one server of HBase said of itself. Immutable.
 *
 * @param server its host, port and start code
 * @param version of Diff-Index on it
 * @param jarDigest the SHA-256, in hexadecimal, of the jar that Diff-Index was loaded from; empty if from none
 * @param hbaseVersion of HBase on it
 * @param javaVersion of the Java that runs it
 * @param settings the settings that are set
 * @param urgentIndexWrites whether its writes to index tables go to the handlers for urgent calls
 * @param indexes the names of the indexes that the region keeps that was asked; none if no region of a base table was
 * @param problem why the region that was asked cannot load its table's indexes, and so refuses writes; empty if it keeps them
 * @param clockAhead how far its clock is ahead of this machine's; negative if behind
 * @param clockError by how much that may be wrong
 */
public record ServerInspection(
        String server,
        String version,
        Optional<String> jarDigest,
        String hbaseVersion,
        String javaVersion,
        Map<ServerSetting, String> settings,
        boolean urgentIndexWrites,
        Set<String> indexes,
        Optional<String> problem,
        Duration clockAhead,
        Duration clockError) {
    /** Copies the collections. */
    public ServerInspection {
        settings = Map.copyOf(settings);
        indexes = Set.copyOf(indexes);
    }

    /** The value that the server goes by. */
    public String setting(ServerSetting setting) {
        return settings.getOrDefault(setting, setting.valueUnlessSet()).trim();
    }
}
