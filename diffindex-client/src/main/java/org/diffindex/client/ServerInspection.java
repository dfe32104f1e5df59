package org.diffindex.client;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.diffindex.model.IndexFormat;
import org.diffindex.model.ServerSetting;

/**
 * The versions, settings and clock of one HBase server, as it reported them. Immutable.
 *
 * @param server its host, port and start code
 * @param version the version of Diff-Index on it
 * @param jarDigest the SHA-256, in hexadecimal, of the jar from which Diff-Index was loaded; empty if it was not loaded
 *     from a jar
 * @param hbaseVersion the version of HBase on it
 * @param javaVersion the version of Java that runs it
 * @param settings the settings that are set explicitly
 * @param urgentIndexWrites whether its writes to index tables have high priority
 * @param indexes the names of the indexes that the inspected region maintains; empty if no region of a base table was
 *     inspected
 * @param problem why the inspected region cannot load its table's indexes, and therefore refuses writes; empty if it
 *     maintains them
 * @param latestFormat the latest {@link IndexFormat} that it knows
 * @param clockAhead how far its clock is ahead of this machine's clock; negative if it is behind
 * @param clockError the greatest error of {@code clockAhead}, in either direction
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
        int latestFormat,
        Duration clockAhead,
        Duration clockError) {
    /** Copies the collections. */
    public ServerInspection {
        settings = Map.copyOf(settings);
        indexes = Set.copyOf(indexes);
    }

    /** Returns the effective value of a setting: the explicit one, or else its default. */
    public String setting(ServerSetting setting) {
        return settings.getOrDefault(setting, setting.valueUnlessSet()).trim();
    }
}
