package org.diffindex.server;

import java.util.IdentityHashMap;
import java.util.Map;

/**
 * A value that each thread has of its own, as in a {@link ThreadLocal}, but takes memory only while it is there: a thread
 * local of each region would leave an entry in every handler that has ever written to the region.
 *
 * @param <T> the type of the value
 */
final class PerThread<T> {
    private static final ThreadLocal<Map<PerThread<?>, Object>> VALUES =
            ThreadLocal.withInitial(() -> new IdentityHashMap<>(2));

    /** This thread's value; null if it has none. */
    @SuppressWarnings("unchecked") // only set puts it there
    T get() {
        return (T) VALUES.get().get(this);
    }

    /** Gives this thread a value, or none if it is null. */
    void set(T value) {
        Map<PerThread<?>, Object> values = VALUES.get();
        if (value == null) {
            values.remove(this);
        } else {
            values.put(this, value);
        }
    }
}
