package org.diffindex.server;

import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * A value of each thread, as in a {@link ThreadLocal}, that takes memory only while it is set; a thread local for each
 * region would leave an entry in every handler that ever wrote to the region.
 *
 * @param <T> the type of the value
 */
final class PerThread<T> {
    private static final ThreadLocal<Map<PerThread<?>, Object>> VALUES =
            ThreadLocal.withInitial(() -> new IdentityHashMap<>(2));

    /** Returns this thread's value; null if it has none. */
    @SuppressWarnings("unchecked") // only set puts it there
    T get() {
        return (T) VALUES.get().get(this);
    }

    /** Returns a view of this thread's values in all instances. */
    static Collection<Object> ofThisThread() {
        return VALUES.get().values();
    }

    /** Sets this thread's value, or removes it if null. */
    void set(T value) {
        Map<PerThread<?>, Object> values = VALUES.get();
        if (value == null) {
            values.remove(this);
        } else {
            values.put(this, value);
        }
    }
}
