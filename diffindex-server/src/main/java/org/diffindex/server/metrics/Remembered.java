package org.diffindex.server.metrics;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Values by key. Those in use are kept; of the others a bounded number, so that a value is found again which is out of
 * use for a while, and keys that never come back take no memory for good. Thread-safe.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class Remembered<K, V> {
    private final int most;
    private final Supplier<V> maker;

    /** Guarded by this. */
    private final Map<K, V> values = new HashMap<>();

    /** The keys of the values that are out of use, that for the longest time first. Guarded by this. */
    private final Set<K> unused = new LinkedHashSet<>();

    /**
     * Creates an object without values.
     *
     * @param most how many values that are out of use are kept
     * @param maker makes a value
     */
    public Remembered(int most, Supplier<V> maker) {
        this.most = most;
        this.maker = maker;
    }

    /** Returns the value of a key, which is in use from now on; a new one if none is kept. */
    public synchronized V use(K key) {
        unused.remove(key);
        return values.computeIfAbsent(key, any -> maker.get());
    }

    /** Returns the value of a key, if one is kept. */
    public synchronized Optional<V> find(K key) {
        return Optional.ofNullable(values.get(key));
    }

    /**
     * Takes the value of a key out of use, and forgets that which is out of use for the longest time, if these are too
     * many.
     */
    public synchronized void release(K key) {
        if (values.containsKey(key)) {
            unused.remove(key);
            unused.add(key);
        }
        if (unused.size() > most) {
            Iterator<K> oldest = unused.iterator();
            values.remove(oldest.next());
            oldest.remove();
        }
    }
}
