package org.diffindex.server;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Something that all regions of a coprocessor share on their server: made for the first region that asks for it, closed
 * when the last one has given it back. Lies in HBase's shared data, and is guarded by the atomicity of that map.
 *
 * @param <T> what is shared
 */
final class PerServer<T extends Closeable> {
    private static final Logger LOG = LoggerFactory.getLogger(PerServer.class);

    private final T value;
    private int regions;

    private PerServer(T value) {
        this.value = value;
    }

    /** What the region's server shares of a type. Release it when the region is closed. */
    static <T extends Closeable> T acquire(RegionCoprocessorEnvironment env, Class<T> type, Supplier<T> made) {
        Object held = sharedData(env).compute(keyOf(env, type), (key, before) -> {
            PerServer<?> shared = before == null ? new PerServer<>(made.get()) : (PerServer<?>) before;
            shared.regions++;
            return shared;
        });
        return type.cast(((PerServer<?>) held).value);
    }

    /** The region needs it no more; the last one closes it. */
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

    /** Shares a value from now on, if none of its type is shared yet; it goes when the last of its regions does. */
    static <T extends Closeable> void offer(RegionCoprocessorEnvironment env, Class<T> type, Supplier<T> made) {
        sharedData(env).computeIfAbsent(keyOf(env, type), key -> new PerServer<>(made.get()));
    }

    /** What lies in shared data; null if it is none of this type. */
    static <T extends Closeable> T valueOf(Object shared, Class<T> type) {
        Object value = shared instanceof PerServer<?> held ? held.value : null;
        return type.isInstance(value) ? type.cast(value) : null;
    }

    private static ConcurrentMap<String, Object> sharedData(RegionCoprocessorEnvironment env) {
        return env.getSharedData();
    }

    /** Servers of one JVM, as in a test, share the map but nothing else. */
    static String keyOf(RegionCoprocessorEnvironment env, Class<?> type) {
        return type.getSimpleName() + " of " + env.getServerName();
    }
}
