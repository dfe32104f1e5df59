package org.diffindex.server;

import java.util.Arrays;
import java.util.Set;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells whether coprocessors of a region, other than Diff-Index's, override certain hooks. Thread-safe; immutable. */
final class OverriddenHooks {
    private static final Logger LOG = LoggerFactory.getLogger(OverriddenHooks.class);

    private final Set<String> hooks;
    private final Set<String> harmless;

    /**
     * Creates an instance.
     *
     * @param hooks the names of methods of a {@link RegionObserver}
     * @param harmless the names of classes that may override them
     */
    OverriddenHooks(Set<String> hooks, Set<String> harmless) {
        this.hooks = hooks;
        this.harmless = harmless;
    }

    /** Returns whether no coprocessor of a host overrides any of the hooks; false in doubt. Never throws an exception. */
    boolean areAbsent(RegionCoprocessorHost host) {
        try {
            return host.findCoprocessors(RegionCoprocessor.class).stream()
                    .filter(coprocessor -> coprocessor.getClass() != IndexObserver.class
                            && !harmless.contains(coprocessor.getClass().getName()))
                    .flatMap(coprocessor -> coprocessor.getRegionObserver().stream())
                    .noneMatch(this::overridesAny);
        } catch (RuntimeException | LinkageError e) { // the methods of a class may name classes that are absent
            LOG.warn("It is unknown whether a coprocessor overrides one of {}; it counts as if it did", hooks, e);
            return false;
        }
    }

    private boolean overridesAny(RegionObserver observer) {
        return Arrays.stream(observer.getClass().getMethods())
                .filter(method -> hooks.contains(method.getName()))
                .anyMatch(method -> method.getDeclaringClass() != RegionObserver.class);
    }
}
