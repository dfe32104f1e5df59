package org.diffindex.server;

import com.google.protobuf.Service;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.client.RegionReplicaUtil;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.Region;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.server.spill.SpillFiles;
import org.diffindex.server.spill.StampFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads the indexes of one region when its coprocessor starts: the {@link RegionParts} that maintain them, or the
 * reason why this server cannot maintain them.
 *
 * <p>{@link #start} and {@link #stop} are called once each, by the threads that open and close the region. All other
 * methods are thread-safe and may be called at any time, even before the start: HBase asks for the services first.
 */
final class IndexLoader {
    private static final Logger LOG = LoggerFactory.getLogger(IndexLoader.class);

    /**
     * The components that maintain the region's indexes; null before the start, on a replica, if the table had no index
     * when the region was opened, or if the indexes cannot be maintained.
     */
    private volatile RegionParts parts;

    /** Replaces the indexes if their definitions cannot be loaded; else null. */
    private volatile UnloadedIndexes unloaded;

    /** Counts the region if its indexes cannot be loaded; else null. */
    private volatile UnloadedRegions unloadedRegions;

    /** Why the region cannot be opened on this server now; null if it can. */
    private volatile IOException unready;

    private volatile Inspection inspection;
    private volatile StoredDefinitions definitions;
    private volatile CallPermissions permissions;

    /**
     * Loads the indexes of a region. Never throws an exception, because HBase would abort the region server, and then
     * the next server to which the region moves. If the definitions cannot be read, the region refuses writes; if this
     * server cannot keep the indexes now, the region cannot be opened on it.
     */
    void start(RegionCoprocessorEnvironment region) {
        Map<String, IndexDefinition> found = Map.of();
        try {
            found = IndexDefinitions.of(region.getRegion().getTableDescriptor());
        } catch (RuntimeException | LinkageError e) {
            unloaded = new UnloadedIndexes(region, e);
            LOG.error("{}; the region refuses writes", unloaded.problem(), e);
            unloadedRegions = UnloadedRegions.opened(region);
        }
        boolean keeps = !found.isEmpty() && RegionReplicaUtil.isDefaultReplica(region.getRegionInfo());
        permissions = CallPermissions.of(region);
        definitions = new StoredDefinitions(
                region.getRegion().getTableDescriptor(), new StoredTables(region.getConfiguration())::find);
        inspection = new Inspection(
                region.getServerName(),
                region.getConfiguration(),
                keeps ? found.keySet() : Set.of(),
                Optional.ofNullable(unloaded).map(UnloadedIndexes::problem));
        if (keeps) {
            try {
                parts = replaced(region.getRegion());
                if (parts == null) {
                    keep(region, found);
                }
            } catch (IOException | RuntimeException | LinkageError e) {
                unready = new IOException(
                        "Diff-Index cannot keep the indexes of this region on this server now: " + e, e);
            }
        }
    }

    /** Returns the components of the coprocessor that the started one replaces; null if the region is being opened. */
    private static RegionParts replaced(Region region) {
        IndexObserver before = ReplacedCoprocessor.of(region, IndexObserver.class);
        return before == null ? null : before.parts();
    }

    private void keep(RegionCoprocessorEnvironment region, Map<String, IndexDefinition> found) throws IOException {
        StampFiles stamps = StampFiles.of(region.getConfiguration(), region.getRegionInfo(), found.values());
        ServerIndexing server =
                PerServer.acquire(region, ServerIndexing.class, () -> new ServerIndexing(region, new Platform()));
        try {
            SpillFiles files =
                    SpillFiles.of(region.getConfiguration(), region.getRegionInfo(), found.values(), server.holding());
            parts = new RegionParts(region.getRegion(), found.values(), server, files, stamps);
        } finally {
            if (parts == null) {
                PerServer.release(region, ServerIndexing.class);
            }
        }
    }

    /** Closes the region's indexes, if they were loaded. */
    void stop(RegionCoprocessorEnvironment region) {
        if (parts != null) {
            parts.indexes().closed();
            PerServer.release(region, ServerIndexing.class);
        }
        if (unloadedRegions != null) {
            unloadedRegions.closed(region);
        }
    }

    /** Returns the components that maintain the region's indexes; null if there are none. */
    RegionParts parts() {
        return parts;
    }

    /**
     * Throws if this server cannot maintain the indexes now, so that the region must not be opened here.
     *
     * @throws IOException the reason
     */
    void requireReady() throws IOException {
        if (unready != null) {
            throw unready;
        }
    }

    /** Returns the observer of the region: the given one, unless the indexes cannot be loaded. */
    RegionObserver observerOr(RegionObserver loaded) {
        return unloaded == null ? loaded : unloaded;
    }

    /** Returns the endpoints of the region. */
    List<Service> services() {
        return List.of(
                new IndexEndpoint(this::operations, () -> unloaded, () -> definitions, () -> permissions),
                new InspectionEndpoint(() -> inspection));
    }

    private RegionOperations operations() {
        RegionParts loaded = parts;
        return loaded == null ? null : loaded.operations();
    }
}
