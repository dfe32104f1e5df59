package org.diffindex.server;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Server;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A resource that all regions of a coprocessor share on their server: created by the first region that acquires it,
 * closed when the last one releases it. Stored in HBase's shared data; guarded by the atomic operations of that map.
 *
 * @param <T> the type of the resource
 */
final class PerServer<T extends Closeable> {
    private static final Logger LOG = LoggerFactory.getLogger(PerServer.class);

    private final T value;
    private int regions;

    private PerServer(T value) {
        this.value = value;
    }

    /** Acquires the server's resource of a type; {@link #release} it when the region is closed. */
    static <T extends Closeable> T acquire(RegionCoprocessorEnvironment env, Class<T> type, Supplier<T> made) {
        Object held = sharedData(env).compute(keyOf(env, type), (key, before) -> {
            PerServer<?> shared = before == null ? new PerServer<>(made.get()) : (PerServer<?>) before;
            shared.regions++;
            return shared;
        });
        return type.cast(((PerServer<?>) held).value);
    }

    /** Releases a region's resource; the last release closes it. */
    static void release(RegionCoprocessorEnvironment env, Class<? extends Closeable> type) {
        sharedData(env).computeIfPresent(keyOf(env, type), (key, before) -> {
            PerServer<?> shared = (PerServer<?>) before;
            shared.regions--;
            if (shared.regions > 0) {
                return shared;
            }
            try {
                shared.value.close();
            } catch (IOException e) {
                LOG.warn("What the regions of {} shared did not close cleanly", key, e);
            }
            return null;
        });
    }

    /**
     * Creates the resource unless there is one of its type, without acquiring it. It is closed when the last region
     * that acquired it releases it.
     */
    static <T extends Closeable> void offer(RegionCoprocessorEnvironment env, Class<T> type, Supplier<T> made) {
        sharedData(env).computeIfAbsent(keyOf(env, type), key -> new PerServer<>(made.get()));
    }

    /** Returns the resource in an entry of the shared data; null if it is not of the type. */
    static <T extends Closeable> T valueOf(Object shared, Class<T> type) {
        Object value = shared instanceof PerServer<?> held ? held.value : null;
        return type.isInstance(value) ? type.cast(value) : null;
    }

    /**
     * Returns the configuration of a region's server. The environment's own configuration contains the values of the
     * region's table too, which must not apply to other tables.
     */
    static Configuration configuration(RegionCoprocessorEnvironment env) {
        return env.getOnlineRegions() instanceof Server server ? server.getConfiguration() : env.getConfiguration();
    }

    private static ConcurrentMap<String, Object> sharedData(RegionCoprocessorEnvironment env) {
        return env.getSharedData();
    }

    /** Returns a key that is unique for each server: several servers in one JVM share the map but no resource. */
    static String keyOf(RegionCoprocessorEnvironment env, Class<?> type) {
        return type.getSimpleName() + " of " + env.getServerName();
    }
}
